"""What the style sheet does to widgets that no test of a page looks at."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.shell import ignore_platform, prepared_application

pytestmark = ignore_platform


@pytest.fixture(autouse=True)
def _styled(qtbot: QtBot) -> None:
    prepared_application()


def inside(widget: QWidget) -> QImage:
    """Without its frame."""
    image = widget.grab().toImage()
    return image.copy(QRect(image.rect()).adjusted(4, 4, -4, -4))


def colours(image: QImage) -> int:
    return len({image.pixel(x, y) for x in range(image.width()) for y in range(image.height())})


def test_buttons_of_a_file_dialog(qtbot: QtBot) -> None:
    """Qt's own dialog keeps room for the pictures on its buttons."""
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    dialog.show()
    buttons = [button for button in dialog.findChildren(QToolButton) if button.isVisible()]
    assert len(buttons) >= 5
    assert [button.objectName() for button in buttons if colours(inside(button)) == 1] == []


def test_one_ring_around_the_focus(qtbot: QtBot) -> None:
    """The frame shows it, and nothing within."""
    parent = QWidget()
    qtbot.addWidget(parent)
    row = QVBoxLayout(parent)
    buttons = [QPushButton("Run"), QPushButton("Run")]
    for button in buttons:
        row.addWidget(button)
    parent.show()
    parent.activateWindow()
    qtbot.waitUntil(parent.isActiveWindow)
    buttons[0].setFocus()
    qtbot.keyClick(buttons[0], Qt.Key.Key_Tab)
    QApplication.processEvents()
    assert buttons[1].hasFocus()
    assert inside(buttons[1]) == inside(buttons[0])
    assert buttons[1].grab().toImage() != buttons[0].grab().toImage()
