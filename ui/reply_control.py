"""Writes replies into conversations, one at a time, and measures them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from app.conversation import Conversation, ReplyTurn
from app.generation_settings import GenerationSettings
from app.rate_meter import RateMeter
from engine.protocol import Event, Failed, Finished, PrefillProgress, SpeculationStopped, Started
from engine.types import ChatFormat, DraftRound, GenerationRequest, LoadRequest
from ui.live_panel import LiveReply
from ui.pair_control import PairControl
from ui.worker import EngineWorker, Ticket

FEWEST_TOKENS = 32  # of a reply whose speed is worth comparing with


@dataclass(slots=True)
class Writing:
    """The reply being written."""

    ticket: Ticket
    conversation: Conversation
    turn: ReplyTurn
    load: LoadRequest
    stopping: bool = False


class ReplyControl(QObject):
    """Main thread.

    Attributes:
        settings: for the next replies.
        speculate: whether they may use the draft.
        writing: the reply under way, or None.

    Signals:
        changed(): a reply began, is about to stop, or ended.
        progressed(): it went on.
        ended(object): the `ReplyTurn` that ended, whichever way.
    """

    changed = Signal()
    progressed = Signal()
    ended = Signal(object)

    def __init__(self, worker: EngineWorker, pairs: PairControl) -> None:
        super().__init__()
        self.settings = GenerationSettings()
        self.speculate = True
        self.writing: Writing | None = None
        self._worker = worker
        self._pairs = pairs
        self._formats: dict[str, ChatFormat] = {}  # chosen for targets without a usable template, by path
        self._meters: WeakKeyDictionary[ReplyTurn, RateMeter] = WeakKeyDictionary()
        self._off_rates: dict[LoadRequest, float] = {}
        self._next: Callable[[], None] | None = None
        worker.event.connect(self._on_event)

    @property
    def ready(self) -> bool:
        """Whether a reply can be asked for now. While one is stopping it can: the next one waits for it."""
        return self._pairs.pair is not None and (self.writing is None or self.writing.stopping)

    def send(self, conversation: Conversation, text: str) -> None:
        """Add what the user wrote and have it answered. Only while `ready`."""
        self._when_free(lambda: self._answer(conversation, text))

    def again(self, conversation: Conversation, *, same_seed: bool = False) -> None:
        """Write the last reply again, with the settings as they are now. Only while `ready`.

        Args:
            same_seed: the text comes out as before, up to rounding, as far as it got.
        """
        self._when_free(lambda: self._rewrite(conversation, same_seed))

    def again_as(self, conversation: Conversation, chat_format: ChatFormat) -> None:
        """The same, and from now on this target's prompts are written in `chat_format`."""
        if self._pairs.pair is not None:
            self._formats[self._pairs.pair.target.path] = chat_format
        self.again(conversation)

    def stop(self) -> None:
        """End the reply under way soon; nothing happens where there is none."""
        self._next = None
        if self.writing is not None and not self.writing.stopping:
            self.writing.stopping = True
            self.writing.ticket.cancel()
            self.changed.emit()

    def live(self, turn: ReplyTurn) -> LiveReply:
        """The figures of a reply; its `reason` is left to whoever knows the words."""
        stats, meter = turn.fold.stats, self._meters.get(turn)
        rate = meter.rate if meter and turn.running else stats.tokens_per_s
        load = self._pairs.request
        off_rate = self._off_rates.get(_off_key(load)) if load else None
        return LiveReply(stats, rate, tuple(meter.points) if meter else (), off_rate)

    def _when_free(self, work: Callable[[], None]) -> None:
        """Now, or after the reply that is stopping."""
        if self.writing is None:
            work()
        else:
            self._next = work

    def _answer(self, conversation: Conversation, text: str) -> None:
        conversation.add_user(text)
        self._write(conversation, None)

    def _rewrite(self, conversation: Conversation, same_seed: bool) -> None:
        reply = conversation.last_reply
        if reply is not None:
            conversation.drop_last_reply()
        self._write(conversation, reply.request.sampling.seed if reply and same_seed else None)

    def _write(self, conversation: Conversation, seed: int | None) -> None:
        pair, load = self._pairs.pair, self._pairs.request
        if pair is None or load is None:
            return
        request = self._request(conversation, pair.target.path, seed)
        turn = conversation.begin_reply(pair.target.name, request)
        self._meters[turn] = RateMeter()
        self.writing = Writing(self._worker.generate(request), conversation, turn, load)
        self.changed.emit()

    def _request(self, conversation: Conversation, target: str, seed: int | None) -> GenerationRequest:
        request = self.settings.request(
            conversation.messages(),
            speculate=self.speculate,
            chat_format=self._formats.get(target, ChatFormat.MODEL),
        )
        return request if seed is None else replace(request, sampling=replace(request.sampling, seed=seed))

    def _on_event(self, number: int, event: Event) -> None:
        writing = self.writing
        if writing is None or number != writing.ticket.number:
            return
        if not isinstance(event, PrefillProgress | Started | DraftRound | SpeculationStopped | Finished | Failed):
            return  # a load before the reply, after the engine died
        if isinstance(event, DraftRound):
            self._meters[writing.turn].add(event)
        if isinstance(event, Finished | Failed):
            self.writing = None
        writing.conversation.add_event(event)
        if self.writing is None:
            self._on_end(writing)
        else:
            self.progressed.emit()

    def _on_end(self, writing: Writing) -> None:
        stats = writing.turn.fold.stats
        rate = stats.tokens_per_s
        if rate and stats.rounds and stats.plain == stats.completion_tokens >= FEWEST_TOKENS:
            self._off_rates[_off_key(writing.load)] = rate
        self.changed.emit()
        self.ended.emit(writing.turn)
        following, self._next = self._next, None
        if following is not None:
            following()


def _off_key(load: LoadRequest) -> LoadRequest:
    """Without speculation the draft does not matter."""
    return replace(load, draft=None, draft_gpu_layers=-1)
