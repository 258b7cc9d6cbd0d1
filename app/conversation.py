"""Conversations as plain data: what was asked, what was answered, with which settings, and how it ended.

Views subscribe and are told from which turn on something changed; they look for themselves what it is. All
of it belongs to one thread, the window's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engine.errors import ErrorReport
from engine.protocol import Failed, PrefillProgress
from engine.stats import FoldedEvent, ReplyFold
from engine.types import ChatMessage, DraftRound, EndReason, GenerationRequest

TITLE_LENGTH = 60

ReplyEvent = PrefillProgress | FoldedEvent | Failed
Listener = Callable[[int], None]


@dataclass(slots=True, eq=False)
class UserTurn:
    """What the user wrote."""

    text: str


@dataclass(slots=True, eq=False, weakref_slot=True)
class ReplyTurn:
    """What the model wrote, or is writing.

    Attributes:
        model: the target's name, for the heading.
        request: what was asked for, with every setting.
        fold: text, tokens and figures.
        draft_lengths: by round, how many tokens were proposed.
        prefill: (tokens read, tokens to read) while the prompt is read, None before and after.
        error: why it broke off, None if it did not.
    """

    model: str
    request: GenerationRequest
    fold: ReplyFold = field(default_factory=ReplyFold)
    draft_lengths: list[int] = field(default_factory=list)
    prefill: tuple[int, int] | None = None
    error: ErrorReport | None = None

    @property
    def text(self) -> str:
        return self.fold.text

    @property
    def running(self) -> bool:
        return self.fold.end is None

    def add(self, event: ReplyEvent) -> None:
        match event:
            case PrefillProgress():
                self.prefill = (event.done_tokens, event.total_tokens)
                return
            case Failed():
                self.error = event.report
                self.fold.end = EndReason.ERROR
            case DraftRound():
                self.draft_lengths.append(len(event.drafted))
                self.fold.add(event)
            case _:
                self.fold.add(event)
        self.prefill = None


Turn = UserTurn | ReplyTurn


class Conversation:
    """Turns in order. `system` is sent in front of them and never shown among them.

    Attributes:
        name: what the user called it, "" for the beginning of the first message.
        turns: read it, change it through the methods.
        changed_at: seconds since the epoch of the last change.
    """

    def __init__(self, system: str = "") -> None:
        self.system = system
        self.name = ""
        self.changed_at = time.time()
        self.turns: list[Turn] = []
        self._listeners: list[Listener] = []

    @property
    def title(self) -> str:
        """The name, or the beginning of the first user message, "" before there is one."""
        if self.name:
            return self.name
        for turn in self.turns:
            if isinstance(turn, UserTurn):
                words = " ".join(turn.text[: 4 * TITLE_LENGTH].split())
                return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1].rstrip() + "…"
        return ""

    @property
    def last_reply(self) -> ReplyTurn | None:
        """The reply at the end, None where the conversation is empty or ends with the user."""
        last = self.turns[-1] if self.turns else None
        return last if isinstance(last, ReplyTurn) else None

    def messages(self) -> tuple[ChatMessage, ...]:
        """The conversation as the model reads it. A reply without text is left out."""
        return tuple(self._messages())

    def add_user(self, text: str) -> UserTurn:
        turn = UserTurn(text)
        self._append(turn)
        return turn

    def begin_reply(self, model: str, request: GenerationRequest) -> ReplyTurn:
        turn = ReplyTurn(model, request)
        self._append(turn)
        return turn

    def drop_last_reply(self) -> None:
        """Take the reply at the end away, so that another can take its place.

        Raises:
            ValueError: the conversation does not end with a reply.
        """
        if self.last_reply is None:
            raise ValueError("the conversation does not end with a reply")
        self.turns.pop()
        self._notify(len(self.turns))

    def add_event(self, event: ReplyEvent) -> None:
        """Fold an event into the reply at the end.

        Raises:
            ValueError: there is no reply to add to.
        """
        reply = self.last_reply
        if reply is None:
            raise ValueError("the conversation does not end with a reply")
        reply.add(event)
        self._notify(len(self.turns) - 1)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener(index)` after every change; turns before `index` are untouched.

        Returns:
            A function that ends the subscription.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _append(self, turn: Turn) -> None:
        self.turns.append(turn)
        self._notify(len(self.turns) - 1)

    def _notify(self, index: int) -> None:
        self.changed_at = time.time()
        for listener in tuple(self._listeners):
            listener(index)

    def _messages(self) -> Iterator[ChatMessage]:
        if self.system:
            yield ChatMessage("system", self.system)
        for turn in self.turns:
            if isinstance(turn, UserTurn):
                yield ChatMessage("user", turn.text)
            elif text := turn.text:
                yield ChatMessage("assistant", text)


class Conversations:
    """The conversations of this run, newest first; one of them is open.

    Attributes:
        current: the open one; there always is one.
    """

    def __init__(self) -> None:
        self.all: list[Conversation] = []
        self.current = self.start()

    def start(self) -> Conversation:
        """Open an empty conversation; an empty one that is already there is taken again."""
        fresh = next((conversation for conversation in self.all if not conversation.turns), None)
        if fresh is None:
            fresh = Conversation()
            self.all.insert(0, fresh)
        self.current = fresh
        return fresh

    def remove(self, conversation: Conversation) -> int:
        """Take one away; if it was open, the next newest opens. Returns its place, for `restore`."""
        place = self.all.index(conversation)
        del self.all[place]
        if conversation is self.current:
            self.current = self.all[0] if self.all else self.start()
        return place

    def restore(self, conversation: Conversation, place: int) -> None:
        """Put a removed one back and open it."""
        self.all.insert(min(place, len(self.all)), conversation)
        self.current = conversation
