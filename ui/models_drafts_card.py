"""The card below a table: which models of this computer can draft for the chosen target, and why the others cannot."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout

from app.error_words import printable
from app.messages import message_for
from app.model_values import LocalModel
from app.translate import translate
from ui.elided_label import ElidedLabel
from ui.models_cells import Act, Cell
from ui.models_columns import DRAFT_COLUMNS
from ui.models_drafts import DraftsControl, Target
from ui.models_row_model import Column
from ui.models_rows import DraftRow
from ui.models_table import ModelsTable
from ui.models_words import part_of
from ui.steady_button import SteadyButton
from ui.translated import Translated
from ui.wrapped_label import WrappedLabel

MOST_SEEN = 4  # rows; the others are reached by scrolling
STEPS = 1_000
ROW, HIGH_ROW = 44, 78  # of two lines, and of five
ROOM_FOR_ROW = 760  # pixels of the card; narrower ones need more lines for a reason


class DraftsCard(Translated, QFrame):
    """Signals:
    use_wanted(object, object): a `LocalModel` target and the path of its draft.
    make_wanted(object): a `LocalModel` of which a draft shall be made.
    compare_wanted(object): a `RemoteModel` whose header may be fetched.
    """

    use_wanted = Signal(object, object)
    make_wanted = Signal(object)
    compare_wanted = Signal(object)

    def __init__(self, drafts: DraftsControl) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._row = ROW
        self._drafts = drafts
        self._target: Target | None = None
        self._name = ""
        self._title, self._note = ElidedLabel(), WrappedLabel()
        self._title.setProperty("role", "section")
        self._note.setProperty("tone", "muted")
        self._make, self._compare, self._stop = SteadyButton(), SteadyButton(), SteadyButton()
        for button in (self._make, self._compare, self._stop):
            button.setProperty("role", "link")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, STEPS)
        use = Column(lambda: "", lambda row: Cell(acts=self._acts(row)), 136)
        self.table = ModelsTable(
            (*DRAFT_COLUMNS, use),
            key=lambda row: row.path,
            words=lambda row: row.name,
            acts=self._acts,
            row_height=ROW,
        )
        self.table.horizontalHeader().hide()
        self._build()
        drafts.changed.connect(self._fill)
        self.table.acted.connect(self._on_act)
        self._make.clicked.connect(lambda: self.make_wanted.emit(self._target))
        self._compare.clicked.connect(lambda: self.compare_wanted.emit(self._target))
        self._stop.clicked.connect(drafts.stop_making)
        self.retranslate()

    def show_target(self, target: Target | None, name: str) -> None:
        """Whose drafts the card is about; None hides it."""
        self._target, self._name = target, name
        self.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        row = ROW if event.size().width() >= ROOM_FOR_ROW else HIGH_ROW
        if row != self._row:
            self._row = row
            self.table.verticalHeader().setDefaultSectionSize(row)
            self._fill()

    @property
    def note(self) -> str:
        return self._note.text()

    @property
    def make_button(self) -> QPushButton:
        return self._make

    @property
    def compare_button(self) -> QPushButton:
        return self._compare

    def retranslate(self) -> None:
        title = translate("models", "OTHER DRAFTS FOR {target} ON THIS COMPUTER")
        self._title.setText(title.format(target=printable(self._name).upper()))
        self._make.setText(translate("models", "Make a draft from this target…"))
        self._compare.setText(translate("models", "Compare them with its header at the hub"))
        self._stop.setText(translate("models", "Stop"))
        self.table.setAccessibleName(translate("models", "Other drafts"))
        self.table.rows.refresh()
        self._fill()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(self._title, 1)
        for button in (self._make, self._stop, self._compare):
            head.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 13, 14, 12)
        column.setSpacing(8)
        column.addLayout(head)
        for widget in (self._bar, self._note, self.table):
            column.addWidget(widget)

    def _fill(self) -> None:
        drafts, ours = self._drafts, self._target is not None and self._drafts.target == self._target
        self.setVisible(self._target is not None)
        rows = drafts.rows if ours else []
        self.table.rows.show_rows(rows)
        self.table.setVisible(bool(rows))
        height = self._row * max(1, len(rows))
        self.table.setFixedHeight(min(MOST_SEEN * self._row + (10 if len(rows) > MOST_SEEN else 0), height))
        local, making = isinstance(self._target, LocalModel), drafts.making
        self._make.setVisible(local and making is None)
        self._stop.setVisible(local and making is not None)
        self._compare.setVisible(self._target is not None and not local and not ours)
        self._bar.setVisible(local and making is not None)
        if making is not None:
            self._bar.setValue(STEPS * making[0] // max(1, making[1]))
        self._note.setText(self._note_words(ours, local))
        self._note.setVisible(bool(self._note.text()))

    def _note_words(self, ours: bool, local: bool) -> str:
        drafts = self._drafts
        if local and drafts.making is not None:
            done = part_of(*drafts.making)
            return translate("models", "Making a draft from this target · {done}").format(done=done)
        if ours and drafts.error is not None:
            return message_for(drafts.error).line
        if ours and not drafts.rows and not drafts.judging:
            return translate("models", "There is no other model on this computer.")
        if not ours and not local:
            return translate("models", "The target is not here yet; its header alone, some MB, is enough to compare.")
        return ""

    def _on_act(self, act: Act, row: DraftRow) -> None:
        if act is Act.USE_AS_DRAFT:
            self.use_wanted.emit(self._target, row.path)

    def _acts(self, row: DraftRow) -> tuple[Act, ...]:
        """A target that is not here yet cannot be loaded with its draft."""
        usable = isinstance(self._target, LocalModel) and row.verdict is not None and row.verdict.can_draft
        return (Act.USE_AS_DRAFT,) if usable else ()
