"""A computer with one card, and the headers of the models that the fake parts know: real arithmetic on real sizes."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from app.devices.device import Device, DeviceKind, Machine, MemoryUser
from app.fit.figures import FileFigures
from app.fit.files import figures, rooms
from app.fit.history import FitHistory
from app.fit.pair_fits import Files, FitQuestion, PairFits
from app.fit.values import FitReport
from app.model_values import RemoteModel
from engine.errors import EngineError, ErrorKind
from engine.fit import Backend, FitSettings, ModelNeed
from tests.fakes.devices import machine, memory
from tests.fakes.gguf_headers import HeaderModel, transformer

GB = 1_000_000_000


def qwen2(
    layers: int, width: int, heads: int, inner: int, vocabulary: int, kv_heads: int, **more: object
) -> HeaderModel:
    return transformer(
        "qwen2", layers=layers, width=width, heads=heads, kv_heads=kv_heads, inner=inner, vocabulary=vocabulary,
        bias=True, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def qwen3(layers: int, width: int, heads: int, inner: int, **more: object) -> HeaderModel:
    return transformer(
        "qwen3", layers=layers, width=width, heads=heads, kv_heads=8, head=128, inner=inner, vocabulary=151936,
        qk_norm=True, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def gemma3(layers: int, width: int, heads: int, kv_heads: int, inner: int, **more: object) -> HeaderModel:
    return transformer(
        "gemma3", layers=layers, width=width, heads=heads, kv_heads=kv_heads, head=256, inner=inner,
        vocabulary=262144, tied=True, qk_norm=True, post_norms=True, window=1024, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def models() -> dict[str, tuple[HeaderModel, int]]:
    """With what they were trained; by what the names of their files begin with."""
    small = {"tied": True, "quantisation": "Q8_0"}
    return {
        "Qwen2.5-Coder-7B": (qwen2(28, 3584, 28, 18944, 152064, 4), 32_768),
        "Qwen2.5-Coder-14B": (qwen2(48, 5120, 40, 13824, 152064, 8), 32_768),
        "Qwen2.5-Coder-1.5B": (qwen2(28, 1536, 12, 8960, 151936, 2, tied=True), 32_768),
        "Qwen2.5-Coder-0.5B": (qwen2(24, 896, 14, 4864, 151936, 2, **small), 32_768),
        "Llama-3.1-8B": (
            transformer("llama", layers=32, width=4096, heads=32, kv_heads=8, inner=14336, vocabulary=128256),
            131_072,
        ),
        "Llama-3.2": (
            transformer(
                "llama", layers=16, width=2048, heads=32, kv_heads=8, inner=8192, vocabulary=128256, tied=True
            ),
            131_072,
        ),
        "gemma-3-12b": (gemma3(48, 3840, 16, 8, 15360), 131_072),
        "gemma-3": (gemma3(26, 1152, 4, 1, 6912, quantisation="Q8_0"), 32_768),
        "Qwen3-32B": (qwen3(64, 5120, 64, 25600), 40_960),
        "Qwen3-8B": (qwen3(36, 4096, 32, 12288), 40_960),
        "Qwen3-0.6B": (qwen3(28, 1024, 16, 3072, **small), 40_960),
        "Mistral-Small-3.1-24B": (
            transformer("llama", layers=40, width=5120, heads=32, kv_heads=8, head=128, inner=32768, vocabulary=131072),
            131_072,
        ),
        "Mistral-Small-3.1-DRAFT": (qwen2(24, 896, 14, 4864, 131072, 2, **small), 32_768),
    }


@cache
def folder() -> Path:
    """For headers, as long as the process runs."""
    made = Path(tempfile.mkdtemp(prefix="draftlight-headers-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def header_file(name: str) -> Path:
    """The header of the file of that name, written once. Raises KeyError where there is no such model."""
    known = models()
    plain = name.replace(" ", "-").lower()
    model, trained = known[max((one for one in known if plain.startswith(one.lower())), key=len)]
    model.keys["context_length"] = trained
    return model.write(folder() / name)


@cache
def foreign_file() -> Path:
    """The header of a model of which llama.cpp knows nothing."""
    keys = {"block_count": 4, "context_length": 4096}
    return HeaderModel("foreign", keys).write(folder() / "foreign.gguf")


@cache
def known_figures(files: Files) -> FileFigures:
    return figures(files, None)


class FakeDryLoads:
    """Measures what is estimated, or refuses to."""

    def __init__(self) -> None:
        self.refuses = False

    def measure(self, files: Files, settings: FitSettings) -> ModelNeed:
        if self.refuses or files == (foreign_file(),):
            raise EngineError(ErrorKind.FIT_UNMEASURABLE, path=str(files[0]), reason="unknown model architecture")
        return known_figures(files).need(settings)


class PaperDesk:
    """As `FitDesk`, on this fake computer."""

    def __init__(self) -> None:
        self.dry_loads = FakeDryLoads()
        self._history = FitHistory(Path(tempfile.gettempdir()) / "no history")

    def margins(self, machine: Machine) -> Mapping[str, int]:
        return rooms(machine, self._history).margins


def rtx_4070(free: float = 11.1) -> Device:
    """Free are so many GB of 12."""
    users = (MemoryUser(801, "firefox", 410_000_000), MemoryUser(512, "Xorg", 290_000_000))
    return Device(
        "GPU-1", "NVIDIA GeForce RTX 4070", DeviceKind.CARD, Backend.CUDA, 12 * GB, int(free * GB), users=users,
        draws=False,
    )  # fmt: skip


def fresh_fits() -> PairFits:
    """Nothing is known yet."""
    return PairFits(PaperDesk())  # type: ignore[arg-type]


@cache
def known_fits() -> PairFits:
    """What one test asked the next one knows, which saves most of the time."""
    return fresh_fits()


@dataclass
class FakeFits:
    """What `FakeParts` answers about memory.

    Attributes:
        machine: the computer.
        kept: the names of files whose headers are kept; None for all.
        foreign: names of files whose headers nobody can measure.
        problems: why a header will not come, by the file's name.
        questions: that were asked, and headers that were fetched, in order.
        answers: they wait for it; set from the beginning.
    """

    machine: Machine = field(default_factory=lambda: machine(rtx_4070(), system=memory(28 * GB, 32 * GB)))
    kept: set[str] | None = None
    foreign: set[str] = field(default_factory=set)
    problems: dict[str, ErrorKind] = field(default_factory=dict)
    questions: list[FitQuestion] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    fits: PairFits = field(default_factory=lambda: known_fits())
    answers: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.answers.set()

    def report(self, question: FitQuestion) -> FitReport:
        self.questions.append(question)
        self.answers.wait()
        return self.fits.report(question)

    def kept_headers(self, models: list[RemoteModel]) -> dict[RemoteModel, Files]:
        return {model: self.files(model) for model in models if self.kept is None or model.file_name in self.kept}

    def fetch(self, model: RemoteModel) -> Files:
        self.fetched.append(model.file_name)
        if model.file_name in self.problems:
            kind = self.problems[model.file_name]
            facts = {"host": "huggingface.co", "reason": "no answer", "repo": model.repo, "url": "https://hf.co/x"}
            raise EngineError(kind, **facts, token="none", file=model.file_name)
        if self.kept is not None:
            self.kept.add(model.file_name)
        return self.files(model)

    def files(self, model: RemoteModel) -> Files:
        return (foreign_file() if model.file_name in self.foreign else header_file(model.file_name),)
