"""One fold from a reply's events to its text, tokens and figures, used by the window, the CLI and the tests.

Because nothing else computes statistics, the numbers shown cannot disagree with the tokens shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.costs import MeasuredCosts
from engine.protocol import CostsSeen, Finished, SpeculationStopped, Started
from engine.types import Choice, Drafter, DraftRound, EndReason, Inactive, RoundChoice, Source, TokenEvent

FoldedEvent = Started | DraftRound | SpeculationStopped | CostsSeen | Finished


@dataclass(frozen=True, slots=True)
class DrafterCounts:
    """What one drafter did. accepted <= verified <= drafted."""

    drafted: int = 0
    verified: int = 0
    accepted: int = 0

    def with_round(self, event: DraftRound) -> DrafterCounts:
        return DrafterCounts(
            self.drafted + len(event.drafted), self.verified + event.verified, self.accepted + event.accepted
        )


@dataclass(frozen=True, slots=True)
class GenerationStats:
    """Figures of one reply. Invariants: accepted <= verified <= drafted, each the sum of `model` and `lookup`, and
    completion_tokens = accepted + resampled + bonus + plain.

    Attributes:
        verified: draft tokens that the target judged; those after the first rejection are not.
        accepted_at, verified_at: the same counts by draft position.
        draft_s, verify_s: inside llama.cpp for the draft and the target.
        sample_s: shaping and judging. other_s: the rest of the rounds' wall time.
        decode_s: from the first token to the end. The first token is what reading the prompt ended with, so neither it
            nor the moment it took counts: one token in no time would be a thousand tokens a second.
        timed_tokens: the tokens written in decode_s. rested: those of them written while guessing did not pay.
        plain_s: what decode_s would have been without speculation: rounds without a guess as they took, and for each
            token of the others a pass over one token as it cost then. Without `costs` it is decode_s.
        inactive: why speculation did not run, or stopped.
        choice: of the last round that had one; the last token of a reply leaves none.
        draft_inactive: why the draft model proposed nothing, or stopped, although the lookup went on.
        costs: what passes cost when last told; None where drafts are not chosen by time.
    """

    prompt_tokens: int = 0
    reused_tokens: int = 0
    rounds: int = 0
    drafted: int = 0
    verified: int = 0
    accepted: int = 0
    resampled: int = 0
    bonus: int = 0
    plain: int = 0
    accepted_at: tuple[int, ...] = ()
    verified_at: tuple[int, ...] = ()
    prefill_s: float = 0.0
    ttft_s: float = 0.0
    decode_s: float = 0.0
    timed_tokens: int = 0
    rested: int = 0
    plain_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    inactive: Inactive | None = None
    draft_inactive: Inactive | None = None
    choice: RoundChoice | None = None
    costs: MeasuredCosts | None = None
    model: DrafterCounts = DrafterCounts()
    lookup: DrafterCounts = DrafterCounts()

    @property
    def completion_tokens(self) -> int:
        return self.accepted + self.resampled + self.bonus + self.plain

    @property
    def other_s(self) -> float:
        return max(0.0, self.decode_s - self.draft_s - self.verify_s - self.sample_s)

    @property
    def acceptance_rate(self) -> float | None:
        """accepted / verified; None where nothing was verified."""
        return self.accepted / self.verified if self.verified else None

    @property
    def tokens_per_round(self) -> float | None:
        """The bonus counts."""
        return self.completion_tokens / self.rounds if self.rounds else None

    @property
    def tokens_per_s(self) -> float | None:
        """None until there is a token after the first."""
        return self.timed_tokens / self.decode_s if self.timed_tokens and self.decode_s > 0 else None

    def with_started(self, event: Started) -> GenerationStats:
        return replace(
            self,
            prompt_tokens=event.prompt_tokens,
            reused_tokens=event.reused_tokens,
            prefill_s=event.prefill_s,
            inactive=event.inactive,
            draft_inactive=event.draft_inactive,
        )

    def with_round(self, event: DraftRound) -> GenerationStats:
        counted = self._with_counts(event)
        if event.number == 0:
            return counted
        return replace(
            counted,
            timed_tokens=self.timed_tokens + len(event.tokens),
            plain_s=self.plain_s + self._plain_s(event),
            rested=self.rested + (len(event.tokens) if _rests(event.choice) else 0),
            decode_s=self.decode_s + event.wall_s,
            draft_s=self.draft_s + event.draft_s,
            verify_s=self.verify_s + event.verify_s,
            sample_s=self.sample_s + event.sample_s,
        )

    def _plain_s(self, event: DraftRound) -> float:
        if self.costs is None or not event.drafted:
            return event.wall_s
        return len(event.tokens) * self.costs.verify_s[0]

    def _with_counts(self, event: DraftRound) -> GenerationStats:
        sources = [token.source for token in event.tokens]
        return replace(
            self,
            rounds=self.rounds + 1,
            drafted=self.drafted + len(event.drafted),
            verified=self.verified + event.verified,
            accepted=self.accepted + sources.count(Source.ACCEPTED),
            resampled=self.resampled + sources.count(Source.RESAMPLED),
            bonus=self.bonus + sources.count(Source.BONUS),
            plain=self.plain + sources.count(Source.PLAIN),
            accepted_at=_count_positions(self.accepted_at, event.accepted),
            verified_at=_count_positions(self.verified_at, event.verified),
            model=self.model.with_round(event) if event.drafter is Drafter.MODEL else self.model,
            lookup=self.lookup.with_round(event) if event.drafter is Drafter.LOOKUP else self.lookup,
            choice=self.choice if event.choice is None or event.choice.choice is Choice.NO_ROOM else event.choice,
        )

    def with_stopped(self, event: SpeculationStopped) -> GenerationStats:
        if event.lookup_goes_on:
            return replace(self, draft_inactive=event.inactive)
        return replace(self, inactive=event.inactive)

    def with_finished(self, event: Finished) -> GenerationStats:
        """A reply whose engine had to be killed has an ending without times; what its rounds took stays."""
        between_s = max(0.0, event.decode_s - self.decode_s)  # between the rounds, with drafts or without
        decode_s = event.decode_s or self.decode_s
        return replace(self, ttft_s=event.ttft_s, decode_s=decode_s, plain_s=self.plain_s + between_s)


def _rests(choice: RoundChoice | None) -> bool:
    return choice is not None and choice.choice in (Choice.RESTING, Choice.ROUNDS_TOO_SLOW)


def _count_positions(counts: tuple[int, ...], upto: int) -> tuple[int, ...]:
    """`counts` with one more at each of the first `upto` positions."""
    longer = counts + (0,) * (upto - len(counts))
    return tuple(n + 1 if i < upto else n for i, n in enumerate(longer))


class ReplyFold:
    """A reply as it grows: text, tokens, figures. Not thread-safe; each consumer folds its own.

    Attributes:
        tokens: every token so far; the text of the last one may still grow by the ending's tail.
        stats: figures so far.
        end: why it ended, None while it is being written.
    """

    def __init__(self) -> None:
        self.tokens: list[TokenEvent] = []
        self.stats = GenerationStats()
        self.end: EndReason | None = None

    @property
    def text(self) -> str:
        return "".join(token.text for token in self.tokens)

    def add(self, event: FoldedEvent) -> None:
        match event:
            case Started():
                self.stats = self.stats.with_started(event)
            case DraftRound():
                self.tokens.extend(event.tokens)
                self.stats = self.stats.with_round(event)
            case SpeculationStopped():
                self.stats = self.stats.with_stopped(event)
            case CostsSeen():
                self.stats = replace(self.stats, costs=event.costs)
            case Finished():
                if event.tail and self.tokens:
                    last = self.tokens[-1]
                    self.tokens[-1] = replace(last, text=last.text + event.tail)
                self.end = event.reason
                self.stats = self.stats.with_finished(event)
