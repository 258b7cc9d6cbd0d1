"""What a long context costs outside llama.cpp, and what speculation adds to the first token:

    python -m tests.bench.context_cost TARGET.gguf DRAFT.gguf [--contexts 1000 4000 16000] [--repeats 5]

For each length of prompt: seconds to the first token off and on and their ratio, and microseconds a token outside
llama.cpp off and on, with a repeat penalty, which looks back. Medians; the two in turns from cold caches. A context
longer than the model was trained with makes nonsense, and takes as long.
"""

from __future__ import annotations

import argparse
import os
import sys
from statistics import median

from engine.launch import calm_threads

TEXT = "The keeper of the lighthouse wrote down what the sea did that day, and then what he had dreamt. "
TEXT_TOKENS = 22  # roughly; vocabularies differ


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target")
    parser.add_argument("draft")
    parser.add_argument("--contexts", nargs="+", type=int, default=[1000, 4000, 16000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--max-tokens", type=int, default=48)
    arguments = parser.parse_args()
    calm_threads(os.environ)  # before llama.cpp is loaded
    from engine.loading import load_session
    from engine.stats import FoldedEvent, ReplyFold
    from engine.types import GenerationRequest, LoadRequest, SamplingSettings

    ctx = max(arguments.contexts) * 5 // 4 + arguments.max_tokens
    request = LoadRequest(arguments.target, arguments.draft, ctx=ctx)
    session = load_session(1, request, None, lambda progress: None, lambda: False)
    session.measure(lambda: False)
    sys.stdout.write(f"{'context':>8}{'first token off':>17}{'on':>8}{'ratio':>7}{'us a token off':>16}{'on':>8}\n")
    for context in arguments.contexts:
        stats = {False: [], True: []}
        for _ in range(arguments.repeats):
            for speculate, seen in stats.items():
                fold = ReplyFold()
                for event in session.generate(
                    GenerationRequest(
                        job=1,
                        prompt=TEXT * (context // TEXT_TOKENS),
                        sampling=SamplingSettings(repeat_penalty=1.1, seed=1),
                        max_tokens=arguments.max_tokens,
                        speculate=speculate,
                        cold=True,
                    ),
                    lambda: False,
                ):
                    if isinstance(event, FoldedEvent):
                        fold.add(event)
                seen.append(fold.stats)
        first = {on: median(s.ttft_s for s in seen) for on, seen in stats.items()}
        outside = {
            on: median((s.decode_s - s.draft_s - s.verify_s) / s.timed_tokens for s in seen) * 1e6
            for on, seen in stats.items()
        }
        seen_tokens = stats[False][0].prompt_tokens
        ratio = median(on.ttft_s / off.ttft_s for off, on in zip(stats[False], stats[True], strict=True))
        sys.stdout.write(
            f"{seen_tokens:8}{first[False]:17.3f}{first[True]:8.3f}{ratio:7.2f}{outside[False]:16.0f}{outside[True]:8.0f}\n"
        )
        sys.stdout.flush()
    session.close()


if __name__ == "__main__":
    main()
