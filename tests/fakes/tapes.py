"""Tapes: the events of one job as a list, made from real text, for widgets that must not wait for an engine.

A tape may also hold a `Hold` (wait until the test lets it go on, or the job is cancelled) and end in a `Crash`.
Job numbers on a tape are 0; the fake client writes the right ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import cycle

from engine.costs import MeasuredCosts
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import (
    CostsSeen,
    Event,
    Failed,
    Finished,
    Loaded,
    LoadProgress,
    PrefillProgress,
    SpeculationStopped,
    Started,
)
from engine.types import (
    DeviceInfo,
    Drafter,
    DraftRound,
    EndReason,
    EngineInfo,
    Inactive,
    LoadedPair,
    LoadRequest,
    ModelInfo,
    Rejected,
    RoundChoice,
    Source,
    TokenEvent,
)


@dataclass(frozen=True, slots=True)
class Hold:
    """The tape stands still here until `FakeClient.release` or a cancel, which a `deaf` one does not hear."""

    deaf: bool = False


@dataclass(frozen=True, slots=True)
class Crash:
    """The engine dies here."""

    log: str = "ggml_abort: GGML_ASSERT(n_tokens > 0) failed"


Tape = tuple[Event | Hold | Crash, ...]

ACCEPT_HEAVY = (4, 4, 4, 3, 4, 4, 4, 2, 4, 4)
REJECT_HEAVY = (0, 1, 0, 2, 0, 0, 1, 0)

ENGINE = EngineInfo(
    pid=4242,
    llama_cpp_python="0.3.36",
    backends=("CPU",),
    gpu_offload=False,
    system_info="CPU : AVX2 = 1",
    devices=(DeviceInfo("CPU", "Intel(R) Xeon(R) Processor", "cpu", 21_900_000_000, 25_100_000_000),),
)

TARGET = ModelInfo(
    path="/models/SmolLM2-135M-Instruct.F32.gguf",
    name="SmolLM2 135M Instruct",
    architecture="llama",
    quantisation="F32",
    parameters=134_515_008,
    size_bytes=540_000_000,
    vocab_size=49_152,
    trained_ctx=8_192,
    has_chat_template=True,
)
DRAFT = ModelInfo(
    path="/models/SmolLM2-135M-Instruct.Q4_1.gguf",
    name="SmolLM2 135M Instruct",
    architecture="llama",
    quantisation="Q4_1",
    parameters=134_515_008,
    size_bytes=98_362_432,
    vocab_size=49_152,
    trained_ctx=8_192,
    has_chat_template=True,
)
PAIR = LoadedPair(
    target=TARGET,
    draft=DRAFT,
    ctx=8_192,
    device="CPU",
    backend="CPU",
    inactive=None,
    load_s=1.4,
    memory_bytes=950_000_000,
)
REQUEST = LoadRequest(target=TARGET.path, draft=DRAFT.path)
COSTS = MeasuredCosts(
    (0.018, 0.0185, 0.019, 0.0195, 0.02, 0.0205, 0.021, 0.0255, 0.027, *(0.028 + n / 1000 for n in range(8))),
    draft_s=0.0032,
)


def tokens_of(text: str) -> list[str]:
    """`text` in word-sized pieces with the space in front, as most vocabularies cut it."""
    return re.findall(r" ?[^\W\d_]+| ?\d| ?[^\w\s]+|\s|_", text)


def reply(
    text: str,
    *,
    kept: Iterable[int] = ACCEPT_HEAVY,
    draft_length: int = 4,
    inactive: Inactive | None = None,
    plain: bool = False,
    reason: EndReason = EndReason.STOP,
    prompt_tokens: int = 41,
    dropped_messages: int = 0,
    draft_s: float = 0.012,
    verify_s: float = 0.045,
) -> Tape:
    """A whole reply, `plain` or with drafts; `kept` has the accepted tokens of each round and is repeated as needed."""
    started = Started(0, prompt_tokens, 0, dropped_messages, 0.19, inactive)
    pieces = tokens_of(text)
    rounds = tuple(
        plain_rounds(pieces, verify_s=verify_s)
        if inactive or plain
        else drafted_rounds(pieces, kept=kept, draft_length=draft_length, draft_s=draft_s, verify_s=verify_s)
    )
    decode_s = sum(event.wall_s for event in rounds)
    read = PrefillProgress(0, prompt_tokens, prompt_tokens)
    return (read, started, *rounds, Finished(0, reason, "", 0.21, decode_s))


def drafted_rounds(
    pieces: list[str], *, kept: Iterable[int], draft_length: int, draft_s: float, verify_s: float
) -> Iterator[DraftRound]:
    """Rounds in which the draft guessed; the last one is cut where the text ends."""
    index, keeps = 0, cycle(kept)
    for number in range(len(pieces)):
        accepted = min(next(keeps), draft_length, len(pieces) - index)
        taken = pieces[index : index + accepted + 1]
        tokens = tuple(
            _token(index + place, text, number, place, accepted, draft_length) for place, text in enumerate(taken)
        )
        drafted = tuple(token.token_id for token in tokens[:accepted])
        drafted += tuple(range(7, 7 + draft_length - accepted))
        wall_s = draft_s + verify_s + 0.0018
        yield DraftRound(
            job=0,
            number=number,
            drafted=drafted,
            verified=min(draft_length, accepted + 1) if len(taken) > accepted else accepted,
            accepted=accepted,
            tokens=tokens,
            draft_s=draft_s * (1 + number % 3 / 10),
            verify_s=verify_s * (1 + number % 5 / 12),
            sample_s=0.0011,
            wall_s=wall_s * (1 + number % 5 / 12),
            drafter=_drafter(number),
        )
        index += len(taken)
        if index >= len(pieces):
            return


def plain_rounds(pieces: list[str], *, verify_s: float) -> Iterator[DraftRound]:
    """Rounds without a draft, one token each."""
    for number, text in enumerate(pieces):
        token = TokenEvent(number, _id(text), text, Source.PLAIN, None, _share(text, 5), None, None, number, 0)
        yield DraftRound(0, number, (), 0, 0, (token,), 0.0, verify_s, 0.0006, verify_s + 0.0009)


def split_utf8(text: str = "Grüße, 世界! 👩‍🚀 is here.") -> Tape:
    """A reply whose characters come in pieces: every second token is empty and the next one brings its text."""
    pieces: list[str] = []
    for character in text:
        pieces += ["", character] if len(character.encode()) > 1 else [character]
    rounds = tuple(plain_rounds(pieces, verify_s=0.02))
    return (Started(0, 9, 0, 0, 0.05, Inactive.NO_DRAFT), *rounds, Finished(0, EndReason.STOP, "", 0.07, 1.0))


def held(tape: Tape, after_rounds: int, *, deaf: bool = False) -> Tape:
    """`tape` standing still after that many rounds."""
    cut = _after(tape, after_rounds)
    return (*tape[:cut], Hold(deaf), *tape[cut:])


def stopping(tape: Tape, after_rounds: int, inactive: Inactive) -> Tape:
    """`tape` in which the draft or all speculation ends after that many rounds; what follows is left as it is."""
    cut = _after(tape, after_rounds)
    return (*tape[:cut], SpeculationStopped(0, inactive, inactive is not Inactive.TARGET_ROLLBACK), *tape[cut:])


def chosen(tape: Tape, *choices: RoundChoice, costs: MeasuredCosts = COSTS) -> Tape:
    """`tape` with lengths chosen by time: the rounds have these choices in turn, the last one to the end."""
    events: list[Event | Hold | Crash] = []
    left = list(choices)
    for event in tape:
        if isinstance(event, DraftRound):
            event = replace(event, choice=left.pop(0) if len(left) > 1 else left[0])
        events.append(event)
        if isinstance(event, Started):
            events.append(CostsSeen(0, costs))
    return tuple(events)


def crashing(tape: Tape, after_rounds: int) -> Tape:
    """`tape` up to that many rounds, then the engine dies."""
    return (*tape[: _after(tape, after_rounds)], Crash())


def reading(total: int = 2_400, done: int = 1_024) -> Tape:
    """A long prompt, held while it is read."""
    steps = tuple(PrefillProgress(0, tokens, total) for tokens in range(0, done + 1, 512))
    return (*steps, Hold(), PrefillProgress(0, total, total), *reply("Here is the summary.")[1:])


def failing(kind: ErrorKind, detail: str = "", **facts: str | int | float) -> Tape:
    return (Failed(0, ErrorReport(kind, tuple(facts.items()), detail)),)


def loading(
    pair: LoadedPair = PAIR, *, hold_at: float | None = None, costs: MeasuredCosts | None = None
) -> Tape:
    """A load in twenty steps, held at that share of its bytes; `costs` is what it measures."""
    target = pair.target.size_bytes
    total = target + (pair.draft.size_bytes if pair.draft else 0)
    steps = [LoadProgress(0, "target" if n * total // 20 <= target else "draft", n * total // 20, total)
             for n in range(21)]  # fmt: skip
    ending = (Loaded(0, pair),) if costs is None else (CostsSeen(0, costs), Loaded(0, pair))
    if hold_at is None:
        return (*steps, *ending)
    cut = int(hold_at * 20) + 1
    return (*steps[:cut], Hold(), *steps[cut:], *ending)


def _after(tape: Tape, rounds: int) -> int:
    places = [place for place, event in enumerate(tape) if isinstance(event, DraftRound)]
    return places[rounds - 1] + 1


def _token(index: int, text: str, number: int, place: int, accepted: int, draft_length: int) -> TokenEvent:
    if place < accepted:
        source, q, rejected = Source.ACCEPTED, _share(text, 3), None
    elif accepted == draft_length:
        source, q, rejected = Source.BONUS, None, None
    else:
        guess = (" a", " then", " which", " it", " very")[_id(text) % 5]
        source, q = Source.RESAMPLED, 0.05
        rejected = Rejected(_id(guess), guess, _share(guess, 1) / 8, _share(guess, 2))
    drafter = None if source is Source.BONUS else _drafter(number)
    match = 9 if drafter is Drafter.LOOKUP else 0
    return TokenEvent(index, _id(text), text, source, drafter, _share(text, 4), q, rejected, number, place, match)


def _drafter(number: int) -> Drafter:
    """Every sixth round repeats earlier text."""
    return Drafter.LOOKUP if number % 6 == 5 else Drafter.MODEL


def _id(text: str) -> int:
    """A token id that is the same in every run."""
    return sum((place + 1) * ord(character) for place, character in enumerate(text)) * 31 % 49_000


def _share(text: str, salt: int) -> float:
    """A probability in 0.35 … 0.99 that is the same in every run."""
    return round(0.35 + (_id(text) * salt % 640) / 1000, 2)
