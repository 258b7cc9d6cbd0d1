"""What the controller chooses, round by round, and how it explains itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.controller import LONGEST_PROBE, Controller
from engine.costs import Costs, MeasuredCosts
from engine.policy import Offer, RoundPlan, Step
from engine.types import MAX_DRAFT_LENGTH, Choice, Drafter, RoundChoice

FLAT = tuple(1 + 0.02 * n for n in range(MAX_DRAFT_LENGTH + 1))
STEEP = tuple(1 + 0.9 * n for n in range(MAX_DRAFT_LENGTH + 1))
CHEAP = MeasuredCosts(FLAT, 0.05, 0.005)
DEAR = MeasuredCosts(FLAT, 0.9, 0.09)


def model(unread: int = 1, room: int = MAX_DRAFT_LENGTH) -> Offer:
    return Offer(Drafter.MODEL, room, unread)


def lookup(confidence: float, room: int = MAX_DRAFT_LENGTH) -> Offer:
    return Offer(Drafter.LOOKUP, room, passes=False, confidences=(confidence,) * max(0, room))


def play(
    controller: Controller,
    costs: MeasuredCosts,
    keeps: Callable[[int], int],
    *,
    unread: int = 1,
    confidence: float | None = None,
    slower: float = 1.0,
) -> tuple[RoundPlan, RoundChoice, int]:
    """One round in which `keeps(guesses)` are kept and the target is so many times slower than `costs` say.

    Returns:
        The plan, the verdict at its time, and how many guesses were made.
    """
    plan = controller.plan([model(unread)], 1000)
    verdict = controller.verdict
    drafted = rows = 0
    while rows < plan.length:
        plan.passed(1 if rows else unread, costs.draft_s)
        step = plan.step(confidence)
        rows += 1
        drafted += step is not Step.DROP
        if step is not Step.MORE:
            break
    kept = keeps(drafted)
    controller.saw(plan, drafted, min(drafted, kept + 1), kept, costs.verify_s[drafted] * slower)
    return plan, verdict, drafted


def everything(guesses: int) -> int:
    return guesses


def nothing(guesses: int) -> int:
    return 0


def test_a_cheap_draft_that_is_always_right_is_used_to_the_full() -> None:
    """All the room that a round has."""
    controller = Controller(Costs(CHEAP))
    lengths = [play(controller, CHEAP, everything)[2] for _ in range(60)]
    assert lengths[-1] == MAX_DRAFT_LENGTH
    assert controller.verdict.choice is Choice.DRAFTING


def test_it_decides_on_time_and_never_on_acceptance_alone() -> None:
    """Where each token more costs the target almost a pass, a draft that is always right stays off, and why is told."""
    steep = MeasuredCosts(STEEP, 0.3)
    controller = Controller(Costs(steep))
    verdicts = [play(controller, steep, everything)[1] for _ in range(60)]
    assert all(v.choice in (Choice.RESTING, Choice.PROBING) for v in verdicts)
    last = verdicts[-1]
    assert last.ratio is not None
    assert last.ratio < 1
    assert last.resting >= 59


def test_a_draft_that_is_never_right_is_probed_ever_more_seldom() -> None:
    """The second half of the reply has fewer probes than the first, of one or two guesses each."""
    controller = Controller(Costs(CHEAP))
    rounds = [play(controller, CHEAP, nothing) for _ in range(600)]
    probing = [verdict.choice is Choice.PROBING for _, verdict, _ in rounds]
    assert 0 < sum(probing[300:]) < sum(probing[:300])
    assert all(drafted <= LONGEST_PROBE for _, verdict, drafted in rounds if verdict.choice is Choice.PROBING)
    assert sum(drafted > 0 for _, _, drafted in rounds) < 60


def test_it_comes_back_when_the_text_becomes_easy() -> None:
    """A hundred tokens after the draft began to be right, it is in use."""
    controller = Controller(Costs(CHEAP))
    for _ in range(100):
        play(controller, CHEAP, nothing)
    assert controller.verdict.choice is not Choice.DRAFTING
    for _ in range(100):
        play(controller, CHEAP, everything)
    assert controller.verdict.choice is Choice.DRAFTING


def test_what_resting_says_can_be_told_in_one_sentence() -> None:
    """The ratio below one, tokens rested, and plain rounds until the next probe."""
    controller = Controller(Costs(DEAR))
    controller.plan([model()], 1000)
    verdict = controller.verdict
    assert (verdict.choice, verdict.length, verdict.resting, verdict.next_probe) == (Choice.RESTING, 0, 0, 1)
    assert verdict.ratio == pytest.approx(1.7 / 1.92, rel=0.01)


def test_it_stops_in_the_middle_of_a_round_at_a_row_that_does_not_pay() -> None:
    """Once unsure guesses were never kept, an unsure row ends the round, and a sure one does not."""
    costs = MeasuredCosts(tuple(1 + 0.2 * n for n in range(MAX_DRAFT_LENGTH + 1)), 0.05)
    controller = Controller(Costs(costs))
    for at in range(200):
        sure = at % 2 == 0
        play(controller, costs, everything if sure else nothing, confidence=0.99 if sure else 0.1)
    assert controller.plan([model()], 1000).step(0.1) is Step.DROP
    assert controller.plan([model()], 1000).step(0.99) is Step.MORE


def test_a_stalling_draft_pass_ends_drafting_and_its_cost_is_believed() -> None:
    """The guess that is there is still checked; the next round is plain."""
    controller = Controller(Costs(CHEAP))
    plan = controller.plan([model()], 1000)
    assert not plan.passed(1, 50 * CHEAP.draft_s)
    assert plan.step(None) is Step.LAST
    controller.saw(plan, 1, 1, 1, FLAT[1])
    assert controller.plan([model(2)], 1000).length == 0
    assert controller.verdict.choice is Choice.RESTING


def test_the_first_pass_of_a_reply_and_after_a_rest_is_given_up_where_it_would_stall() -> None:
    """After four times its prediction, so that a draft that became far slower costs little; the others are not
    watched, which takes time."""
    controller = Controller(Costs(CHEAP))
    plan = controller.plan([model()], 1000)
    assert plan.limit_s(1) == 4 * CHEAP.draft_s
    plan.passed(1, CHEAP.draft_s)
    assert plan.limit_s(1) == inf
    plan.step(None)
    controller.saw(plan, 1, 1, 1, FLAT[1])
    assert controller.plan([model()], 1000).limit_s(1) == inf
    while controller.verdict.choice is not Choice.RESTING:
        play(controller, CHEAP, nothing)
    while not (plan := controller.plan([model()], 1000)).length:
        controller.saw(plan, 0, 0, 0, FLAT[0])
    assert plan.limit_s(1) < inf


def test_a_pass_that_was_given_up_tells_what_the_draft_costs() -> None:
    """At least so much; so it rests, and what a guess of it is worth is as unknown as before."""
    controller = Controller(Costs(CHEAP))
    plan = controller.plan([model()], 1000)
    rates = list(controller.acceptance(Drafter.MODEL).rates)
    assert not plan.passed(1, 1.01 * plan.limit_s(1))
    controller.saw(plan, 0, 0, 0, FLAT[0])
    assert controller.costs.draft() == pytest.approx(4.04 * CHEAP.draft_s)
    assert controller.acceptance(Drafter.MODEL).rates == rates
    assert controller.plan([model(2)], 1000).limit_s(1) < inf


def test_a_rest_is_not_weighed_anew_at_each_token_unless_a_match_turns_up() -> None:
    """The same words for some rounds, one token nearer to the probe; a match is used at once."""
    controller = Controller(Costs(MeasuredCosts(FLAT, 40.0)))
    verdicts = []
    for _ in range(5):
        controller.saw(controller.plan([NOTHING_FOUND, model()], 1000), 0, 0, 0, FLAT[0])
        verdicts.append(controller.verdict)
    assert {verdict.choice for verdict in verdicts} == {Choice.RESTING}
    assert len({verdict.ratio for verdict in verdicts}) == 1
    assert [verdict.resting for verdict in verdicts] == [0, 1, 2, 3, 4]
    assert controller.plan([lookup(0.95), model()], 1000).drafter is Drafter.LOOKUP


def test_rounds_that_take_far_longer_than_predicted_switch_drafting_off_for_a_while() -> None:
    """Three in a row do, for 64 tokens and then for twice as many; the next reply tries at once."""
    controller = Controller(Costs(CHEAP))
    for pause in (64, 128):
        for _ in range(3):
            play(controller, CHEAP, everything, slower=9.0)
        choices = [play(controller, CHEAP, everything)[1].choice for _ in range(pause + 1)]
        assert set(choices[:pause]) == {Choice.ROUNDS_TOO_SLOW}
        assert choices[pause] is not Choice.ROUNDS_TOO_SLOW
        for _ in range(20):
            play(controller, CHEAP, everything)
        assert controller.verdict.choice is Choice.DRAFTING
    for _ in range(3):
        play(controller, CHEAP, everything, slower=9.0)
    controller.end()
    controller.begin("code")
    assert play(controller, CHEAP, everything)[1].choice is Choice.DRAFTING


def test_two_slow_rounds_are_forgiven() -> None:
    """A usual one between them and the next begins the count again."""
    controller = Controller(Costs(CHEAP))
    for slower in (4.0, 4.0, 1.0, 1.0, 1.0, 4.0, 4.0, 1.0):
        assert play(controller, CHEAP, everything, slower=slower)[1].choice is Choice.DRAFTING


def test_of_two_drafters_the_one_that_promises_more_is_taken() -> None:
    """Text that was looked up and kept before beats the model; where it never was, the model is asked."""
    controller = Controller(Costs(CHEAP))
    assert controller.plan([lookup(0.9), model()], 1000).drafter is Drafter.LOOKUP
    for _ in range(40):
        plan = controller.plan([lookup(0.5)], 1000)
        controller.saw(plan, plan.length, min(plan.length, 1), 0, FLAT[plan.length])
    assert controller.plan([lookup(0.5), model()], 1000).drafter is Drafter.MODEL


def test_a_long_match_is_trusted_where_short_ones_failed() -> None:
    """The length of the match speaks through its confidence."""
    controller = Controller(Costs(CHEAP))
    for at in range(100):
        plan = controller.plan([lookup(0.97 if at % 2 else 0.6)], 1000)
        kept = plan.length if at % 2 else 0
        controller.saw(plan, plan.length, min(plan.length, kept + 1), kept, FLAT[plan.length])
    assert controller.plan([lookup(0.97)], 1000).length > controller.plan([lookup(0.6)], 1000).length


def test_a_match_is_used_where_the_better_draft_would_have_to_read_too_much() -> None:
    """That the draft promises more is no reason to write plainly instead of copying."""
    controller = Controller(Costs(CHEAP))
    assert controller.plan([lookup(0.7), model()], 1000).drafter is Drafter.MODEL
    assert controller.plan([lookup(0.7), model(unread=100_000)], 1000).drafter is Drafter.LOOKUP
    assert controller.plan([model(unread=100_000)], 1000).drafter is None


NOTHING_FOUND = lookup(0.5, room=0)


def wrote(controller: Controller, offers: list[Offer]) -> RoundChoice:
    """One round in which all is kept."""
    plan = controller.plan(offers, 1000)
    verdict = controller.verdict
    controller.saw(plan, plan.length, plan.length, plan.length, FLAT[plan.length])
    return verdict


def test_a_draft_reads_a_prompt_once_a_few_tokens_had_nothing_to_copy() -> None:
    """The wait is a small part of what reading takes; without a lookup there is nothing to wait for."""
    controller = Controller(Costs(CHEAP))
    assert controller.plan([model(1000)], 1000).drafter is Drafter.MODEL
    choices = [wrote(controller, [NOTHING_FOUND, model(2000)]).choice for _ in range(20)]
    waited = choices.index(Choice.DRAFTING)
    assert 1 <= waited <= 4
    assert set(choices[:waited]) == {Choice.LOOKING}
    assert set(choices[waited:]) == {Choice.DRAFTING}


def test_a_draft_does_not_read_a_prompt_that_is_being_copied() -> None:
    """Not in this reply between two matches, and not where the next one of its kind begins."""
    controller = Controller(Costs(CHEAP))
    controller.begin("edit")
    for _ in range(8):
        assert wrote(controller, [lookup(0.95), model(1000)]).drafter is Drafter.LOOKUP
    assert controller.plan([NOTHING_FOUND, model(1000)], 1000).drafter is None
    controller.end()
    controller.begin("edit")
    assert controller.plan([NOTHING_FOUND, model(1000)], 1000).drafter is None
    controller.begin("code")
    for _ in range(20):
        wrote(controller, [NOTHING_FOUND])
    assert controller.plan([NOTHING_FOUND, model(1000)], 1000).drafter is Drafter.MODEL


def test_a_draft_that_has_the_whole_prompt_to_read_begins_only_where_that_pays() -> None:
    """A thousand tokens at a hundredth of a pass are soon earned back, at half a pass never."""
    for token_s, used in ((0.01, True), (0.5, False)):
        controller = Controller(Costs(MeasuredCosts(FLAT, 0.05, token_s)))
        assert (controller.plan([model(1000)], 1000).length > 0) is used


def test_what_can_be_copied_need_not_be_read() -> None:
    """Before a short reply, too; but copying has to pay as well."""
    controller = Controller(Costs(CHEAP))
    prompt = model(unread=100_000)
    assert controller.plan([prompt], 40).choice is not Choice.DRAFTING
    assert controller.plan([replace(prompt, copy_s=CHEAP.draft_s)], 40).choice is Choice.DRAFTING
    assert controller.plan([replace(prompt, copy_s=1e4 * CHEAP.draft_s)], 40).choice is not Choice.DRAFTING


def test_a_draft_gives_way_to_a_match_that_brings_more_in_the_same_time() -> None:
    """A sure one beside a draft that costs something; not an unsure one, not where a guess costs nearly nothing, and
    not where the draft was about to stop."""
    for draft_s, confidence, gives_way in ((0.3, 0.98, True), (0.3, 0.6, False), (0.01, 0.98, False)):
        plan = Controller(Costs(MeasuredCosts(FLAT, draft_s, draft_s))).plan([model()], 1000)
        assert plan.drafter is Drafter.MODEL
        assert plan.step(1.0) is Step.MORE
        assert plan.gives_way(lookup(confidence)) is gives_way
    plan = Controller(Costs(MeasuredCosts(FLAT, 0.3, 0.3))).plan([model(room=1)], 1000)
    plan.step(1.0)
    assert not plan.gives_way(lookup(0.98))


def test_what_was_learned_is_carried_to_the_next_reply_and_the_next_load() -> None:
    """A draft that was no use for this kind of text is not drafted with at the start of the next reply of that kind."""
    controller = Controller(Costs(CHEAP))
    controller.begin("talk")
    for _ in range(100):
        play(controller, CHEAP, nothing)
    controller.end()
    again = Controller(Costs(controller.costs.values()), controller.knowledge().acceptance)
    again.begin("talk")
    assert again.plan([model()], 1000).choice is not Choice.DRAFTING
    assert again.acceptance(Drafter.MODEL).rates[0] < 0.3


TIMES = st.one_of(st.sampled_from([0.0, -1.0, inf, nan, 1e300, 1e-300]), st.floats(1e-6, 10))
SURE = st.one_of(st.none(), st.sampled_from([nan, inf, -inf]), st.floats(0, 1))


@settings(max_examples=60, deadline=None)
@given(
    curve=st.lists(TIMES, min_size=1, max_size=17),
    draft_s=TIMES,
    rounds=st.lists(
        st.tuples(st.integers(-1, 20), st.integers(-1, 20), st.integers(0, 5000), st.integers(0, 16), TIMES, SURE),
        max_size=40,
    ),
)
def test_it_never_exceeds_the_room_and_its_numbers_stay_finite(
    curve: list[float], draft_s: float, rounds: list[tuple[int, int, int, int, float, float | None]]
) -> None:
    """Whatever was measured and whatever clocks and drafts say."""
    controller = Controller(Costs(MeasuredCosts(tuple(curve), draft_s)))
    for room, budget, unread, kept, seconds, confidence in rounds:
        offers = [model(unread, room), lookup(0.5 if confidence is None else confidence, room)]
        plan = controller.plan(offers, budget)
        verdict = controller.verdict
        assert 0 <= plan.length <= max(0, min(room, budget - 1, MAX_DRAFT_LENGTH))
        assert verdict.ratio is None or 0 < verdict.ratio < inf
        drafted = plan.length
        if plan.drafter is Drafter.MODEL:
            drafted, step = 0, Step.MORE
            while step is Step.MORE:
                plan.passed(max(1, unread), seconds)
                step = plan.step(confidence)
                drafted += step is not Step.DROP
        assert drafted <= plan.length
        controller.saw(plan, drafted, min(drafted, kept + 1), min(drafted, kept), seconds)
        assert all(0 < value < inf for value in controller.costs.curve)
    controller.end()
    controller.knowledge()
