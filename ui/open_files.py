"""The dialog in which a target and a draft are chosen from files, with the options to load them with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.amounts import size
from app.translate import translate
from engine.types import LoadRequest
from ui.form import name_field
from ui.load_options import LoadOptions
from ui.translated import Translated


class FileField(Translated, QWidget):
    """A path with a button that looks for it; shows the file's size, or that it is not there.

    Signals:
        changed(): the path is another one.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edit = QLineEdit()
        self._browse, self._note = QPushButton(), QLabel()
        self._note.setProperty("role", "small")
        row = QHBoxLayout()
        row.addWidget(self.edit, 1)
        row.addWidget(self._browse)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addLayout(row)
        column.addWidget(self._note)
        self.edit.textChanged.connect(self._on_text)
        self._browse.clicked.connect(self._look)
        self.retranslate()

    @property
    def path(self) -> str:
        return self.edit.text().strip()

    def retranslate(self) -> None:
        self._browse.setText(translate("open_files", "Browse…"))
        self._on_text()

    def _on_text(self) -> None:
        note = ""
        if self.path:
            file = Path(self.path)
            note = size(file.stat().st_size) if file.is_file() else translate("open_files", "There is no such file.")
        self._note.setText(note)
        self.changed.emit()

    def _look(self) -> None:
        dialog = QFileDialog(self, translate("open_files", "Choose a model"), str(Path(self.path).parent))
        dialog.setNameFilters(
            [translate("open_files", "GGUF models (*.gguf)"), translate("open_files", "All files (*)")]
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.edit.setText)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class OpenFilesDialog(Translated, QDialog):
    """Signals:
    chosen(object): the `LoadRequest`, once the user confirms.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget, request: LoadRequest | None = None) -> None:
        """Filled with `request` where there is one."""
        super().__init__(parent)
        self.setModal(True)
        self.setMinimumWidth(660)
        self._target_label, self._draft_label, self._hint = QLabel(), QLabel(), QLabel()
        self._hint.setProperty("tone", "muted")
        self._hint.setWordWrap(True)
        self._begun = request or LoadRequest("")
        self.target, self.draft = FileField(), FileField()
        self.options = LoadOptions()
        self._load, self._cancel = QPushButton(), QPushButton()
        self._load.setProperty("role", "primary")
        self._load.setDefault(True)
        self._build()
        self._load.clicked.connect(self._confirm)
        self._cancel.clicked.connect(self.reject)
        self.target.changed.connect(self._check)
        self.draft.changed.connect(self._check)
        if request is not None:
            self.target.edit.setText(request.target)
            self.draft.edit.setText(request.draft or "")
            self.options.show_request(request)
        self.retranslate()

    def retranslate(self) -> None:
        self.setWindowTitle(translate("open_files", "Open GGUF files"))
        name_field(
            self._target_label,
            self.target.edit,
            translate("open_files", "Target"),
            translate("open_files", "The large model whose text you want"),
        )
        name_field(
            self._draft_label,
            self.draft.edit,
            translate("open_files", "Draft"),
            translate("open_files", "A small model that guesses ahead"),
        )
        self.draft.edit.setPlaceholderText(translate("open_files", "none: the target writes alone"))
        self._hint.setText(
            translate(
                "open_files",
                "A draft must share the target's vocabulary, as models of one family mostly do. "
                "It is checked when they load.",
            )
        )
        self._load.setText(translate("open_files", "Load"))
        self._cancel.setText(translate("open_files", "Cancel"))
        self._check()

    def _build(self) -> None:
        files = QGridLayout()
        files.setHorizontalSpacing(12)
        files.setVerticalSpacing(10)
        for row, (label, field) in enumerate(((self._target_label, self.target), (self._draft_label, self.draft))):
            files.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            files.addWidget(field, row, 1)
            label.setContentsMargins(0, 7, 0, 0)
        files.setColumnStretch(1, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._cancel)
        foot.addWidget(self._load)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(14)
        column.addLayout(files)
        column.addWidget(self._hint)
        column.addWidget(self.options)
        column.addLayout(foot)

    def _check(self) -> None:
        draft = self.draft.path
        self._load.setEnabled(Path(self.target.path).is_file() and (not draft or Path(draft).is_file()))

    def _confirm(self) -> None:
        files = replace(self._begun, target=self.target.path, draft=self.draft.path or None)
        request = self.options.apply(files)
        self.accept()
        self.chosen.emit(request)
