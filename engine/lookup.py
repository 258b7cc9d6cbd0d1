"""Finds where the end of a text stood before, so that what came after it there can be proposed again.

Hash chains as in LZ77 compressors, over tokens: for each of a few lengths, every position is linked to the one before
it that ends with the same so many tokens. Adding a token, taking the last one back and looking something up cost the
same whatever the length of the text, and memory is a few bytes a token beside tables whose size the context sets.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.types import MAX_MATCH

LENGTHS: Final = (2, 6)  # of the sequences that are linked, in tokens
PLACES: Final = 8  # looked at per length, the latest first
_SMALLEST, _LARGEST = 10, 18  # bits of a table; beyond, unlike sequences share entries and are told apart by comparing
_WORD: Final = (1 << 64) - 1
_BASE: Final = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Match:
    """An earlier place that the text's end repeats.

    Attributes:
        at: index of the token that came next there.
        length: how many tokens before it are those that the text ends with, at most MAX_MATCH.
    """

    at: int
    length: int


class Lookup:
    """The text so far and its index. Not thread-safe.

    Attributes:
        tokens: the text; only read it.
    """

    def __init__(self, ctx: int, lengths: tuple[int, ...] = LENGTHS) -> None:
        """`ctx` is how many tokens there may be; longer texts are only found less well."""
        bits = min(max(ctx.bit_length(), _SMALLEST), _LARGEST)
        self.tokens = array("i")
        self._sums = array("Q", [0])  # by length: hash of the first so many tokens, as a polynomial
        self._chains = [_Chain(length, bits) for length in sorted(lengths, reverse=True)]

    def __len__(self) -> int:
        return len(self.tokens)

    def extend(self, tokens: Iterable[int]) -> None:
        """Add tokens to the end."""
        sums, chains = self._sums, self._chains
        for token in tokens:
            self.tokens.append(token)
            sums.append((sums[-1] * _BASE + token + 1) & _WORD)
            for chain in chains:
                chain.add(sums)

    def truncate(self, length: int) -> None:
        """Keep the first `length` tokens. Costs as much as the others did to add."""
        while len(self.tokens) > length:
            for chain in self._chains:
                chain.take_back(self._sums)
            self._sums.pop()
            self.tokens.pop()

    def find(self) -> Match | None:
        """The place that agrees longest with the end of the text, the latest of equals."""
        best = Match(0, 0)
        for chain in self._chains:
            for end in chain.places():
                length = self._agreement(end)
                if length > best.length:
                    best = Match(end + 1, length)
            if best.length >= chain.length:  # no place of a shorter chain agrees longer
                return best
        return None

    def follow(self, match: Match, count: int) -> list[int]:
        """The `count` tokens that came after a place; past the end of the text it repeats what it gave."""
        period = len(self.tokens) - match.at
        copied = self.tokens[match.at : match.at + count].tolist()
        for at in range(period, count):
            copied.append(copied[at - period])
        return copied

    def _agreement(self, end: int) -> int:
        """How many tokens up to `end` are the same as those up to the end of the text."""
        tokens, last = self.tokens, len(self.tokens) - 1
        for back in range(min(MAX_MATCH, end + 1)):
            if tokens[end - back] != tokens[last - back]:
                return back
        return min(MAX_MATCH, end + 1)


class _Chain:
    """Links every position to the latest earlier one that ends with the same `length` tokens."""

    __slots__ = ("_before", "_latest", "_power", "_shift", "length")

    def __init__(self, length: int, bits: int) -> None:
        self.length = length
        self._power = pow(_BASE, length, _WORD + 1)
        self._shift = 64 - bits
        self._latest = array("i", [-1]) * (1 << bits)  # by hash
        self._before = array("i")  # by position; -1 where there is none

    def add(self, sums: array[int]) -> None:
        """The last token of the text whose `sums` these are is new."""
        at = len(self._before)
        if at + 1 < self.length:
            self._before.append(-1)
            return
        entry = self._entry(sums)
        self._before.append(self._latest[entry])
        self._latest[entry] = at

    def take_back(self, sums: array[int]) -> None:
        """The last token of the text whose `sums` these are goes."""
        before = self._before.pop()
        if len(self._before) + 1 >= self.length:
            self._latest[self._entry(sums)] = before

    def places(self) -> Iterable[int]:
        """The latest earlier positions that end as the last one does, but for sequences of the same hash."""
        place = self._before[-1] if self._before else -1
        for _ in range(PLACES):
            if place < 0:
                return
            yield place
            place = self._before[place]

    def _entry(self, sums: array[int]) -> int:
        """Hash of the last `length` tokens."""
        own = sums[-1] - sums[-1 - self.length] * self._power
        return (own * _BASE & _WORD) >> self._shift
