"""The small dialogs: details of an error, the list of shortcuts, what to do with a dropped file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.translate import translate
from ui.fonts import code_font
from ui.steady_button import SteadyButton
from ui.wrapped_label import WrappedLabel


def show_details(parent: QWidget, title: str, report: str) -> QDialog:
    """`report` as text, with a button that copies it."""
    dialog, column = new_dialog(parent, title)
    text = QPlainTextEdit(report)
    text.setProperty("role", "field")
    text.setReadOnly(True)
    text.setFont(code_font(12))
    text.setMinimumSize(680, 360)
    text.setAccessibleName(title)
    column.addWidget(text)
    add_buttons(
        dialog,
        column,
        (translate("dialogs", "Copy report"), lambda: QGuiApplication.clipboard().setText(report)),
        (translate("dialogs", "Close"), dialog.accept),
    )
    dialog.open()
    return dialog


def show_shortcuts(parent: QWidget, shortcuts: list[tuple[str, str]]) -> QDialog:
    """Key and meaning of each."""
    dialog, column = new_dialog(parent, translate("dialogs", "Keyboard shortcuts"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(28)
    grid.setVerticalSpacing(8)
    for row, (key, meaning) in enumerate(shortcuts):
        label = QLabel(key)
        label.setProperty("role", "strong")
        grid.addWidget(label, row, 0)
        grid.addWidget(QLabel(meaning), row, 1)
    column.addLayout(grid)
    add_buttons(dialog, column, (translate("dialogs", "Close"), dialog.accept))
    dialog.open()
    return dialog


def ask_about_drop(
    parent: QWidget, file: Path, target: str, as_draft: Callable[[], None], as_target: Callable[[], None]
) -> QDialog:
    """Whether `file` is the loaded target's draft or a target of its own."""
    dialog, column = new_dialog(parent, file.name)
    label = WrappedLabel(translate("dialogs", "Use this file as the draft for {target}?").format(target=target))
    label.setMinimumWidth(420)
    column.addWidget(label)
    add_buttons(
        dialog,
        column,
        (translate("dialogs", "Use as draft"), closing(dialog, as_draft)),
        (translate("dialogs", "Open as target"), closing(dialog, as_target)),
        (translate("dialogs", "Cancel"), dialog.reject),
    )
    dialog.open()
    return dialog


def show_drop_help(parent: QWidget, open_files: Callable[[], object]) -> QDialog:
    """What can be dropped, after something else was."""
    dialog, column = new_dialog(parent, translate("dialogs", "This cannot be loaded"))
    label = QLabel(translate("dialogs", "Drop one or two GGUF files: a target, or a target and its draft."))
    label.setWordWrap(True)
    label.setMinimumWidth(420)
    column.addWidget(label)
    add_buttons(
        dialog,
        column,
        (translate("dialogs", "Close"), dialog.accept),
        (translate("cards", "Open GGUF files…"), closing(dialog, open_files)),
    )
    dialog.open()
    return dialog


def closing(dialog: QDialog, act: Callable[[], object]) -> Callable[[], None]:
    """Close the dialog, then act."""

    def run() -> None:
        dialog.accept()
        act()

    return run


def new_dialog(parent: QWidget, title: str) -> tuple[QDialog, QVBoxLayout]:
    """An empty dialog and the column that its parts go into."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(20, 18, 20, 18)
    column.setSpacing(16)
    return dialog, column


def add_buttons(dialog: QDialog, column: QVBoxLayout, *buttons: tuple[str, Callable[[], None]]) -> None:
    """A row at the right; the first is the main one."""
    row = QHBoxLayout()
    row.addStretch(1)
    for place, (words, act) in enumerate(buttons):
        button = SteadyButton(words, dialog)  # the dialog comes under the mouse that asked for it
        button.setProperty("role", "" if place else "primary")
        button.setDefault(place == 0)
        button.clicked.connect(lambda _checked, act=act: act())
        row.addWidget(button)
    column.addLayout(row)
