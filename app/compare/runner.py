"""Drives a comparison or a sweep from one reply to the next, for whoever can wait for it. The window does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from app.compare.comparison import Comparison, inactive_problem, short_problem
from app.compare.difference import Weighing, explained, weighing_of
from app.compare.sweep import Policy, SweepOutcome, SweepPlan, sweep_outcome
from app.compare.values import ComparePlan, Outcome, Run
from app.engine_client import EngineClient
from app.jobs import Job
from engine.errors import EngineError, ErrorKind
from engine.protocol import Event, Started, Weighed
from engine.stats import FoldedEvent, ReplyFold
from engine.types import EndReason, GenerationRequest

Follow = Callable[[Job], Iterator[Event]]  # a job's events; raises EngineError where it fails


class Cancelled(Exception):  # noqa: N818 – cancelling is not an error
    """A reply was cancelled, so the rest is not measured."""


class Runner:
    """Blocks the thread that calls it.

    Attributes:
        outcome: of the last plan, as soon as one pair of runs is complete; stays where the plan ended early.
        swept: likewise of the last sweep and its turns.
    """

    def __init__(self, client: EngineClient, follow: Follow, tell: Callable[[str], None]) -> None:
        """`tell` hears what is measured now, in a few words."""
        self._client = client
        self._follow = follow
        self._tell = tell
        self.outcome: Outcome | None = None
        self.swept: SweepOutcome | None = None

    def compare(self, plan: ComparePlan) -> Outcome:
        """Measure off and on, and weigh the first difference.

        Raises:
            EngineError: there is nothing to measure, or the engine failed.
            Cancelled: so it was.
        """
        self.outcome = self.swept = None
        comparison = Comparison()
        comparison.begin(plan)
        while (step := comparison.step) is not None:
            self._tell(f"{_turn(step.number, plan.repeats)}, speculation {step.arm.value}")
            for event in self._follow(self._client.generate(plan.request_of(step))):
                if isinstance(event, FoldedEvent):
                    comparison.add(event)
                if comparison.problem is not None:
                    raise EngineError.of(comparison.problem)
            self.outcome = comparison.outcome
        if comparison.cancelled:
            raise Cancelled
        if (weighing := comparison.weighing) is not None and (weighed := self._weigh(plan.request, weighing)):
            comparison.weighed(weighed)
            self.outcome = comparison.outcome
        assert self.outcome is not None
        return self.outcome

    def sweep(self, plan: SweepPlan) -> SweepOutcome:
        """Measure every policy in turns, and weigh the first difference of off and auto. Raises as `compare`."""
        self.outcome = self.swept = None
        swept: SweepOutcome | None = None
        runs: dict[Policy, list[Run]] = {policy: [] for policy in plan.policies()}
        for number, policy in plan.steps():
            name = "off" if policy == 0 else "auto" if policy is None else f"draft length {policy}"
            self._tell(f"{_turn(number, plan.compare.repeats)}, {name}")
            run = self._reply(plan.request_of(policy))
            if number == 0:
                continue
            runs[policy].append(run)
            if policy == plan.policies()[-1]:
                swept = self._kept(sweep_outcome(runs))
        assert swept is not None, "there is at least one turn"
        compared, weighing = swept.compared, weighing_of(swept.compared.pairs)
        if compared.difference is not None and weighing is not None:
            weighed = self._weigh(plan.compare.request, weighing)
            if weighed is not None:
                explanation = explained(compared.difference, weighed)
                return self._kept(replace(swept, compared=replace(compared, difference=explanation)))
        return swept

    def _kept(self, swept: SweepOutcome) -> SweepOutcome:
        self.swept, self.outcome = swept, swept.compared
        return swept

    def _reply(self, request: GenerationRequest) -> Run:
        reply = ReplyFold()
        for event in self._follow(self._client.generate(request)):
            if isinstance(event, FoldedEvent):
                reply.add(event)
            if isinstance(event, Started) and request.speculate and (problem := inactive_problem(event)):
                raise EngineError.of(problem)
        assert reply.end is not None, "a reply that fails raises"
        if reply.end is EndReason.CANCELLED:
            raise Cancelled
        run = Run.of(reply)
        if problem := short_problem(run, reply.end, request):
            raise EngineError.of(problem)
        return run

    def _weigh(self, request: GenerationRequest, weighing: Weighing) -> Weighed | None:
        """None where that failed: what was measured is worth more than why two texts part."""
        self._tell("weighing the first difference")
        try:
            *_, ending = self._follow(self._client.weigh(request, weighing.reply, weighing.tokens))
        except EngineError as error:
            if error.report.kind is ErrorKind.LOAD_CANCELLED:
                raise Cancelled from None
            return None
        assert isinstance(ending, Weighed)
        return ending


def _turn(number: int, repeats: int) -> str:
    return f"run {number} of {repeats}" if number else "warm-up"
