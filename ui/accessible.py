"""Buttons of which one is chosen, as screen readers should hear of them: to Qt all that is checkable is a check box."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget

KEY = "accessibleRole"  # the property of the buttons that are something else
ROLES = {"tab": QAccessible.Role.PageTab, "radio": QAccessible.Role.RadioButton}
PRESS = "Press"  # as Qt names the action of every button


def announce_as(button: QAbstractButton, role: str) -> None:
    """What a button is from now on, one of ROLES. Call it where the button is made."""
    button.setProperty(KEY, role)


class OneOfSeveral(QAccessibleWidget):
    """A tab or a radio button: it can be chosen, and others of its kind cannot be at the same time."""

    def __init__(self, button: QAbstractButton) -> None:
        super().__init__(button, ROLES[button.property(KEY)])
        self._button = button

    def text(self, kind: QAccessible.Text) -> str:
        words = super().text(kind)
        return words or self._button.text() if kind is QAccessible.Text.Name else words

    def state(self) -> QAccessible.State:
        state, tab = super().state(), self.role() is QAccessible.Role.PageTab
        state.checkable, state.checked = not tab, not tab and self._button.isChecked()
        state.selectable, state.selected = tab, tab and self._button.isChecked()
        return state

    def actionNames(self) -> list[str]:
        return [PRESS, *super().actionNames()]

    def doAction(self, name: str) -> None:
        if name == PRESS:
            self._button.click()
        else:
            super().doAction(name)


def _interface(_class_name: str, thing: QObject | None) -> QAccessibleWidget | None:
    marked = isinstance(thing, QAbstractButton) and thing.property(KEY) in ROLES
    return OneOfSeveral(thing) if marked and isinstance(thing, QAbstractButton) else None


def install_accessible() -> None:
    """Tell Qt; once in a program."""
    QAccessible.installFactory(_interface)
