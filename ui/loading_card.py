"""The card of a load under way: how far, how long still, Cancel."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout

from app.amounts import size
from app.translate import translate
from ui.elided_label import ElidedLabel
from ui.pair_control import Loading
from ui.steady_button import SteadyButton
from ui.translated import Translated

STEPS = 1_000
FEWEST_S = 2.0  # of progress before a time left is told


class LoadingCard(Translated, QFrame):
    """Attributes:
    clock: seconds, for the time left.

    Signals:
        cancelled(): the user wants it to end; the card then says so until it is gone.
    """

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.clock: Callable[[], float] = time.monotonic
        self._loading: Loading | None = None
        self._started_s = 0.0
        self._stopping = False
        self._title, self._text = ElidedLabel(), QLabel()
        self._title.setProperty("role", "strong")
        self._text.setProperty("tone", "muted")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._cancel = SteadyButton()  # it comes where a button was that loads
        self._cancel.clicked.connect(self._stop)
        words = QVBoxLayout()
        words.setSpacing(6)
        for widget in (self._title, self._bar, self._text):
            words.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(14)
        row.addLayout(words, 1)
        row.addWidget(self._cancel)
        self.retranslate()

    @property
    def text(self) -> str:
        return self._text.text()

    def press_cancel(self) -> None:
        self._cancel.click()

    def show_loading(self, loading: Loading) -> None:
        """At the pace of the engine's progress, 20 a second at most."""
        if self._loading is None or self._loading.ticket != loading.ticket:
            self._started_s = self.clock()
            self._stopping = False
        self._loading = loading
        self.retranslate()

    def leave(self) -> None:
        """There is no load any more."""
        self._cancel.leave_keyboard()
        self.hide()

    def retranslate(self) -> None:
        self._cancel.setText(translate("loading", "Cancel"))
        self._cancel.setEnabled(not self._stopping)
        self._bar.setAccessibleName(translate("loading", "Loading"))
        if self._loading is None:
            return
        self._title.setText(self._title_words(self._loading))
        self._text.setText(self._progress_words(self._loading))
        done, total = self._loading.done_bytes, self._loading.total_bytes
        known = total > 0 and not self._loading.measuring
        self._bar.setRange(0, STEPS if known else 0)
        self._bar.setValue(STEPS * done // total if known else 0)

    def _title_words(self, loading: Loading) -> str:
        if loading.preparing:
            return translate("loading", "Making the starter pair, once")
        if loading.again:
            return translate("loading", "Loading {name} again").format(name=loading.name)
        return translate("loading", "Loading {name}").format(name=loading.name)

    def _progress_words(self, loading: Loading) -> str:
        if self._stopping:
            return translate("loading", "Stopping…")
        if not loading.total_bytes:
            return translate("loading", "Getting ready…")
        if loading.measuring:
            return translate("loading", "Measuring how fast the pair is…")
        done, total, draft = loading.done_bytes, loading.total_bytes, loading.draft_bytes
        target = total - draft
        if loading.preparing:
            words = translate("loading", "{done} of {total} written").format(done=size(done), total=size(total))
        elif loading.model == "draft":
            words = translate("loading", "target ready, draft {done} of {total}").format(
                done=size(max(0, done - target)), total=size(draft)
            )
        elif draft:
            words = translate("loading", "target {done} of {total}, then draft {draft}").format(
                done=size(done), total=size(target), draft=size(draft)
            )
        else:
            words = translate("loading", "target {done} of {total}").format(done=size(done), total=size(total))
        left_s = self._time_left_s(done, total)
        if left_s is None:
            return words
        return words + translate("loading", " · {seconds} s left").format(seconds=left_s)

    def _time_left_s(self, done: int, total: int) -> int | None:
        """By the pace so far; None in the first two seconds, when it would only be a guess, and at the end."""
        passed_s = self.clock() - self._started_s
        if passed_s < FEWEST_S or not 0 < done < total:
            return None
        return math.ceil(passed_s * (total - done) / done)

    def _stop(self) -> None:
        self._stopping = True
        self.retranslate()
        self.cancelled.emit()
