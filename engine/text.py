"""Token bytes to text as a reader may see it: whole characters only, and nothing of a stop string."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class TextStream:
    """The text of one reply. Costs the length of each piece times the number of stop strings, whatever came before.

    The stop string that is complete first ends the text where it begins; among those complete with the same
    character, the longest does. Bytes that are not UTF-8 become U+FFFD as Python's "replace" has it.

    Attributes:
        stopped: a stop string is complete. Nothing more will come.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        """Empty stop strings are passed over."""
        self.stopped = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._matchers = [_Matcher(text) for text in stop if text]
        self._held = ""  # the longest end of the text so far that may grow into a stop string

    def feed(self, piece: bytes) -> str:
        """Add the bytes of one token and return what may be shown now."""
        if self.stopped:
            return ""
        fresh = self._decoder.decode(piece)
        text = self._held + fresh
        for seen, character in enumerate(fresh, start=len(self._held) + 1):
            complete = [matcher.length for matcher in self._matchers if matcher.advance(character)]
            if complete:
                self.stopped = True
                self._held = ""
                return text[: seen - max(complete)]
        shown = len(text) - max((matcher.matched for matcher in self._matchers), default=0)
        self._held = text[shown:]
        return text[:shown]

    def finish(self) -> str:
        """The text has ended: what was held back. An incomplete character is dropped."""
        held, self._held = self._held, ""
        return held


class _Matcher:
    """Looks for one string in a stream of characters (Knuth, Morris and Pratt).

    Attributes:
        matched: how much of the string, from its beginning, the stream ends with; less than `length`.
    """

    __slots__ = ("_fallback", "_text", "length", "matched")

    def __init__(self, text: str) -> None:
        self._text = text
        self.length = len(text)
        self.matched = 0
        # fallback[n]: how long the longest proper beginning is with which the first n characters end
        self._fallback = [0, 0]
        for character in text[1:]:
            self._fallback.append(self._longer(self._fallback[-1], character))

    def _longer(self, matched: int, character: str) -> int:
        while matched and self._text[matched] != character:
            matched = self._fallback[matched]
        return matched + (self._text[matched] == character)

    def advance(self, character: str) -> bool:
        """Take one character; whether the string is complete with it."""
        self.matched = self._longer(self.matched, character)
        return self.matched == self.length
