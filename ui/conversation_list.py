"""The list of conversations: search, a new one, rename, delete with undo."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.conversation import Conversation, Conversations
from app.translate import translate
from ui.fonts import text_font
from ui.icons import icon
from ui.theme import theme, theme_notifier
from ui.translated import Translated

AnyIndex = QModelIndex | QPersistentModelIndex
SUBTITLE = Qt.ItemDataRole.UserRole
NO_INDEX = QModelIndex()


class ConversationModel(QAbstractListModel):
    """The conversations that match the search, newest first. `refresh` after every change of them."""

    def __init__(self, conversations: Conversations) -> None:
        super().__init__()
        self._conversations = conversations
        self._search = ""
        self._shown: list[Conversation] = []
        self.refresh()

    def search(self, words: str) -> None:
        """Show those whose title or text has all `words`."""
        self._search = words
        self.refresh()

    def refresh(self) -> None:
        self.beginResetModel()
        wanted = self._search.casefold().split()
        self._shown = [c for c in self._conversations.all if not wanted or _matches(c, wanted)]
        self.endResetModel()

    def conversation(self, index: AnyIndex) -> Conversation:
        return self._shown[index.row()]

    def index_of(self, conversation: Conversation) -> QModelIndex:
        """Its place, invalid where the search hides it."""
        return self.index(self._shown.index(conversation)) if conversation in self._shown else QModelIndex()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if not index.isValid():
            return None
        conversation = self._shown[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, Qt.ItemDataRole.AccessibleTextRole):
            return conversation.title or translate("conversations", "New chat")
        return _subtitle(conversation) if role == SUBTITLE else None

    def setData(self, index: AnyIndex, value: str, role: int = Qt.ItemDataRole.EditRole) -> bool:
        self._shown[index.row()].name = " ".join(value.split())
        self.dataChanged.emit(index, index)
        return True


class ConversationDelegate(QStyledItemDelegate):
    """Title over a small line with age and speed."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(100, 52)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        t = theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect).adjusted(0, 1, 0, -1)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.raised))
            painter.drawRoundedRect(area, 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(t.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 7, 7)
        inside = area.adjusted(10, 7, -10, -7)
        self._line(painter, inside, str(index.data()), 13, t.text, Qt.AlignmentFlag.AlignTop)
        self._line(painter, inside, str(index.data(SUBTITLE)), 11, t.muted, Qt.AlignmentFlag.AlignBottom)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        editor = super().createEditor(parent, option, index)
        editor.setAccessibleName(translate("conversations", "Name of the chat"))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        editor.setGeometry(QRect(option.rect).adjusted(2, 8, -2, -8))

    def _line(self, painter: QPainter, area: QRect, text: str, px: int, colour: str, edge: Qt.AlignmentFlag) -> None:
        painter.setFont(text_font(px))
        painter.setPen(QColor(colour))
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, edge | Qt.AlignmentFlag.AlignLeft, elided)


