"""Whether pairs fit this computer's memory, worked out in a thread, one question at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.devices.device import Machine
from app.devices.movement import has_moved
from app.downloads.state import DownloadState
from app.fit.files import request_of
from app.fit.pair_fits import Files, FitQuestion, SmallerDraft
from app.fit.values import FitReport, PairSettings, Placement
from app.model_values import LocalModel, RemoteModel
from engine.errors import ErrorReport
from engine.types import KvType, LoadRequest
from ui.fit_values import Fit, Half, Subject
from ui.models_control import ModelsControl
from ui.models_headers import HeadersControl
from ui.models_parts import Parts
from ui.models_pool import Pool

PACE_MS = 100  # between two answers that are told


@dataclass(frozen=True, slots=True)
class _Answer:
    """Attributes:
    question: what it answers. measured: llama.cpp was asked, now or before.
    """

    question: FitQuestion
    result: FitReport | ErrorReport
    measured: bool


class ModelsFits(QObject):
    """Main thread. By arithmetic first, then by llama.cpp's own figures; what is looked at comes first.

    Attributes:
        base: the settings chosen for all.
        machine: the devices that are judged by; None before they were read.
        headers: of what is not here.
        first: keys of the subjects that are looked at, the chosen one first.

    Signals:
        changed(): an answer, some ten times a second at most, or the settings. moved(): `machine`.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.base = PairSettings(ctx=8_192)
        self.machine: Machine | None = None
        self.headers = HeadersControl(parts)
        self.first: Callable[[], Sequence[Hashable]] = tuple
        self._parts = parts
        self._lane = Pool(threads=1)
        self._subjects: dict[Hashable, Subject] = {}
        self._own: dict[Hashable, PairSettings] = {}
        self._answers: dict[Hashable, _Answer] = {}
        self._asking = self._shown = self._running = False
        self._asks: tuple[object, ...] = ()
        self._pace = QTimer(self)
        self._pace.setSingleShot(True)
        self._pace.setInterval(PACE_MS)
        self._pace.timeout.connect(self.changed)
        self.headers.changed.connect(self._on_headers)

    @property
    def is_done(self) -> bool:
        """Everything that can be answered now is."""
        return not self._asking

    # what is asked

    def show(self, shown: bool) -> None:
        """Whether somebody looks; nothing is asked otherwise."""
        self._shown = shown
        self.headers.show(shown)
        self._ask()

    def use_machine(self, machine: Machine | None) -> None:
        """The devices as they were read just now. Small movements change nothing."""
        if machine is not None and (self.machine is None or has_moved(self.machine, machine)):
            self.machine = machine
            self.moved.emit()
            self.changed.emit()
            self._ask()

    def use_base(self, ctx: int, kv_type: KvType) -> None:
        """For all, whatever was chosen for one of them."""
        self.base = PairSettings(ctx=ctx, kv_type=kv_type)
        self._own.clear()
        self.changed.emit()
        self._ask()

    def use_own(self, key: Hashable, settings: PairSettings | None) -> None:
        """For one of them; None lets it have those for all again."""
        self._own.pop(key, None)
        if settings is not None and settings != self.base:
            self._own[key] = settings
        self.changed.emit()
        self._ask()

    def use_models(self, models: ModelsControl) -> None:
        """How the hub may be asked, and whether what it refused may come now."""
        asks = models.settings.hub_endpoint, models.has_token, models.token.given
        running = any(one.state is DownloadState.RUNNING for one in models.downloads)
        if asks != self._asks or (running and not self._running):
            self.headers.try_again()
        self._asks, self._running = asks, running
        self.headers.use_offline(models.settings.offline)

    def look_at(self, subjects: Sequence[Subject]) -> None:
        """What is to be answered from now on."""
        self._subjects = {subject.key: subject for subject in subjects}
        self._want_headers()
        self._ask()

    def turn(self) -> None:
        """Another one is chosen, or others are seen."""
        self._want_headers()
        self._ask()

    def close(self) -> None:
        self._pace.stop()
        self._lane.close()
        self.headers.close()

    # what is known

    def fit(self, key: Hashable) -> Fit | None:
        """Of one of the subjects; None for others."""
        subject, answer = self._subjects.get(key), self._answers.get(key)
        if subject is None:
            return None
        settings = self._settings(key)
        if answer is not None and answer.question.settings == settings and self._is_of_now(answer.question.machine):
            if isinstance(answer.result, FitReport):
                return Fit(settings, self.base, report=answer.result)
            return Fit(settings, self.base, problem=self._by_name(answer.result, subject))
        problem = self._missing(subject)
        fetching = problem is None and any(self._files(half) is None for half in subject.halves)
        return Fit(settings, self.base, problem=problem, missing=problem is not None, fetching=fetching)

    def request(self, key: Hashable, request: LoadRequest) -> LoadRequest:
        """The same files with what was chosen for this one alone, if anything was."""
        own = self._own.get(key)
        if own is None:
            return request
        fit = self.fit(key)
        placement = Placement(()) if fit is None or fit.report is None else fit.report.placement
        return request_of(own, placement, request)

    def _missing(self, subject: Subject) -> ErrorReport | None:
        """Why there will be no answer for want of a header."""
        remote = (half for half in subject.halves if isinstance(half, RemoteModel))
        return next((problem for problem in map(self.headers.problem, remote) if problem is not None), None)

    def _by_name(self, report: ErrorReport, subject: Subject) -> ErrorReport:
        """What is wrong with a header that is kept is told of the model, not of our file."""
        remote = [half for half in subject.halves if isinstance(half, RemoteModel)]
        names = {str(file): half.file_name for half in remote for file in self.headers.files(half) or ()}
        facts = ((name, names.get(str(value), value) if name == "path" else value) for name, value in report.facts)
        return replace(report, facts=tuple(facts))

    def _is_of_now(self, machine: Machine) -> bool:
        """Whether it has the devices that there are; how much is free on them moves all the time."""
        now = self.machine
        return now is not None and [one.id for one in machine.gpus] == [one.id for one in now.gpus]

    def _settings(self, key: Hashable) -> PairSettings:
        return self._own.get(key, self.base)

    # one question after the other

    def _ask(self) -> None:
        if self._asking or not self._shown:
            return
        question = next(self._open_questions(), None)
        if question is None:
            return
        self._asking = True
        key, asked = question
        self._lane.run(
            lambda task: self._parts.fit(asked),
            lambda report: self._on_answer(key, asked, report),
            lambda report: self._on_answer(key, asked, report),
        )

    def _open_questions(self) -> Iterator[tuple[Hashable, FitQuestion]]:
        """The most wanted first."""
        subjects, chosen = self._in_order(), next(iter(self.first()), None)
        for asks in (False, True):
            for subject in subjects:
                question = self._question(subject, asks=asks, chosen=subject.key == chosen)
                if question is not None and not self._is_answered(subject.key, question):
                    yield subject.key, question

    def _in_order(self) -> list[Subject]:
        first = [self._subjects[key] for key in self.first() if key in self._subjects]
        keys = {subject.key for subject in first}
        return first + [subject for key, subject in self._subjects.items() if key not in keys]

    def _question(self, subject: Subject, *, asks: bool, chosen: bool) -> FitQuestion | None:
        """Only the chosen one is told what would make it fit. None while something is missing."""
        machine, target = self.machine, self._files(subject.target)
        draft = None if subject.draft is None else self._files(subject.draft)
        if machine is None or target is None or (draft is None and subject.draft is not None):
            return None
        others = ((other, self._files(other.draft)) for other in subject.smaller if chosen)
        smaller = tuple(SmallerDraft(other.id, other.title, files) for other, files in others if files is not None)
        return FitQuestion(target, draft, self._settings(subject.key), machine, asks, chosen, smaller)

    def _files(self, half: Half) -> Files | None:
        return half.parts if isinstance(half, LocalModel) else self.headers.files(half)

    def _is_answered(self, key: Hashable, question: FitQuestion) -> bool:
        """By an answer that is as good. Where memory moved, only the chosen one is measured again: the others are
        worked out from what was measured before."""
        answer = self._answers.get(key)
        if answer is None or not _same_subject(answer.question, question):
            return False
        before = answer.question
        advised = not question.advises or (before.advises and before.smaller_drafts == question.smaller_drafts)
        if isinstance(answer.result, ErrorReport) and question.asks:
            return True
        if question.asks and not question.advises:
            return answer.measured
        return before.machine is question.machine and advised and (before.asks or not question.asks)

    def _on_answer(self, key: Hashable, question: FitQuestion, result: FitReport | ErrorReport) -> None:
        self._asking = False
        if key in self._subjects and question.settings == self._settings(key):
            before = self._answers.get(key)
            measured = before is not None and before.measured and _same_subject(before.question, question)
            self._answers[key] = _Answer(question, result, measured or question.asks)
            self._tell(at_once=question.advises)
        self._ask()

    def _tell(self, *, at_once: bool) -> None:
        if at_once:
            self._pace.stop()
            self.changed.emit()
        elif not self._pace.isActive():
            self._pace.start()

    def _want_headers(self) -> None:
        halves = (half for subject in self._in_order() for half in subject.halves)
        self.headers.want([half for half in dict.fromkeys(halves) if isinstance(half, RemoteModel)])

    def _on_headers(self) -> None:
        self._tell(at_once=False)
        self._ask()


def _same_subject(one: FitQuestion, other: FitQuestion) -> bool:
    return (one.target, one.draft, one.settings) == (other.target, other.draft, other.settings)
