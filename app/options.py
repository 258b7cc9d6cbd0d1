"""The options that several commands share, checked as they are read, and the requests they become."""

from __future__ import annotations

import argparse
import math
import secrets
from collections.abc import Callable
from dataclasses import replace

from app.generation_settings import SEED_LIMIT
from app.pairs import PairChoice
from app.prompts import is_unicode, read_messages, read_text
from app.text_kind import kind_of
from engine.types import (
    LEAST_UBATCH,
    MAX_CTX,
    MAX_DRAFT_LENGTH,
    MAX_GPU_LAYERS,
    MAX_GPUS,
    MAX_REPEAT_PENALTY,
    MAX_THREADS,
    MAX_UBATCH,
    ChatFormat,
    ChatMessage,
    Drafter,
    FlashAttention,
    GenerationRequest,
    KvType,
    LoadRequest,
    Rule,
    SamplingSettings,
)

_SAMPLING = SamplingSettings()
_LOAD = LoadRequest(target="")
_REPLY = GenerationRequest(job=0)


def add_model_options(parser: argparse.ArgumentParser, *, all_pairs: bool = False) -> None:
    """Which pair, and how it is loaded; `all_pairs` adds the choice of all."""
    models = parser.add_argument_group("models")
    choice = models.add_mutually_exclusive_group(required=True)
    if all_pairs:
        choice.add_argument("--all", action="store_true", help="all pairs of the catalogue, one line for each")
    choice.add_argument(
        "--pair", metavar="ID", type=_nonempty, help="a pair that `draftlight models list` shows, as it is named there"
    )
    choice.add_argument("--target", metavar="FILE", type=_nonempty, help="GGUF file of the model whose text you want")
    models.add_argument("--draft", metavar="FILE", type=_nonempty, help="GGUF file of the small model that guesses")
    models.add_argument(
        "--ctx", metavar="N", type=whole(1, MAX_CTX), help="tokens of context (default: 8192, or fewer if so trained)"
    )
    models.add_argument("--kv-type", choices=_values(KvType), default=_LOAD.kv_type.value, help=_default("cache type"))
    models.add_argument(
        "--flash-attn",
        choices=_values(FlashAttention),
        default=_LOAD.flash_attention.value,
        help=_default("flash attention"),
    )
    models.add_argument(
        "--gpu-layers",
        metavar="N",
        type=whole(-1, MAX_GPU_LAYERS),
        default=-1,
        help="layers of the target on the GPU (default: all)",
    )
    models.add_argument(
        "--draft-gpu-layers",
        metavar="N",
        type=whole(-1, MAX_GPU_LAYERS),
        default=-1,
        help="the same for the draft (default: all)",
    )
    models.add_argument(
        "--threads", metavar="N", type=whole(1, MAX_THREADS), help="CPU threads (default: as many as are fastest)"
    )
    models.add_argument(
        "--ubatch",
        metavar="N",
        type=whole(LEAST_UBATCH, MAX_UBATCH),
        help="tokens of a prompt computed at once (default: 128 on the processor, 512 on a GPU)",
    )
    models.add_argument(
        "--experts-on-cpu",
        action="store_true",
        help="keep the experts of a mixture in the computer's memory, and the rest of it on the GPU",
    )
    models.add_argument(
        "--split",
        metavar="A,B,...",
        type=_shares,
        default=_LOAD.split,
        help="shares of the target for several GPUs, in their order (default: by free memory)",
    )


def add_anyway(parser: argparse.ArgumentParser) -> None:
    """For commands that load."""
    parser.add_argument("--anyway", action="store_true", help="load the pair even if it is predicted not to fit")


