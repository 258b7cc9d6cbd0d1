"""The ways in which guesses come about: who guesses, and who says how many at once.

The text is the target's in every one of them, so what the tests of this folder claim is claimed way by way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pytest

from engine.adoption import Adoption
from engine.costs import Costs
from engine.lookup import Lookup
from engine.policy import FixedLength, Policy
from engine.types import Drafter
from tests.fakes.table_model import TableModel
from tests.lossless.clocked import MACHINES, Clocked


@dataclass(frozen=True, slots=True)
class Way:
    """
    Attributes:
        by_time: the controller chooses lengths round by round; otherwise they are what was asked for.
        adopts: the draft goes on from what the target has read, wherever it missed anything.
    """

    name: str
    drafters: frozenset[Drafter]
    by_time: bool = False
    adopts: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def looks(self) -> bool:
        return Drafter.LOOKUP in self.drafters

    @property
    def models(self) -> bool:
        """It has a draft model."""
        return Drafter.MODEL in self.drafters

    def policy(self, length: int, p_min: float = 0.0, turn: int = 0) -> Policy:
        """`length` and `p_min` mean nothing by time; the first reply is then on machine number `turn`."""
        return Clocked(turn) if self.by_time else FixedLength(length, p_min, length)

    def adoption(self, target: TableModel) -> Adoption | None:
        """What the draft goes on from; copying takes no time."""
        return Adoption(target, 0.0, Costs(MACHINES[0])) if self.adopts else None

    def index(self) -> Lookup:
        """For what is looked up. Before a draft model three tokens have to be found, so that the two take turns."""
        return Lookup(64, lengths=(3,) if self.models else (1, 3))


_MODEL: Final = frozenset({Drafter.MODEL})
_LOOKUP: Final = frozenset({Drafter.LOOKUP})

FIXED: Final = Way("fixed", _MODEL)
AUTO: Final = Way("auto", _MODEL, by_time=True)
LOOKUP: Final = Way("lookup", _LOOKUP)
AUTO_LOOKUP: Final = Way("auto lookup", _LOOKUP, by_time=True)
CHAIN: Final = Way("chain", _MODEL | _LOOKUP)
AUTO_CHAIN: Final = Way("auto chain", _MODEL | _LOOKUP, by_time=True, adopts=True)

WAYS: Final = (FIXED, AUTO, LOOKUP, AUTO_LOOKUP, CHAIN, AUTO_CHAIN)
WITH_A_MODEL: Final = tuple(way for way in WAYS if way.models)

in_every_way = pytest.mark.parametrize("way", WAYS, ids=str)
