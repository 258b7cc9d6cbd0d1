"""The one door through which every sentence for the user goes.

English is the source. The window installs Qt's translator here, so that `app` needs no Qt; the command line
leaves the identity in place. Sentences with values are translated first and formatted afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Translator = Callable[[str, str], str]
_WIDE_ENDS = "。！？；："


def _identity(context: str, text: str) -> str:
    return text


_translator: Translator = _identity


def install(translator: Translator) -> None:
    """From now on `translator(context, text)` gives the words."""
    global _translator
    _translator = translator


def translate(context: str, text: str) -> str:
    """`text` in the user's language. Always called with literals, so that tools can collect them."""
    return _translator(context, text)


def join_sentences(sentences: Iterable[str]) -> str:
    """One after the other, "" left out. Chinese ends a sentence with a mark that brings its own room."""
    return "".join(f"{words}{'' if words[-1] in _WIDE_ENDS else ' '}" for words in sentences if words).rstrip(" ")
