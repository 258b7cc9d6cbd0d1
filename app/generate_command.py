"""`draftlight generate`: one reply on stdout as it is written."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace

from app import options
from app.amounts import count
from app.command import Outcome, chosen_pair, load
from app.engine_client import EngineClient
from app.learned import LearnedPairs
from app.messages import choice_sentence, draft_inactive_sentence, inactive_sentence
from app.paths import Paths
from app.reply_document import error_document, reply_document
from app.terminal import EXIT_INTERRUPTED, Terminal
from engine.errors import EngineError
from engine.protocol import Finished
from engine.stats import FoldedEvent, GenerationStats, ReplyFold
from engine.types import Choice, Drafter, DraftRound, EndReason, GenerationRequest, LoadedPair


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "generate",
        help="write one reply",
        description="Write one reply. The answer goes to standard output as it is written, everything else to "
        "standard error. Ctrl-C ends the reply where it is, with exit status 130.",
        allow_abbrev=False,
    )
    options.add_model_options(parser)
    options.add_anyway(parser)
    options.add_prompt_options(parser, required=True)
    options.add_reply_options(parser)
    options.add_speculation_options(parser, switch=True)
    return parser


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Raises EngineError where there is no such pair or no prompt, ReaderGoneError where nobody reads the answer."""
    choice = chosen_pair(arguments, paths, terminal)
    request = options.generation_request(arguments, recommended=choice.sampling)
    request = replace(request, speculate=arguments.speculation != "off")
    reply, pair, error = ReplyFold(), None, None
    with closing(EngineClient(paths.logs, LearnedPairs(paths.state))) as client:
        try:
            pair = load(arguments, choice, paths, terminal, client)
            _write(request, reply, arguments.json, terminal, client)
        except EngineError as caught:
            if terminal.interrupted:
                reply.end = EndReason.CANCELLED  # what failed, failed because of that
            else:
                error = caught.report
    document = reply_document(reply, request.sampling.seed, pair, choice)
    if error is not None:
        document["error"] = error_document(error)
        return Outcome(1, document, error)
    terminal.note(figures(reply.stats))
    if reply.stats.choice is not None and reply.stats.choice.choice is not Choice.FIXED:
        terminal.note(choice_sentence(reply.stats.choice))
    asked = _asked(arguments, pair)
    if asked and reply.stats.inactive is not None:
        terminal.note(inactive_sentence(reply.stats.inactive, pair))
    if asked and reply.stats.draft_inactive is not None:
        terminal.note(draft_inactive_sentence(reply.stats.draft_inactive, pair))
    return Outcome(EXIT_INTERRUPTED if reply.end is EndReason.CANCELLED else 0, document)


def _asked(arguments: argparse.Namespace, pair: LoadedPair | None) -> bool:
    """Whether somebody counts on speculation: by an option that is about it, or by loading a draft."""
    if arguments.speculation != "auto":
        return bool(arguments.speculation == "on")
    has_draft = pair is not None and pair.draft is not None
    return has_draft or arguments.draft_length is not None or arguments.drafters != frozenset(Drafter)


def _write(request: GenerationRequest, reply: ReplyFold, quiet: bool, terminal: Terminal, client: EngineClient) -> None:
    """Fold the reply's events into `reply` and, unless `quiet`, print its text as it comes."""
    last = ""
    try:
        for event in terminal.follow(client.generate(request)):
            if not isinstance(event, FoldedEvent):
                continue
            reply.add(event)
            text = _text(event)
            if text and not quiet:
                terminal.answer(text)
                last = text
    finally:
        if last and not last.endswith("\n"):
            terminal.answer("\n")


def _text(event: FoldedEvent) -> str:
    """What an event adds to the reply."""
    if isinstance(event, DraftRound):
        return "".join(token.text for token in event.tokens)
    return event.tail if isinstance(event, Finished) else ""


def figures(stats: GenerationStats) -> str:
    """One line of figures."""
    parts = [f"{count(stats.completion_tokens)} tokens"]
    if stats.tokens_per_s is not None:
        parts.append(f"{stats.tokens_per_s:.1f} tokens/s")
    if stats.acceptance_rate is not None and stats.tokens_per_round is not None:
        parts.append(f"{100 * stats.acceptance_rate:.0f} % of guesses accepted")
        parts.append(f"{stats.tokens_per_round:.1f} tokens per round")
    if stats.ttft_s > 0:
        parts.append(f"first token after {stats.ttft_s:.2f} s")
    return ", ".join(parts)
