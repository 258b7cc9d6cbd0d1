"""A pass of a real model that is given up, in a process of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from tests.fakes.own_process import answer_of
from tests.fakes.real_context import real_context

_HELD: Final = 100  # tokens
_TIMES: Final = 5


@dataclass(frozen=True, slots=True)
class GivenUp:
    """What became of passes over 17 tokens with a third of the time that they take.

    Attributes:
        usual_s: the shortest without a limit.
        given_up_s: the shortest with one.
        overdue: how many of five were given up.
        held: tokens in the cache after each of them.
        same: whether the next pass without a limit gave the rows of one before.
    """

    usual_s: float
    given_up_s: float
    overdue: int
    held: list[int]
    same: bool


def given_up(path: Path) -> GivenUp:
    """By the model in this file."""
    return GivenUp(**answer_of("tests.fakes.limited_pass", str(path)))


def main(path: str) -> GivenUp:
    from engine.decoder import Overdue

    with real_context(path, outputs=17) as context:
        context.decode([5] * _HELD, 0)
        tokens = list(range(20, 37))
        usual, short, held = [], [], []
        for _ in range(_TIMES):
            begin = perf_counter()
            rows = context.decode(tokens, 17).copy()
            usual.append(perf_counter() - begin)
            context.truncate(_HELD)
        overdue = 0
        for _ in range(_TIMES):
            begin = perf_counter()
            try:
                context.decode(tokens, 17, min(usual) / 3)
            except Overdue:
                overdue += 1
            short.append(perf_counter() - begin)
            held.append(len(context.tokens))
            context.truncate(_HELD)
        same = bool((context.decode(tokens, 17) == rows).all())
    return GivenUp(min(usual), min(short), overdue, held, same)


if __name__ == "__main__":
    json.dump(asdict(main(sys.argv[1])), sys.stdout)
