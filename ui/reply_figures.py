"""The line below a reply: how fast it came, how it ended, and what can be done with it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.amounts import count
from app.conversation import ReplyTurn
from app.messages import message_for
from app.translate import translate
from engine.types import EndReason
from ui.flat_button import FlatButton
from ui.fonts import text_font
from ui.theme import theme
from ui.translated import Translated

SPACE = 16  # between two figures
BETWEEN = "&nbsp;" * 4


class ReplyFigures(Translated, QWidget):
    """Figures of a reply that has ended.

    Attributes:
        words: what is written, four spaces between two figures.

    Signals:
        copy_requested()
        again_requested()
    """

    copy_requested = Signal()
    again_requested = Signal()

    def __init__(self, turn: ReplyTurn, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._turn = turn
        self.label = QLabel(self)
        self.label.setFont(text_font(12))
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.copy, self.again = FlatButton(self), FlatButton(self)
        self.copy.clicked.connect(self.copy_requested)
        self.again.clicked.connect(self.again_requested)
        self.copy.setVisible(bool(turn.text))  # of an empty reply there is nothing to copy
        self.retranslate()

    def set_width(self, width: int) -> None:
        """Take this width and the height that goes with it: the buttons stand behind the figures, or below."""
        shown = [button for button in (self.copy, self.again) if button.isVisibleTo(self)]
        buttons = QSize(sum(button.sizeHint().width() for button in shown), self.copy.sizeHint().height())
        self.label.setWordWrap(False)
        natural = self.label.sizeHint().width()
        self.label.setWordWrap(True)
        beside = natural + SPACE + buttons.width() <= width
        text_width = min(natural, width)
        text_height = self.label.heightForWidth(text_width)
        row = max(text_height, buttons.height()) if beside else buttons.height()
        self.label.setGeometry(0, (row - text_height) // 2 if beside else 0, text_width, text_height)
        x, y = (text_width + 4, 0) if beside else (-8, text_height + 2)
        for button in shown:
            button.setGeometry(x, y + (row - button.sizeHint().height()) // 2, *button.sizeHint().toTuple())
            x += button.width()
        self.resize(width, row if beside else text_height + 2 + row)

    def allow_again(self, allowed: bool) -> None:
        """Only the last reply can be written again."""
        self.again.setVisible(allowed)

    def retranslate(self) -> None:
        self.copy.setText(translate("transcript", "Copy"))
        self.copy.setToolTip(translate("transcript", "Copy this reply as it was written"))
        self.copy.setAccessibleName(translate("transcript", "Copy this reply"))
        self.again.setText(translate("transcript", "Again"))
        self.again.setToolTip(translate("transcript", "Write this reply again"))
        self.again.setAccessibleName(translate("transcript", "Write this reply again"))
        figures, ending = self._figures(), self._ending()
        self.words = (4 * " ").join(filter(None, (*figures, ending)))
        t = theme()
        parts = [escape(figure).replace(" ", "&nbsp;") for figure in figures]
        if self._turn.fold.stats.tokens_per_s is not None:
            number, _, rest = figures[0].partition(" ")
            parts[0] = f'<b style="color:{t.text};font-weight:600">{escape(number)}</b> {escape(rest)}'
        if ending:
            colour = t.warn if self._turn.error is not None else t.muted
            parts.append(f'<span style="color:{colour}">{escape(ending)}</span>')
        self.label.setText(f'<span style="color:{t.muted}">{f"{BETWEEN} ".join(parts)}</span>')
        self.label.setAccessibleName(self.words)
        if self.width() and self.parentWidget() is not None:
            self.set_width(self.width())

    def _figures(self) -> list[str]:
        stats = self._turn.fold.stats
        figures: list[str] = []
        if stats.tokens_per_s is not None:
            figures.append(translate("transcript", "{rate} tok/s").format(rate=f"{stats.tokens_per_s:.1f}"))
        if stats.acceptance_rate is not None:
            share = f"{100 * stats.acceptance_rate:.0f}"
            figures.append(translate("transcript", "{share} % accepted").format(share=share))
        if stats.acceptance_rate is not None and stats.tokens_per_round is not None:
            words = translate("transcript", "{number} tokens a round")
            figures.append(words.format(number=f"{stats.tokens_per_round:.1f}"))
        if stats.ttft_s and stats.completion_tokens:  # else it is the time until the stop
            figures.append(translate("transcript", "first token {time} s").format(time=f"{stats.ttft_s:.2f}"))
        if stats.completion_tokens:
            seed = self._turn.request.sampling.seed
            figures.append(translate("transcript", "seed {seed}").format(seed=seed))
        return figures

    def _ending(self) -> str:
        tokens = count(self._turn.fold.stats.completion_tokens)
        if self._turn.error is not None:
            return message_for(self._turn.error).title
        match self._turn.fold.end:
            case EndReason.CANCELLED:
                return translate("transcript", "stopped after {tokens} tokens").format(tokens=tokens)
            case EndReason.LENGTH:
                return translate("transcript", "ended at its limit of {tokens} tokens").format(tokens=tokens)
            case EndReason.CONTEXT:
                return translate("transcript", "ended where the context is full")
            case _:
                return ""
