"""The states of the window that have a picture, each as a function that drives a window there.

The window is the real one; the engine is replaced by tapes, so the states come out the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from app.conversation import ReplyTurn
from app.devices.device import Device, DeviceKind, Machine, MemoryUser
from app.downloads.state import Download, DownloadState
from app.fit.values import AdviceKind
from app.generation_settings import GenerationSettings
from app.model_settings import ModelSettings
from app.paths import Paths
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.fit import Backend, DeviceNeed
from engine.types import (
    Choice,
    Drafter,
    EndReason,
    Inactive,
    LoadedPair,
    LoadRequest,
    RoundChoice,
    SamplingSettings,
)
from tests.fakes import tapes
from tests.fakes.devices import machine, memory
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_desk import FakeDesk
from tests.fakes.fake_fits import rtx_4070
from tests.fakes.fake_models import DRAFT_05B, PAIRS, TARGET_7B, FakeParts
from tests.fakes.forecasts import fake_forecast
from ui.main import Program
from ui.models_page import LOCAL as LOCAL_TAB
from ui.models_page import SEARCH as SEARCH_TAB
from ui.theme import ThemeChoice
from ui.worker import Report, Ticket

PATIENCE_S = 20.0
QUESTION = "Write a Python function that returns the n-th Fibonacci number, using memoisation, and explain it."
CODE = '''Here is a small, memoised version. The cache turns the exponential recursion into a linear one:

```python
from functools import lru_cache


@lru_cache(maxsize=None)
def fibonacci(n: int) -> int:
    """Return the n-th Fibonacci number."""
    if n < 0:
        raise ValueError("n must be non-negative")
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
```

Each value is computed once and then looked up. For very large n an iterative loop avoids the recursion limit \
and keeps only two numbers in memory.'''
STORY = """The keeper of the lighthouse counted the ships every evening and wrote the number into a book. In the year \
of the great storm he counted none for nine days. On the tenth a small boat came, with a girl at the oars, who asked \
for the book and added one."""
MIXED = (4, 3, 4, 1, 4, 2, 4, 4, 0, 3)


class Stage:
    """One window on a fake client, driven to a state."""

    def __init__(
        self, program: Program, client: FakeClient, parts: FakeParts, desk: FakeDesk, folder: Path
    ) -> None:
        self.folder = folder
        self.program = program
        self.client = client
        self.parts = parts
        self.desk = desk
        self.window = program.window
        self.chat = program.window.chat

    def wait(self, condition: Callable[[], object]) -> None:
        until = monotonic() + PATIENCE_S
        while not condition():
            if monotonic() > until:
                raise TimeoutError("the window did not come to this state")
            QApplication.processEvents()

    def settle(self) -> None:
        """Let timers of painting and layout run out."""
        until = monotonic() + 0.4
        while monotonic() < until:
            QApplication.processEvents()

    def load(self, pair: LoadedPair = tapes.PAIR) -> None:
        self.client.load_next(tapes.loading(pair, costs=tapes.COSTS))
        self.program.pairs.open(LoadRequest(pair.target.path, pair.draft.path if pair.draft else None))
        self.wait(lambda: self.program.pairs.pair is not None)

    def send(self, text: str, tape: tapes.Tape) -> ReplyTurn:
        self.client.play_next(tape)
        self.program.replies.send(self.chat.conversations.current, text)
        reply = self.chat.conversations.current.last_reply
        assert reply is not None
        return reply

    def ask(self, text: str, tape: tapes.Tape) -> None:
        reply = self.send(text, tape)
        self.wait(lambda: not reply.running)

    def models(self, pair: LoadedPair = tapes.PAIR, *, fits: bool = True) -> None:
        """The Models page, with everything found and, but for `fits`, judged."""
        self.load(pair)
        self.desk.now = self.parts.memory.machine
        self.program.memory.look()
        self.wait(lambda: self.program.fits.machine is self.desk.now)
        self.window.rail.chosen.emit("models")
        self.wait(lambda: self.program.models.opened and not self.program.models.scanning)
        self.wait(lambda: not self.program.models.drafts.judging)
        if fits:
            self.wait_for_fits()

    def wait_for_fits(self) -> None:
        """Until every pair has its verdict, or the reason why it has none."""
        pairs = self.program.models.catalogue.pairs
        fits = self.program.fits
        self.wait(lambda: all(fit and not fit.waiting for fit in (fits.fit(pair.id) for pair in pairs)))
        self.wait(lambda: fits.is_done)

    def earlier_chats(self) -> None:
        for question, tape in (
            ("Tell me a story about a lighthouse", tapes.reply(STORY, kept=tapes.REJECT_HEAVY)),
            ("A regular expression for log lines", tapes.reply("`^\\d{4}-\\d{2}-\\d{2}`", kept=(4,))),
        ):
            self.ask(question, tape)
            self.chat.new_chat()


def first_start(stage: Stage) -> None:
    stage.wait(lambda: stage.program.pairs.engine is not None)


def loading(stage: Stage) -> None:
    target, draft = stage.folder / "SmolLM2-135M-Instruct.F32.gguf", stage.folder / "SmolLM2-135M-Instruct.Q4_1.gguf"
    for file, size in ((target, tapes.TARGET.size_bytes), (draft, tapes.DRAFT.size_bytes)):
        with file.open("wb") as sparse:
            sparse.truncate(size)
    stage.client.load_next(tapes.loading(hold_at=0.6))
    seconds = count()
    stage.chat.notices.loading.clock = lambda: next(seconds) / 2
    stage.program.pairs.open(LoadRequest(str(target), str(draft)))
    stage.wait(lambda: stage.program.pairs.loading and stage.program.pairs.loading.done_bytes > 380_000_000)


def ready(stage: Stage) -> None:
    stage.load()


def prefill(stage: Stage) -> None:
    stage.load()
    reply = stage.send("Summarise this report: " + STORY, tapes.reading(total=2_400, done=1_024))
    stage.wait(lambda: reply.prefill == (1_024, 2_400))


def streaming(stage: Stage) -> None:
    stage.load()
    stage.earlier_chats()
    whole = tapes.reply(CODE, kept=MIXED)
    reply = stage.send(QUESTION, tapes.held(whole, 24))
    stage.wait(lambda: reply.fold.stats.rounds == 24)


def chat(stage: Stage) -> None:
    stage.load()
    stage.window.top_bar.speculation.toggle()
    plain = tapes.reply(CODE, inactive=Inactive.SWITCHED_OFF, verify_s=0.0286)
    stage.ask(QUESTION, plain)
    stage.window.top_bar.speculation.toggle()
    stage.chat.new_chat()
    stage.earlier_chats()
    stage.ask(QUESTION, tapes.reply(CODE, kept=MIXED))


def stopped(stage: Stage) -> None:
    stage.load()
    reply = stage.send(QUESTION, tapes.held(tapes.reply(CODE, kept=MIXED), 12))
    stage.wait(lambda: reply.fold.stats.rounds == 12)
    stage.chat.stop()
    stage.wait(lambda: not reply.running)


def speculation_off(stage: Stage) -> None:
    stage.load()
    stage.window.top_bar.speculation.toggle()
    stage.ask(QUESTION, tapes.reply(CODE, inactive=Inactive.SWITCHED_OFF, verify_s=0.0286))


def speculation_inactive(stage: Stage) -> None:
    stage.load(replace(tapes.PAIR, inactive=Inactive.TARGET_ROLLBACK))
    stage.ask(QUESTION, tapes.reply(CODE, inactive=Inactive.TARGET_ROLLBACK, verify_s=0.0286))


def auto(stage: Stage) -> None:
    """Lengths chosen by time, while a reply is written."""
    stage.load()
    stage.chat.settings.changed.emit(replace(stage.program.replies.settings, draft_length=None))
    pays = RoundChoice(Choice.DRAFTING, Drafter.MODEL, 5, 1.83)
    reply = stage.send(QUESTION, tapes.held(tapes.chosen(tapes.reply(CODE, kept=MIXED), pays), 24))
    stage.wait(lambda: reply.fold.stats.rounds == 24)


def auto_looks(stage: Stage) -> None:
    """Before a draft reads a long prompt: whether the reply only copies it."""
    stage.load()
    stage.chat.settings.changed.emit(replace(stage.program.replies.settings, draft_length=None))
    looks = RoundChoice(Choice.LOOKING, None, 0, 1.42)
    reply = stage.send(QUESTION, tapes.held(tapes.chosen(tapes.reply(CODE, plain=True), looks), 4))
    stage.wait(lambda: reply.fold.stats.rounds == 4)


def auto_rests(stage: Stage) -> None:
    stage.load()
    stage.chat.settings.changed.emit(replace(stage.program.replies.settings, draft_length=None))
    rests = RoundChoice(Choice.RESTING, None, 0, 0.93, 60, 12)
    stage.ask("Tell me a story about a lighthouse", tapes.chosen(tapes.reply(STORY, plain=True), rests))


def auto_too_slow(stage: Stage) -> None:
    stage.load()
    stage.chat.settings.changed.emit(replace(stage.program.replies.settings, draft_length=None))
    pays, slow = RoundChoice(Choice.DRAFTING, Drafter.MODEL, 4, 1.4), RoundChoice(Choice.ROUNDS_TOO_SLOW, None, 0, 1.4)
    tape = tapes.chosen(tapes.reply(CODE, kept=MIXED), *[pays] * 6, slow)
    reply = stage.send(QUESTION, tapes.held(tape, 12))
    stage.wait(lambda: reply.fold.stats.rounds == 12 and stage.chat.notices.notices)


def draft_refused(stage: Stage) -> None:
    facts = {
        "target": "SmolLM2 135M Instruct",
        "draft": "Gemma 3 270M",
        "difference": "size",
        "target_size": 49_152,
        "draft_size": 262_144,
    }
    stage.client.load_next(tapes.failing(ErrorKind.DRAFT_VOCABULARY, **facts))
    stage.program.pairs.open(LoadRequest(tapes.TARGET.path, "/models/gemma-3-270m-it-Q8_0.gguf"))
    stage.wait(lambda: stage.chat.notices.notices)


def target_refused(stage: Stage) -> None:
    path = "/models/qwen2.5-coder-7b-instruct-q4_k_m.gguf"
    facts = {"path": path, "size_bytes": 2_147_483_648, "expected_bytes": 4_683_073_536}
    stage.client.load_next(tapes.failing(ErrorKind.GGUF_TRUNCATED, **facts))
    stage.program.pairs.open(LoadRequest(path))
    stage.wait(lambda: stage.chat.notices.notices)


def out_of_memory(stage: Stage) -> None:
    path = "/models/qwen2.5-coder-14b-instruct-q4_k_m.gguf"
    stage.client.load_next(tapes.failing(ErrorKind.OUT_OF_MEMORY, path=path))
    stage.program.pairs.open(LoadRequest(path, ctx=131_072))
    stage.wait(lambda: stage.chat.notices.notices)


def memory_short(stage: Stage) -> None:
    card = Device("card", "NVIDIA GeForce RTX 4070", DeviceKind.CARD, Backend.CUDA, 12_000_000_000, 11_600_000_000)
    before = Machine((card,), memory())
    needs = DeviceNeed(4_400_000_000, 900_000_000, 600_000_000), DeviceNeed(500_000_000, 200_000_000, 200_000_000)
    game = MemoryUser(4242, "game.exe", 4_100_000_000)
    now = replace(card, free_bytes=300_000_000, ours_bytes=6_820_000_000, users=(game,))
    stage.desk.given = fake_forecast(before, {"card": needs[0]}, {"card": needs[1]})
    stage.load()
    stage.desk.now = Machine((now,), replace(memory(), ours_bytes=700_000_000))
    stage.program.memory.look()
    stage.wait(lambda: stage.program.memory.low)


def context_full(stage: Stage) -> None:
    stage.load()
    stage.ask(QUESTION, tapes.reply(CODE[:330], kept=MIXED, reason=EndReason.CONTEXT, prompt_tokens=8_092))


def messages_dropped(stage: Stage) -> None:
    stage.load()
    stage.ask(QUESTION, tapes.reply(CODE, kept=MIXED, dropped_messages=4, prompt_tokens=7_900))


def engine_died(stage: Stage) -> None:
    stage.load()
    reply = stage.send(QUESTION, tapes.crashing(tapes.reply(CODE, kept=MIXED), 16))
    stage.wait(lambda: not reply.running and stage.program.pairs.pair is not None)


def no_chat_template(stage: Stage) -> None:
    stage.load()
    stage.ask(QUESTION, tapes.failing(ErrorKind.NO_CHAT_TEMPLATE, model="SmolLM2 135M"))


def template_broken(stage: Stage) -> None:
    stage.load()
    facts = {"model": "SmolLM2 135M", "reason": "'tojsn' is undefined"}
    stage.ask(QUESTION, tapes.failing(ErrorKind.CHAT_TEMPLATE_BROKEN, **facts))


def settings(stage: Stage) -> None:
    stage.load()
    stage.window.rail.chosen.emit("settings")


def models(stage: Stage) -> None:
    stage.models()
    _fetch(stage, 1, 5_370_000_000)
    stage.window.models_page.pairs.table.choose(PAIRS[1].id)


def models_fit(stage: Stage) -> None:
    """A pair that fits."""
    stage.models()
    stage.window.models_page.pairs.table.choose(PAIRS[2].id)
    stage.wait_for_fits()


def models_too_big(stage: Stage) -> None:
    """One that does not, and what would help."""
    stage.models()
    stage.window.models_page.pairs.table.choose(PAIRS[4].id)
    stage.wait_for_fits()


def models_way(stage: Stage) -> None:
    """One that was made to fit with a smaller cache."""
    stage.models()
    page = stage.window.models_page
    page.pairs.table.choose(PAIRS[1].id)
    stage.wait_for_fits()
    way = next(way for way in page.panels[0].fit.ways if way.advice and way.advice.kind is AdviceKind.KV_TYPE)
    way.click()
    stage.wait_for_fits()


def models_two_cards(stage: Stage) -> None:
    """A pair that is shared by two cards."""
    small = replace(rtx_4070(7.6), id="GPU-2", name="NVIDIA GeForce RTX 3060 Ti", total_bytes=8_000_000_000)
    stage.parts.memory.machine = machine(rtx_4070(), small)
    stage.models()
    stage.window.models_page.pairs.table.choose(PAIRS[5].id)
    stage.wait_for_fits()


def models_headers(stage: Stage) -> None:
    """Headers that are fetched, one that is kept back, and one that nobody can measure."""
    stage.parts.memory.kept = {half.model.file_name for pair in PAIRS[:2] for half in (pair.target, pair.draft)}
    stage.parts.hub.clear()
    stage.models(fits=False)
    stage.wait(lambda: (fit := stage.program.fits.fit(PAIRS[1].id)) and fit.report)
    stage.window.models_page.pairs.table.choose(PAIRS[3].id)


def models_unknown(stage: Stage) -> None:
    """Headers that are not to be had, and one that cannot be measured."""
    memory, foreign = stage.parts.memory, PAIRS[6].target.model
    memory.kept = {half.model.file_name for pair in PAIRS[:2] for half in (pair.target, pair.draft)}
    memory.problems = {PAIRS[2].target.model.file_name: ErrorKind.REPO_GATED}
    memory.foreign = {foreign.file_name}
    stage.models()
    stage.window.models_page.pairs.table.choose(PAIRS[6].id)
    stage.wait_for_fits()


def models_downloads(stage: Stage) -> None:
    """Every state of a download at once."""
    stage.models()
    for place, done in ((1, 5_370_000_000), (2, 0), (3, 4_100_000_000), (4, 9_870_000_000), (5, 0), (6, 0)):
        _fetch(stage, place, done)
    queue, numbers = stage.parts.downloads, [target.id for target in _targets(stage)]
    queue.fail(numbers[1], ErrorKind.REPO_GATED, **_gated_facts(2))
    queue.pause(numbers[2])
    facts = {"file": "Qwen3-32B-Q4_K_M.gguf", "sha256": "9f2c…", "expected_sha256": "51d0…"}
    queue.fail(numbers[3], ErrorKind.DOWNLOAD_WRONG_HASH, 9_870_000_000, **facts)
    queue.set(numbers[4], state=DownloadState.VERIFYING, done_bytes=14_300_000_000, speed=None)
    queue.set(numbers[5], state=DownloadState.WAITING, speed=None, done_bytes=0)
    queue.set(queue.find(PAIRS[6].draft.model).id, state=DownloadState.WAITING, speed=None, done_bytes=0)
    stage.window.models_page.pairs.table.choose(PAIRS[4].id)


def models_gated(stage: Stage) -> None:
    stage.models()
    _fetch(stage, 2, 0)
    for half in (PAIRS[2].draft, PAIRS[2].target):
        number = stage.parts.downloads.find(half.model).id
        stage.parts.downloads.fail(number, ErrorKind.REPO_GATED, **_gated_facts(2))
    stage.window.models_page.pairs.table.choose(PAIRS[2].id)


def models_offline(stage: Stage) -> None:
    stage.parts.settings = ModelSettings(offline=True)
    stage.models()


def models_local(stage: Stage) -> None:
    stage.models()
    _fetch(stage, 1, 5_370_000_000)
    stage.window.models_page.show_tab(LOCAL_TAB)
    stage.window.models_page.local.table.choose(TARGET_7B.path)
    stage.parts.gate.clear()
    stage.program.models.verify(DRAFT_05B)
    stage.wait(lambda: stage.window.models_page.local.table.rows.rowCount())


def models_problem(stage: Stage) -> None:
    stage.models()
    stage.window.models_page.show_tab(LOCAL_TAB)
    broken = next(model for model in stage.program.models.local if model.problem)
    stage.window.models_page.local.table.choose(broken.path)
    facts = {"path": str(broken.path), "reason": "the disk does not allow it"}
    stage.program.models.show_problem(ErrorReport(ErrorKind.TRASH_FAILED, tuple(facts.items())))


def models_search(stage: Stage) -> None:
    stage.models()
    page = stage.window.models_page
    page.show_tab(SEARCH_TAB)
    page.search.field.setText("coder 14b")
    page.search.button.click()
    stage.wait(lambda: stage.program.models.search.repos)
    page.search.table.choose("bartowski/Qwen2.5-Coder-14B-Instruct-GGUF")
    stage.wait(lambda: stage.program.models.search.models)
    model = stage.program.models.search.models[2].model
    stage.program.models.fetch(model)
    stage.parts.downloads.run(stage.parts.downloads.find(model).id, 5_370_000_000)


def models_unreachable(stage: Stage) -> None:
    stage.models()
    stage.window.models_page.show_tab(SEARCH_TAB)
    facts = {"host": "huggingface.co", "reason": "Its name is not known to the network"}
    stage.parts.refuse["search"] = EngineError(ErrorKind.HUB_UNREACHABLE, **facts)
    stage.window.models_page.search.field.setText("qwen3 8b")
    stage.window.models_page.search.button.click()
    stage.wait(lambda: stage.program.models.search.error)


def models_narrow(stage: Stage) -> None:
    stage.window.resize(720, 760)
    models(stage)


def models_self_draft(stage: Stage) -> None:
    stage.models()
    plan = stage.parts.plan_draft(TARGET_7B, "Q4_0")
    stage.parts.gate.clear()
    stage.program.models.drafts.make(plan)
    stage.wait(lambda: stage.program.models.drafts.making != (0, plan.size_bytes))


def _fetch(stage: Stage, place: int, done: int) -> None:
    """Download a pair of the catalogue; its target has `done` bytes, its draft all."""
    queue, chosen = stage.parts.downloads, PAIRS[place]
    for half in (chosen.target, chosen.draft):
        if stage.parts.find(half.model) is None:
            queue.add(half.model.file_name.removesuffix(".gguf"), half.model)
            queue.run(queue.find(half.model).id, done)
    draft = queue.snapshot()[-1]
    if draft.model == chosen.draft.model:
        queue.set(draft.id, state=DownloadState.DONE, done_bytes=draft.total_bytes, speed=None)


def _targets(stage: Stage) -> list[Download]:
    return [one for one in stage.parts.downloads.snapshot() if one.model in [pair.target.model for pair in PAIRS]]


def _gated_facts(place: int) -> dict[str, str]:
    repo = PAIRS[place].target.model.repo
    return {"repo": repo, "url": f"https://huggingface.co/{repo}", "token": "none"}


STATES = (
    first_start,
    loading,
    ready,
    prefill,
    streaming,
    chat,
    stopped,
    speculation_off,
    speculation_inactive,
    auto,
    auto_looks,
    auto_rests,
    auto_too_slow,
    draft_refused,
    target_refused,
    out_of_memory,
    memory_short,
    context_full,
    messages_dropped,
    engine_died,
    no_chat_template,
    template_broken,
    settings,
    models,
    models_fit,
    models_too_big,
    models_way,
    models_two_cards,
    models_headers,
    models_unknown,
    models_downloads,
    models_gated,
    models_offline,
    models_local,
    models_problem,
    models_search,
    models_unreachable,
    models_narrow,
    models_self_draft,
)


@contextmanager
def stage(folder: Path, theme: ThemeChoice, language: str) -> Iterator[Stage]:
    """A window of the pictures' size whose chips and seeds are the same everywhere."""
    client, parts = FakeClient(), FakeParts()
    desk = FakeDesk(folder, client.check)

    def find_starter(ticket: Ticket, report: Report) -> LoadRequest:
        return tapes.REQUEST

    program = Program(Paths(folder), client, find_starter, parts, desk)
    program.replies.settings = GenerationSettings(SamplingSettings(temperature=0.2, seed=42), random_seed=False)
    window = program.window
    window.settings_page.theme_chosen.emit(theme.value)
    window.settings_page.language_chosen.emit(language)
    window.first_start.show_disk(214_000_000_000)
    window.resize(1440, 900)
    window.show()
    window.chat.retranslate()
    try:
        yield Stage(program, client, parts, desk, folder)
    finally:
        parts.gate.set()
        program.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
