"""Writes replies into conversations, one at a time, and measures them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from app.conversation import Conversation, ReplyTurn
from app.generation_settings import GenerationSettings
from app.rate_meter import RateMeter
from engine.protocol import Failed, Finished, PrefillProgress, Started
from engine.stats import FoldedEvent
from engine.types import ChatFormat, Choice, Drafter, DraftRound, GenerationRequest, LoadRequest
from ui.live_panel import LiveReply
from ui.pair_control import PairControl
from ui.worker import EngineWorker, Ticket

FEWEST_TOKENS = 32  # of a reply whose speed is worth comparing with
NEARLY_ALL = 0.8  # of a reply's tokens
USUAL_LENGTH = 4  # of drafts, where nothing better is known


@dataclass(slots=True)
class Writing:
    """The reply being written."""

    ticket: Ticket
    conversation: Conversation
    turn: ReplyTurn
    stopping: bool = False


@dataclass(slots=True)
class Measured:
    """What a reply's turn does not keep itself.

    Attributes:
        dropped: messages that were not sent because the conversation is longer than the context.
    """

    load: LoadRequest
    meter: RateMeter = field(default_factory=RateMeter)
    dropped: int = 0


class ReplyControl(QObject):
    """Main thread.

    Attributes:
        settings: for the next replies.
        speculate: whether they may use the draft.
        writing: the reply under way, or None.
        held: the engine writes for a comparison, so no reply can be asked for.

    Signals:
        changed(): a reply began, is about to stop, or ended; or whether the next ones may use the draft.
        progressed(): it went on.
        ended(object, object): a `ReplyTurn` came to its end without an error, and the `LoadRequest` of its pair.
    """

    changed = Signal()
    progressed = Signal()
    ended = Signal(object, object)

    def __init__(self, worker: EngineWorker, pairs: PairControl) -> None:
        super().__init__()
        self.settings = GenerationSettings()
        self._speculate = True
        self.writing: Writing | None = None
        self.held = False
        self._worker = worker
        self._pairs = pairs
        self._formats: dict[str, ChatFormat] = {}  # chosen for targets without a usable template, by path
        self._measured: WeakKeyDictionary[ReplyTurn, Measured] = WeakKeyDictionary()
        self._off_rates: dict[LoadRequest, float] = {}
        self._lengths: dict[LoadRequest, int] = {}  # that paid when last seen
        self._rest_seen: set[LoadRequest] = set()  # pairs whose rests the user need not be told of again
        worker.event.connect(self._on_event)
        pairs.changed.connect(self._on_pair_changed)

    @property
    def speculate(self) -> bool:
        return self._speculate

    @speculate.setter
    def speculate(self, on: bool) -> None:
        if on != self._speculate:
            self._speculate = on
            self.changed.emit()

    @property
    def ready(self) -> bool:
        """Whether a reply can be asked for now."""
        return self._pairs.pair is not None and self.writing is None and not self.held

    @property
    def chat_format(self) -> ChatFormat:
        """How prompts for the loaded target are written."""
        pair = self._pairs.pair
        return self._formats.get(pair.target.path, ChatFormat.MODEL) if pair is not None else ChatFormat.MODEL

    def use_format(self, chat_format: ChatFormat) -> None:
        """From now on this target's prompts are written so."""
        if self._pairs.pair is not None:
            self._formats[self._pairs.pair.target.path] = chat_format

    def hold(self, held: bool) -> None:
        """Ask for no replies until they are wanted again."""
        self.held = held
        self.changed.emit()

    def send(self, conversation: Conversation, text: str) -> None:
        """Add what the user wrote and have it answered. Only while `ready`."""
        conversation.add_user(text)
        self._write(conversation, None)

    def again(self, conversation: Conversation, *, same_seed: bool = False) -> None:
        """Write the last reply again, with the settings as they are now. Nothing happens unless `ready`.

        Args:
            same_seed: the text comes out as before, up to rounding, as far as it got.
        """
        if not self.ready or not conversation.turns:
            return
        reply = conversation.last_reply
        if reply is not None:
            conversation.drop_last_reply()
        self._write(conversation, reply.request.sampling.seed if reply and same_seed else None)

    def again_as(self, conversation: Conversation, chat_format: ChatFormat) -> None:
        """The same, and from now on this target's prompts are written in `chat_format`."""
        self.use_format(chat_format)
        self.again(conversation)

    def stop(self) -> None:
        """End the reply under way soon; nothing happens where there is none."""
        if self.writing is not None and not self.writing.stopping:
            self.writing.stopping = True
            self.writing.ticket.cancel()
            self.changed.emit()

    def dropped(self, turn: ReplyTurn) -> int:
        """How many of the oldest messages the model was not given for this reply."""
        measured = self._measured.get(turn)
        return measured.dropped if measured else 0

    def rested(self, turn: ReplyTurn) -> bool:
        """Whether guessing did not pay for nearly all of a reply, and that is still to be said of its pair."""
        measured, stats = self._measured.get(turn), turn.fold.stats
        if measured is None or turn.running or not self.speculate or self.settings.draft_length is not None:
            return False
        long_enough = stats.timed_tokens >= FEWEST_TOKENS and stats.rested >= NEARLY_ALL * stats.timed_tokens
        slow = stats.choice is not None and stats.choice.choice is Choice.ROUNDS_TOO_SLOW
        return long_enough and not slow and measured.load not in self._rest_seen

    def dismiss_rest(self, turn: ReplyTurn) -> None:
        """Do not tell again that guessing does not pay with the pair of this reply."""
        if (measured := self._measured.get(turn)) is not None:
            self._rest_seen.add(measured.load)

    def paying_length(self, turn: ReplyTurn) -> int:
        """The draft length that paid when guessing last did with the pair of this reply, or else a usual one."""
        measured = self._measured.get(turn)
        return USUAL_LENGTH if measured is None else self._lengths.get(measured.load, USUAL_LENGTH)

    def live(self, turn: ReplyTurn) -> LiveReply:
        """The figures of a reply; its `reason` is left to whoever knows the words."""
        stats, measured = turn.fold.stats, self._measured.get(turn)
        if measured is None:
            return LiveReply(stats, stats.tokens_per_s)
        rate = measured.meter.rate if turn.running else stats.tokens_per_s
        return LiveReply(stats, rate, tuple(measured.meter.points), self._off_rates.get(_off_key(measured.load)))

    def _write(self, conversation: Conversation, seed: int | None) -> None:
        pair, load = self._pairs.pair, self._pairs.request
        if pair is None or load is None:
            return
        request = self._request(conversation, seed)
        turn = conversation.begin_reply(pair.target.name, request)
        self._measured[turn] = Measured(load)
        self.writing = Writing(self._worker.generate(request), conversation, turn)
        self.changed.emit()

    def _request(self, conversation: Conversation, seed: int | None) -> GenerationRequest:
        request = self.settings.request(
            conversation.messages(),
            speculate=self.speculate,
            chat_format=self.chat_format,
        )
        return request if seed is None else replace(request, sampling=replace(request.sampling, seed=seed))

    def _on_pair_changed(self) -> None:
        """A load waits behind the reply under way, so that one has to go."""
        if self._pairs.loading is not None:
            self.stop()

    def _on_event(self, number: int, event: object) -> None:
        writing = self.writing
        if writing is None or number != writing.ticket.number:
            return
        if not isinstance(event, PrefillProgress | FoldedEvent | Failed):
            return  # a load before the reply, after the engine died
        if isinstance(event, DraftRound):
            self._measured[writing.turn].meter.add(event)
        if isinstance(event, Started):
            self._measured[writing.turn].dropped = event.dropped_messages
        if isinstance(event, Finished | Failed):
            self.writing = None
        writing.conversation.add_event(event)
        if self.writing is None:
            self._on_end(writing.turn)
        else:
            self.progressed.emit()

    def _on_end(self, turn: ReplyTurn) -> None:
        stats, load = turn.fold.stats, self._measured[turn].load
        rate = stats.tokens_per_s
        choice = stats.choice
        if choice is not None and choice.choice is Choice.DRAFTING and choice.drafter is Drafter.MODEL:
            self._lengths[load] = choice.length
        if rate and stats.plain == stats.completion_tokens >= FEWEST_TOKENS:
            self._off_rates[_off_key(load)] = rate
        if turn.error is None:
            self.ended.emit(turn, load)
        self.changed.emit()


def _off_key(load: LoadRequest) -> LoadRequest:
    """Without speculation the draft does not matter."""
    return replace(load, draft=None, draft_gpu_layers=-1)
