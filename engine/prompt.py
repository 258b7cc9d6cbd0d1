"""A request's prompt as tokens: the template, the limits of the context, and which old turns give way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine import chat
from engine.errors import EngineError, ErrorKind
from engine.llama import LlamaModel
from engine.types import ChatFormat, ChatMessage, GenerationRequest

_REPLY_SHARE: Final = 8  # trimming leaves an eighth of the context for a reply without a limit of its own


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the target reads.

    Attributes:
        tokens: at least one, and at least one fewer than the context holds.
        dropped_messages: oldest ones left out.
        budget: tokens the reply may have.
    """

    tokens: list[int]
    dropped_messages: int
    budget: int


class PromptMaker:
    """Makes prompts for one model and context."""

    def __init__(self, model: LlamaModel, name: str, template: str | None, ctx: int) -> None:
        self._model = model
        self._name = name
        self._template = template
        self._ctx = ctx

    def make(self, request: GenerationRequest) -> Prompt:
        """The prompt of a request.

        Raises:
            EngineError: PROMPT_EMPTY, PROMPT_TOO_LONG, MAX_TOKENS_PAST_CONTEXT, NO_CHAT_TEMPLATE, CHAT_TEMPLATE_….
        """
        if request.prompt is not None:
            tokens, dropped = self._model.tokenize(request.prompt), 0
        else:
            tokens, dropped = self._from_messages(request)
        if not tokens:
            raise EngineError(ErrorKind.PROMPT_EMPTY)
        room = self._ctx - len(tokens)
        if room < 1:
            raise EngineError(ErrorKind.PROMPT_TOO_LONG, prompt_tokens=len(tokens), ctx=self._ctx)
        if request.max_tokens is not None and request.max_tokens > room:
            raise EngineError(
                ErrorKind.MAX_TOKENS_PAST_CONTEXT,
                prompt_tokens=len(tokens),
                max_tokens=request.max_tokens,
                ctx=self._ctx,
            )
        return Prompt(tokens, dropped, room if request.max_tokens is None else request.max_tokens)

    def _from_messages(self, request: GenerationRequest) -> tuple[list[int], int]:
        messages = request.messages
        if not any(message.content.strip() for message in messages):
            raise EngineError(ErrorKind.PROMPT_EMPTY)
        tokens = self._render(messages, request.chat_format)
        reply = request.max_tokens or self._ctx // _REPLY_SHARE
        if not request.trim_oldest or len(tokens) + reply <= self._ctx:
            return tokens, 0
        head = 1 if messages[0].role == "system" else 0
        # A conversation starts with the user; the last user message always stays.
        starts = [i for i in range(head + 1, len(messages)) if messages[i].role == "user"]
        low, high = 0, len(starts)
        while low < high:  # the fewest turns to drop: how long a prompt is falls with every turn dropped
            middle = (low + high) // 2
            shorter = self._render((*messages[:head], *messages[starts[middle] :]), request.chat_format)
            if len(shorter) + reply <= self._ctx:
                high = middle
            else:
                low = middle + 1
        if not starts:
            return tokens, 0
        start = starts[min(low, len(starts) - 1)]
        return self._render((*messages[:head], *messages[start:]), request.chat_format), start - head

    def _render(self, messages: Sequence[ChatMessage], chat_format: ChatFormat) -> list[int]:
        return self._model.tokenize(self._text(messages, chat_format))

    def _text(self, messages: Sequence[ChatMessage], chat_format: ChatFormat) -> str:
        match chat_format:
            case ChatFormat.CHATML:
                return chat.render_chatml(messages)
            case ChatFormat.PLAIN:
                return chat.render_plain(messages)
            case ChatFormat.MODEL:
                if self._template is None:
                    raise EngineError(ErrorKind.NO_CHAT_TEMPLATE, model=self._name)
                return chat.render(
                    messages,
                    self._template,
                    bos=self._model.text_of(self._model.bos),
                    eos=self._model.text_of(self._model.eos),
                    model=self._name,
                    now=datetime.now(),
                )