def add_prompt_options(
    parser: argparse.ArgumentParser, *, required: bool
) -> argparse._MutuallyExclusiveGroup:
    """What the model is asked. Other ways to ask may be added to the group that is returned."""
    prompt = parser.add_argument_group("prompt")
    choice = prompt.add_mutually_exclusive_group(required=required)
    choice.add_argument("--prompt", metavar="TEXT", type=_text, help="what to ask")
    choice.add_argument("--prompt-file", metavar="FILE", type=_text, help="the same from a UTF-8 file; - is stdin")
    choice.add_argument(
        "--messages", metavar="FILE", type=_text, help="a conversation: JSON list of objects with role and content"
    )
    prompt.add_argument(
        "--raw", action="store_true", help="give the prompt to the model as it is, without a chat format"
    )
    prompt.add_argument(
        "--chat-format",
        choices=_values(ChatFormat),
        default=ChatFormat.MODEL.value,
        help=_default("how messages become a prompt: the model's own template, ChatML, or plain paragraphs"),
    )
    return choice


def add_reply_options(
    parser: argparse.ArgumentParser,
    *,
    max_tokens: int | None = None,
    least_tokens: int = 1,
    temperature: float = _SAMPLING.temperature,
) -> None:
    """How the reply is written, with a limit of `least_tokens` or more. What is left out is the chosen pair's own, or
    else as here."""
    reply = parser.add_argument_group("reply", "The defaults are those of a pair whose target's card recommends none.")
    parser.set_defaults(default_sampling=replace(_SAMPLING, temperature=temperature))
    reply.add_argument(
        "--max-tokens",
        metavar="N",
        type=whole(least_tokens),
        default=max_tokens,
        help="longest reply (default: up to the end of the context)"
        if max_tokens is None
        else _default("longest reply"),
    )
    for option, meaning, metavar, kind, default in (
        ("--temperature", "0 takes the likeliest token", "X", _number(0), temperature),
        ("--top-k", "0 means all", "N", whole(0), _SAMPLING.top_k),
        ("--top-p", "1 means all", "X", _number(0, 1), _SAMPLING.top_p),
        ("--min-p", "0 means all", "X", _number(0, 1), _SAMPLING.min_p),
        ("--repeat-penalty", "1 means none", "X", _number(0.01, MAX_REPEAT_PENALTY), _SAMPLING.repeat_penalty),
    ):
        reply.add_argument(option, metavar=metavar, type=kind, help=f"{meaning} (default: {default})")
    reply.add_argument(
        "--seed",
        metavar="N",
        type=whole(0, 2**64 - 1),
        help="for the same text again, up to rounding",
    )
    reply.add_argument(
        "--stop", metavar="TEXT", type=_nonempty, action="append", default=[], help="end before this text; repeatable"
    )


def add_speculation_options(parser: argparse.ArgumentParser, *, switch: bool) -> None:
    """How the draft is used; `switch` adds the one that turns it on and off."""
    speculation = parser.add_argument_group("speculation")
    if switch:
        speculation.add_argument(
            "--speculation",
            choices=["auto", "on", "off"],
            default="auto",
            help=_default("on says why where it cannot run; auto runs it where the pair can"),
        )
    speculation.add_argument(
        "--draft-length",
        metavar="N",
        type=_draft_length,
        default="auto",
        help=_default("tokens that the draft proposes in a round; auto chooses by time, round by round"),
    )
    speculation.add_argument(
        "--p-min",
        metavar="X",
        type=_number(0, 1),
        default=_REPLY.p_min,
        help=_default("with a --draft-length: stop proposing where the draft is less sure than this"),
    )
    speculation.add_argument(
        "--rule", choices=_values(Rule), default=_REPLY.rule.value, help=_default("how proposals are judged")
    )
    speculation.add_argument(
        "--drafters",
        metavar="A,B",
        type=_drafters,
        default=_REPLY.drafters,
        help="what proposes tokens: lookup repeats earlier text and needs no draft, model is the draft "
        "(default: lookup,model)",
    )


