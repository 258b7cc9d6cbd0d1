"""The dialogs of the Models page: before a model goes to the trash, and before a draft is made of a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.amounts import size
from app.error_words import printable
from app.messages import message_for
from app.model_values import LocalModel
from app.self_draft import DRAFT_FILE_TYPES, SelfDraftPlan, fallback_words
from app.translate import join_sentences, translate
from engine.errors import ErrorReport
from ui.dialogs import add_buttons, closing, new_dialog
from ui.form import Choice, name_field
from ui.models_drafts import DraftsControl
from ui.models_pool import Task
from ui.models_words import duration
from ui.wrapped_label import WrappedLabel


def confirm_removal(parent: QWidget, model: LocalModel, loaded: Sequence[str], remove: Callable[[], object]) -> QDialog:
    """Ask before all files of a model go to the trash. `loaded`: the files in use."""
    dialog, column = new_dialog(parent, translate("models", "Remove {name}").format(name=printable(model.path.name)))
    if len(model.parts) > 1:
        words = translate("models", "Its {parts} files, {size}, go to the trash:").format(
            parts=len(model.parts), size=size(model.size_bytes)
        )
    else:
        words = translate("models", "This file, {size}, goes to the trash:").format(size=size(model.size_bytes))
    column.addWidget(_paragraph(words))
    column.addWidget(_paragraph(printable(str(model.path)), muted=True))
    if str(model.path) in loaded:
        column.addWidget(_paragraph(translate("models", "It is loaded now and cannot be loaded again afterwards.")))
    _ask(dialog, column, translate("models", "Move to the trash"), remove)
    return dialog


def confirm_cancel(parent: QWidget, came: int, cancel: Callable[[], object]) -> QDialog:
    """Ask before so many bytes that came are deleted."""
    dialog, column = new_dialog(parent, translate("models", "Cancel the download"))
    words = translate("models", "{size} that came already will be deleted. A pause would keep them.")
    column.addWidget(_paragraph(words.format(size=size(came))))
    _ask(dialog, column, translate("models", "Delete what came"), cancel, translate("models", "Keep it"))
    return dialog


def _ask(
    dialog: QDialog, column: QVBoxLayout, words: str, act: Callable[[], object], no_words: str | None = None
) -> None:
    """Open it; Enter means no."""
    no = no_words or translate("dialogs", "Cancel")
    add_buttons(dialog, column, (words, closing(dialog, act)), (no, dialog.reject))
    button = next(button for button in dialog.findChildren(QPushButton) if button.text() == no)
    button.setDefault(True)
    button.setFocus()
    dialog.open()


class SelfDraftDialog(QDialog):
    """Size, time and space of a draft made of the target, in a type that can be chosen, told before it is made."""

    def __init__(self, parent: QWidget, drafts: DraftsControl, target: LocalModel) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(translate("models", "Make a draft from {target}").format(target=printable(target.name)))
        self._drafts, self._target = drafts, target
        self._plan: SelfDraftPlan | None = None
        self._task: Task | None = None
        self.type: Choice[str] = Choice(DRAFT_FILE_TYPES)
        self.type.name_values(DRAFT_FILE_TYPES)
        self.type.show_value("Q4_0")
        self.words = _paragraph("", muted=True)
        self.make = QPushButton(translate("models", "Make it"))
        self.make.setProperty("role", "primary")
        self.make.setDefault(True)
        self._build()
        self.type.currentIndexChanged.connect(self._ask)
        self.make.clicked.connect(self._make)
        self._ask()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(14)
        column.addWidget(
            _paragraph(
                translate(
                    "models",
                    "The same model in fewer bits guesses well and shares every token. It is slower than a small model "
                    "of the family, so it pays where there is none.",
                )
            )
        )
        label = QLabel()
        name_field(
            label,
            self.type,
            translate("models", "Quantisation"),
            translate("models", "Fewer bits are faster and guess a little worse"),
        )
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.type)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self.words)
        cancel = QPushButton(translate("dialogs", "Cancel"))
        cancel.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.make)
        foot.addWidget(cancel)
        column.addLayout(foot)

    def _ask(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._plan = None
        self.make.setEnabled(False)
        self.words.setText(translate("models", "Working out size and time…"))
        self._task = self._drafts.plan(self._target, self.type.value, self._show_plan, self._show_error)

    def _show_plan(self, plan: SelfDraftPlan) -> None:
        self._plan = plan
        words = translate("models", "{size}, made in about {time}. {free} are free at {folder}.").format(
            size=size(plan.size_bytes),
            time=duration(plan.seconds),
            free=size(plan.free_bytes),
            folder=printable(str(plan.path.parent)),
        )
        fits = plan.free_bytes > plan.size_bytes
        short = "" if fits else translate("models", "That is too little space.")
        self.words.setText(join_sentences([words, fallback_words(plan), short]))
        self.make.setEnabled(fits)

    def _show_error(self, report: ErrorReport) -> None:
        self.words.setText(message_for(report).line)

    def _make(self) -> None:
        assert self._plan is not None
        self._drafts.make(self._plan)
        self.accept()

    def done(self, result: int) -> None:
        if self._task is not None:
            self._task.cancel()
        super().done(result)


def _paragraph(words: str, muted: bool = False) -> QLabel:
    label = WrappedLabel(words)
    label.setMinimumWidth(440)
    if muted:
        label.setProperty("tone", "muted")
    return label
