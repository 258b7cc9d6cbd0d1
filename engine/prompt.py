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

_LONG: Final = 16  # characters for each token of the context; only more are worth a look at the vocabulary


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
            tokens, dropped = self._tokens(request.prompt), 0
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
        if not request.trim_oldest:
            return self._tokens(self._text(messages, request.chat_format)), 0
        if (whole := self._fitting(messages, request)) is not None:
            return whole, 0
        head = 1 if messages[0].role == "system" else 0
        # A conversation starts with the user; the last user message always stays.
        starts = [i for i in range(head + 1, len(messages)) if messages[i].role == "user"]
        low, high = 0, len(starts)
        while low < high:  # the fewest turns to drop: how long a prompt is falls with every turn dropped
            middle = (low + high) // 2
            if self._fitting((*messages[:head], *messages[starts[middle] :]), request) is not None:
                high = middle
            else:
                low = middle + 1
        start = starts[min(low, len(starts) - 1)] if starts else head
        kept = (*messages[:head], *messages[start:])
        return self._tokens(self._text(kept, request.chat_format)), start - head

    def _fitting(self, messages: Sequence[ChatMessage], request: GenerationRequest) -> list[int] | None:
        """None where they do not leave room for the reply."""
        text = self._text(messages, request.chat_format)
        if self._fewest_tokens(text) >= self._ctx:
            return None
        tokens = self._model.tokenize(text)
        reply = request.max_tokens or self._ctx // _REPLY_SHARE
        return tokens if len(tokens) + reply <= self._ctx else None

    def _tokens(self, text: str) -> list[int]:
        """Raises EngineError: PROMPT_TOO_LONG, without the wait for the tokens of what certainly is."""
        if (fewest := self._fewest_tokens(text)) >= self._ctx:
            raise EngineError(ErrorKind.PROMPT_TOO_LONG, prompt_tokens=fewest, ctx=self._ctx, at_least=1)
        return self._model.tokenize(text)

    def _fewest_tokens(self, text: str) -> int:
        """0 for a text that is quickly tokenised."""
        return self._model.fewest_tokens(text) if len(text) > _LONG * self._ctx else 0

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
