"""Sentences one after the other."""

from __future__ import annotations

import pytest

from app.translate import join_sentences


@pytest.mark.parametrize(
    ("sentences", "joined"),
    [
        (["It is ready.", "", "Run it."], "It is ready. Run it."),
        (["未加载模型对。", "请先加载。"], "未加载模型对。请先加载。"),
        (["", ""], ""),
    ],
)
def test_joined_as_the_language_does(sentences: list[str], joined: str) -> None:
    """English has a blank between sentences, Chinese has none."""
    assert join_sentences(sentences) == joined
