"""What a draft costs that became far slower than it was measured:

    python -m tests.bench.slow_draft TARGET.gguf DRAFT.gguf [--times 50] [--presets code edit] [--repeats 5]

Each pair of replies is written by a pair loaded anew, which measured its draft at its usual pace and knows nothing else
of it; from then on each pass of the draft takes so many times as long. Off and on in turns, from cold caches; whole
times, from the request to the last token. The lookup takes no part, so that it cannot make up for what the draft costs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from math import inf
from statistics import median

from app.compare.presets import PRESETS
from engine.decoder import Decoder, Overdue
from engine.distribution import Logits
from engine.loading import load_session
from engine.session import Session
from engine.stats import FoldedEvent, ReplyFold
from engine.types import ChatMessage, Drafter, GenerationRequest, LoadRequest, SamplingSettings


def slow_down(draft: Decoder, times: float) -> None:
    """Let each pass of `draft` take `times` as long, and be given up as one on a processor is."""
    decode = draft.decode

    def slowly(tokens: Sequence[int], outputs: int, limit_s: float = inf) -> Logits:
        before, held = draft.spent_s, len(draft.tokens)
        rows = decode(tokens, outputs, limit_s)
        took_s = draft.spent_s - before
        further_s = min(times * took_s, limit_s) - took_s
        time.sleep(further_s)
        draft.spent_s += further_s
        if times * took_s > limit_s:
            draft.truncate(held)
            raise Overdue
        return rows

    draft.decode = slowly  # type: ignore[method-assign]


def seconds(session: Session, request: GenerationRequest) -> tuple[float, float, int]:
    """From the request to the last token, those inside the draft, and how many tokens there were."""
    fold = ReplyFold()
    begin = time.perf_counter()
    for event in session.generate(request, lambda: False):
        if isinstance(event, FoldedEvent):
            fold.add(event)
    return time.perf_counter() - begin, fold.stats.draft_s, fold.stats.completion_tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target")
    parser.add_argument("draft")
    parser.add_argument("--times", type=float, default=50.0)
    parser.add_argument("--presets", nargs="+", choices=[preset.id for preset in PRESETS], default=["code", "edit"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--max-tokens", type=int, default=512)
    parser.add_argument("--temperature", type=float, default=0.0)
    arguments = parser.parse_args()
    loaded = LoadRequest(arguments.target, arguments.draft, ctx=2048 + arguments.max_tokens)
    sys.stdout.write(f"{'':10}{'off s':>8}{'on s':>8}{'on / off':>10}{'in the draft s':>16}{'tokens':>8}\n")
    for preset in PRESETS:
        if preset.id not in arguments.presets:
            continue
        rows = []
        for repeat in range(arguments.repeats):
            session = load_session(1, loaded, None, lambda progress: None, lambda: False)
            session.measure(lambda: False)
            assert session._draft is not None
            slow_down(session._draft, arguments.times)
            timed = {
                speculate: seconds(
                    session,
                    GenerationRequest(
                        job=1,
                        messages=(ChatMessage("user", preset.prompt),),
                        sampling=SamplingSettings(temperature=arguments.temperature, seed=42),
                        max_tokens=arguments.max_tokens,
                        speculate=speculate,
                        drafters=frozenset({Drafter.MODEL}),
                        kind=preset.kind,
                        cold=True,
                    ),
                )
                for speculate in ((False, True) if repeat % 2 else (True, False))
            }
            (off_s, _, off_tokens), (on_s, draft_s, tokens) = timed[False], timed[True]
            session.close()
            assert tokens == off_tokens
            rows.append((off_s, on_s, on_s / off_s, draft_s))
        off, on, ratio, draft = (median(column) for column in zip(*rows, strict=True))
        sys.stdout.write(f"{preset.id:10}{off:8.2f}{on:8.2f}{ratio:10.3f}{draft:16.2f}{tokens:8}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
