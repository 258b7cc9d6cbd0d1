"""The panel at the right of the Models page: what is known of the chosen row, and what can be done with it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from app.amounts import count, size
from app.downloads.state import DownloadState
from app.error_words import printable
from app.messages import message_for
from app.model_values import CataloguePair, Here, LocalModel
from app.translate import translate
from engine.errors import ErrorKind, ErrorReport
from ui.fact_list import FactList, Facts, wrapped
from ui.fit_card import FitCard
from ui.fit_values import Fit
from ui.models_cells import Act, act_words
from ui.models_gated import GatedCard
from ui.models_rows import LocalRow, PairRow, Progress
from ui.models_words import (
    check_words,
    confidence_words,
    kinds_words,
    licence_words,
    model_name,
    or_dash,
    parameters_words,
    place_words,
    progress_words,
)
from ui.steady_button import SteadyButton
from ui.style import set_role
from ui.translated import Translated

WIDTH = 345
STEPS = 1_000
MAIN = (Act.DOWNLOAD, Act.OPEN, Act.RESUME, Act.TRY_AGAIN, Act.USE_AS_TARGET)  # buttons that lead on
class ActButtons(QWidget):
    """The buttons of a row, two beside each other; the first is the main one. Signals: pressed(object): an `Act`."""

    pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._acts: tuple[Act, ...] = ()
        self._buttons: list[SteadyButton] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)

    @property
    def acts(self) -> tuple[Act, ...]:
        return self._acts

    def button(self, act: Act) -> SteadyButton:
        return self._buttons[self._acts.index(act)]

    def show_acts(self, acts: tuple[Act, ...]) -> None:
        while len(self._buttons) < len(acts):
            button, place = SteadyButton(), len(self._buttons)
            button.clicked.connect(lambda _checked, place=place: self.pressed.emit(self._acts[place]))
            self._grid.addWidget(button, place // 2, place % 2)
            self._buttons.append(button)
        self._acts = acts
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(acts))
            if place < len(acts):
                button.setText(act_words(acts[place]))
                button.mean(acts[place])
                set_role(button, "primary" if place == 0 and acts[0] in MAIN else "")
        self.setVisible(bool(acts))


class Panel(Translated, QScrollArea):
    """What all panels have: a kicker, a heading, a bar, buttons, an alert and facts; a hint where nothing is chosen.

    Signals:
        acted(object): an `Act` for the row that is shown.
    """

    acted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        inside.setProperty("role", "panel")
        inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWidget(inside)
        self.hint = wrapped("")
        self.hint.setProperty("tone", "muted")
        self.hint.setContentsMargins(14, 14, 14, 14)
        self._body = QWidget()
        outer = QVBoxLayout(inside)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignTop)
        outer.addWidget(self._body, 1)
        self.column = QVBoxLayout(self._body)
        self.column.setContentsMargins(14, 14, 14, 14)
        self.column.setSpacing(9)
        self.kicker, self.heading = wrapped("section"), wrapped("heading")
        self.bar, self.words = QProgressBar(), wrapped("small")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, STEPS)
        self.buttons, self.facts = ActButtons(), FactList()
        self.alert, self.alert_text = wrapped("strong"), wrapped("")
        self.alert.setProperty("tone", "warn")
        self.alert_text.setProperty("tone", "muted")
        self.buttons.pressed.connect(self.acted)
        for widget in (self.kicker, self.heading, self.bar, self.words, self.alert, self.alert_text, self.buttons):
            self.column.addWidget(widget)
        self.column.addWidget(self.facts)

    def put_above(self, below: QWidget, *widgets: QWidget) -> None:
        """More of what a panel has, above what stands there."""
        for widget in widgets:
            self.column.insertWidget(self.column.indexOf(below), widget)

    def show_body(self, anything: bool, hint: str) -> None:
        """The hint stands there instead where there is not anything."""
        self.hint.setText(hint)
        self.hint.setVisible(not anything)
        self._body.setVisible(anything)

    def show_progress(self, progress: Progress | None) -> None:
        failed = progress is not None and progress.state is DownloadState.FAILED
        self.show_share(None if progress is None or failed else share_of(progress))
        self.show_words("" if progress is None or failed else progress_words(progress))
        self.show_alert(progress.error if progress is not None else None)

    def show_share(self, share: float | None) -> None:
        """Of the bar; None for no bar."""
        self.bar.setVisible(share is not None)
        self.bar.setValue(round(STEPS * (share or 0.0)))

    def show_words(self, words: str) -> None:
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self.bar.setAccessibleName(words)

    def show_alert(self, report: ErrorReport | None) -> None:
        message = message_for(report) if report is not None else None
        for label, words in ((self.alert, message and message.title), (self.alert_text, message and message.text)):
            label.setText(words or "")
            label.setVisible(bool(words))


class PairPanel(Panel):
    """A pair of the catalogue: whether it fits, what can be done with it, and what it is.

    Signals:
        way_taken(object): an `Advice`. way_left(): the settings chosen for all are to count again.
    """

    way_taken = Signal(object)
    way_left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._row: PairRow | None = None
        self._has_token = False
        self._endpoint = ""
        self.fit = FitCard()
        self.gated = GatedCard()
        self._about, self._note = wrapped("section"), wrapped("")
        self._note.setProperty("tone", "muted")
        self.put_above(self.bar, self.fit)
        self.put_above(self.facts, self.gated, self._about)
        self.column.addWidget(self._note)
        self.column.addStretch(1)
        self.fit.way_taken.connect(self.way_taken)
        self.fit.way_left.connect(self.way_left)
        self.retranslate()

    def show_row(self, row: PairRow | None, has_token: bool, endpoint: str) -> None:
        """`endpoint`: of the hub that is asked. Costs nothing where all is as it was."""
        if (row, has_token, endpoint) != (self._row, self._has_token, self._endpoint):
            self._row, self._has_token, self._endpoint = row, has_token, endpoint
            self.retranslate()

    def retranslate(self) -> None:
        row = self._row
        self.kicker.setText(translate("fit", "WILL IT FIT?"))
        self._about.setText(translate("models", "MATCHED PAIR"))
        self.show_body(row is not None, translate("models", "Choose a pair to see its files and its licence."))
        if row is None:
            return
        self.heading.setText(printable(row.pair.title))
        self.fit.show_fit(row.pair.id, row.fit, Here.of(row.target, row.draft))
        self.show_progress(row.progress)
        self.buttons.show_acts(row.acts)
        self.facts.show_facts(_pair_facts(row))
        self._note.setText(printable(row.pair.note))
        self._note.setVisible(bool(row.pair.note))
        gated = _gated_report(row, self._has_token, self._endpoint)
        self.gated.show_report(gated)
        if gated is not None:
            self.show_alert(None)


class LocalPanel(Panel):
    """A model on this computer, and whether it fits as a target on its own. Signals: as those of `PairPanel`."""

    way_taken = Signal(object)
    way_left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._row: LocalRow | None = None
        self._fit: Fit | None = None
        self._fits, self.fit = wrapped("section"), FitCard()
        self.put_above(self.facts, self._fits, self.fit)
        self.column.addStretch(1)
        self.fit.way_taken.connect(self.way_taken)
        self.fit.way_left.connect(self.way_left)
        self.retranslate()

    def show_row(self, row: LocalRow | None, fit: Fit | None) -> None:
        self._row, self._fit = row, fit
        self.retranslate()

    def retranslate(self) -> None:
        row = self._row
        self.kicker.setText(translate("models", "ON THIS COMPUTER"))
        self._fits.setText(translate("fit", "WILL IT FIT ON ITS OWN?"))
        self.show_body(row is not None, translate("models", "Choose a model to see what its header says of it."))
        if row is None:
            return
        model, check = row.model, row.check
        self.heading.setText(model_name(model))
        self.show_share(None if check is None else check.share)
        self.show_words("" if check is None or check.error else check_words(check, model.size_bytes))
        self.show_alert(model.problem or (check.error if check else None))
        self.buttons.show_acts(row.acts)
        self._fits.setVisible(self._fit is not None)
        self.fit.show_fit(row.model.path, self._fit)
        self.facts.show_facts(_local_facts(model))


def _pair_facts(row: PairRow) -> Facts:
    pair = row.pair
    licence = licence_words(pair.licence)
    facts = [
        (translate("models", "Good for"), kinds_words(pair.kinds)),
        (translate("models", "Family"), pair.family),
        (
            translate("models", "Licence"),
            translate("models", "{licence} · gated").format(licence=licence) if pair.gated else licence,
        ),
        (translate("models", "Context"), translate("models", "{n} tokens").format(n=count(pair.context))),
        *_half_facts(translate("models", "Target"), pair.target.model.file_name, pair.target.model.repo, row.target),
        (translate("models", "Size"), _size_words(pair.target.about_bytes, pair.target.parameters)),
        *_half_facts(translate("models", "Draft"), pair.draft.model.file_name, pair.draft.model.repo, row.draft),
        (translate("models", "Size"), _size_words(pair.draft.about_bytes, pair.draft.parameters)),
        (translate("models", "Sampling"), _sampling_words(pair)),
        (translate("models", "Confidence"), confidence_words(pair.confidence)),
    ]
    return [(name, value) for name, value in facts if value]


def _half_facts(name: str, file: str, repo: str, here: LocalModel | None) -> Facts:
    if here is None:
        return (name, file), (translate("models", "Source"), repo)
    return (name, here.path.name), (translate("models", "Lies in"), str(here.path.parent))


def _size_words(size_bytes: int, parameters: int) -> str:
    return translate("models", "{size}, {parameters} parameters").format(
        size=size(size_bytes), parameters=parameters_words(parameters)
    )


def _sampling_words(pair: CataloguePair) -> str:
    sampling = pair.sampling
    if sampling is None:
        return ""
    parts = [f"T {sampling.temperature:g}", f"top-p {sampling.top_p:g}", f"top-k {sampling.top_k}"]
    return ", ".join(parts)


def _local_facts(model: LocalModel) -> Facts:
    facts = [
        (translate("models", "File"), model.path.name),
        (translate("models", "Lies in"), str(model.path.parent)),
        (translate("models", "Place"), place_words(model)),
        (translate("models", "Size"), size(model.size_bytes)),
        (translate("models", "Parts"), str(len(model.parts)) if len(model.parts) > 1 else ""),
        (translate("models", "Architecture"), model.architecture),
        (translate("models", "Quantisation"), model.quantisation),
        (translate("models", "Parameters"), parameters_words(model.parameters)),
        (translate("models", "Vocabulary"), or_dash(model.vocab_size)),
        (translate("models", "Context"), or_dash(model.context)),
    ]
    return [(name, value) for name, value in facts if value and value != "–"]


def _gated_report(row: PairRow, has_token: bool, endpoint: str) -> ErrorReport | None:
    """What the hub said, or what it will say to somebody without a token."""
    error = row.progress.error if row.progress else None
    if error is not None and error.kind is ErrorKind.REPO_GATED:
        return error
    if not row.pair.gated or has_token or row.ready or row.progress is not None:
        return None
    repo = row.pair.target.model.repo
    return ErrorReport(ErrorKind.REPO_GATED, (("repo", repo), ("url", f"{endpoint}/{repo}"), ("token", "none")))


def share_of(progress: Progress) -> float:
    return progress.done_bytes / progress.total_bytes if progress.total_bytes else 0.0


def show_in_folder(file: Path) -> None:
    """Open the folder of a file in the system's own program."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
