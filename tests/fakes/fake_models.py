"""The app's parts behind the Models page, without disks and hubs: the same methods; downloads go on when told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from app.catalogue.reading import Catalogue
from app.downloads.state import Download, DownloadState
from app.drafts import DraftVerdict
from app.fit.pair_fits import Files, FitQuestion
from app.fit.values import FitReport
from app.hub.hub import FoundRepo
from app.hub.listing import HubModel
from app.model_settings import ModelSettings
from app.model_values import (
    CatalogueFile,
    CataloguePair,
    Confidence,
    LocalModel,
    PairKind,
    PlaceKind,
    Proof,
    RemoteModel,
    RemotePart,
)
from app.self_draft import SelfDraftPlan
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.types import SamplingSettings
from tests.fakes.fake_fits import FakeFits, header_file
from ui.models_parts import Cancelled, Halves, Opened

GB = 1_000_000_000


def remote(repo: str, file: str, size: int | None = None) -> RemoteModel:
    return RemoteModel(repo, "main", (RemotePart(file, size),))


def pair(
    pair_id: str,
    title: str,
    target: tuple[str, str, float],
    draft: tuple[str, str, float],
    *,
    kinds: Sequence[PairKind] = (PairKind.CHAT,),
    licence: str = "apache-2.0",
    gated: bool = False,
    context: int = 32_768,
    note: str = "",
    confidence: Confidence = Confidence.HIGH,
) -> CataloguePair:
    """`target` and `draft` are repository, quantisation and size in GB."""

    def half(repo: str, quantisation: str, size: float) -> CatalogueFile:
        name = f"{repo.rpartition('/')[2].removesuffix('-GGUF')}-{quantisation}.gguf"
        return CatalogueFile(remote(repo, name, int(size * GB)), quantisation, int(size * 1.6 * GB), int(size * GB))

    return CataloguePair(
        pair_id,
        title,
        title.partition(" ")[0],
        frozenset(kinds),
        licence,
        gated,
        context,
        half(*target),
        half(*draft),
        SamplingSettings(temperature=0.7, top_p=0.8, top_k=20),
        note,
        confidence,
    )


CODE = (PairKind.CODE, PairKind.FIM)
CODER = "bartowski/Qwen2.5-Coder"
PAIRS = (
    pair(
        "qwen2.5-coder-7b",
        "Qwen2.5-Coder 7B + 0.5B",
        (f"{CODER}-7B-Instruct-GGUF", "Q4_K_M", 4.68),
        (f"{CODER}-0.5B-Instruct-GGUF", "Q8_0", 0.53),
        kinds=CODE,
    ),
    pair(
        "qwen2.5-coder-14b",
        "Qwen2.5-Coder 14B + 0.5B",
        (f"{CODER}-14B-Instruct-GGUF", "Q4_K_M", 8.99),
        (f"{CODER}-0.5B-Instruct-GGUF", "Q8_0", 0.53),
        kinds=CODE,
        note="151,936 tokens against 152,064; the rest is padding.",
    ),
    pair(
        "llama-3.1-8b",
        "Llama 3.1 8B + Llama 3.2 1B",
        ("meta-llama/Llama-3.1-8B-Instruct-GGUF", "Q4_K_M", 4.92),
        ("meta-llama/Llama-3.2-1B-Instruct-GGUF", "Q4_K_M", 0.81),
        licence="llama3.1",
        gated=True,
        context=131_072,
    ),
    pair(
        "gemma-3-12b",
        "Gemma 3 12B + 1B",
        ("google/gemma-3-12b-it-GGUF", "Q4_K_M", 7.3),
        ("google/gemma-3-1b-it-GGUF", "Q8_0", 1.07),
        licence="gemma",
        context=131_072,
        confidence=Confidence.MEDIUM,
    ),
    pair(
        "qwen3-32b",
        "Qwen3 32B + 0.6B",
        ("Qwen/Qwen3-32B-GGUF", "Q4_K_M", 19.76),
        ("Qwen/Qwen3-0.6B-GGUF", "Q8_0", 0.64),
    ),
    pair(
        "mistral-small-24b",
        "Mistral Small 3.1 24B + 0.5B",
        ("bartowski/Mistral-Small-3.1-24B-Instruct-GGUF", "Q4_K_M", 14.3),
        ("alamios/Mistral-Small-3.1-DRAFT-0.5B-GGUF", "Q8_0", 0.55),
        context=131_072,
    ),
    pair(
        "qwen3-8b",
        "Qwen3 8B + 0.6B",
        ("Qwen/Qwen3-8B-GGUF", "Q4_K_M", 5.03),
        ("Qwen/Qwen3-0.6B-GGUF", "Q8_0", 0.64),
    ),
)


def local(name: str, quantisation: str, size: int, **changes: object) -> LocalModel:
    """A model of our own folder; `changes` are attributes."""
    file = Path("/home/me/models") / f"{name.replace(' ', '-')}-{quantisation}.gguf"
    model = LocalModel(file, (file,), PlaceKind.OURS, size, name, "qwen2", quantisation, size * 2, 151_936, 32_768)
    return replace(model, **changes)  # type: ignore[arg-type]


TARGET_7B = local("Qwen2.5 Coder 7B Instruct", "Q4_K_M", 4_683_074_240, vocab_size=152_064)
DRAFT_05B = local("Qwen2.5 Coder 0.5B Instruct", "Q8_0", 531_068_096)
LOCAL = (
    local(
        "Gemma 3 270M it",
        "Q8_0",
        291_000_000,
        place=PlaceKind.LM_STUDIO,
        architecture="gemma3",
        vocab_size=262_144,
    ),
    local("Llama 3.2 3B Instruct", "Q4_K_M", 2_019_000_000, place=PlaceKind.OLLAMA, architecture="llama",
          vocab_size=128_256, context=131_072),
    DRAFT_05B,
    local("Qwen2.5 Coder 1.5B Instruct", "Q4_K_M", 1_117_000_000, place=PlaceKind.HUB_CACHE),
    TARGET_7B,
    local(
        "Qwen3.6 27B MTP",
        "Q8_0",
        455_000_000,
        place=PlaceKind.ADDED,
        architecture="qwen35",
        problem=ErrorReport(
            ErrorKind.NEEDS_OWN_TARGET, (("path", "/home/me/models/Qwen3.6-27B-MTP.gguf"), ("architecture", "qwen35"))
        ),
    ),
)  # fmt: skip

REPOS = tuple(
    FoundRepo(name, downloads, likes, licence, gated, datetime(2026, month, 12, tzinfo=UTC))
    for name, downloads, likes, licence, gated, month in (
        ("Qwen/Qwen2.5-Coder-14B-Instruct-GGUF", 214_503, 187, "apache-2.0", False, 3),
        ("bartowski/Qwen2.5-Coder-14B-Instruct-GGUF", 98_211, 64, "apache-2.0", False, 2),
        ("unsloth/Qwen2.5-Coder-14B-Instruct-128K-GGUF", 41_870, 52, "apache-2.0", False, 5),
        ("meta-llama/Llama-3.1-8B-Instruct-GGUF", 20_114, 230, "llama3.1", True, 1),
    )
)


def hub_models(repo: str) -> tuple[HubModel, ...]:
    stem = repo.rpartition("/")[2].removesuffix("-GGUF")
    sizes = (("Q2_K", 5.8), ("Q3_K_M", 7.3), ("Q4_K_M", 8.99), ("Q5_K_M", 10.5), ("Q6_K", 12.1), ("Q8_0", 15.7))
    return tuple(
        HubModel(remote(repo, f"{stem}-{quantisation}.gguf", int(size * GB)), quantisation, False, "apache-2.0")
        for quantisation, size in sizes
    )


def headers(files: Files | None) -> Files | None:
    """For files that are not there, headers as large as theirs."""
    return None if files is None else tuple(file if file.exists() else header_file(file.name) for file in files)


class FakeQueue:
    """Downloads that stand still until `set` changes one."""

    def __init__(self) -> None:
        self._downloads: list[Download] = []
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.RLock()
        self.limits: list[int | None] = []

    def add(self, title: str, model: RemoteModel) -> Download:
        with self._lock:
            for download in self._downloads:
                if download.model == model and download.state is not DownloadState.CANCELLED:
                    return download
            download = Download(f"d{len(self._downloads)}", title, model, total_bytes=model.size_bytes)
            self._downloads.append(download)
        self._tell()
        return download

    def pause(self, number: str) -> None:
        if self._state(number) in (DownloadState.WAITING, DownloadState.RUNNING, DownloadState.VERIFYING):
            self.set(number, state=DownloadState.PAUSED, speed=None)

    def resume(self, number: str) -> None:
        if self._state(number) in (DownloadState.PAUSED, DownloadState.FAILED, DownloadState.CANCELLED):
            self.set(number, state=DownloadState.WAITING, error=None)

    def cancel(self, number: str) -> None:
        self.set(number, state=DownloadState.CANCELLED, speed=None)

    def move(self, number: str, place: int) -> None:
        with self._lock:
            download = next(one for one in self._downloads if one.id == number)
            self._downloads.remove(download)
            self._downloads.insert(place, download)
        self._tell()

    def forget(self, number: str) -> None:
        with self._lock:
            self._downloads = [one for one in self._downloads if one.id != number]
        self._tell()

    def snapshot(self) -> tuple[Download, ...]:
        with self._lock:
            return tuple(self._downloads)

    def subscribe(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    # what tests use

    def set(self, number: str, *, silently: bool = False, **changes: object) -> None:
        """`silently`: nobody is told, as when bytes stop coming."""
        with self._lock:
            self._downloads = [
                replace(one, **changes) if one.id == number else one  # type: ignore[arg-type]
                for one in self._downloads
            ]
        if not silently:
            self._tell()

    def run(self, number: str, done: int, speed: float = 48e6) -> None:
        """It runs and has fetched `done` bytes."""
        self.set(number, state=DownloadState.RUNNING, done_bytes=done, speed=speed, source="huggingface.co")

    def fail(self, number: str, kind: ErrorKind, done: int = 0, **facts: str | int | float) -> None:
        report = ErrorReport(kind, tuple(facts.items()))
        self.set(number, state=DownloadState.FAILED, done_bytes=done, speed=None, error=report)

    def find(self, model: RemoteModel) -> Download:
        return next(one for one in self.snapshot() if one.model == model)

    def _state(self, number: str) -> DownloadState:
        return next(one.state for one in self.snapshot() if one.id == number)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()


@dataclass
class FakeParts:
    """Thread-safe enough: tests change it before what they ask.

    Attributes:
        memory: the computer and the headers.
        gate: work that looks at disks or hubs waits for it; set from the beginning. hub: the same for headers.
        refuse: what the next call of that name raises, once.
        calls: names of the methods that were called, in order.
    """

    pairs: tuple[CataloguePair, ...] = PAIRS
    local: tuple[LocalModel, ...] = LOCAL
    settings: ModelSettings = field(default_factory=ModelSettings)
    problems: tuple[ErrorReport, ...] = ()
    repos: tuple[FoundRepo, ...] = REPOS
    token: str | None = None
    free_bytes: int = 214 * GB
    downloads: FakeQueue = field(default_factory=FakeQueue)
    memory: FakeFits = field(default_factory=FakeFits)
    gate: threading.Event = field(default_factory=threading.Event)
    hub: threading.Event = field(default_factory=threading.Event)
    refuse: dict[str, EngineError] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    closed: bool = False

    def __post_init__(self) -> None:
        self.gate.set()
        self.hub.set()

    def open(self) -> Opened:
        self._call("open")
        return Opened(self.settings, Catalogue(self.pairs, self.problems), self.local)

    def has_token(self) -> bool:
        return self.token is not None

    def scan(self, on_found: Callable[[], None], cancelled: Cancelled) -> tuple[LocalModel, ...]:
        self._call("scan", cancelled)
        on_found()
        return self.local

    def known(self) -> tuple[LocalModel, ...]:
        return self.local

    def pair_files(self, pairs: Sequence[CataloguePair]) -> dict[str, Halves]:
        return {one.id: (self.find(one.target.model), self.find(one.draft.model)) for one in pairs}

    def find(self, model: RemoteModel) -> LocalModel | None:
        return next((one for one in self.local if one.path.name.casefold() == model.file_name.casefold()), None)

    def add_files(self, files: Sequence[Path]) -> tuple[ErrorReport, ...]:
        self._call("add_files")
        added = (local(file.stem, "Q4_0", GB, path=file, parts=(file,), place=PlaceKind.ADDED) for file in files)
        self.local = (*self.local, *added)
        return ()

    def remove(self, model: LocalModel) -> None:
        self._call("remove")
        self.local = tuple(one for one in self.local if one != model)

    def verify(self, model: LocalModel, on_progress: Callable[[float], None], cancelled: Cancelled) -> Proof | None:
        on_progress(0.4)
        self._call("verify", cancelled)
        return Proof.PUBLISHED

    def use_settings(self, settings: ModelSettings) -> None:
        self._call("use_settings")
        self.settings = settings

    def use_token(self, text: str) -> None:
        self._call("use_token")
        self.token = text

    def forget_token(self) -> None:
        self._call("forget_token")
        self.token = None

    def search(self, text: str) -> tuple[FoundRepo, ...]:
        self._call("search")
        return tuple(repo for repo in self.repos if all(word in repo.id.lower() for word in text.lower().split()))

    def models(self, repo: str) -> tuple[HubModel, ...]:
        self._call("models")
        return hub_models(repo)

    def judge(
        self,
        target: LocalModel | RemoteModel,
        drafts: Sequence[LocalModel],
        on_verdict: Callable[[LocalModel, DraftVerdict], None],
        cancelled: Cancelled,
    ) -> None:
        self._call("judge", cancelled)
        for draft in drafts:
            on_verdict(draft, self._verdict(draft))

    def plan_draft(self, target: LocalModel, file_type: str) -> SelfDraftPlan:
        self._call("plan_draft")
        size = target.size_bytes * 2 // 3
        path = target.path.with_name(f"{target.name}-{file_type}-draft.gguf")
        return SelfDraftPlan(target.path, file_type, path, size, 41.0, self.free_bytes, 0, 338, ())

    def make_draft(
        self, plan: SelfDraftPlan, on_job: Callable[..., None], on_progress: Callable[[int, int], None]
    ) -> Path:
        on_progress(plan.size_bytes // 3, plan.size_bytes)
        self._call("make_draft")
        self.local = (*self.local, local("Made", "Q4_0", plan.size_bytes, path=plan.path, parts=(plan.path,)))
        return plan.path

    def fit(self, question: FitQuestion) -> FitReport:
        self._wait()
        smaller = tuple(replace(one, files=headers(one.files)) for one in question.smaller_drafts)
        target, draft = headers(question.target), headers(question.draft)
        return self.memory.report(replace(question, target=target, draft=draft, smaller_drafts=smaller))

    def kept_headers(self, models: Sequence[RemoteModel]) -> dict[RemoteModel, Files]:
        return self.memory.kept_headers(list(models))

    def fetch_header(self, model: RemoteModel, cancelled: Cancelled) -> Files:
        while not self.hub.wait(0.02) and not cancelled() and not self.closed:
            pass
        return self.memory.fetch(model)

    def close(self) -> None:
        self.closed = True

    def _call(self, name: str, cancelled: Cancelled = lambda: False) -> None:
        self.calls.append(name)
        self._wait(cancelled)
        if name in self.refuse:
            raise self.refuse.pop(name)

    def _wait(self, cancelled: Cancelled = lambda: False) -> None:
        while not self.gate.wait(0.02) and not cancelled() and not self.closed:
            pass

    def _verdict(self, draft: LocalModel) -> DraftVerdict:
        if draft.problem is not None:
            report = replace(draft.problem, facts=(*draft.problem.facts, ("owner", "Qwen3.6 27B")))
            return DraftVerdict(False, 0, report)
        sizes = {"shared": 151_936, "target_size": 152_064, "draft_size": draft.vocab_size}
        if draft.vocab_size in (151_936, 152_064):
            return DraftVerdict(True, 0, None, **sizes)
        facts = {
            "target": "Qwen2.5-Coder 7B",
            "draft": draft.name,
            "difference": "token",
            "token_id": 5,
            "target_text": "&",
            "draft_text": "<unused0>",
        }
        return DraftVerdict(False, 0, ErrorReport(ErrorKind.DRAFT_VOCABULARY, tuple(facts.items())), **sizes)
