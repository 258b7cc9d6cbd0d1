"""Whether a pair fits this computer's memory: what it needs of each device, and what would make it fit."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.devices.device import DeviceKind
from app.fit.values import DeviceFit, FitReport, Verdict
from app.fit_words import changes_words, gigabytes, verdict_sentence, ways_heading
from app.model_values import Here
from app.translate import translate
from ui.fact_list import wrapped
from ui.fit_block import FitBlock
from ui.fit_values import Fit
from ui.fit_words import figures_words, problem_words
from ui.way_button import WayButton

PATIENCE_MS = 150  # an answer by arithmetic takes a tenth of it


class FitCard(QWidget):
    """Empty as long as there is nothing to tell. Whoever owns it shows the fit again in another language.

    Signals:
        way_taken(object): an `Advice` that was pressed. way_left(): what was taken shall not count any more.
    """

    way_taken = Signal(object)
    way_left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._key: Hashable = None
        self._waiting: tuple[Fit | None, Here] = (None, Here.READY)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._show)
        self._blocks: list[FitBlock] = []
        self._ways: list[WayButton] = []
        self._beside, self._set, self._state = wrapped("small"), wrapped("small"), wrapped("")
        self._verdict = wrapped("")
        self._verdict.setProperty("tone", "muted")
        self._state.setProperty("tone", "muted")
        self.back = QPushButton()
        self.back.setProperty("role", "link")
        self.back.clicked.connect(self.way_left)
        self._head = QLabel()
        self._head.setProperty("role", "section")
        self._devices, self._list = QVBoxLayout(), QVBoxLayout()
        self._devices.setSpacing(12)
        self._list.setSpacing(7)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(9)
        column.addLayout(self._devices)
        for widget in (self._beside, self._verdict, self._state, self._set, self.back, self._head):
            column.addWidget(widget)
        column.addLayout(self._list)

    @property
    def blocks(self) -> list[FitBlock]:
        """Of the devices that are told of."""
        return [block for block in self._blocks if block.isVisibleTo(self)]

    @property
    def ways(self) -> list[WayButton]:
        """What would make it fit."""
        return [way for way in self._ways if way.isVisibleTo(self)]

    @property
    def words(self) -> str:
        """All that is told beside figures."""
        labels = (self._beside, self._verdict, self._state, self._set)
        return "\n".join(label.text() for label in labels if label.isVisibleTo(self))

    def show_fit(self, key: Hashable, fit: Fit | None, here: Here = Here.READY) -> None:
        """That the answer for another setting is on its way is only told where it does not come at once: everything
        would collapse and come back.

        Args:
            key: of what is told about. fit: None for what cannot be asked.
            here: what of it is on this computer.
        """
        again, self._key = key == self._key, key
        self._waiting = fit, here
        if again and fit is not None and fit.waiting and not fit.fetching:
            self._patience.start()
        else:
            self._patience.stop()
            self._show()

    def _show(self) -> None:
        fit, here = self._waiting
        self.setVisible(fit is not None)
        if fit is None:
            return
        report = fit.report
        self._show_devices(report)
        _tell(self._verdict, "" if report is None else verdict_sentence(report))
        _tell(self._state, _state_words(fit, here))
        own = fit.settings != fit.asked
        _tell(self._set, _own_words(fit) if own else "")
        self.back.setText(translate("fit", "Back to the settings above the table"))
        if own:
            self.back.show()
        self._show_ways(report)
        self.back.setVisible(own)

    def _show_devices(self, report: FitReport | None) -> None:
        parts = [] if report is None else told_devices(report)
        while len(self._blocks) < len(parts):
            block = FitBlock()
            self._devices.addWidget(block)
            self._blocks.append(block)
        for place, block in enumerate(self._blocks):
            block.setVisible(place < len(parts))
            if place < len(parts) and report is not None:
                block.show_part(parts[place], report.settings, named=len(parts) > 1)
        _tell(self._beside, "" if report is None else _beside_words(report, parts))

    def _show_ways(self, report: FitReport | None) -> None:
        advice = () if report is None else report.advice
        self._head.setText(ways_heading(advice).upper())
        self._head.setVisible(bool(advice))
        while len(self._ways) < len(advice):
            way = WayButton()
            way.taken.connect(self.way_taken)
            self._list.addWidget(way)
            self._ways.append(way)
        held = any(button.hasFocus() for button in (self.back, *self._ways))
        for place, way in enumerate(self._ways):
            way.setVisible(place < len(advice))
            if place < len(advice):
                way.show_advice(advice[place])
        if held:  # a button that goes would pass it on to anything
            offered = [button for button in (self.back, *self._ways) if not button.isHidden()]
            (offered[0] if offered else self).setFocus()


def told_devices(report: FitReport) -> list[DeviceFit]:
    """The devices that have a block: those that models are on, and not the computer's memory where only what always
    stays there is in it."""
    placement, settings = report.placement, report.settings
    gpus = [part for part in placement.devices if part.device.kind is not DeviceKind.SYSTEM]
    used = [part for part in gpus if part.target.total or part.draft.total]
    rest = [part for part in placement.devices if part.device.kind is DeviceKind.SYSTEM]
    moved = settings.gpu_layers >= 0 or settings.experts_on_cpu
    return used + [part for part in rest if moved or not used or part.verdict is not Verdict.FITS]


def _beside_words(report: FitReport, told: list[DeviceFit]) -> str:
    """What of the computer's memory is needed where that has no block."""
    for part in report.placement.devices:
        if part.device.kind is DeviceKind.SYSTEM and part not in told:
            return translate("fit", "It also takes {size} of the computer's memory, which is free.").format(
                size=gigabytes(part.need_bytes)
            )
    return ""


def _state_words(fit: Fit, here: Here) -> str:
    """Where the figures come from, or why there are none."""
    if fit.report is not None:
        return figures_words(fit.report, here)
    if fit.problem is not None:
        why = problem_words(fit.problem)
        unknown = translate("fit", "It is not known yet.")
        return f"{unknown}\n{why}" if fit.missing else why
    if fit.fetching:
        return translate("fit", "Its header is being fetched, some megabytes…")
    return translate("fit", "It is being worked out…")


def _own_words(fit: Fit) -> str:
    layers = fit.report.layers if fit.report is not None else 0
    return translate("fit", "Set for this one: {changes}.").format(
        changes=changes_words(fit.settings, fit.asked, layers)
    )


def _tell(label: QLabel, words: str) -> None:
    label.setText(words)
    label.setVisible(bool(words))
