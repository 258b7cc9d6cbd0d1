"""Compares speculation off and on: asks for one reply after another and folds what comes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.compare.comparison import Comparison
from app.compare.measured import Measured
from app.compare.values import Arm, ComparePlan, Step
from app.compare.words import is_gain
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import Failed, Finished, Weighed
from engine.stats import FoldedEvent
from engine.types import ChatMessage, DraftRound, EndReason, EngineInfo, GenerationRequest
from ui.compare_settings import CompareSettings
from ui.compared import Compared, Written
from ui.live_panel import LiveReply
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl
from ui.worker import EngineWorker, Ticket


class CompareControl(QObject):
    """Main thread.

    Attributes:
        settings: for the next comparison.
        comparison: what is known; of the one under way, or of the last one in which anything was measured.
        compared: what it is of; None before the first.
        stopping: it was told to end and has not ended yet.
        error: why it ended early, None where it did not or was stopped.
        written: tokens of the reply with which the last one ended.
        unmeasured: the last one was stopped before anything was measured.

    Signals:
        changed(): a comparison or one of its replies began, has its first tokens, is about to stop, or ended.
        progressed(): the reply under way went on.
        ended(): a comparison came to its end with everything measured.
    """

    changed = Signal()
    progressed = Signal()
    ended = Signal()

    def __init__(self, worker: EngineWorker, pairs: PairControl, replies: ReplyControl) -> None:
        super().__init__()
        self.settings = CompareSettings()
        self.comparison = Comparison()
        self.compared: Compared | None = None
        self.stopping = False
        self.error: ErrorReport | None = None
        self.written = 0
        self.unmeasured = False
        self._before: tuple[Comparison, Compared | None] = self.comparison, None  # the last with an outcome
        self._worker = worker
        self._pairs = pairs
        self._replies = replies
        self._ticket: Ticket | None = None
        worker.event.connect(self._on_event)
        pairs.changed.connect(self._on_pair_changed)

    @property
    def running(self) -> bool:
        return self._ticket is not None

    @property
    def ready(self) -> bool:
        """Whether a comparison can begin now."""
        return not self.running and self._replies.ready

    @property
    def measured(self) -> Measured | None:
        """What the last comparison came to, with all that it depends on; None while there is nothing."""
        compared, outcome, engine = self.compared, self.comparison.outcome, self.engine
        if compared is None or outcome is None or engine is None:
            return None
        return Measured(compared.plan, outcome, compared.load, compared.pair, engine)

    @property
    def engine(self) -> EngineInfo | None:
        """What wrote the replies, where that is known."""
        engine = self._pairs.engine
        return engine if isinstance(engine, EngineInfo) else None

    @property
    def step(self) -> Step | None:
        """The reply being written; None between comparisons, and while a difference is weighed."""
        return self.comparison.step if self.running else None

    @property
    def reading(self) -> bool:
        """The prompt of the reply being written is read, and nothing of the reply is there yet."""
        newest = None if self.compared is None else self.compared.newest
        return self.step is not None and newest is not None and newest.fold.stats.rounds == 0

    def run(self, prompt: str, preset: str = "", kind: str = "") -> None:
        """Compare the replies to `prompt`. Nothing happens unless `ready`.

        Args:
            preset: its id, "" for a prompt of the user's own.
            kind: of text; "" for what the prompt looks like.
        """
        pair, load = self._pairs.pair, self._pairs.request
        if not self.ready or pair is None or load is None:
            return
        if self.engine is None:
            self._worker.ask_info()  # it did not start the first time
        plan = ComparePlan(self._request(prompt, kind), self.settings.repeats, preset)
        if self.comparison.outcome is not None:
            self._before = self.comparison, self.compared
        by_time = self._replies.settings.draft_length == 0
        self.comparison, self.compared = Comparison(), Compared(plan, self.settings, pair, load, by_time)
        self.error, self.unmeasured = None, False
        self.comparison.begin(plan)
        self._ask(self.compared, plan.steps()[0])
        self._replies.hold(True)
        self.changed.emit()

    def stop(self) -> None:
        """End the comparison soon; nothing happens where there is none. What was measured stays."""
        if self._ticket is not None and not self.stopping:
            self.stopping = True
            self._ticket.cancel()
            self.changed.emit()

    def dismiss_error(self) -> None:
        if self.error is not None:
            self.error = None
            self.changed.emit()

    def shown(self, arm: Arm) -> Written | None:
        """The reply of a side that is being written, or else the last whole one; after the end that of the pair whose
        difference is told, where there is one."""
        if self.compared is None:
            return None
        if self.step is not None and self.step.arm is arm:
            return self.compared.newest
        if not self.running and self.compared.parting:
            return self.compared.parting[arm]
        return self.compared.complete.get(arm)

    @property
    def live_arm(self) -> Arm:
        """The side that the live panel speaks of: that being written, or else the one with speculation."""
        return self.step.arm if self.step is not None else Arm.ON

    def live(self) -> LiveReply | None:
        """For the live panel: the reply being written, or else the last one with speculation and what all came to."""
        arm = self.live_arm
        shown, off, outcome = self.shown(arm), self.shown(Arm.OFF), self.comparison.outcome
        if shown is None:
            return None
        live = LiveReply(shown.fold.stats, shown.rate, tuple(shown.meter.points))
        if not self.running and outcome is not None:
            rates = outcome.on.tokens_per_s, outcome.off.tokens_per_s
            return replace(live, rate=rates[0], off_rate=rates[1], ratio=outcome.ratio, pays=is_gain(outcome))
        if self.running and arm is Arm.ON and off is not None:
            return replace(live, off_rate=off.rate)
        return live

    def _request(self, prompt: str, kind: str) -> GenerationRequest:
        """As the chat would ask, but for what the comparison sets itself."""
        mine, settings = self.settings, self._replies.settings
        sampling = replace(settings.sampling, temperature=mine.temperature, seed=mine.seed)
        settings = replace(
            settings,
            sampling=sampling,
            random_seed=False,
            max_tokens=mine.max_tokens,
            draft_length=settings.draft_length or None,  # a length of 0 would compare off with off
        )
        messages = (ChatMessage("user", prompt),)
        request = settings.request(messages, speculate=True, chat_format=self._replies.chat_format)
        return replace(request, cold=True, trim_oldest=False, kind=kind or request.kind)

    def _ask(self, compared: Compared, step: Step) -> None:
        """Have the reply of the step that has come written."""
        fold = self.comparison.live(step.arm)
        compared.newest = None if fold is None else Written(fold)
        self._ticket = self._worker.generate(compared.plan.request_of(step))

    def _on_pair_changed(self) -> None:
        """A load waits behind the reply under way, and what is unloaded cannot be compared. An error is told until
        another pair comes, so not where only a dead engine's comes back."""
        pairs, loading = self._pairs, self._pairs.loading
        if loading is not None or pairs.pair is None:
            self.stop()
        if not loading.again if loading is not None else pairs.pair is None and not pairs.died:
            self.dismiss_error()

    def _on_event(self, number: int, event: object) -> None:
        ticket, compared = self._ticket, self.compared
        if ticket is None or compared is None or number != ticket.number:
            return
        if isinstance(event, Failed):
            self._on_failed(event.report)
        elif isinstance(event, Weighed):
            self.comparison.weighed(event)
            self._end(complete=True)
        elif isinstance(event, FoldedEvent):
            step, reading = self.comparison.step, self.reading
            if step is not None:
                self._fold(compared, step, event)
            if isinstance(event, Finished):
                self._go_on(compared)
            elif self.comparison.step is None:
                ticket.cancel()  # there is nothing to measure, so the rest is of no use
            else:
                (self.progressed if self.reading is reading else self.changed).emit()

    def _fold(self, compared: Compared, step: Step, event: FoldedEvent) -> None:
        self.comparison.add(event)
        newest = compared.newest
        if newest is None:
            return
        if isinstance(event, DraftRound):
            newest.meter.add(event)
            newest.drafted.append(len(event.drafted))
        elif isinstance(event, Finished) and event.reason is not EndReason.CANCELLED:
            compared.complete[step.arm] = newest
            outcome = self.comparison.outcome
            if outcome is not None and outcome.difference is not None and not compared.parting:
                compared.parting = dict(compared.complete)

    def _go_on(self, compared: Compared) -> None:
        """A reply has ended: the next one, what there is to weigh, or the end."""
        comparison = self.comparison
        if self.stopping or comparison.cancelled or comparison.problem is not None:
            self.error = comparison.problem
            self._end(complete=False)
        elif comparison.step is not None:
            self._ask(compared, comparison.step)
            self.changed.emit()
        elif (weighing := comparison.weighing) is not None:
            self._ticket = self._worker.weigh(compared.plan.request, weighing.reply, weighing.tokens)
            self.changed.emit()
        else:
            self._end(complete=True)

    def _on_failed(self, report: ErrorReport) -> None:
        """Where everything is measured and only the weighing failed, the difference stays unexplained."""
        if report.kind is not ErrorKind.LOAD_CANCELLED:
            self.error = report
        self._end(complete=self.comparison.step is None and self.comparison.outcome is not None)

    def _end(self, *, complete: bool) -> None:
        self._ticket = None
        self.stopping = False
        newest = None if self.compared is None else self.compared.newest
        self.written = 0 if newest is None else newest.fold.stats.completion_tokens
        if self.comparison.outcome is None:
            self.unmeasured = self.error is None
            if self._before[1] is not None:
                self.comparison, self.compared = self._before
        self._replies.hold(False)
        self.changed.emit()
        if complete:
            self.ended.emit()
