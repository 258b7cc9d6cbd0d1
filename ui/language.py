"""The window's language: English as written in the source, or a compiled translation beside this file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app import translate as app_translate

TRANSLATIONS = Path(__file__).parent / "translations"


class Language:
    """Holds the installed translators, which Qt does not own. Main thread."""

    def __init__(self) -> None:
        self._translators: list[QTranslator] = []
        app_translate.install(QCoreApplication.translate)

    def choose(self, choice: str) -> None:
        """`choice` is "system", "en" or "zh_CN"; every widget hears of the change from Qt."""
        for translator in self._translators:
            QCoreApplication.removeTranslator(translator)
        self._translators.clear()
        name = _system_language() if choice == "system" else choice
        qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        # Qt's own texts are those of its file dialogs and context menus.
        for file in (qt / f"qtbase_{name}.qm", TRANSLATIONS / f"draftlight_{name}.qm"):
            translator = QTranslator()
            if file.exists() and translator.load(str(file)):
                self._translators.append(translator)
                QCoreApplication.installTranslator(translator)


def _system_language() -> str:
    """The first of the user's languages that exists here, English if none does."""
    for name in QLocale.system().uiLanguages():
        if name.startswith("en"):
            return "en"
        if name.startswith("zh") and "Hant" not in name and name[-2:] not in ("TW", "HK", "MO"):
            return "zh_CN"
    return "en"
