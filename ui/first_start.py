"""The page before any pair is loaded: what this computer has, and the ways to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.amounts import size
from app.devices.device import Machine
from app.fit_words import problem_sentence, unused_sentence
from app.messages import message_for
from app.translate import translate
from engine.errors import ErrorReport
from engine.types import DeviceInfo, EngineInfo
from ui.elided_label import ElidedLabel
from ui.status_line import Dot
from ui.translated import Translated
from ui.wrapped_label import WrappedLabel


class Chip(QFrame):
    """A dot and a few words."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "chip")
        self._dot, self._words = Dot(), ElidedLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(11, 7, 11, 7)
        row.setSpacing(9)
        row.addWidget(self._dot)
        row.addWidget(self._words)

    @property
    def words(self) -> str:
        return self._words.text()

    def show_fact(self, tone: str, words: str) -> None:
        self._dot.show_tone(tone)
        self._words.setText(words)


class FirstStart(Translated, QWidget):
    """Signals:
    starter_wanted(), browse_wanted(), open_wanted(): what the user chose.
    """

    starter_wanted = Signal()
    browse_wanted = Signal()
    open_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "work")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._engine: EngineInfo | ErrorReport | None = None
        self._died = False
        self._free_bytes: int | None = None
        self._machine: Machine | None = None
        self._title, self._lead = _label("title"), _label("lead")
        self._lead.setWordWrap(True)
        self._device, self._build, self._disk = Chip(), Chip(), Chip()
        self._trouble = WrappedLabel()
        self._trouble.setProperty("tone", "warn")
        self._trouble.setContentsMargins(0, 14, 0, 0)
        self._kicker, self._name, self._text = _label("section"), _label("heading"), QLabel()
        self._text.setProperty("tone", "muted")
        self._text.setWordWrap(True)
        self._runs = QLabel()
        self._runs.setProperty("tone", "good")
        self._try, self._browse, self._open = QPushButton(), QPushButton(), QPushButton()
        self._try.setProperty("role", "primary")
        for link in (self._browse, self._open):
            link.setProperty("role", "link")
            link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusProxy(self._try)
        self._or, self._or_open, self._drop = QLabel(), QLabel(), QLabel()
        for label in (self._or, self._or_open, self._drop):
            label.setProperty("tone", "muted")
        self._try.clicked.connect(self.starter_wanted)
        self._browse.clicked.connect(self.browse_wanted)
        self._open.clicked.connect(self.open_wanted)
        self._build_layout()
        self.retranslate()

    @property
    def chips(self) -> tuple[Chip, ...]:
        return self._device, self._build, self._disk

    def show_engine(self, engine: EngineInfo | ErrorReport | None, *, died: bool) -> None:
        """`engine` is None while it is being asked; `died` if it answered and is gone now."""
        self._engine = engine
        self._died = died
        self.retranslate()

    def show_machine(self, machine: Machine | None) -> None:
        """None until the devices were read."""
        if machine != self._machine:
            self._machine = machine
            self._tell_trouble()

    @property
    def trouble(self) -> str:
        """Why no graphics card is used although one is there; "" where there is nothing to tell."""
        if self._machine is None or self._machine.gpus:
            return ""
        problems = [problem_sentence(problem) for problem in self._machine.problems]
        return "\n".join([*problems, *map(unused_sentence, self._machine.unused)])

    def show_starter(self, installed: bool) -> None:
        """Offer the starter pair only where its package is there."""
        self._starter.setVisible(installed)

    def show_disk(self, free_bytes: int | None) -> None:
        """Free space where models are kept; None where it is unknown."""
        self._free_bytes = free_bytes
        self.retranslate()

    def retranslate(self) -> None:
        self._title.setText(translate("first_start", "Your model, in a higher gear"))
        self._lead.setText(
            translate(
                "first_start",
                "A small draft model guesses ahead, the large one checks. You read exactly what the large "
                "one would have written, sooner, and you see where every word came from.",
            )
        )
        self._kicker.setText(translate("first_start", "JUST LOOK AROUND"))
        self._name.setText(translate("first_start", "SmolLM2 135M, twice"))
        self._text.setText(translate("first_start", "A tiny pair that runs on any processor, for seeing how it works."))
        self._runs.setText(translate("first_start", "Runs on the CPU"))
        self._try.setText(translate("first_start", "Try it"))
        self._or.setText(translate("first_start", "or"))
        self._browse.setText(translate("first_start", "choose a matched pair to download"))
        self._or_open.setText(translate("first_start", "or"))
        self._open.setText(translate("first_start", "open GGUF files you already have"))
        self._drop.setText(translate("first_start", "; drop them anywhere in this window."))
        self._fill_chips()
        self._tell_trouble()

    def _tell_trouble(self) -> None:
        self._trouble.setText(self.trouble)
        self._trouble.setVisible(bool(self.trouble))

    def _fill_chips(self) -> None:
        engine = self._engine
        if engine is None:
            self._device.show_fact("busy", translate("first_start", "Looking at this computer…"))
        elif isinstance(engine, ErrorReport):
            self._device.show_fact("warn", message_for(engine).title)
        else:
            self._device.show_fact("good", _device_words(best_device(engine)))
            self._fill_build(engine)
        self._build.setVisible(isinstance(engine, EngineInfo) and bool(engine.backends))
        self._disk.setVisible(self._free_bytes is not None)
        if self._free_bytes is not None:
            free = translate("first_start", "{size} free for models").format(size=size(self._free_bytes))
            self._disk.show_fact("good" if self._free_bytes > 1e9 else "warn", free)

    def _fill_build(self, engine: EngineInfo) -> None:
        if self._died:
            self._build.show_fact("warn", translate("first_start", "The engine stopped; a load starts it again"))
            return
        backends = " + ".join(engine.backends)
        self._build.show_fact("good", translate("first_start", "Engine with {backends}").format(backends=backends))

    def _build_layout(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self._title)
        column.addSpacing(10)
        column.addWidget(self._lead)
        column.addSpacing(22)
        chips = QHBoxLayout()
        chips.setSpacing(10)
        for chip in self.chips:
            chips.addWidget(chip)
        chips.addStretch(1)
        column.addLayout(chips)
        column.addWidget(self._trouble)
        column.addSpacing(18)
        cards = QHBoxLayout()
        self._starter = self._card()
        cards.addWidget(self._starter)
        cards.addStretch(1)
        column.addLayout(cards)
        column.addSpacing(18)
        ways = QHBoxLayout()
        ways.setSpacing(0)
        for widget in (self._or, self._browse, self._or_open, self._open):
            ways.addWidget(widget)
            if widget is not self._open:
                ways.addSpacing(4)
        ways.addWidget(self._drop)
        ways.addStretch(1)
        column.addLayout(ways)

        middle = QWidget()
        middle.setLayout(column)
        middle.setMaximumWidth(860)  # and in the middle where there is more
        page = QWidget()
        place = QVBoxLayout(page)
        place.addStretch(1)
        place.addWidget(middle)
        place.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidgetResizable(True)
        scroll.setWidget(page)
        everything = QVBoxLayout(self)
        everything.setContentsMargins(0, 0, 0, 0)
        everything.addWidget(scroll)

    def _card(self) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        card.setFixedWidth(330)
        column = QVBoxLayout(card)
        column.setContentsMargins(19, 18, 19, 18)
        column.setSpacing(8)
        column.addWidget(self._kicker)
        column.addWidget(self._name)
        column.addWidget(self._text)
        column.addSpacing(8)
        foot = QHBoxLayout()
        foot.addWidget(self._runs)
        foot.addStretch(1)
        foot.addWidget(self._try)
        column.addLayout(foot)
        return card


def best_device(engine: EngineInfo) -> DeviceInfo | None:
    """What will compute: a GPU if the build can use one."""
    order = {"gpu": 0, "accelerator": 1, "igpu": 2, "cpu": 3}
    return min(engine.devices, key=lambda device: order.get(device.kind, 4), default=None)


def _device_words(device: DeviceInfo | None) -> str:
    if device is None:
        return translate("first_start", "No device reported")
    name = device.description or device.name
    if not device.total_bytes:
        return name
    return translate("first_start", "{name}, {total}, {free} free").format(
        name=name, total=size(device.total_bytes), free=size(device.free_bytes)
    )


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    return label
