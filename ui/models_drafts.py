"""Which models can draft for a target, and a draft made of the target itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.drafts import DraftVerdict
from app.engine_client import Job
from app.model_values import LocalModel, RemoteModel
from app.self_draft import SelfDraftPlan
from engine.errors import ErrorReport
from ui.models_parts import Parts
from ui.models_pool import Pool, Task
from ui.models_rows import DraftRow

Target = LocalModel | RemoteModel


class DraftsControl(QObject):
    """Main thread. The verdicts of one target at a time; each is remembered.

    Attributes:
        target: what `rows` are about, None for nothing.
        rows: every other model of this computer, likely ones first.
        judging: verdicts are still to come. error: why there are none.
        making: (bytes written, bytes in all) of a draft being made, None where none is.

    Signals:
        changed(): any attribute. made(object): the path of the draft that was made.
        failed(object): the report of a draft that could not be made.
    """

    changed = Signal()
    made = Signal(object)
    failed = Signal(object)

    def __init__(self, parts: Parts, pool: Pool) -> None:
        super().__init__()
        self.target: Target | None = None
        self.rows: list[DraftRow] = []
        self.judging = False
        self.error: ErrorReport | None = None
        self.making: tuple[int, int] | None = None
        self._parts = parts
        self._pool = pool
        self._local: tuple[LocalModel, ...] = ()
        self._task: Task | None = None
        self._making_task: Task | None = None
        self._job: Job | None = None
        self._known: dict[tuple[Target, LocalModel], DraftVerdict] = {}

    def judge(self, target: Target | None, local: tuple[LocalModel, ...]) -> None:
        """Look at every model of `local` as a draft for `target`. Does nothing where that is known already."""
        if target == self.target and local == self._local:
            return
        if self._task is not None:
            self._task.cancel()
        if target != self.target:
            self.rows = []
        self.target, self._local, self.error, self._task = target, local, None, None
        self.judging = target is not None
        if target is not None:
            self._task = self._pool.run(lambda task: self._judge(task, target, local), self._end, self._on_failed)
        self.changed.emit()

    def _judge(self, task: Task, target: Target, local: tuple[LocalModel, ...]) -> list[DraftRow]:
        """In a thread: there may be thousands of models."""
        candidates = _likely_first(target, local)
        known = ((model, self._known.get((target, model))) for model in candidates)
        verdicts = {model: verdict for model, verdict in known if verdict is not None}
        unknown = [model for model in candidates if model not in verdicts]

        def on_verdict(model: LocalModel, verdict: DraftVerdict) -> None:
            self._known[target, model] = verdicts[model] = verdict
            task.report(self._show, lambda: _rows(candidates, verdicts))

        task.report(self._show, lambda: _rows(candidates, verdicts))
        if unknown:
            self._parts.judge(target, unknown, on_verdict, task.cancelled)
        return _rows(candidates, verdicts)

    def plan(
        self,
        target: LocalModel,
        file_type: str,
        on_done: Callable[[SelfDraftPlan], None],
        on_failed: Callable[[ErrorReport], None],
    ) -> Task:
        """Size, time and space of a draft of `target` in the given type."""
        return self._pool.run(lambda task: self._parts.plan_draft(target, file_type), on_done, on_failed)

    def make(self, plan: SelfDraftPlan) -> None:
        """Write it; `made` or `failed` follows, unless it is stopped."""
        self.making = (0, plan.size_bytes)

        def work(task: Task) -> Path:
            def on_job(job: Job) -> None:
                self._job = job
                if task.stopped:
                    job.cancel()

            return self._parts.make_draft(plan, on_job, lambda done, total: task.report(tell, lambda: (done, total)))

        def tell(progress: tuple[int, int]) -> None:
            self.making = progress
            self.changed.emit()

        def end(path: Path) -> None:
            self._end_making()
            self.made.emit(path)

        def fail(report: ErrorReport) -> None:
            self._end_making()
            self.failed.emit(report)

        self._making_task = self._pool.run(work, end, fail)
        self.changed.emit()

    def stop_making(self) -> None:
        """The part that was written goes."""
        if self._making_task is not None:
            self._making_task.cancel()
        if self._job is not None:
            self._job.cancel()
        self._end_making()

    def _end_making(self) -> None:
        self.making = self._making_task = self._job = None
        self.changed.emit()

    def _show(self, rows: list[DraftRow]) -> None:
        self.rows = rows
        self.changed.emit()

    def _end(self, rows: list[DraftRow]) -> None:
        self.judging = False
        self._show(rows)

    def _on_failed(self, report: ErrorReport) -> None:
        self.judging, self.error = False, report
        self.changed.emit()


def _rows(candidates: list[LocalModel], verdicts: dict[LocalModel, DraftVerdict]) -> list[DraftRow]:
    """Those that can draft first, then those nobody looked at yet."""
    rows = [DraftRow(_full_name(model), str(model.path), verdicts.get(model)) for model in candidates]
    return sorted(rows, key=lambda row: 1 if row.verdict is None else 0 if row.verdict.can_draft else 2)


def _full_name(model: LocalModel) -> str:
    return f"{model.name} {model.quantisation}".strip()


def _likely_first(target: Target, local: tuple[LocalModel, ...]) -> list[LocalModel]:
    """All but the target: first those with its vocabulary, then small ones."""
    vocabulary = target.vocab_size if isinstance(target, LocalModel) else 0
    others = [model for model in local if model != target]
    return sorted(others, key=lambda model: (bool(vocabulary) and model.vocab_size != vocabulary, model.size_bytes))
