"""What llama.cpp tells of a header is what it holds after a real load."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.dry_load_client import DryLoads
from engine import ggml
from engine.dry_load import BufferNeed, _Map, breakdown
from engine.errors import EngineError, ErrorKind
from engine.fit import CHUNK_GPU, FitSettings, ModelNeed
from engine.types import MAX_DRAFT_LENGTH, FlashAttention, KvType
from tests.conftest import StarterFiles
from tests.fakes.gguf_headers import small_sizes
from tests.fakes.real_load import real_loads

_TARGET = FitSettings(2048, outputs=MAX_DRAFT_LENGTH + 1)
_SETTINGS = {
    "target": _TARGET,
    "draft": FitSettings(2048),
    "odd context": replace(_TARGET, ctx=1001),
    "tiny context": replace(_TARGET, ctx=256),
    "as on a GPU": replace(_TARGET, ctx=4096, ubatch=CHUNK_GPU),
    "quantised cache": replace(_TARGET, kv_type=KvType.Q8_0),
    "no flash attention": replace(_TARGET, flash_attention=FlashAttention.OFF),
    "exact cache": replace(_TARGET, kv_type=KvType.F32, flash_attention=FlashAttention.ON),
    "no layers on a GPU": replace(_TARGET, gpu_layers=0),
    "one layer on a GPU": replace(_TARGET, gpu_layers=1),
    "two layers on a GPU": replace(_TARGET, gpu_layers=2),
}


@pytest.fixture(scope="module")
def dry_loads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DryLoads]:
    loads = DryLoads(tmp_path_factory.mktemp("logs"))
    yield loads
    loads.close()


Loads = dict[str, list[tuple[int, int, int] | None]]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Loads:
    """What real loads of all small models hold, for all settings. One process for all: starting takes longest."""
    folder = tmp_path_factory.mktemp("whole")
    paths = {name: model.write(folder / f"{name}.gguf", whole=True) for name, model in small_sizes().items()}
    answers = iter(real_loads([(path, s, False) for path in paths.values() for s in _SETTINGS.values()]))
    return {name: [next(answers) for _ in _SETTINGS] for name in paths}


def _sums(need: ModelNeed) -> tuple[int, int, int]:
    assert not need.host.total, "everything is in memory here"
    return need.weights, need.kv, need.compute


@pytest.mark.parametrize("name", small_sizes())
def test_header_tells_what_a_load_takes(name: str, dry_loads: DryLoads, real: Loads, tmp_path: Path) -> None:
    """For each architecture and all settings, a dry load of the header alone and a real load agree to the byte."""
    header = small_sizes()[name].write(tmp_path / "header.gguf")
    for (case, settings), expected in zip(_SETTINGS.items(), real[name], strict=True):
        if expected is None:
            with pytest.raises(EngineError) as caught:
                dry_loads.measure(header, settings)
            assert caught.value.report.kind is ErrorKind.FIT_UNMEASURABLE, case
        else:
            assert _sums(dry_loads.measure(header, settings)) == expected, case
            assert min(expected) > 0
    assert real[name][0] is not None


# The words of a std::map, and the first words of its nodes
_LAYOUTS = {
    "linux": (("", "", "root", "", "", "size"), ("", "", "left", "right")),
    "darwin": (("", "root", "size", "", "", ""), ("left", "right", "", "")),
}


@pytest.mark.parametrize("platform", _LAYOUTS)
def test_both_standard_libraries_are_read(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is a std::map, and found in memory as GNU's and LLVM's libraries lay one out."""
    of_map, of_node = _LAYOUTS[platform]
    root, left, right = nodes = [(ctypes.c_uint64 * 8)() for _ in range(3)]
    places = {"root": root, "left": left, "right": right}
    words = {"size": 3} | {word: ctypes.addressof(node) for word, node in places.items()}
    root[:4] = [words.get(word, 0) for word in of_node]
    for number, node in enumerate(nodes):
        node[4:] = [number, 10 * number, 20 * number, 30 * number]
    answer = _Map((ctypes.c_uint64 * 6)(*(words.get(word, 0) for word in of_map)))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ggml, "function", lambda *_: lambda _: answer)
    assert sorted(breakdown(None)) == [BufferNeed(n, 10 * n, 20 * n, 30 * n) for n in range(3)]


def test_nothing_is_placed_without_gpus(dry_loads: DryLoads, tmp_path: Path) -> None:
    """Where experts stay and how GPUs share changes nothing where there is none, and breaks nothing."""
    header = small_sizes()["experts"].write(tmp_path / "header.gguf")
    placed = replace(_TARGET, experts_on_cpu=True, split=(3.0, 1.0))
    assert dry_loads.measure(header, placed) == dry_loads.measure(header, _TARGET)


def test_split_model(dry_loads: DryLoads, tmp_path: Path) -> None:
    """The headers of all parts together tell what the split model takes."""
    model = small_sizes()["dense"]
    (tmp_path / "headers").mkdir()
    headers = model.write_split(tmp_path / "headers")
    whole = model.write_split(tmp_path, whole=True)
    (expected,) = real_loads([(whole[0], _TARGET, False)])
    assert _sums(dry_loads.measure(headers, _TARGET)) == expected


def test_starter_pair(dry_loads: DryLoads, starter: StarterFiles) -> None:
    """For real weights, with their tokenizer, a dry load agrees with a load into memory to the byte, and with what the
    engine holds after it decoded; the rows of logits are counted too."""
    for path, settings in ((starter.target, _TARGET), (starter.draft, FitSettings(2048))):
        need = dry_loads.measure(path, settings)
        into_memory, by_engine = real_loads([(path, settings, False), (path, settings, True)])
        assert _sums(need) == into_memory
        assert by_engine is not None
        assert _sums(need)[1:] == by_engine[1:]
        assert need.output == settings.outputs * 49152 * 4


def test_engine_uses_the_measured_parameters(dry_loads: DryLoads, tmp_path: Path) -> None:
    """Caches and buffers of a context that the engine made itself, and used, are as measured."""
    cases = [
        ("sliding window", "as on a GPU"),
        ("dense", "no flash attention"),
        ("hybrid", "target"),
        ("tied", "draft"),
    ]
    questions = [
        (small_sizes()[name].write(tmp_path / f"{name}.gguf", whole=True), _SETTINGS[case], True)
        for name, case in cases
    ]
    for (path, settings, _), expected in zip(questions, real_loads(questions), strict=True):
        assert expected is not None
        assert _sums(dry_loads.measure(path, settings))[1:] == expected[1:]
