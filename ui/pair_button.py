"""The top bar's button that names the loaded pair, and its menu."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton

from app.translate import translate
from engine.types import LoadedPair, ModelInfo
from ui.theme import theme, theme_notifier
from ui.translated import Translated


class PairButton(Translated, QPushButton):
    """Names the pair and its quantisations; the menu opens another.

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
        self._pair: LoadedPair | None = None
        self._recent: tuple[str, ...] = ()
        self._name = QLabel()
        self._name.setTextFormat(Qt.TextFormat.RichText)
        self._name.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
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
        if self._pair is None:
            words = translate("top_bar", "No pair loaded")
            self._name.setText(f"<span style='color:{theme().muted}'>{escape(words)} ▾</span>")
            self.setAccessibleName(words)
        else:
            self._name.setText(f"{pair_html(self._pair)} ▾")
            self.setAccessibleName(pair_words(self._pair))
        self.setAccessibleDescription(translate("top_bar", "Choose the models"))
        self.setToolTip(translate("top_bar", "Choose the models"))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self.layout().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

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


def pair_words(pair: LoadedPair) -> str:
    """ "SmolLM2 135M Instruct F32 + SmolLM2 135M Instruct Q4_1"."""
    target, draft = pair.target, pair.draft
    words = f"{target.name} {target.quantisation}"
    return f"{words} + {draft.name} {draft.quantisation}" if draft else words


def pair_html(pair: LoadedPair) -> str:
    """The same with small, muted quantisations; the draft's name only where it differs."""
    small = f"<span style='color:{theme().muted}; font-size:11px'>"
    words = f"{escape(pair.target.name)}&nbsp; {small}{escape(pair.target.quantisation)}</span>"
    if pair.draft is None:
        return words
    name = _draft_name(pair.target, pair.draft)
    return f"{words}&nbsp; + {escape(name)} {small}{escape(pair.draft.quantisation)}</span>"


def _draft_name(target: ModelInfo, draft: ModelInfo) -> str:
    return "" if draft.name == target.name else draft.name
