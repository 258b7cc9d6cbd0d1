"""Buttons that come to mean something else, as when Run becomes Stop, while the mouse is still clicking on them.

Who clicks twice where once was enough would stop with the second click what the first one began. So a press that comes
within a double click's time after the change was meant for what stood there before, and does nothing.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from time import perf_counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

LONGEST = 3  # double clicks' times: who clicks on and on means what is there now


class Changeover:
    """Whether a press is still meant for what was there before a change."""

    def __init__(self) -> None:
        self._changed = self._pressed = -math.inf  # by perf_counter

    def begin(self) -> None:
        """What is there means something else from now on."""
        self._changed = self._pressed = perf_counter()

    def takes(self) -> bool:
        """Call at a press. It belongs to the changeover, as do those that follow it quickly."""
        now, interval = perf_counter(), QApplication.doubleClickInterval() / 1000
        if now - self._pressed >= interval or now - self._changed >= LONGEST * interval:
            return False
        self._pressed = now
        return True


class SteadyButton(QPushButton):
    """Tell it with `mean` what it does. It takes no press of the mouse that was meant for something else: for what it
    did before, or for what stood in its place before it was shown. Nor does it click where it was pressed as one thing
    and let go as another. Keys say what they mean, so they count at once; and the keyboard waits for a button that
    rests for a moment: on the next one, where Qt would send it, a key pressed once more would do something else."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._meaning: Hashable = None
        self._pressed_as: Hashable = None
        self._changeover = Changeover()
        self._awaited = False  # by the keyboard

    def mean(self, meaning: Hashable) -> None:
        """What a click does from now on."""
        if meaning != self._meaning:
            self._meaning = meaning
            self._changeover.begin()

    def setEnabled(self, enabled: bool) -> None:
        if not enabled and self.leave_keyboard():
            self._awaited = True
        super().setEnabled(enabled)
        if enabled and self._awaited:
            self._awaited = False
            if self.window().focusWidget() is None:
                self.setFocus()

    def leave_keyboard(self) -> bool:
        """Before it goes: where the keyboard is on it, it is nowhere then. Returns whether it was."""
        there = self.window().focusWidget() is self
        if there:
            self.clearFocus()
        return there

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._changeover.begin()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._changeover.takes():
            event.accept()
            return
        self._pressed_as = self._meaning
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._let_go_stale()
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.isDown():
            self._pressed_as = self._meaning
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self._let_go_stale()
        super().keyReleaseEvent(event)

    def _let_go_stale(self) -> None:
        """A button that is not down does not click."""
        if self._pressed_as != self._meaning:
            self.setDown(False)