class ConversationList(Translated, QFrame):
    """Signals:
    opened(object): the user chose a `Conversation`, or a new or neighbouring one became current.
    removed(object): one was deleted; `restored(object)` when that was taken back.
    """

    opened = Signal(object)
    removed = Signal(object)
    restored = Signal(object)

    def __init__(self, conversations: Conversations) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setFixedWidth(232)
        self._conversations = conversations
        self._removed: tuple[Conversation, int] | None = None
        self.model = ConversationModel(conversations)
        self._search = QLineEdit()
        self._search.setProperty("role", "search")
        self._search.setClearButtonEnabled(True)
        self._new = QToolButton()
        self._new.setProperty("role", "quiet")
        self._view = QListView()
        self._view.setProperty("role", "conversations")
        self._view.setModel(self.model)
        self._view.setItemDelegate(ConversationDelegate(self._view))
        self._view.setMouseTracking(True)
        self._view.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._undo_row, self._undo_label, self._undo = QFrame(), QLabel(), QPushButton()
        self._undo_row.setProperty("role", "chip")
        self._undo.setProperty("role", "link")
        self._rename, self._delete = QAction(self), QAction(self)
        self._view.addActions((self._rename, self._delete))
        self._delete.setShortcut(QKeySequence("Ctrl+Backspace"))
        self._delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._build()
        self._wire()
        self._paint_icons()
        self.retranslate()
        self.show_current()

    def start(self) -> None:
        """Open an empty conversation."""
        self._search.clear()
        self._conversations.start()
        self._reload()
        self.opened.emit(self._conversations.current)

    def open(self, conversation: Conversation) -> None:
        """Make it the open one."""
        if conversation is not self._conversations.current:
            self._conversations.current = conversation
            self.show_current()
            self.opened.emit(conversation)

    def remove(self, conversation: Conversation) -> None:
        """Delete it; one click brings it back until the next is deleted."""
        self._removed = (conversation, self._conversations.remove(conversation))
        self._undo_label.setText(translate("conversations", "Chat deleted"))
        self._undo_row.show()
        self._reload()
        self.removed.emit(conversation)
        self.opened.emit(self._conversations.current)

    def undo(self) -> None:
        """Bring the deleted one back."""
        if self._removed is None:
            return
        conversation, place = self._removed
        self._removed = None
        self._undo_row.hide()
        self._conversations.restore(conversation, place)
        self._search.clear()
        self._reload()
        self.restored.emit(conversation)
        self.opened.emit(conversation)

    def show_current(self) -> None:
        """Mark the open conversation without telling anybody."""
        self._view.setCurrentIndex(self.model.index_of(self._conversations.current))

    def update_figures(self) -> None:
        """Titles, ages or figures changed; a name that is being edited is left alone."""
        self._view.viewport().update()

    def retranslate(self) -> None:
        self._search.setPlaceholderText(translate("conversations", "Search chats…"))
        self._search.setAccessibleName(translate("conversations", "Search chats"))
        self._new.setToolTip(translate("conversations", "New chat (Ctrl+N)"))
        self._new.setAccessibleName(translate("conversations", "New chat"))
        self._view.setAccessibleName(translate("conversations", "Chats"))
        self._rename.setText(translate("conversations", "Rename"))
        self._delete.setText(translate("conversations", "Delete"))
        self._undo_label.setText(translate("conversations", "Chat deleted"))
        self._undo.setText(translate("conversations", "Undo"))
        self._view.viewport().update()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._search)
        head.addWidget(self._new)
        undo = QHBoxLayout(self._undo_row)
        undo.setContentsMargins(10, 6, 10, 6)
        undo.addWidget(self._undo_label, 1)
        undo.addWidget(self._undo)
        self._undo_row.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._view, 1)
        column.addWidget(self._undo_row)

    def _wire(self) -> None:
        self._search.textChanged.connect(self._on_search)
        self._new.clicked.connect(self.start)
        self._view.clicked.connect(self._choose)
        self._view.activated.connect(self._choose)
        self._undo.clicked.connect(self.undo)
        self._rename.triggered.connect(self._on_current(lambda index: self._view.edit(index)))
        self._delete.triggered.connect(self._on_current(lambda index: self.remove(self.model.conversation(index))))
        theme_notifier().changed.connect(self._paint_icons)

    def _on_current(self, act: Callable[[QModelIndex], None]) -> Callable[[], None]:
        def run() -> None:
            if self._view.currentIndex().isValid():
                act(self._view.currentIndex())

        return run

    def _choose(self, index: QModelIndex) -> None:
        self.open(self.model.conversation(index))

    def _on_search(self, words: str) -> None:
        self.model.search(words)
        self.show_current()

    def _reload(self) -> None:
        self.model.refresh()
        self.show_current()

    def _paint_icons(self) -> None:
        self._new.setIcon(icon("new", theme().muted))


def _matches(conversation: Conversation, wanted: list[str]) -> bool:
    """Whether the title and the turns together have every word; the newest search word narrows, so it is last."""
    text = "\n".join((conversation.title, *(turn.text for turn in conversation.turns))).casefold()
    return all(word in text for word in wanted)


def _subtitle(conversation: Conversation) -> str:
    reply = conversation.last_reply
    rate = reply.fold.stats.tokens_per_s if reply else None
    age = _age(time.time() - conversation.changed_at)
    return f"{age} · {rate:.1f} tok/s" if rate else age


def _age(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return translate("conversations", "just now")
    if minutes < 60:
        return translate("conversations", "{n} min ago").format(n=minutes)
    if minutes < 24 * 60:
        return translate("conversations", "{n} h ago").format(n=minutes // 60)
    return translate("conversations", "{n} d ago").format(n=minutes // (24 * 60))
