"""What a long context costs outside llama.cpp, and what speculation adds to the first token:

    python -m tests.bench.context_cost TARGET.gguf DRAFT.gguf [--contexts 1000 4000 16000] [--cold 5] [--repeats 5]

For each length of prompt, off and on: seconds to the first token from cold caches, and their ratio; and microseconds
outside llama.cpp for each further token, from a short and a long reply to a prompt that the caches hold, so that what a
reply takes once whatever its length is not counted (looking through a new prompt for what may repeat: see
`lookup_cost`). With a repeat penalty, which looks back. Medians; off and on in turns. A context longer than the model
was trained with makes nonsense, and takes as long.
"""

from __future__ import annotations

import argparse
import sys
from statistics import median
from typing import Final

from engine.loading import load_session
from engine.session import Session
from engine.stats import FoldedEvent, GenerationStats, ReplyFold
from engine.types import GenerationRequest, LoadRequest, SamplingSettings

TEXT: Final = "The keeper of the lighthouse wrote down what the sea did that day, and then what he had dreamt. "
TEXT_TOKENS: Final = 22  # roughly; vocabularies differ
SHORT: Final = 16  # tokens of a reply


def reply(session: Session, prompt: str, tokens: int, *, speculate: bool, cold: bool = False) -> GenerationStats:
    """Write one of so many tokens."""
    sampling = SamplingSettings(repeat_penalty=1.1, seed=1)
    request = GenerationRequest(1, prompt=prompt, sampling=sampling, max_tokens=tokens, speculate=speculate, cold=cold)
    fold = ReplyFold()
    for event in session.generate(request, lambda: False):
        if isinstance(event, FoldedEvent):
            fold.add(event)
    return fold.stats


def outside_us(stats: GenerationStats) -> float:
    """Outside llama.cpp, from the first token on."""
    return (stats.decode_s - stats.draft_s - stats.verify_s) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target")
    parser.add_argument("draft")
    parser.add_argument("--contexts", nargs="+", type=int, default=[1000, 4000, 16000])
    parser.add_argument("--cold", type=int, default=5, help="pairs of replies for the first token")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of short and long replies")
    parser.add_argument("--max-tokens", type=int, default=112, help="of a long reply")
    arguments = parser.parse_args()
    ctx = max(arguments.contexts) * 5 // 4 + arguments.max_tokens
    request = LoadRequest(arguments.target, arguments.draft, ctx=ctx)
    session = load_session(1, request, None, lambda progress: None, lambda: False)
    session.measure(lambda: False)
    columns = ("first token off", "on", "ratio", "us a token off", "on")
    sys.stdout.write(f"{'context':>8}" + "".join(f"{column:>16}" for column in columns) + "\n")
    for context in arguments.contexts:
        prompt = TEXT * (context // TEXT_TOKENS)
        firsts: list[tuple[float, float]] = []  # off, on
        for _ in range(arguments.cold):
            off, on = (reply(session, prompt, SHORT, speculate=on, cold=True) for on in (False, True))
            firsts.append((off.ttft_s, on.ttft_s))
        spent: dict[tuple[bool, int], list[float]] = {}  # off or on, tokens -> each reply's
        for _ in range(arguments.repeats):
            for tokens in (SHORT, arguments.max_tokens):
                for speculate in (False, True):
                    us = outside_us(reply(session, prompt, tokens, speculate=speculate))
                    spent.setdefault((speculate, tokens), []).append(us)
        further = arguments.max_tokens - SHORT
        each = [
            (median(spent[on, arguments.max_tokens]) - median(spent[on, SHORT])) / further for on in (False, True)
        ]
        first = [median(column) for column in zip(*firsts, strict=True)]
        ratio = median(on / off for off, on in firsts)
        row = (*(f"{value:.3f}" for value in (*first, ratio)), *(f"{value:.0f}" for value in each))
        sys.stdout.write(f"{off.prompt_tokens:8}" + "".join(f"{value:>16}" for value in row) + "\n")
        sys.stdout.flush()
    session.close()


if __name__ == "__main__":
    main()
