"""The card that explains a token: its source, what the draft guessed, and how sure both models were."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.amounts import count
from app.translate import translate
from engine.types import MAX_MATCH, Drafter, Source, TokenEvent
from ui.fonts import code_font, text_font
from ui.provenance import Mark, mark_of, mark_word
from ui.theme import theme, theme_notifier

SHADOW = 10
LONGEST = 24  # characters of a token that are shown
MARKS = str.maketrans({" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"})


@dataclass(frozen=True, slots=True)
class CardText:
    """What the card says. rows are pairs of a name and a value."""

    token: str
    mark: Mark
    rows: tuple[tuple[str, str], ...]

    @property
    def spoken(self) -> str:
        """All of it in one line, for a screen reader."""
        rows = "; ".join(f"{name} {value}".strip() for name, value in self.rows)
        return f"{self.token} {mark_word(self.mark)}; {rows}"


def quoted(text: str) -> str:
    """A token's text in quotes; white space as signs where there is nothing else, or where it breaks lines."""
    shown = text.strip(" ") if text.strip() else text.replace(" ", "␣")
    shown = shown.translate({key: value for key, value in MARKS.items() if key != ord(" ")})
    if len(shown) > LONGEST:
        shown = shown[: LONGEST - 1] + "…"
    return f"“{shown}”" if text else translate("transcript", "part of the next character")


def share(p: float) -> str:
    """A probability with two digits that say something."""
    return f"{p:.2f}" if p >= 0.01 or p == 0 else f"{p:.1g}"


def card_text(token: TokenEvent, drafted: int) -> CardText:
    """What is to be said of a token; `drafted` is the number of tokens proposed in its round."""
    word = quoted(token.text)
    rows: list[tuple[str, str]] = []
    if (guess := token.rejected) is not None:
        lookup = token.drafter is Drafter.LOOKUP
        name = translate("transcript", "Lookup guessed") if lookup else translate("transcript", "Draft guessed")
        rows.append((name, quoted(guess.text)))
        rows += _judged(token, quoted(guess.text), guess.p, guess.q)
        rows.append((translate("transcript", "p({token}) target").format(token=word), share(token.p)))
    elif token.source is Source.ACCEPTED and token.q is not None:
        rows += _judged(token, word, token.p, token.q)
    else:
        rows.append((translate("transcript", "p({token}) target").format(token=word), share(token.p)))
    rows.append((_place(token, drafted), translate("transcript", "id {id}").format(id=token.token_id)))
    return CardText(word, mark_of(token), tuple(rows))


def _judged(token: TokenEvent, word: str, p: float, q: float) -> list[tuple[str, str]]:
    """How a guess was judged; `word` is the guess. The lookup is always sure, so its q says nothing."""
    if token.drafter is Drafter.LOOKUP:
        length = translate("transcript", "{count} or more") if token.match >= MAX_MATCH else "{count}"
        return [
            (translate("transcript", "tokens that agreed before it"), length.format(count=token.match)),
            (translate("transcript", "p({token}) target, its chance").format(token=word), share(p)),
        ]
    chance = min(1.0, p / q) if q > 0 else 1.0
    return [
        (translate("transcript", "q({token}) draft").format(token=word), share(q)),
        (translate("transcript", "p({token}) target").format(token=word), share(p)),
        (translate("transcript", "chance to keep it, p/q"), share(chance)),
    ]


def _place(token: TokenEvent, drafted: int) -> str:
    number = count(token.round + 1)
    if token.source is Source.PLAIN:
        return translate("transcript", "round {round}, no draft").format(round=number)
    if token.source is Source.BONUS:
        words = translate("transcript", "round {round}, after all {count} guesses")
        return words.format(round=number, count=drafted)
    words = translate("transcript", "round {round}, position {position} of {count}")
    return words.format(round=number, position=token.position + 1, count=drafted)


class HoverCard(QWidget):
    """Floats over its parent beside a token. It takes no input."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.text: CardText | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(QMargins(12, 10, 12, 10) + QMargins(SHADOW, SHADOW, SHADOW, SHADOW))
        self._grid.setHorizontalSpacing(28)
        self._grid.setVerticalSpacing(5)
        self._title = self._label(0, 0, 2)
        self._title.setTextFormat(Qt.TextFormat.RichText)
        self._rows = [(self._label(row, 0), self._label(row, 1)) for row in range(1, 7)]
        for _, value in self._rows:
            value.setFont(code_font(12))
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        theme_notifier().changed.connect(self._fill)
        self.hide()

    def show_token(self, text: CardText, area: QRect) -> None:
        """Explain a token that stands in `area` of the parent."""
        self.text = text
        self._fill()
        self.setAccessibleName(text.spoken)
        self._grid.activate()
        self.resize(self.sizeHint())
        self.move(self._beside(area))
        self.show()
        self.raise_()

    def _beside(self, area: QRect) -> QPoint:
        """Below the token, or above it where there is no room, inside the parent."""
        bounds = self.parentWidget().rect()
        x = min(max(bounds.left(), area.left() - SHADOW - 8), bounds.right() - self.width())
        below, above = area.bottom() + 6 - SHADOW, area.top() - 4 - self.height() + SHADOW
        return QPoint(x, below if below + self.height() <= bounds.bottom() or above < bounds.top() else above)

    def _label(self, row: int, column: int, span: int = 1) -> QLabel:
        label = QLabel(self)
        label.setFont(text_font(12))
        label.setTextFormat(Qt.TextFormat.PlainText)
        self._grid.addWidget(label, row, column, 1, span)
        return label

    def _fill(self) -> None:
        if self.text is None:
            return
        t = theme()
        colour = t.line(self.text.mark) or QColor(t.good if self.text.mark is Mark.ACCEPTED else t.muted)
        word = self.text.token.replace("&", "&amp;").replace("<", "&lt;")
        self._title.setText(
            f'<span style="color:{t.text};font-weight:600">{word}</span>&nbsp; '
            f'<span style="color:{colour.name()};font-weight:600">'
            f"{mark_word(self.text.mark)}</span>"
        )
        for place, (name, value) in enumerate(self._rows):
            used = place < len(self.text.rows)
            name.setVisible(used)
            value.setVisible(used)
            if used:
                for label, words in zip((name, value), self.text.rows[place], strict=True):
                    label.setText(words)
                    palette = label.palette()
                    palette.setColor(label.foregroundRole(), QColor(t.text))
                    label.setPalette(palette)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        card = QRectF(self.rect()).adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(0, 0, 0, 5 if theme().name == "light" else 14))
            for step in range(SHADOW - 2):
                painter.drawRoundedRect(card.adjusted(-step, 2 - step, step, 2 + step), 8 + step, 8 + step)
            painter.setBrush(QColor(theme().raised))
            painter.setPen(QColor(theme().border))
            painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
