"""The window's language: English as written in the source, or a compiled translation beside this file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from app import translate as app_translate

TRANSLATIONS = Path(__file__).parent / "translations"


class Language:
    """Holds the installed translator, which Qt does not own. Main thread."""

    def __init__(self) -> None:
        self._translator: QTranslator | None = None
        app_translate.install(QCoreApplication.translate)

    def choose(self, choice: str) -> None:
        """`choice` is "system", "en" or "zh_CN"; every widget hears of the change from Qt."""
        if self._translator is not None:
            QCoreApplication.removeTranslator(self._translator)
            self._translator = None
        name = _system_language() if choice == "system" else choice
        file = TRANSLATIONS / f"draftlight_{name}.qm"
        if file.exists():
            self._translator = QTranslator()
            self._translator.load(str(file))
            QCoreApplication.installTranslator(self._translator)


def _system_language() -> str:
    """The first of the user's languages that exists here, English if none does."""
    for name in QLocale.system().uiLanguages():
        if name.startswith("en"):
            return "en"
        if name.startswith("zh") and "Hant" not in name and name[-2:] not in ("TW", "HK", "MO"):
            return "zh_CN"
    return "en"
