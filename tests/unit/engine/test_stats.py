"""Events to figures, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.costs import MeasuredCosts
from engine.protocol import CostsSeen, Finished, SpeculationStopped, Started
from engine.stats import DrafterCounts, FoldedEvent, GenerationStats, ReplyFold
from engine.types import (
    Choice,
    Drafter,
    DraftRound,
    EndReason,
    Inactive,
    Rejected,
    RoundChoice,
    Source,
    TokenEvent,
)

A, R, B, P = Source.ACCEPTED, Source.RESAMPLED, Source.BONUS, Source.PLAIN


def token(index: int, source: Source, text: str, round_: int, position: int) -> TokenEvent:
    drafted = source in (A, R)
    return TokenEvent(
        index=index,
        token_id=index + 100,
        text=text,
        source=source,
        drafter=Drafter.MODEL if drafted else None,
        p=0.5,
        q=0.25 if drafted else None,
        rejected=Rejected(7, "seven", 0.1, 0.6) if source is R else None,
        round=round_,
        position=position,
    )


def round_of(number: int, first: int, drafted: int, verified: int, words: list[tuple[Source, str]]) -> DraftRound:
    tokens = [token(first + at, source, text, number, at) for at, (source, text) in enumerate(words)]
    return DraftRound(
        job=1,
        number=number,
        drafted=tuple(range(drafted)),
        verified=verified,
        accepted=sum(source is A for source, _ in words),
        tokens=tuple(tokens),
        draft_s=0.010 * drafted,
        verify_s=0.050,
        sample_s=0.002,
        wall_s=0.060 + 0.010 * drafted,
    )


STARTED = Started(job=1, prompt_tokens=30, reused_tokens=20, dropped_messages=0, prefill_s=0.4, inactive=None)
ROUNDS = [
    round_of(0, 0, 0, 0, [(P, "The")]),
    round_of(1, 1, 4, 4, [(A, " quick"), (A, " brown"), (A, " fox"), (A, " jumps"), (B, " over")]),
    round_of(2, 6, 4, 2, [(A, " the"), (R, " lazy")]),
    round_of(3, 8, 2, 1, [(R, " dog")]),
    round_of(4, 9, 0, 0, [(P, ".")]),
]
FINISHED = Finished(job=1, reason=EndReason.STOP, tail=" E", ttft_s=0.45, decode_s=0.5)


def folded(*events: FoldedEvent) -> ReplyFold:
    fold = ReplyFold()
    for event in events:
        fold.add(event)
    return fold


def test_a_reply_folds_to_its_figures() -> None:
    """Ten tokens in five rounds: 10 drafted, 7 judged, 5 kept."""
    stats = folded(STARTED, *ROUNDS, FINISHED).stats
    assert (stats.prompt_tokens, stats.reused_tokens, stats.prefill_s) == (30, 20, 0.4)
    assert (stats.rounds, stats.drafted, stats.verified) == (5, 10, 7)
    assert (stats.accepted, stats.resampled, stats.bonus, stats.plain) == (5, 2, 1, 2)
    assert stats.completion_tokens == 10
    assert stats.acceptance_rate == 5 / 7
    assert stats.tokens_per_round == 2.0
    assert stats.accepted_at == (2, 1, 1, 1)
    assert stats.verified_at == (3, 2, 1, 1)
    assert stats.draft_s == pytest.approx(0.100)
    assert stats.verify_s == pytest.approx(0.200)
    assert stats.sample_s == pytest.approx(0.008)
    assert (stats.ttft_s, stats.decode_s) == (0.45, 0.5)
    assert stats.tokens_per_s == pytest.approx(18.0)  # nine tokens after the first
    assert stats.other_s == pytest.approx(0.192)
    assert stats.inactive is None


def test_while_it_is_written_decode_time_is_that_of_the_rounds() -> None:
    """So the speed shown live does not need the ending."""
    stats = folded(STARTED, *ROUNDS).stats
    assert stats.decode_s == pytest.approx(4 * 0.060 + 10 * 0.010)
    assert stats.tokens_per_s == pytest.approx(9 / 0.340)
    assert stats.ttft_s == 0.0


def test_the_first_token_alone_has_no_speed() -> None:
    """It comes with the prompt: a reply stopped after it would otherwise show a thousand tokens a second."""
    finished = Finished(job=1, reason=EndReason.CANCELLED, tail="", ttft_s=0.4, decode_s=0.001)
    stats = folded(STARTED, ROUNDS[0], finished).stats
    assert stats.completion_tokens == 1
    assert stats.tokens_per_s is None


def test_nothing_yet_has_no_rates() -> None:
    """Unknown is None, not zero and not a division by it."""
    stats = GenerationStats()
    assert (stats.acceptance_rate, stats.tokens_per_round, stats.tokens_per_s) == (None, None, None)
    assert (stats.completion_tokens, stats.other_s) == (0, 0.0)
    plain = folded(STARTED, ROUNDS[0]).stats
    assert plain.acceptance_rate is None
    assert plain.tokens_per_round == 1.0


def test_clocks_that_disagree_leave_no_negative_rest() -> None:
    """The parts may add up to a little more than the whole."""
    stats = folded(ROUNDS[1], Finished(job=1, reason=EndReason.LENGTH, tail="", ttft_s=0.0, decode_s=0.05)).stats
    assert stats.other_s == 0.0


def test_why_speculation_does_not_run_is_kept() -> None:
    """From the start, or from the moment it stopped."""
    off = Started(
        job=1, prompt_tokens=1, reused_tokens=0, dropped_messages=0, prefill_s=0.0, inactive=Inactive.NO_DRAFT
    )
    assert folded(off).stats.inactive is Inactive.NO_DRAFT
    stopped = folded(STARTED, *ROUNDS[:2], SpeculationStopped(1, Inactive.DRAFT_FAILED), *ROUNDS[2:], FINISHED)
    assert stopped.stats.inactive is Inactive.DRAFT_FAILED
    assert stopped.stats.completion_tokens == 10


def test_a_draft_that_drops_out_does_not_end_speculation() -> None:
    """Where the lookup goes on, the reason is told of the draft alone."""
    began = folded(replace(STARTED, draft_inactive=Inactive.NO_DRAFT)).stats
    assert (began.inactive, began.draft_inactive) == (None, Inactive.NO_DRAFT)
    stopped = folded(STARTED, SpeculationStopped(1, Inactive.DRAFT_FAILED, lookup_goes_on=True)).stats
    assert (stopped.inactive, stopped.draft_inactive) == (None, Inactive.DRAFT_FAILED)


def test_guesses_are_counted_by_who_made_them() -> None:
    """The counts of the two drafters add up to those of the reply."""
    by = [replace(event, drafter=Drafter.LOOKUP if event.number == 2 else Drafter.MODEL) for event in ROUNDS]
    stats = folded(STARTED, *by).stats
    assert stats.lookup == DrafterCounts(len(ROUNDS[2].drafted), ROUNDS[2].verified, ROUNDS[2].accepted)
    for name in ("drafted", "verified", "accepted"):
        assert getattr(stats.model, name) + getattr(stats.lookup, name) == getattr(stats, name)


def test_the_text_is_that_of_the_tokens_and_the_tail_belongs_to_the_last() -> None:
    """What was held back as a possible stop string joins the last token, so texts and tokens never disagree."""
    fold = folded(STARTED, *ROUNDS)
    assert fold.text == "The quick brown fox jumps over the lazy dog."
    assert fold.end is None
    fold.add(FINISHED)
    assert fold.text == "The quick brown fox jumps over the lazy dog. E"
    assert fold.tokens[-1].text == ". E"
    assert len(fold.tokens) == 10
    assert fold.end is EndReason.STOP


def test_a_reply_without_tokens_ends_too() -> None:
    """Cancelled while the prompt was read: no token to take a tail, no rates."""
    fold = folded(STARTED, Finished(job=1, reason=EndReason.CANCELLED, tail="", ttft_s=0.0, decode_s=0.0))
    assert (fold.text, fold.tokens, fold.end) == ("", [], EndReason.CANCELLED)
    assert fold.stats.tokens_per_s is None


def test_tokens_of_a_rest_are_counted() -> None:
    """Those of plain rounds because guessing does not pay; a probe is none of them, nor is the untimed first token."""
    choices = (Choice.RESTING, Choice.PROBING, Choice.RESTING, Choice.DRAFTING, Choice.ROUNDS_TOO_SLOW)
    rounds = [replace(event, choice=RoundChoice(choice)) for event, choice in zip(ROUNDS, choices, strict=True)]
    assert folded(STARTED, *rounds).stats.rested == 3


def test_time_without_speculation() -> None:
    """Rounds without a guess took what they took; a token of the others would have been a pass, as it cost then."""
    first, later = (CostsSeen(1, MeasuredCosts((cost,))) for cost in (0.040, 0.080))
    stats = folded(STARTED, first, *ROUNDS[:2], later, *ROUNDS[2:], FINISHED).stats
    between_s = FINISHED.decode_s - sum(event.wall_s for event in ROUNDS[1:])
    assert stats.plain_s == pytest.approx(5 * 0.040 + 2 * 0.080 + 1 * 0.080 + ROUNDS[4].wall_s + between_s)


def test_without_costs_nothing_is_gained_or_lost() -> None:
    """Where nobody told what passes cost, the time without speculation is not guessed."""
    assert folded(STARTED, *ROUNDS, FINISHED).stats.plain_s == pytest.approx(FINISHED.decode_s)
