"""The bundled fonts: Inter for text, JetBrains Mono for code; the system's own serve what they lack.

Inter comes in 400 and 600 upright and 400 italic, JetBrains Mono in 400. Both are under the SIL Open Font
License, whose text lies beside each.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase

FOLDER = Path(__file__).parent
TEXT_FAMILY = "Inter"
CODE_FAMILY = "JetBrains Mono"


@cache
def load_fonts() -> None:
    """Make the families known to Qt, once. Main thread, after the QGuiApplication exists."""
    for file in sorted((*FOLDER.glob("*.otf"), *FOLDER.glob("*.ttf"))):
        QFontDatabase.addApplicationFont(str(file))


def text_font(px: int, *, strong: bool = False, italic: bool = False) -> QFont:
    """Inter at `px` logical pixels."""
    return _font(TEXT_FAMILY, px, QFont.StyleHint.SansSerif, strong, italic)


def code_font(px: int) -> QFont:
    """JetBrains Mono at `px` logical pixels."""
    font = _font(CODE_FAMILY, px, QFont.StyleHint.Monospace, False, False)
    # No ligatures: what the model wrote is what is seen, and a token may end inside one.
    font.setFeature(QFont.Tag("calt"), 0)
    return font


def _font(family: str, px: int, hint: QFont.StyleHint, strong: bool, italic: bool) -> QFont:
    load_fonts()
    font = QFont(family)
    font.setStyleHint(hint)
    font.setPixelSize(px)
    font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    font.setItalic(italic)
    return font