def check(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Combinations that argparse cannot express; exits with status 2."""
    if arguments.draft is not None and arguments.target is None:
        parser.error("--draft needs --target")
    if arguments.command != "fit" and arguments.raw and arguments.messages is not None:
        parser.error("--raw is for one prompt, not for --messages")


def pair_choice(arguments: argparse.Namespace) -> PairChoice:
    return PairChoice(arguments.pair, arguments.target, arguments.draft)


def with_load_settings(arguments: argparse.Namespace, request: LoadRequest) -> LoadRequest:
    return replace(
        request,
        ctx=arguments.ctx,
        kv_type=KvType(arguments.kv_type),
        flash_attention=FlashAttention(arguments.flash_attn),
        gpu_layers=arguments.gpu_layers,
        draft_gpu_layers=arguments.draft_gpu_layers,
        threads=arguments.threads,
        ubatch=arguments.ubatch,
        experts_on_cpu=arguments.experts_on_cpu,
        split=arguments.split,
        measure=_by_time(arguments),
    )


def _by_time(arguments: argparse.Namespace) -> bool:
    """Whether lengths are going to be chosen by time, so that what passes cost must be known before the first reply."""
    by_time = getattr(arguments, "draft_length", 0) is None or getattr(arguments, "sweep", None) is not None
    return by_time and getattr(arguments, "speculation", "on") != "off"


def generation_request(
    arguments: argparse.Namespace, default_prompt: str = "", recommended: SamplingSettings | None = None
) -> GenerationRequest:
    """The reply that was asked for, with the settings that are `recommended` for the pair where no others were asked
    for. Reads the prompt's file; raises EngineError as `app.prompts` does."""
    names = ("temperature", "top_k", "top_p", "min_p", "repeat_penalty", "seed")
    asked = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    request = GenerationRequest(
        job=0,  # the client numbers its jobs
        chat_format=ChatFormat(arguments.chat_format),
        sampling=replace(recommended or arguments.default_sampling, **{"seed": secrets.randbelow(SEED_LIMIT), **asked}),
        max_tokens=arguments.max_tokens,
        stop=tuple(arguments.stop),
        draft_length=arguments.draft_length,
        p_min=arguments.p_min,
        rule=Rule(arguments.rule),
        drafters=arguments.drafters,
    )
    if arguments.messages is not None:
        messages = read_messages(arguments.messages)
        return replace(request, messages=messages, kind=kind_of(messages))
    text = default_prompt if arguments.prompt is None else arguments.prompt
    if arguments.prompt_file is not None:
        text = read_text(arguments.prompt_file)
    question = (ChatMessage("user", text),)
    request = replace(request, kind=kind_of(question))
    return replace(request, prompt=text) if arguments.raw else replace(request, messages=question)


def _default(text: str) -> str:
    return text + " (default: %(default)s)"


def _values(choices: type[KvType] | type[FlashAttention] | type[ChatFormat] | type[Rule]) -> list[str]:
    return [choice.value for choice in choices]


def _draft_length(text: str) -> int | None:
    return None if text == "auto" else whole(0, MAX_DRAFT_LENGTH)(text)


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """A type for argparse: a whole number within limits."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        _check_range(value, low, high)
        return value

    return parse


def _number(low: float, high: float | None = None) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"{text} is not a finite number")
        _check_range(value, low, high)
        return value

    return parse


def _drafters(text: str) -> frozenset[Drafter]:
    """A type for argparse: one or more, in any order."""
    try:
        return frozenset(map(Drafter, text.split(",")))
    except ValueError:
        names = " and ".join(drafter.value for drafter in Drafter)
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of {names}") from None


def _shares(text: str) -> tuple[float, ...]:
    """A type for argparse: what each GPU gets."""
    shares = tuple(map(_number(0), text.split(",")))
    if len(shares) > MAX_GPUS:
        raise argparse.ArgumentTypeError(f"{len(shares)} shares, and {MAX_GPUS} are the most")
    if not any(shares):
        raise argparse.ArgumentTypeError("a share must be above 0")
    return shares


def _check_range(value: float, low: float, high: float | None) -> None:
    if value < low or (high is not None and value > high):
        limits = f"at least {low}" if high is None else f"between {low} and {high}"
        raise argparse.ArgumentTypeError(f"{value} must be {limits}")


def _text(text: str) -> str:
    if not is_unicode(text):
        raise argparse.ArgumentTypeError("not valid UTF-8")
    return text


def _nonempty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return _text(text)
