"""How often llama.cpp is asked how large a cache is, by a real model in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from tests.fakes.own_process import answer_of
from tests.fakes.real_context import real_context

_PASSES: Final = 100
_TOKENS: Final = 4  # of each


def times_asked(path: Path) -> int:
    """While a reply of 400 tokens is written and each round wants to know whether the cache can be copied."""
    return int(answer_of("tests.fakes.state_sizes", str(path)))


def main(path: str) -> int:
    from engine import llama_context

    asked = 0
    ask = llama_context.llama.llama_state_seq_get_size

    def counted(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        return ask(*arguments)

    llama_context.llama.llama_state_seq_get_size = counted
    with real_context(path, outputs=1) as context:
        for at in range(_PASSES):
            context.decode([20 + at] * _TOKENS, 1)
            assert context.can_save()
    return asked


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
