"""What the window remembers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.preferences import LANGUAGES, THEMES, Preferences, read_preferences, write_preferences

preferences = st.builds(
    Preferences,
    theme=st.sampled_from(THEMES),
    language=st.sampled_from(LANGUAGES),
    live_panel=st.booleans(),
    geometry=st.text("AZaz09+/="),
)


@given(preferences)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, chosen: Preferences) -> None:
    """What is written is read again, in a folder that did not exist."""
    folder = tmp_path_factory.mktemp("state") / "new"
    write_preferences(folder, chosen)
    assert read_preferences(folder) == chosen


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"theme": 3, "language": "xx", "live_panel": "no", "geometry": 1}']
)
def test_damaged_file(tmp_path: Path, text: str) -> None:
    """A damaged file means the defaults, never an error."""
    (tmp_path / "window.json").write_text(text, encoding="utf-8")
    assert read_preferences(tmp_path) == Preferences()


def test_one_damaged_value(tmp_path: Path) -> None:
    """The values that make sense are kept beside one that does not."""
    (tmp_path / "window.json").write_text('{"theme": "dark", "language": 1, "more": 2}', encoding="utf-8")
    assert read_preferences(tmp_path) == Preferences(theme="dark")


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where nothing can be written the program goes on."""
    (tmp_path / "file").write_text("")
    write_preferences(tmp_path / "file" / "state", Preferences(theme="dark"))
    assert read_preferences(tmp_path / "file" / "state") == Preferences()
