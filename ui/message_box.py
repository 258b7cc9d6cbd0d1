"""The prompt: text of several lines that grows, and the button that sends it or stops the reply."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QSizePolicy, QWidget

from app.translate import translate
from ui.fonts import text_font
from ui.steady_button import SteadyButton
from ui.theme import theme, theme_notifier
from ui.translated import Translated

MOST_LINES = 8


class PromptEdit(QPlainTextEdit):
    """As high as its text, up to eight lines or as many as its owner allows.

    Signals:
        entered(): Enter without Shift, once however long it is held.
        escaped()
    """

    entered = Signal()
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most_lines = MOST_LINES
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(text_font(14))
        self.document().setDocumentMargin(2)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self._grow()

    def set_most_lines(self, lines: int) -> None:
        self._most_lines = lines
        self._grow()

    def _grow(self) -> None:
        # A QPlainTextDocumentLayout measures its height in lines.
        lines = max(1, round(self.document().documentLayout().documentSize().height()))
        spacing, margin = QFontMetricsF(self.font()).lineSpacing(), self.document().documentMargin()
        below = round(margin) + 2
        self.setFixedHeight(round(min(lines, self._most_lines) * spacing + margin) + below)
        # Where lines go on below, that room would show a sliver of the next one.
        self.setViewportMargins(0, 0, 0, below if lines > self._most_lines else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            if not event.isAutoRepeat():
                self.entered.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pictures and styles are of no use here."""
        if source.hasText():
            self.insertPlainText(source.text())


class MessageBox(Translated, QWidget):
    """Enter sends, Shift+Enter adds a line, Escape stops.

    Signals:
        send_requested(str): the text as it was typed; the box is empty then.
        stop_requested()
    """

    send_requested = Signal(str)
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._writing = False
        self._stopping = False
        self._ready = True
        self.edit = PromptEdit()
        self.note = QLabel()
        self.note.setFont(text_font(13))
        self.note.hide()
        self.button = SteadyButton()
        self.button.setProperty("role", "primary")
        self.button.setFont(text_font(13, strong=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(12)
        row.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.note, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        self.edit.entered.connect(self.send)
        self.edit.escaped.connect(self._stop)
        self.edit.textChanged.connect(self._refresh)
        self.button.clicked.connect(self._click)
        self.edit.installEventFilter(self)
        self.setFocusProxy(self.edit)
        theme_notifier().changed.connect(self._colour)
        self._colour()
        self.retranslate()

    @property
    def text(self) -> str:
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Put text into the box, the caret behind it."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def set_writing(self, writing: bool) -> None:
        """While a reply is written the button stops it."""
        self._writing = writing
        self._refresh()

    def set_stopping(self, stopping: bool) -> None:
        """Whether the reply being written was told to stop and has not ended yet."""
        self._stopping = stopping
        self._refresh()

    def set_ready(self, ready: bool) -> None:
        """Whether something can be sent; typing is always possible."""
        self._ready = ready
        self._refresh()

    def set_note(self, note: str) -> None:
        """A few muted words beside the button."""
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def send(self) -> None:
        """Send the text, if there is any and nothing is being written."""
        text = self.text
        if text.strip() and self._ready and not self._writing:
            self.edit.clear()
            self.send_requested.emit(text)

    def retranslate(self) -> None:
        self.edit.setAccessibleName(translate("transcript", "Message"))
        self._place_hint()
        self._refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_hint()

    def _place_hint(self) -> None:
        """The words in the empty box, as many as fit on its line."""
        hint = translate("transcript", "Message… (Enter sends, Shift+Enter adds a line)")
        room = self.edit.viewport().width() - 12
        fits = self.edit.fontMetrics().horizontalAdvance(hint) <= room
        self.edit.setPlaceholderText(hint if fits else self.edit.accessibleName())

    def _click(self) -> None:
        if self._writing:
            self.stop_requested.emit()
        else:
            self.send()

    def _stop(self) -> None:
        if self._writing:
            self.stop_requested.emit()

    def _refresh(self) -> None:
        self.button.mean("stop" if self._writing else "send")
        if self._writing and self._stopping:
            self.button.setText(translate("transcript", "Stopping…"))
            self.button.setToolTip("")
        elif self._writing:
            self.button.setText(translate("transcript", "Stop"))
            self.button.setToolTip(translate("transcript", "Stop this reply (Esc)"))
        else:
            self.button.setText(translate("transcript", "Send"))
            self.button.setToolTip(translate("transcript", "Send the message (Enter)"))
        can_send = self._ready and bool(self.text.strip())
        self.button.setEnabled(not self._stopping if self._writing else can_send)

    def _colour(self) -> None:
        colours = self.edit.palette()
        colours.setColor(QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))
        colours.setColor(QPalette.ColorRole.Text, QColor(theme().text))
        colours.setColor(QPalette.ColorRole.PlaceholderText, QColor(theme().muted))
        self.edit.setPalette(colours)
        muted = self.note.palette()
        muted.setColor(QPalette.ColorRole.WindowText, QColor(theme().muted))
        self.note.setPalette(muted)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(theme().surface))
            painter.setPen(QPen(QColor(theme().accent if self.edit.hasFocus() else theme().border)))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
