"""What a token costs the window, at the start and at the end of a long reply.

    python -m tests.bench.transcript_cost [--tokens 20000] [--mode tokens|rendered]

Prints one JSON object: per shape of text, the seconds of CPU time that the main thread spends per token for
layout and painting, in the first and the last tenth of the reply, and the slowest of a hundred ticks; and what
opening a conversation of 200 turns takes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from time import thread_time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.conversation import Conversation
from engine.protocol import Started
from engine.types import GenerationRequest
from tests.fakes import tapes
from tests.fakes.long_texts import chinese, one_code_block, one_paragraph, short_lines
from ui.legend import ViewMode
from ui.transcript import Transcript

SHAPES: tuple[Callable[[int], list[str]], ...] = (one_paragraph, short_lines, one_code_block, chinese)


def ticks(texts: list[str], mode: ViewMode) -> Iterator[tuple[float, int]]:
    """CPU seconds and tokens of each tick; one round of the engine to a tick."""
    rounds = list(tapes.drafted_rounds(texts, kept=(4, 2, 4, 1), draft_length=4, draft_s=0.01, verify_s=0.03))
    conversation = Conversation()
    conversation.add_user("A question")
    conversation.begin_reply("Target 7B", GenerationRequest(job=1))
    transcript = Transcript()
    transcript.resize(844, 820)
    transcript.set_mode(mode)
    transcript.show_conversation(conversation)
    transcript.show()
    QApplication.processEvents()
    conversation.add_event(Started(1, 3, 0, 0, 0.1, None))
    for event in rounds:
        begun = thread_time()
        conversation.add_event(event)
        transcript.refresh()
        QApplication.sendPostedEvents()
        QApplication.processEvents()
        yield thread_time() - begun, len(event.tokens)
    transcript.close_down()
    transcript.deleteLater()


def cost(texts: list[str], mode: ViewMode) -> dict[str, float]:
    spent = list(ticks(texts, mode))
    tenth = len(spent) // 10
    start, end = (sum(s for s, _ in part) / sum(n for _, n in part) for part in (spent[:tenth], spent[-tenth:]))
    slow = sorted(s for s, _ in spent)[len(spent) * 99 // 100]
    return {"start_s": start, "end_s": end, "ratio": end / start, "tick_p99_s": slow}


def opening(replies: int) -> float:
    """CPU seconds until a conversation of so many questions and replies is painted."""
    text = "A short answer with some words in it.\n\n```python\nreturn 1\n```\n\nAnd the reason why. " + "Words. " * 60
    conversation = Conversation()
    for _ in range(replies):
        conversation.add_user("A question")
        conversation.begin_reply("Target 7B", GenerationRequest(job=1))
        for event in tapes.reply(text):
            conversation.add_event(event)
    transcript = Transcript()
    transcript.resize(844, 820)
    transcript.show()
    QApplication.processEvents()
    begun = thread_time()
    transcript.show_conversation(conversation)
    transcript.repaint()
    spent = thread_time() - begun
    transcript.close_down()
    transcript.deleteLater()
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a token costs the window.")
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--mode", choices=[mode.value for mode in ViewMode], default=ViewMode.TOKENS.value)
    arguments = parser.parse_args()
    application = QApplication(sys.argv[:1])
    mode = ViewMode(arguments.mode)
    figures = {shape.__name__: cost(shape(arguments.tokens), mode) for shape in SHAPES}
    found = {"tokens": arguments.tokens, "mode": mode.value, "shapes": figures, "open_200_turns_s": opening(100)}
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    application.quit()


if __name__ == "__main__":
    main()
