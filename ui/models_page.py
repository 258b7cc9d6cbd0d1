"""The Models page: matched pairs, what is on this computer, and the hub."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QHideEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.amounts import count
from app.fit.values import Advice, AdviceKind
from app.translate import translate
from engine.types import KvType, LoadRequest
from ui.accessible import announce_as
from ui.fonts import text_font
from ui.form import Choice, unseen_label
from ui.models_acts import ModelsActs
from ui.models_cells import Act
from ui.models_control import ModelsControl
from ui.models_fits import ModelsFits
from ui.models_panel import WIDTH, LocalPanel, PairPanel
from ui.models_repo_panel import RepoPanel
from ui.models_rows import LocalRow, PairRow
from ui.models_subjects import local_subjects, pair_subjects
from ui.models_tabs import LocalTab, PairsTab, SearchTab
from ui.problem_cards import ProblemCards
from ui.state_card import StateCard
from ui.translated import Translated

CONTEXTS = (2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
KV_TYPES = (KvType.F16, KvType.Q8_0, KvType.Q4_0, KvType.F32)
ROOM_FOR_PANEL = 940  # pixels; below it the panel stands under the tables
ROOM_FOR_HEAD = 964  # of the work area; below it the choices stand under the tabs
LOW_PANEL = 220  # height of the panel below the tables
TABS = 3
PAIRS, LOCAL, SEARCH = range(TABS)


class ModelsPage(Translated, QWidget):
    """What a low window has no room for is reached by scrolling.

    Attributes:
    pairs, local, search: the tabs; panels: of each. acts: what buttons do.

    Signals:
        load_wanted(object): a `LoadRequest`, with the context and cache chosen here.
        draft_wanted(object): the path of a draft for whatever target is loaded.
    """

    load_wanted = Signal(object)
    draft_wanted = Signal(object)

    def __init__(self, models: ModelsControl, fits: ModelsFits) -> None:
        super().__init__()
        self.setProperty("role", "work")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._models, self._fits = models, fits
        self.acts = ModelsActs(self, models)
        self.pairs, self.local, self.search = PairsTab(models, fits), LocalTab(models), SearchTab(models)
        self.panels = PairPanel(), LocalPanel(), RepoPanel()
        self._tabs = QButtonGroup(self)
        self._tab = PAIRS
        self._panel_stack = QStackedWidget(self)
        self._scroll = QScrollArea()
        self._filter = QLineEdit()
        self._filter.setProperty("role", "search")
        self._filter.setClearButtonEnabled(True)
        self._context: Choice[int] = Choice(CONTEXTS)
        self._kv: Choice[KvType] = Choice(KV_TYPES)
        self._context.show_value(8_192)
        for choice in (self._context, self._kv):
            choice.setProperty("role", "head")
        self._context_label, self._kv_label = unseen_label(self._context), unseen_label(self._kv)
        self._add = QPushButton()
        self._problems = ProblemCards()
        self._build()
        self._wire()
        self.show_tab(PAIRS)
        self.retranslate()

    @property
    def tab(self) -> int:
        """PAIRS, LOCAL or SEARCH."""
        return self._tab

    @property
    def cards(self) -> list[StateCard]:
        """The cards above the tables: offline, and what failed."""
        return self._problems.cards

    def show_tab(self, tab: int) -> None:
        self._tabs.button(tab).setChecked(True)
        self._tab = tab
        for place, widget in enumerate((self.pairs, self.local, self.search)):
            widget.setVisible(place == tab)
        self._panel_stack.setCurrentIndex(tab)
        self._filter.setVisible(tab != SEARCH)
        self._refresh()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass it on. A focus proxy would make Tab leave the page at once."""
        (self.pairs.table, self.local.table, self.search.field)[self.tab].setFocus(event.reason())

    def load(self, target: Path, draft: Path | None, key: Hashable = None) -> None:
        """Load files with the context and the cache chosen here, or as was chosen for the subject of that key."""
        request = LoadRequest(str(target), str(draft) if draft else None, self._context.value, self._kv.value)
        self.load_wanted.emit(self._fits.request(key, request))

    def retranslate(self) -> None:
        names = (
            translate("models", "Matched pairs"),
            translate("models", "On this computer"),
            translate("models", "Search the hub"),
        )
        metrics = QFontMetrics(text_font(13, strong=True))
        for place, name in enumerate(names):
            self._tabs.button(place).setText(name)
            self._tabs.button(place).setMinimumWidth(metrics.horizontalAdvance(name) + 32)  # it is bold when chosen
        self._filter.setPlaceholderText(translate("models", "Filter…"))
        self._filter.setAccessibleName(translate("models", "Filter the table"))
        self._context.name_values([translate("models", "Context {n}").format(n=count(ctx)) for ctx in CONTEXTS])
        self._context_label.setText(translate("models", "Context of what is opened here"))
        self._kv.name_values([translate("models", "KV cache {type}").format(type=kind.value) for kind in KV_TYPES])
        self._kv_label.setText(translate("models", "KV cache of what is opened here"))
        for choice, label in ((self._context, self._context_label), (self._kv, self._kv_label)):
            choice.setAccessibleName(label.text())
        self._add.setText(translate("models", "Add GGUF files…"))
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._models.start()
        self._fits.show(True)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._fits.show(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(event.size())

    # what is seen

    def _refresh(self) -> None:
        """Show what is the case. Nothing is done for a page that is not seen."""
        if not self.isVisible():
            return
        self._problems.show_problems(self._models.problems, offline=self._models.settings.offline)
        (self.pairs, self.local, self.search)[self.tab].refresh()
        self._look()
        self._show_panel()

    def _look(self) -> None:
        """Say which of the subjects seen here are to be judged."""
        models, fits = self._models, self._fits
        fits.use_models(models)
        if self.tab == PAIRS:
            fits.look_at(pair_subjects(self.pairs.all_rows) if models.pairs_found else [])
        elif self.tab == LOCAL and self.local.table.current is not None:
            fits.look_at(local_subjects(self.local.table.current))

    def _refresh_fits(self) -> None:
        if self.isVisible():
            if self.tab == PAIRS:
                self.pairs.show_fits()  # tells the panel too, where its row became another one
            else:
                self._show_panel()

    def _refresh_downloads(self) -> None:
        if not self.isVisible():
            return
        if self.tab == PAIRS:
            self.pairs.show_rows()
        elif self.tab == LOCAL:
            self.local.refresh_downloads()
        else:
            self._show_panel()

    def _show_token(self) -> None:
        for panel in (self.panels[PAIRS], self.panels[SEARCH]):
            panel.gated.show_token(self._models.token)

    def _show_panel(self) -> None:
        models, search = self._models, self._models.search
        if self.tab == PAIRS:
            endpoint = models.settings.hub_endpoint
            self.panels[PAIRS].show_row(self.pairs.table.current, models.has_token, endpoint)
        elif self.tab == LOCAL:
            row = self.local.table.current
            self.panels[LOCAL].show_row(row, None if row is None else self._fits.fit(row.model.path))
        else:
            self.panels[SEARCH].show_repo(
                search.repo, models.hub_rows(), models.catalogue.pairs, listing=search.listing, error=search.error
            )

    def _on_panel(self, act: Act) -> None:
        """A button of the panel: as the same button of the row."""
        if self.tab == PAIRS and self.pairs.table.current is not None:
            self.acts.on_pair(act, self.pairs.table.current)
        elif self.tab == LOCAL and self.local.table.current is not None:
            self.acts.on_local(act, self.local.table.current)

    def _on_pair_chosen(self, _row: PairRow | None) -> None:
        self._fits.turn()
        self._show_panel()

    def _on_local_chosen(self, _row: LocalRow | None) -> None:
        self._look()
        self._show_panel()

    def _on_head(self) -> None:
        self._fits.use_base(self._context.value, self._kv.value)

    def _take_way(self, key: Hashable, advice: Advice) -> None:
        """A smaller draft is another pair; everything else is another setting of this one."""
        if advice.kind is AdviceKind.SMALLER_DRAFT:
            if not self.pairs.table.choose(advice.draft_id):
                self._filter.clear()
                self.pairs.table.choose(advice.draft_id)
        else:
            self._fits.use_own(key, advice.settings)

    def _turn_tab(self, step: int) -> None:
        self.show_tab((self.tab + step) % TABS)
        self.setFocus()

    # how it is put together

    def _build(self) -> None:
        tabs = QHBoxLayout()
        tabs.setSpacing(4)
        for place in range(TABS):
            button = QPushButton()
            button.setProperty("role", "tab")
            button.setCheckable(True)
            announce_as(button, "tab")
            self._tabs.addButton(button, place)
            tabs.addWidget(button)
        tabs.addStretch(1)
        choices = QHBoxLayout()
        choices.setSpacing(12)
        self._filter.setMinimumWidth(110)
        self._filter.setMaximumWidth(200)
        choices.addStretch(1)
        choices.addWidget(self._filter, 1)
        for widget in (self._context, self._kv, self._add, self._context_label, self._kv_label):
            choices.addWidget(widget)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(10)
        self._head.addLayout(tabs)
        self._head.addLayout(choices, 1)
        for panel in self.panels:
            self._panel_stack.addWidget(panel)
        inside = QWidget()
        inside.setProperty("role", "work")
        inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        work = QVBoxLayout()
        work.setContentsMargins(24, 20, 24, 20)
        work.setSpacing(14)
        work.addLayout(self._head)
        work.addWidget(self._problems)
        for tab in (self.pairs, self.local, self.search):
            work.addWidget(tab, 1)
        self._line = QFrame(self)
        self._line.setProperty("role", "line")
        self._inside = QVBoxLayout(inside)
        self._page = QHBoxLayout(self)
        for layout in (self._inside, self._page):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self._inside.addLayout(work, 1)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(inside)
        self._page.addWidget(self._scroll, 1)

    def _arrange(self, size: QSize) -> None:
        """The panel stands beside the tables where there is room, below them where there is not."""
        beside = size.width() >= ROOM_FOR_PANEL
        way = QBoxLayout.Direction
        most = 16_777_215
        for widget in (self._line, self._panel_stack):
            (self._page if beside else self._inside).addWidget(widget)
        self._panel_stack.setMinimumSize(WIDTH if beside else 0, 0 if beside else LOW_PANEL)
        self._panel_stack.setMaximumSize(WIDTH if beside else most, most if beside else LOW_PANEL)
        self._line.setFixedSize(1, most) if beside else self._line.setFixedSize(most, 1)
        work = size.width() - 48 - (WIDTH if beside else 0)
        self._head.setDirection(way.LeftToRight if work >= ROOM_FOR_HEAD else way.TopToBottom)

    def _wire(self) -> None:
        models = self._models
        models.changed.connect(self._refresh)
        models.downloads_changed.connect(self._refresh_downloads)
        models.search.changed.connect(self._refresh)
        models.drafts.made.connect(lambda _path: models.rescan())
        models.drafts.failed.connect(models.show_problem)
        self._problems.online_wanted.connect(models.go_online)
        self._problems.dismissed.connect(models.dismiss)
        self._problems.details_wanted.connect(self.acts.show_details)
        self._tabs.idClicked.connect(self.show_tab)
        for keys, step in ((QKeySequence.StandardKey.NextChild, 1), (QKeySequence.StandardKey.PreviousChild, -1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda step=step: self._turn_tab(step))
        self._filter.textChanged.connect(self.pairs.table.rows.filter)
        self._filter.textChanged.connect(self.local.table.rows.filter)
        acts = self.acts
        acts.load_wanted.connect(self.load)
        for choice in (self._context, self._kv):
            choice.currentIndexChanged.connect(self._on_head)
        fits = self._fits
        fits.changed.connect(self._refresh_fits)
        fits.first = lambda: self.pairs.in_sight() if self.tab == PAIRS else [self.local.key()]
        for panel, key in ((self.panels[PAIRS], self.pairs.key), (self.panels[LOCAL], self.local.key)):
            panel.way_taken.connect(lambda advice, key=key: self._take_way(key(), advice))
            panel.way_left.connect(lambda key=key: fits.use_own(key(), None))
        acts.draft_wanted.connect(self.draft_wanted)
        acts.files_added.connect(lambda: self.show_tab(LOCAL))
        self._add.clicked.connect(acts.choose_files)
        self.local.add_folder.clicked.connect(acts.choose_folder)
        self.pairs.table.chosen.connect(self._on_pair_chosen)
        self.local.table.chosen.connect(self._on_local_chosen)
        self.pairs.table.acted.connect(acts.on_pair)
        self.local.table.acted.connect(acts.on_local)
        self.local.queue.acted.connect(acts.on_download)
        self.search.searched.connect(models.search.search)
        for panel in self.panels:
            panel.acted.connect(self._on_panel)
        self.panels[PAIRS].gated.token_given.connect(models.use_token)
        self.panels[SEARCH].gated.token_given.connect(models.use_token)
        models.changed.connect(self._show_token)
        self.panels[SEARCH].model_acted.connect(acts.on_hub)
        for card in (self.pairs.drafts, self.local.drafts, self.search.drafts):
            card.use_wanted.connect(acts.use_draft)
            card.make_wanted.connect(acts.make_draft)
            card.compare_wanted.connect(lambda target: models.drafts.judge(target, models.local))
