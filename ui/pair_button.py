"""The top bar's button that names the loaded pair, and its menu."""

from __future__ import annotations

import math
from html import escape

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy

from app.pairs import models_title
from app.translate import translate
from engine.types import LoadedPair
from ui.elided_label import plain_tip
from ui.theme import theme, theme_notifier
from ui.translated import Translated

SIDE = 12  # free room left and right of the names
NARROWEST = 120


class PairButton(Translated, QPushButton):
    """Names the pair and its quantisations; the menu opens another. Where it is narrow the names lose their middle.

    Signals:
        starter_wanted(), open_wanted(), draft_wanted(), options_wanted(), unload_wanted(): menu entries.
        recent_wanted(int): the place of a recent pair in the list last shown.
    """

    starter_wanted = Signal()
    open_wanted = Signal()
    draft_wanted = Signal()
    options_wanted = Signal()
    unload_wanted = Signal()
    recent_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pair")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._pair: LoadedPair | None = None
        self._recent: tuple[str, ...] = ()
        self._name = QLabel()
        self._name.setTextFormat(Qt.TextFormat.RichText)
        self._name.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(self)
        row.setContentsMargins(SIDE, 8, SIDE, 8)
        row.addWidget(self._name)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.clicked.connect(self.open_menu)
        theme_notifier().changed.connect(self.retranslate)
        self.retranslate()

    def show_pair(self, pair: LoadedPair | None, recent: tuple[str, ...]) -> None:
        """`recent` names the pairs of this session that can be opened again, newest first."""
        self._pair = pair
        self._recent = recent
        self.retranslate()

    def open_menu(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    @property
    def actions_shown(self) -> list[QAction]:
        """The menu's entries as they would be now."""
        self._fill_menu()
        return [action for action in self._menu.actions() if not action.isSeparator()]

    def retranslate(self) -> None:
        hint = translate("top_bar", "Choose the models")
        words = models_title(self._pair) if self._pair else translate("top_bar", "No pair loaded")
        self.setAccessibleName(words)
        self.setAccessibleDescription(hint)
        self.setToolTip(plain_tip(f"{words} · {hint}" if self._pair else hint))
        self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._width_of(self._html()) + 2 * SIDE, self.layout().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        natural = self.sizeHint()
        return QSize(min(NARROWEST, natural.width()), natural.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the names as long as they have room."""
        missing = self._width_of(self._html()) - (self.width() - 2 * SIDE)
        self._name.setText(self._html(max(0, missing)))

    def _html(self, missing: int = 0) -> str:
        """The words, shortened by `missing` pixels."""
        if self._pair is None:
            words = escape(translate("top_bar", "No pair loaded"))
            return f"<span style='color:{theme().muted}'>{words} ▾</span>"
        names = [self._pair.target.name, _draft_name(self._pair)]
        metrics = self._name.fontMetrics()
        widths = [metrics.horizontalAdvance(name) for name in names]
        if missing:
            share = max(0.0, 1 - missing / max(1, sum(widths)))
            names = [
                metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(width * share))
                for name, width in zip(names, widths, strict=True)
            ]
        return f"{_pair_html(self._pair, *names)} ▾"

    def _width_of(self, html: str) -> int:
        document = QTextDocument()
        document.setDefaultFont(self._name.font())
        document.setDocumentMargin(0)
        document.setHtml(html)
        return math.ceil(document.idealWidth()) + 1

    def _fill_menu(self) -> None:
        menu, loaded = self._menu, self._pair is not None
        menu.clear()
        menu.addAction(translate("top_bar", "Starter pair: SmolLM2 135M, twice"), self.starter_wanted.emit)
        for place, name in enumerate(self._recent):
            menu.addAction(name, lambda place=place: self.recent_wanted.emit(place))
        menu.addSeparator()
        menu.addAction(translate("top_bar", "Open GGUF files…"), self.open_wanted.emit).setShortcut("Ctrl+O")
        menu.addAction(translate("top_bar", "Change draft…"), self.draft_wanted.emit).setEnabled(loaded)
        menu.addAction(translate("top_bar", "Load options…"), self.options_wanted.emit).setEnabled(loaded)
        menu.addSeparator()
        menu.addAction(translate("top_bar", "Unload"), self.unload_wanted.emit).setEnabled(loaded)


def _pair_html(pair: LoadedPair, target: str, draft: str) -> str:
    """Two names as they are to be shown, each with its small, muted quantisation."""
    small = f"<span style='color:{theme().muted}; font-size:11px'>"
    words = f"{escape(target)}&nbsp; {small}{escape(pair.target.quantisation)}</span>"
    if pair.draft is None:
        return words
    return f"{words}&nbsp; + {escape(draft)} {small}{escape(pair.draft.quantisation)}</span>"


def _draft_name(pair: LoadedPair) -> str:
    """The draft's name where it differs from the target's."""
    draft = pair.draft
    return "" if draft is None or draft.name == pair.target.name else draft.name
