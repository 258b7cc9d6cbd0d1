"""Answers for many pairs under changing settings: what was read or measured of a model once is not read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.devices.device import Machine
from app.fit.advice import OtherDraft
from app.fit.desk import FitDesk
from app.fit.figures import FileFigures
from app.fit.files import figures
from app.fit.placing import Pair, Rooms
from app.fit.report import fit_report
from app.fit.search import Search
from app.fit.values import FitReport, PairSettings
from app.small_file import file_stamp
from engine.errors import EngineError, ErrorReport

Files = tuple[Path, ...]  # of one model, all its parts, or what is kept of their headers
Stamps = tuple[tuple[int, int], ...] | None  # of a model's files; None while one is missing


@dataclass(frozen=True, slots=True)
class SmallerDraft:
    """Another draft for the target that is asked about. `id` and `title` come back in an advice."""

    id: str
    title: str
    files: Files


@dataclass(frozen=True, slots=True)
class FitQuestion:
    """Attributes:
    draft: None for a target on its own.
    machine: as read with the engine's own word on its devices.
    asks: llama.cpp is asked; False tells what is known by now.
    advises: the report is to tell what would make it fit.
    smaller_drafts: largest first.
    """

    target: Files
    draft: Files | None
    settings: PairSettings
    machine: Machine
    asks: bool = False
    advises: bool = False
    smaller_drafts: tuple[SmallerDraft, ...] = ()


class PairFits:
    """Used by one thread."""

    def __init__(self, desk: FitDesk) -> None:
        self._desk = desk
        self._models: dict[Files, tuple[Stamps, FileFigures | ErrorReport]] = {}

    def report(self, question: FitQuestion) -> FitReport:
        """Some milliseconds, more where headers are read; a fraction of a second the first time llama.cpp is asked.

        Raises:
            EngineError: what is wrong with the files, and FIT_UNMEASURABLE where there are no figures at all.
        """
        draft = None if question.draft is None else self._figures(question.draft)
        rooms = Rooms(question.machine, self._desk.margins(question.machine))
        search = Search(Pair(self._figures(question.target), draft), rooms, question.asks)
        others = self._others(question.smaller_drafts) if question.advises else ()
        return fit_report(search, question.settings, others, with_advice=question.advises)

    def _others(self, drafts: Sequence[SmallerDraft]) -> list[OtherDraft]:
        """Those whose headers can be read; the others are no advice."""
        others = []
        for draft in drafts:
            try:
                others.append(OtherDraft(draft.id, draft.title, self._figures(draft.files)))
            except EngineError:
                continue
        return others

    def _figures(self, files: Files) -> FileFigures:
        """Of files as they are now. What is wrong with them is remembered too."""
        stamps = _stamps(files)
        if files not in self._models or self._models[files][0] != stamps:
            self._models[files] = stamps, self._read(files)
        known = self._models[files][1]
        if isinstance(known, ErrorReport):
            raise EngineError.of(known)
        return known

    def _read(self, files: Files) -> FileFigures | ErrorReport:
        try:
            return figures(files, self._desk.dry_loads)
        except EngineError as error:
            return error.report


def _stamps(files: Files) -> Stamps:
    try:
        return tuple(map(file_stamp, files))
    except OSError:
        return None
