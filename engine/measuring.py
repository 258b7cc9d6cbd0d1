"""What passes of a loaded pair cost, and how well its draft guesses, measured before the first reply.

The target writes a few tokens after some beginnings while the clock runs; the draft reads along and says at each token
what it would have guessed. So a pair that was never used is known a little, and no reply pays for finding out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Final

from engine.acceptance import ANY_KIND, LearnedAcceptance
from engine.adoption import adopts, bring
from engine.costs import SHORT_READ, Costs, MeasuredCosts
from engine.decoder import Decoder, Interrupted
from engine.distribution import Logits
from engine.types import MAX_DRAFT_LENGTH, Drafter

LIMIT_S: Final = 1.2  # after it nothing more is begun; the first passes are measured whatever they take
WRITING_SHARE: Final = 0.6  # of the limit is for writing and reading along
BEGINNINGS: Final = (
    'def is_palindrome(text):\n    """Whether it reads the same backwards, spaces and case aside."""\n    letters =',
    "The harbour was quiet in the early morning. A fisherman mended his nets while his daughter counted",
)
_WRITTEN: Final = 10  # tokens after each
_FIRST: Final = 5  # tokens in a pass of the target
_FURTHER: Final = (3, 9, 17, 2, 4, 7, 13)  # those that tell most first
_LONG_READ: Final = 64  # tokens in a pass of the draft that reads a prompt
_TIMES: Final = 2  # of which the shorter one counts; one beyond the limit
_TOKEN: Final = 0  # any will do where only time counts

_Run = Callable[[Decoder, Sequence[int], int], tuple[Logits, float]]  # one pass: its rows and seconds


@dataclass(frozen=True, slots=True)
class Measured:
    """Of a pair, or of a target alone.

    Attributes:
        guessed: so often the draft's likeliest token was the target's.
        judged: of so many tokens.
        copy_s: seconds in which the draft takes over a token that the target has read; None where it cannot, or guesses
            worse afterwards than after reading it itself.
    """

    costs: MeasuredCosts
    guessed: int = 0
    judged: int = 0
    copy_s: float | None = None

    def learned(self) -> dict[Drafter, LearnedAcceptance]:
        """As guesses at the first position."""
        if not self.judged:
            return {}
        counts = ((float(self.guessed),), (float(self.judged - self.guessed),))
        return {Drafter.MODEL: LearnedAcceptance({ANY_KIND: counts})}


@dataclass(slots=True)
class _Seen:
    """Seconds of passes over one token each, and how the draft would have guessed."""

    target: list[float] = field(default_factory=list)
    draft: list[float] = field(default_factory=list)
    copying: list[float] = field(default_factory=list)  # a token
    adopts: bool = True  # as far as was seen
    guessed: int = 0
    judged: int = 0


def measure(
    target: Decoder,
    draft: Decoder | None,
    beginnings: Sequence[Sequence[int]],
    cancelled: Callable[[], bool],
    *,
    before: MeasuredCosts | None = None,
    limit_s: float = LIMIT_S,
) -> Measured:
    """Both caches must be empty, and are afterwards. Blocks for the limit, or for reading a beginning and four
    passes where they take longer.

    Args:
        beginnings: token ids of texts to go on from, at least one, none empty; what does not fit is left out.
        cancelled: asked before each pass.
        before: what was measured another time; tells of the lengths for which there is no time now.

    Raises:
        EngineError: a pass failed.
        Interrupted: cancelled; the caches may hold something then.
    """
    begin = perf_counter()
    seen = _Seen()

    def run(decoder: Decoder, tokens: Sequence[int], outputs: int) -> tuple[Logits, float]:
        if cancelled():
            raise Interrupted
        start = perf_counter()
        return decoder.decode(tokens, outputs), perf_counter() - start

    def times() -> int:
        return _TIMES if perf_counter() <= begin + limit_s else 1

    for number, tokens in enumerate(beginnings, start=1):
        end = begin + limit_s * WRITING_SHARE * number / len(beginnings)
        if number == 1 or perf_counter() <= end:
            _write(run, target, draft, tokens, seen, end)
    one = median(seen.target)
    curve = {1: one, _FIRST: max(one, _shortest(run, target, _FIRST, _FIRST, times()))}
    drafting = _drafting(run, draft, median(seen.draft), times()) if draft is not None else ()
    for count in _FURTHER:
        if perf_counter() > begin + limit_s:
            break
        curve[count] = _shortest(run, target, count, count, _TIMES)
    copy_s = min(seen.copying) if seen.copying and seen.adopts else None
    return Measured(MeasuredCosts(_filled(curve, before), *drafting), seen.guessed, seen.judged, copy_s)


def _write(
    run: _Run, target: Decoder, draft: Decoder | None, tokens: Sequence[int], seen: _Seen, end: float
) -> None:
    """Let the target go on from `tokens` and the draft read along until `end`."""
    room = min(target.ctx, target.chunk, *((draft.ctx, draft.chunk) if draft is not None else ()))
    tokens = tokens[: room - _WRITTEN]
    rows, _ = run(target, tokens, 1)
    guess = int(run(draft, tokens, 1)[0][0].argmax()) if draft is not None else None
    for written in range(_WRITTEN):
        if written > 0 and perf_counter() > end:
            break
        token = int(rows[0].argmax())
        seen.judged += guess is not None
        seen.guessed += guess == token
        rows, seconds = run(target, [token], 1)
        seen.target.append(seconds)
        if draft is not None:
            guesses, seconds = run(draft, [token], 1)
            guess = int(guesses[0].argmax())
            seen.draft.append(seconds)
    if draft is not None:
        _adopt(run, target, draft, rows[0], guesses[0], seen)
    target.clear()
    if draft is not None:
        draft.clear()


def _adopt(run: _Run, target: Decoder, draft: Decoder, wanted: Logits, own: Logits, seen: _Seen) -> None:
    """Let the draft take over what the target has read, which both have, and look at what it guesses then.

    Args:
        wanted: the target's logits [vocab] after it.
        own: the draft's.
    """
    own = own.copy()
    begin = perf_counter()
    brought = bring(target, draft)
    took_s = perf_counter() - begin
    if not brought or not draft.truncate(len(target.tokens) - 1):
        seen.adopts = False
        return
    seen.copying.append(took_s / len(target.tokens))
    adopted, _ = run(draft, target.tokens[-1:], 1)
    seen.adopts = seen.adopts and adopts(wanted, own, adopted[0])


def _drafting(run: _Run, draft: Decoder, one: float, times: int) -> tuple[float, float, float]:
    """Seconds of a pass over one token, and of each further one in a short and in a long read."""
    short = max(one, _shortest(run, draft, SHORT_READ, 1, times))
    token_s = (short - one) / (SHORT_READ - 1)
    long = min(_LONG_READ, draft.chunk, draft.ctx)
    if long <= SHORT_READ:
        return one, token_s, token_s
    return one, token_s, min(token_s, max(0.0, _pass(run, draft, long, 1) - short) / (long - SHORT_READ))


def _shortest(run: _Run, decoder: Decoder, tokens: int, outputs: int, times: int) -> float:
    return min(_pass(run, decoder, tokens, outputs) for _ in range(times))


def _pass(run: _Run, decoder: Decoder, tokens: int, outputs: int) -> float:
    """Seconds of one pass over so many tokens of an empty cache."""
    _, took_s = run(decoder, [_TOKEN] * tokens, outputs)
    decoder.clear()
    return took_s


def _filled(seen: dict[int, float], before: MeasuredCosts | None = None) -> tuple[float, ...]:
    """Seconds for 1, 2, … tokens; between what was measured, and beyond it, along a straight line, or in proportion to
    what was measured before. More tokens never cost less: a pass that seems to was disturbed less."""
    shape = [1.0] * (MAX_DRAFT_LENGTH + 1) if before is None else Costs(before).curve
    known = sorted(seen)
    curve: list[float] = []
    for tokens in range(1, MAX_DRAFT_LENGTH + 2):
        above = next((at for at in known if at >= tokens), known[-1])
        below = max((at for at in known if at < above), default=above)
        share = (tokens - below) / (above - below) if above > below else 0.0
        low, high = seen[below] / shape[below - 1], seen[above] / shape[above - 1]
        if before is not None:
            share = min(share, 1.0)
        seconds = shape[tokens - 1] * (low + share * (high - low))
        curve.append(max(seconds, curve[-1] if curve else seconds))
    return tuple(curve)
