"""The page of conversations: their list, the open one, the prompt, and the live panel."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.conversation import Conversation, Conversations, UserTurn
from app.generation_settings import GenerationSettings
from app.messages import choice_note, inactive_sentence
from app.translate import translate
from engine.stats import GenerationStats
from engine.types import ChatFormat, SamplingSettings
from ui.cards import Action, Notice, load_notice, memory_notice, no_pair_notice, reply_notices
from ui.conversation_list import ConversationList
from ui.flat_button import FlatButton
from ui.generation_settings import GenerationSettingsPopover
from ui.live_panel import LivePanel
from ui.memory_control import MemoryControl
from ui.notices import NoticeArea
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl
from ui.transcript import Transcript
from ui.translated import Translated

FIGURES_PAUSE_MS = 60  # between two updates of the live panel
ROOM_FOR_PANEL, ROOM_FOR_LIST = 1_040, 740  # widths of the page from which they are seen


class ChatPage(Translated, QWidget):
    """Main thread.

    Attributes:
        conversations: all of this run.

    Signals:
        acted(object, object): an `Action` of a `Notice` that is not about the open reply.
        changed(): the open conversation is another one, or its last reply went on to another state.
        figures_changed(): the figures of the reply being written went on.
        room_changed(): the page has another size.
    """

    acted = Signal(object, object)
    changed = Signal()
    figures_changed = Signal()
    room_changed = Signal()

    def __init__(
        self, conversations: Conversations, replies: ReplyControl, pairs: PairControl, memory: MemoryControl
    ) -> None:
        super().__init__()
        self.setProperty("role", "work")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.conversations = conversations
        self._replies = replies
        self._pairs = pairs
        self._memory = memory
        self.list = ConversationList(conversations)
        self.transcript, self.notices, self.live = Transcript(), NoticeArea(), LivePanel()
        self.settings = GenerationSettingsPopover(self)
        self._settings_button = FlatButton()
        self._settings_button.setObjectName("settings")
        self._list_line, self._panel_line = _line(), _line()
        self._panel_wanted = True
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(FIGURES_PAUSE_MS)
        self._build()
        self._wire()
        self.retranslate()
        self._open(conversations.current)

    # what the window asks and does

    @property
    def has_turns(self) -> bool:
        return any(conversation.turns for conversation in self.conversations.all)

    @property
    def last_message(self) -> str:
        """What the user wrote last in the open conversation, "" where that is nothing."""
        turns = reversed(self.conversations.current.turns)
        return next((turn.text for turn in turns if isinstance(turn, UserTurn)), "")

    @property
    def used_tokens(self) -> int:
        """Tokens of the context that the open conversation took with its last reply."""
        reply = self.conversations.current.last_reply
        return reply.fold.stats.prompt_tokens + reply.fold.stats.completion_tokens if reply else 0

    @property
    def running_stats(self) -> GenerationStats | None:
        """Of the reply being written, whichever conversation it belongs to."""
        writing = self._replies.writing
        return writing.turn.fold.stats if writing else None

    def new_chat(self) -> None:
        self.list.start()

    def focus_prompt(self) -> None:
        self.transcript.box.setFocus()

    def stop(self) -> None:
        self._replies.stop()

    def again(self) -> None:
        """Write the open conversation's last reply again."""
        if self._pairs.pair is None and self._pairs.loading is None:
            self.notices.show_hint(translate("chat_page", "No pair is loaded. Load it again, then write again."))
        elif self._check_ready():
            self._replies.again(self.conversations.current)

    @property
    def has_room_for_panel(self) -> bool:
        return self.width() >= ROOM_FOR_PANEL

    def show_live_panel(self, wanted: bool) -> None:
        """It is seen where it is wanted and has room."""
        self._panel_wanted = wanted
        self._show_sides()

    def close_down(self) -> None:
        """Take no more prompts and stop the reply under way."""
        self._replies.stop()
        self._pause.stop()
        self.transcript.close_down()
        self.transcript.box.set_ready(False)

    # what happens here

    def _open(self, conversation: Conversation) -> None:
        self.transcript.show_conversation(conversation)
        self.settings.show_settings(self._replies.settings, conversation.system)
        self._refresh()
        self._show_figures()
        self.changed.emit()

    def _send(self, text: str) -> None:
        if self._check_ready():
            self._replies.send(self.conversations.current, text)
        else:
            self.transcript.box.set_text(text)

    def _check_ready(self) -> bool:
        """Whether a reply can be asked for; a line above the prompt says why where it cannot."""
        writing = self._replies.writing
        if self._pairs.loading is not None:
            hint = translate(
                "chat_page", "The pair is still loading. Your message stays here; send it when it is ready."
            )
        elif self._pairs.pair is None:
            hint = translate("chat_page", "No pair is loaded. Your message stays here.")
        elif self._replies.held:
            hint = translate(
                "chat_page", "A comparison is under way; Ctrl+. stops it. Your message stays here."
            )
        elif writing is None:
            return True
        elif writing.conversation is self.conversations.current:
            hint = translate("chat_page", "The reply is still being written. Your message stays here.")
        else:
            hint = translate(
                "chat_page", "A reply is being written in “{title}”; Ctrl+. stops it. Your message stays here."
            )
            hint = hint.format(title=writing.conversation.title)
        self.notices.show_hint(hint)
        return False

    def _on_entered(self) -> None:
        """Enter in the prompt: the box sends where it can, and here is said why where it cannot."""
        if self.transcript.box.text.strip():
            self._check_ready()

    def _on_removed(self, conversation: Conversation) -> None:
        writing = self._replies.writing
        if writing is not None and writing.conversation is conversation:
            self._replies.stop()

    def _act(self, action: Action, notice: Notice) -> None:
        match action:
            case Action.WRITE_AGAIN if self._check_ready():
                self._replies.again(self.conversations.current, same_seed=True)
            case Action.USE_CHATML if self._check_ready():
                self._replies.again_as(self.conversations.current, ChatFormat.CHATML)
            case Action.USE_PLAIN if self._check_ready():
                self._replies.again_as(self.conversations.current, ChatFormat.PLAIN)
            case Action.DISMISS:
                self._pairs.dismiss_refusal()
            case Action.DISMISS_MEMORY:
                self._memory.dismiss()
            case Action.KEEP_ON | Action.DISMISS_REST:
                self._answer_rest(keep_on=action is Action.KEEP_ON)
            case _:
                self.acted.emit(action, notice)

    def _answer_rest(self, *, keep_on: bool) -> None:
        """Guess a fixed number of tokens a round from now on, or let automatic rest without a word."""
        reply = self.conversations.current.last_reply
        if reply is None:
            return
        if keep_on:
            self._set_settings(replace(self._replies.settings, draft_length=self._replies.paying_length(reply)))
            self.settings.show_settings(self._replies.settings, self.conversations.current.system)
        else:
            self._replies.dismiss_rest(reply)
        self._show_notices()

    def use_sampling(self, sampling: SamplingSettings) -> None:
        """Write the next replies so; the seed stays."""
        settings = self._replies.settings
        self._set_settings(replace(settings, sampling=replace(sampling, seed=settings.sampling.seed)))

    def _set_settings(self, settings: GenerationSettings) -> None:
        self._replies.settings = settings
        self._name_settings()
        self.changed.emit()

    def _set_system(self, system: str) -> None:
        self.conversations.current.system = system

    # what is seen

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_sides()
        self.room_changed.emit()

    def _show_sides(self) -> None:
        """The conversation comes first: where it would be narrow the panel makes room, then the list."""
        for widget in (self.live, self._panel_line):
            widget.setVisible(self._panel_wanted and self.has_room_for_panel)
        for widget in (self.list, self._list_line):
            widget.setVisible(self.width() >= ROOM_FOR_LIST)

    def retranslate(self) -> None:
        self._settings_button.setToolTip(translate("chat_page", "Settings of the next replies"))
        self._name_settings()
        self._refresh()
        self._show_figures()

    def _name_settings(self) -> None:
        settings = self._replies.settings
        if settings.draft_length is None:
            words = translate("chat_page", "T {temperature} · draft auto")
        else:
            words = translate("chat_page", "T {temperature} · draft {length}")
        words = words.format(temperature=f"{settings.sampling.temperature:g}", length=settings.draft_length)
        self._settings_button.setText(words)
        self._settings_button.setAccessibleName(translate("chat_page", "Settings of the next replies"))
        self._settings_button.updateGeometry()

    def _refresh(self) -> None:
        """After every change of the pair, of the reply's state and of the open conversation."""
        self._show_notices()
        self.notices.show_loading(self._pairs.loading)
        self.notices.show_hint("")
        conversation, writing = self.conversations.current, self._replies.writing
        stopping = writing is not None and writing.stopping and writing.conversation is conversation
        self.transcript.box.set_stopping(stopping)
        self.transcript.box.set_ready(self._replies.ready)

    def _show_notices(self) -> None:
        loading, reply = self._pairs.loading, self.conversations.current.last_reply
        notices: list[Notice] = []
        if self._pairs.refusal is not None:
            notices.append(load_notice(self._pairs.refusal, self._pairs.pair, self._pairs.remedy))
        elif self._pairs.pair is None and loading is None:
            notices.append(no_pair_notice())
        if self._memory.low:
            notices.append(memory_notice(self._memory.low))
        if reply is not None:
            dropped, remedy, rested = self._replies.dropped(reply), self._pairs.remedy, self._replies.rested(reply)
            notices += reply_notices(reply, self._pairs.pair, loading is not None, dropped, remedy, rested=rested)
        self.notices.show_notices(notices)

    def _show_loading(self) -> None:
        self.notices.show_loading(self._pairs.loading)

    def _on_reply_changed(self) -> None:
        self.list.update_figures()
        self._refresh()
        self._show_figures()

    def _on_progress(self) -> None:
        """Figures follow at a pace that eyes can follow."""
        if not self._pause.isActive():
            self._pause.start()

    def _show_figures(self) -> None:
        reply = self.conversations.current.last_reply
        live, costs, chosen = None, self._pairs.costs, None
        if reply is not None:
            live = self._replies.live(reply)
            inactive, choice = live.stats.inactive, live.stats.choice
            costs = live.stats.costs or costs
            if inactive is not None:
                live = replace(live, reason=inactive_sentence(inactive, self._pairs.pair))
            elif choice is not None:
                live, chosen = replace(live, auto=choice_note(choice)), choice.length
        self.live.show_reply(live)
        self.live.show_costs(costs, chosen)
        self._show_notices()  # that rounds are too slow is told at once
        self.figures_changed.emit()

    # how it is put together

    def _build(self) -> None:
        self.transcript.insert_above_prompt(self.notices)
        box = self.transcript.box.layout()
        assert isinstance(box, QHBoxLayout)
        box.insertWidget(1, self._settings_button, 0, Qt.AlignmentFlag.AlignBottom)
        self._settings_button.setFixedHeight(self.transcript.box.button.sizeHint().height())
        self.transcript.box.set_note("")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.list)
        row.addWidget(self._list_line)
        row.addWidget(self.transcript, 1)
        row.addWidget(self._panel_line)
        row.addWidget(self.live)

    def _wire(self) -> None:
        self.list.opened.connect(self._open)
        self.list.removed.connect(self._on_removed)
        self.transcript.send_requested.connect(self._send)
        self.transcript.stop_requested.connect(self.stop)
        self.transcript.again_requested.connect(lambda _place: self.again())
        self.transcript.box.edit.entered.connect(self._on_entered)
        self.notices.acted.connect(self._act)
        self.notices.loading.cancelled.connect(self._pairs.cancel)
        self.settings.changed.connect(self._set_settings)
        self.settings.system_changed.connect(self._set_system)
        self._settings_button.clicked.connect(lambda: self.settings.open_above(self._settings_button))
        self._replies.changed.connect(self._on_reply_changed)
        self._replies.progressed.connect(self._on_progress)
        self._pairs.changed.connect(self._refresh)
        self._pairs.changed.connect(self._show_figures)
        self._pairs.progressed.connect(self._show_loading)
        self._memory.changed.connect(self._show_notices)
        self._pause.timeout.connect(self._show_figures)


def _line() -> QFrame:
    line = QFrame()
    line.setProperty("role", "line")
    line.setFixedWidth(1)
    return line
