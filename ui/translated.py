"""Texts that follow the language while the program runs."""

from __future__ import annotations

from PySide6.QtCore import QEvent


class Translated:
    """A mixin before the Qt class: `retranslate` sets every text and runs again when the language changes.

    Qt sends the change to each widget, so nothing has to be registered. Call `retranslate` once at the end of
    `__init__`.
    """

    def retranslate(self) -> None:
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
