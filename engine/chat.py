"""Messages to the text that a model reads: through the model's own template, or one of two plain formats."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from jinja2 import TemplateSyntaxError
from jinja2.exceptions import SecurityError

from engine.errors import EngineError, ErrorKind
from engine.template_sandbox import EndlessError, RefusedError, Sandbox
from engine.types import ChatMessage


def render(
    messages: Sequence[ChatMessage],
    template: str,
    *,
    bos: str,
    eos: str,
    model: str,
    add_generation_prompt: bool = True,
    now: datetime,
) -> str:
    """The prompt that `template` makes of `messages`. The template is not trusted; see `engine.template_sandbox`.

    Where the template refuses the messages and there is a system message, that is put before the first user
    message: many models know no system role.

    Args:
        bos, eos: texts of the special tokens, for templates that write them.
        model: names the model in errors.
        now: the time for templates that tell the date.

    Raises:
        EngineError: CHAT_TEMPLATE_BROKEN, CHAT_TEMPLATE_UNSAFE, CHAT_TEMPLATE_ENDLESS.
    """

    def attempt(messages: Sequence[ChatMessage]) -> str:
        sandbox = Sandbox(now, sum(len(message.content) for message in messages))
        return sandbox.run(
            template,
            {
                "messages": [{"role": message.role, "content": message.content} for message in messages],
                "add_generation_prompt": add_generation_prompt,
                "bos_token": bos,
                "eos_token": eos,
                "tools": None,
                "documents": None,
            },
        )

    try:
        try:
            return attempt(messages)
        except RefusedError:
            if all(message.role != "system" for message in messages):
                raise
            return attempt(_without_system_role(messages))
    except EndlessError as error:
        kind = ErrorKind.CHAT_TEMPLATE_ENDLESS
        if error.limit_s:
            raise EngineError(kind, model=model, limit_s=error.limit_s) from error
        raise EngineError(kind, model=model, limit_bytes=error.limit_bytes) from error
    except SecurityError as error:
        raise EngineError(ErrorKind.CHAT_TEMPLATE_UNSAFE, model=model, reason=str(error)) from error
    except Exception as error:  # a template can fail in every way that Python can
        reason = str(error) or type(error).__name__
        if line := _line_of(error):
            reason = f"{reason} (line {line})"
        raise EngineError(ErrorKind.CHAT_TEMPLATE_BROKEN, model=model, reason=reason) from error


def _without_system_role(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """All system texts before the first user message."""
    system = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    first = next((i for i, message in enumerate(others) if message.role == "user"), 0)
    if not others or others[first].role != "user":
        return [*others[:first], ChatMessage("user", "\n\n".join(system)), *others[first:]]
    user = ChatMessage("user", "\n\n".join([*system, others[first].content]))
    return [*others[:first], user, *others[first + 1 :]]


def _line_of(error: Exception) -> int:
    """The line of the template where it failed; 0 if unknown."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line, trace = 0, error.__traceback__
    while trace is not None:  # jinja2 gives the frames of a template its own line numbers
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def render_chatml(messages: Sequence[ChatMessage]) -> str:
    """ChatML, which many models understand, up to where the assistant begins."""
    turns = [f"<|im_start|>{message.role}\n{message.content}<|im_end|>\n" for message in messages]
    return "".join(turns) + "<|im_start|>assistant\n"


def render_plain(messages: Sequence[ChatMessage]) -> str:
    """The contents alone, a paragraph each, and the beginning of the next."""
    return "".join(f"{message.content}\n\n" for message in messages)
