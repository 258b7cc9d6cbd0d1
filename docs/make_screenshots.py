"""Makes the pictures of every state of the window, in both themes, into docs/images.

    python docs/make_screenshots.py [--language zh_CN] [--out FOLDER] [NAME ...]

The texts in them are examples, and so are the figures: a tape stands for the engine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of the window.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these states")
    parser.add_argument("--language", default="en", choices=("en", "zh_CN"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    take_pictures(arguments.names, arguments.language, arguments.out)


def take_pictures(names: list[str], language: str, out: Path) -> None:
    """All states, or those named, as NAME-dark.png and NAME-light.png."""
    from PySide6.QtWidgets import QApplication

    from docs import compare_states
    from docs.window_states import STATES, stage
    from ui.main import prepare
    from ui.theme import ThemeChoice

    application = QApplication(sys.argv[:1])
    prepare(application)
    application.setCursorFlashTime(0)  # a blinking caret would make two runs differ
    out.mkdir(parents=True, exist_ok=True)
    for state in (*STATES, *compare_states.STATES):
        name = state.__name__.replace("_", "-")
        if names and name not in names:
            continue
        for theme in (ThemeChoice.DARK, ThemeChoice.LIGHT):
            with tempfile.TemporaryDirectory() as folder, stage(Path(folder), theme, language) as set_up:
                state(set_up)
                set_up.settle()
                set_up.window.grab().save(str(out / f"{name}-{theme.value}.png"))


if __name__ == "__main__":
    main()
