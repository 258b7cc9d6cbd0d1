"""How much of the text has something to copy from: the share of its tokens before which a match stood that paid.

What is copied needs no draft model, so it is no reason to let one read a long prompt. In an edit of a file that is
nearly all of the reply.
"""

from __future__ import annotations

from typing import Final

HALF_LIFE: Final = 64.0  # tokens after which one counts half
CARRIED: Final = 64.0  # tokens that earlier replies of a kind count as, at most

_FORGET: Final = 0.5 ** (1 / HALF_LIFE)


class Coverage:
    """Over one reply after another. A reply begins with the share of the whole of the last one of its kind of text: its
    end may be all repetition where its beginning was not.

    Attributes:
        share: of the latest tokens; 0 where none were seen.
        seen: so many tokens as it rests on.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[float, float]] = {}  # kind of text -> share, seen
        self.begin("")

    def begin(self, kind: str) -> None:
        """A reply of this kind of text begins."""
        self._kind = kind
        self.share, self.seen = self._kinds.get(kind, (0.0, 0.0))
        self._tokens = self._matched = 0  # of this reply

    def end(self) -> None:
        """The reply is over."""
        if self._tokens:
            self._kinds[self._kind] = self._matched / self._tokens, min(CARRIED, self._tokens)

    def saw(self, tokens: int, *, matched: bool) -> None:
        """So many tokens were written, with or without a match before them that pays."""
        self._tokens += tokens
        self._matched += tokens * matched
        before = _FORGET**tokens * self.seen
        self.seen = before + tokens
        self.share = (before * self.share + tokens * matched) / self.seen
