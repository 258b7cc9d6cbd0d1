"""A comparison as it goes on: from the events of one reply after another to what they come to."""

from __future__ import annotations

from dataclasses import replace

from app.compare.difference import Weighing, explained, weighing_of
from app.compare.figures import outcome_of
from app.compare.values import LEAST_TOKENS, Arm, ComparePlan, Outcome, PairOfRuns, Run, Step
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import Finished, Started, Weighed
from engine.stats import FoldedEvent, ReplyFold
from engine.types import EndReason, GenerationRequest


def inactive_problem(event: Started) -> ErrorReport | None:
    """Why a reply that was to speculate does not."""
    if event.inactive is None:
        return None
    return ErrorReport(ErrorKind.SPECULATION_INACTIVE, (("inactive", event.inactive.value),))


def short_problem(run: Run, reason: EndReason, request: GenerationRequest) -> ErrorReport | None:
    """Why a reply to `request`, which ended for that reason, has no speed."""
    tokens = run.stats.completion_tokens
    if tokens >= LEAST_TOKENS and run.tokens_per_s > 0:
        return None
    facts = (("completion_tokens", tokens), ("end", reason.value), ("stop_texts", len(request.stop)))
    return ErrorReport(ErrorKind.REPLY_TOO_SHORT, facts)


class Comparison:
    """Whoever drives it begins a plan, asks the engine for the request of `step` and adds the events of the reply,
    until there is no step any more. Not thread-safe.

    Attributes:
        plan: what is measured; None before the first.
        step: whose reply is next or being written; None before the first plan, and once the last has come to its end.
        problem: why there is nothing to measure, which ends the plan: SPECULATION_INACTIVE, as soon as the reply
            starts, or REPLY_TOO_SHORT. The reply that is being written is then of no use.
        cancelled: a reply was, which ends the plan too.
        outcome: what is known as soon as one measured pair is complete; the pairs of a plan that ended early stay.
    """

    def __init__(self) -> None:
        self.plan: ComparePlan | None = None
        self.step: Step | None = None
        self.problem: ErrorReport | None = None
        self.cancelled = False
        self.outcome: Outcome | None = None
        self._left: list[Step] = []
        self._live: dict[Arm, ReplyFold] = {}
        self._off: Run | None = None
        self._pairs: list[PairOfRuns] = []

    def begin(self, plan: ComparePlan) -> None:
        """Forget everything and start with the plan's first step."""
        self.plan = plan
        self.problem = self.outcome = self._off = None
        self.cancelled = False
        self._live, self._pairs, self._left = {}, [], list(plan.steps())
        self._next()

    def live(self, arm: Arm) -> ReplyFold | None:
        """The newest reply of an arm, perhaps still being written. The same object until the arm's next one begins."""
        return self._live.get(arm)

    def add(self, event: FoldedEvent) -> None:
        """An event of the reply of `step`; its last one moves on to the next. Events without a step are left out."""
        plan, step = self.plan, self.step
        if plan is None or step is None:
            return
        reply = self._live[step.arm]
        reply.add(event)
        if isinstance(event, Started) and step.arm is Arm.ON and (problem := inactive_problem(event)) is not None:
            self._stop(problem)
        elif isinstance(event, Finished):
            self._end(plan, step, Run.of(reply), event.reason)

    @property
    def weighing(self) -> Weighing | None:
        """What the engine should weigh to explain the first difference; None where that is done or impossible."""
        difference = None if self.outcome is None else self.outcome.difference
        if difference is None or difference.gap is not None or difference.by_chance:
            return None
        return weighing_of(self._pairs)

    def weighed(self, event: Weighed) -> None:
        """The answer to `weighing`."""
        if self.outcome is not None and self.outcome.difference is not None:
            self.outcome = replace(self.outcome, difference=explained(self.outcome.difference, event))

    def _end(self, plan: ComparePlan, step: Step, run: Run, reason: EndReason) -> None:
        if reason is EndReason.CANCELLED:
            self.cancelled = True
            self._stop(None)
        elif (problem := short_problem(run, reason, plan.request)) is not None:
            self._stop(problem)
        else:
            self._keep(step, run)
            self._next()

    def _keep(self, step: Step, run: Run) -> None:
        if step.number == 0:
            return
        if step.arm is Arm.OFF:
            self._off = run
            return
        assert self._off is not None, "off comes first"
        self._pairs.append(PairOfRuns(self._off, run))
        known = None if self.outcome is None else self.outcome.difference
        fresh = outcome_of(self._pairs)
        self.outcome = fresh if known is None else replace(fresh, difference=known)

    def _next(self) -> None:
        self.step = self._left.pop(0) if self._left else None
        if self.step is not None:
            self._live[self.step.arm] = ReplyFold()

    def _stop(self, problem: ErrorReport | None) -> None:
        self.problem = problem
        self.step = None
        self._left.clear()
