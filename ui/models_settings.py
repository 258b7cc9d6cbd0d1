"""The card of the settings page about where models come from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.model_settings import ModelSettings, is_endpoint
from app.translate import translate
from engine.errors import ErrorReport
from ui.elided_label import ElidedLabel
from ui.form import Fraction, name_field
from ui.models_parts import TokenState
from ui.models_token import AnswerLine
from ui.translated import Translated

KB, MB = 1_000, 1_000_000
FASTEST = 10_000  # MB/s


class Speed(Fraction):
    """In MB/s, down to single kB/s, without digits that say nothing."""

    def __init__(self) -> None:
        super().__init__(0.0, FASTEST, 1.0)
        self.setDecimals(3)

    def textFromValue(self, value: float) -> str:
        return f"{value:.3f}".rstrip("0").rstrip(".").replace(".", self.locale().decimalPoint())

    def show_limit(self, limit: int | None) -> None:
        """Bytes a second; None is no limit."""
        self.setValue((shown_limit(limit) or 0) / MB)

    @property
    def limit(self) -> int | None:
        return round(self.value() * MB / KB) * KB or None


def shown_limit(limit: int | None) -> int | None:
    """A limit as the field shows it: in whole kB/s, and never as none."""
    return max(KB, round(limit / KB) * KB) if limit else None


class ModelSettingsCard(Translated, QFrame):
    """Signals:
    chosen(object): the `ModelSettings` as they shall be from now on.
    token_given(str), token_forgotten(): about the hub token, which is never shown.
    """

    chosen = Signal(object)
    token_given = Signal(str)
    token_forgotten = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._settings = ModelSettings()
        self._token = TokenState()
        self._problem: ErrorReport | None = None
        self._title, self._hint, self._folders_title = QLabel(), QLabel(), QLabel()
        self._title.setProperty("role", "strong")
        self._hint.setProperty("role", "small")
        self._hint.setWordWrap(True)
        self.endpoint, self.token = QLineEdit(), QLineEdit()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.modelscope, self.offline = QCheckBox(), QCheckBox()
        self.limit = Speed()
        self.endpoint_answer, self.token_answer, self.folder_answer = AnswerLine(), AnswerLine(), AnswerLine()
        self.answer = AnswerLine()  # about all of it: it could not be kept
        self.save_token, self.forget_token, self.add_folder = QPushButton(), QPushButton(), QPushButton()
        self._labels = QLabel(), QLabel(), QLabel()
        self._folder_box = QWidget()
        self._folders = QVBoxLayout(self._folder_box)
        self._build()
        self._wire()
        self.show_settings(ModelSettings(), TokenState())
        self.retranslate()

    def show_settings(self, settings: ModelSettings, token: TokenState, problem: ErrorReport | None = None) -> None:
        """`problem`: why what was chosen last is not among the settings. What is being typed, and a wrong address below
        which the reason stands, stay."""
        self._settings, self._token, self._problem = settings, token, problem
        if not self.endpoint.hasFocus() and not self.endpoint_answer.text():
            self.endpoint.setText(settings.endpoint or "")
        self.modelscope.setChecked(settings.modelscope)
        self.offline.setChecked(settings.offline)
        if not self.limit.hasFocus():
            self.limit.show_limit(settings.speed_limit)
        self.forget_token.setVisible(token.there)
        self._enable_token()
        self._show_folders()
        self.retranslate()

    @property
    def folder_names(self) -> list[str]:
        return [label.text() for label in self._folder_box.findChildren(ElidedLabel) if label.isVisibleTo(self)]

    def retranslate(self) -> None:
        self._title.setText(translate("model_settings", "Models and downloads"))
        words = (
            (
                self._labels[0],
                self.endpoint,
                translate("model_settings", "Hub address"),
                translate("model_settings", "A mirror's address; empty for huggingface.co, or what HF_ENDPOINT says"),
            ),
            (
                self._labels[1],
                self.limit,
                translate("model_settings", "Speed limit"),
                translate("model_settings", "Megabytes per second of all downloads together"),
            ),
            (
                self._labels[2],
                self.token,
                translate("model_settings", "Hub token"),
                translate("model_settings", "For models whose licence you accepted; kept in the system's keyring"),
            ),
        )
        for label, field, name, help_text in words:
            name_field(label, field, name, help_text)
        self.endpoint.setPlaceholderText("https://huggingface.co")
        self.limit.setSpecialValueText(translate("model_settings", "none"))
        self.limit.setSuffix(" MB/s")
        there, none = translate("model_settings", "a token is kept"), translate("model_settings", "none, hf_…")
        self.token.setPlaceholderText(there if self._token.there else none)
        self.save_token.setText(translate("model_settings", "Keep"))
        self.forget_token.setText(translate("model_settings", "Forget"))
        self.modelscope.setText(translate("model_settings", "Also take files from ModelScope"))
        self.offline.setText(translate("model_settings", "Offline: ask nothing of the network"))
        self._folders_title.setText(translate("model_settings", "Folders with models"))
        self.add_folder.setText(translate("model_settings", "Add a folder…"))
        self._hint.setText(
            translate(
                "model_settings",
                "Files from ModelScope count only where their SHA-256 is the one that the hub or the catalogue tells.",
            )
        )
        for button in self._folder_box.findChildren(QPushButton):
            self._name_removal(button)
        self.token_answer.show_token(self._token)
        self.answer.show_error(self._problem)
        self._check_endpoint()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        fields = (self.endpoint, self.endpoint_answer), (self.limit, None), (self.token, self.token_answer)
        for place, (label, (field, answer)) in enumerate(zip(self._labels, fields, strict=True)):
            label.setProperty("tone", "muted")
            grid.addWidget(label, 2 * place, 0)
            grid.addWidget(field, 2 * place, 1)
            if answer is not None:
                grid.addWidget(answer, 2 * place + 1, 1)
        self.save_token.setEnabled(False)
        grid.addWidget(self.save_token, 4, 2)
        grid.addWidget(self.forget_token, 4, 3)
        grid.setColumnStretch(1, 1)
        folders_head = QHBoxLayout()
        folders_head.addWidget(self._folders_title, 1)
        folders_head.addWidget(self.add_folder)
        self._folders_title.setProperty("tone", "muted")
        self._folders.setContentsMargins(0, 0, 0, 0)
        self._folders.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 16)
        column.setSpacing(12)
        column.addWidget(self._title)
        column.addLayout(grid)
        for widget in (self.modelscope, self.offline, self._hint):
            column.addWidget(widget)
        column.addLayout(folders_head)
        for widget in (self.folder_answer, self._folder_box, self.answer):
            column.addWidget(widget)

    def _wire(self) -> None:
        self.endpoint.editingFinished.connect(self._choose_endpoint)
        self.limit.editingFinished.connect(self._choose_limit)
        self.modelscope.clicked.connect(lambda on: self._choose(replace(self._settings, modelscope=on)))
        self.offline.clicked.connect(lambda on: self._choose(replace(self._settings, offline=on)))
        self.token.textChanged.connect(lambda _text: self._enable_token())
        self.token.returnPressed.connect(self._give_token)
        self.save_token.clicked.connect(self._give_token)
        self.forget_token.clicked.connect(self.token_forgotten)
        self.add_folder.clicked.connect(self._look_for_folder)

    def _choose_endpoint(self) -> None:
        if self._check_endpoint():
            self._choose(replace(self._settings, endpoint=self._typed_endpoint or None))

    @property
    def _typed_endpoint(self) -> str:
        return self.endpoint.text().strip().rstrip("/")

    def _check_endpoint(self) -> bool:
        """Say what is wrong with what stands there; the address before counts then."""
        typed = self._typed_endpoint
        right = not typed or is_endpoint(typed)
        words = translate(
            "model_settings",
            "No hub can be asked at this address: it begins with https:// and has no password in it. {address} still "
            "counts.",
        )
        self.endpoint_answer.show_words(
            "" if right else words.format(address=self._settings.hub_endpoint), failed=not right
        )
        return right

    def _choose_limit(self) -> None:
        """What stood there may be rounded."""
        if self.limit.limit != shown_limit(self._settings.speed_limit):
            self._choose(replace(self._settings, speed_limit=self.limit.limit))

    def _choose(self, settings: ModelSettings) -> None:
        if settings != self._settings:
            self._settings = settings
            self.chosen.emit(settings)

    def _enable_token(self) -> None:
        self.save_token.setEnabled(bool(self.token.text().strip()) and not self._token.keeping)
        self.forget_token.setEnabled(not self._token.keeping)

    def _give_token(self) -> None:
        text = self.token.text().strip()
        if text and not self._token.keeping:
            self.token.clear()
            self.token_given.emit(text)

    def _look_for_folder(self) -> None:
        dialog = QFileDialog(self, translate("model_settings", "Add a folder with models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda folder: self.add(Path(folder)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def add(self, folder: Path) -> None:
        """One more folder."""
        there = folder.is_dir()
        words = translate("model_settings", "{folder} is no folder on this computer.").format(folder=folder)
        self.folder_answer.show_words("" if there else words, failed=not there)
        if there and folder not in self._settings.folders:
            self._choose(replace(self._settings, folders=(*self._settings.folders, folder)))

    def _show_folders(self) -> None:
        while (item := self._folders.takeAt(0)) is not None:
            widget = item.widget()
            widget.hide()
            widget.deleteLater()
        for folder in self._settings.folders:
            row = self._folder_row(folder)
            self._folders.addWidget(row)
            row.show()  # now, not when the layout comes to it
        self._folder_box.setVisible(bool(self._settings.folders))

    def _folder_row(self, folder: Path) -> QWidget:
        row, name, remove = QWidget(), ElidedLabel(), QPushButton()
        name.setText(str(folder))
        remove.setProperty("role", "link")
        remove.setProperty("folder", str(folder))
        remove.setCursor(Qt.CursorShape.PointingHandCursor)
        remove.clicked.connect(lambda: self._leave(folder))
        self._name_removal(remove)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(name, 1)
        line.addWidget(remove)
        return row

    def _name_removal(self, button: QPushButton) -> None:
        button.setText(translate("model_settings", "Leave out"))
        words = translate("model_settings", "Leave out {folder}").format(folder=button.property("folder"))
        button.setAccessibleName(words)

    def _leave(self, folder: Path) -> None:
        self._choose(replace(self._settings, folders=tuple(one for one in self._settings.folders if one != folder)))
