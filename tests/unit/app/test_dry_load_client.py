"""Bad headers, deaths and silence cost one answer."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest

from app.dry_load_client import DryLoads
from engine import gguf, gguf_strip
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.fit import DeviceNeed, FitSettings, ModelNeed
from engine.gguf_format import IncompleteError
from engine.types import KvType
from tests.fakes.gguf_files import Tiny, write_model
from tests.fakes.gguf_headers import HeaderModel, mamba2, small_sizes

_SETTINGS = FitSettings(1024, outputs=17)
_NEED = ModelNeed((DeviceNeed(1, 2, 3),), DeviceNeed(), 4)


@pytest.fixture(scope="module")
def dry_loads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DryLoads]:
    loads = DryLoads(tmp_path_factory.mktemp("logs"))
    yield loads
    loads.close()


@pytest.fixture
def header(tmp_path: Path) -> Path:
    return small_sizes()["dense"].write(tmp_path / "good.gguf")


def _refused(loads: DryLoads, path: Path, settings: FitSettings = _SETTINGS) -> ErrorReport:
    with pytest.raises(EngineError) as caught:
        loads.measure(path, settings)
    return caught.value.report


def _with(model: HeaderModel, **keys: int) -> HeaderModel:
    model.keys |= keys
    return model


def test_abort_costs_one_answer(dry_loads: DryLoads, header: Path, tmp_path: Path) -> None:
    """Headers on which llama.cpp aborts cannot be measured, with its last words; the next one can."""
    before = dry_loads.measure(header, _SETTINGS)
    for number, keys in enumerate(({"block_count": 0}, {"block_count": 600}, {"expert_used_count": 9})):
        path = _with(small_sizes()["dense"], **keys).write(tmp_path / f"bad-{number}.gguf")
        report = _refused(dry_loads, path)
        assert report.kind is ErrorKind.FIT_UNMEASURABLE
        assert report.fact("reason") == "SIGABRT"
        assert report.fact("path") == str(path)
        assert "GGML_ASSERT" in report.detail
        assert dry_loads.measure(header, _SETTINGS) == before


def test_refusals_come_with_their_reasons(dry_loads: DryLoads, tmp_path: Path) -> None:
    """What llama.cpp refuses without dying is told in its words: unknown architectures, missing tensors, caches that
    do not suit the model."""
    unknown, incomplete = small_sizes()["dense"], small_sizes()["dense"]
    unknown.architecture = "tomorrow"
    del incomplete.tensors[5]
    for model in (unknown, incomplete):
        report = _refused(dry_loads, model.write(tmp_path / "refused.gguf"))
        assert report.kind is ErrorKind.FIT_UNMEASURABLE
        assert report.detail
    odd_heads = small_sizes()["large vocabulary"]
    odd_heads.keys["attention.value_length"] = odd_heads.keys["attention.key_length"] = 24
    report = _refused(dry_loads, odd_heads.write(tmp_path / "odd.gguf"), FitSettings(1024, kv_type=KvType.Q8_0))
    assert report.kind is ErrorKind.FIT_UNMEASURABLE


def test_greed_is_refused(dry_loads: DryLoads, header: Path, tmp_path: Path) -> None:
    """A header whose state would fill the computer's memory is refused before it does."""
    greedy = mamba2(layers=1, width=1 << 17, vocabulary=256, state=12_000, groups=1, heads=1 << 10)
    report = _refused(dry_loads, greedy.write(tmp_path / "greedy.gguf"))
    assert report.kind is ErrorKind.FIT_UNMEASURABLE
    assert dry_loads.measure(header, _SETTINGS).total > 0


def test_files_without_a_header(dry_loads: DryLoads, tmp_path: Path) -> None:
    """A missing file and one that is no model are called what they are."""
    assert _refused(dry_loads, tmp_path / "absent.gguf").kind is ErrorKind.FILE_MISSING
    (tmp_path / "page.gguf").write_bytes(b"<html>")
    assert _refused(dry_loads, tmp_path / "page.gguf").kind is ErrorKind.NOT_GGUF


def test_one_process_serves_all(tmp_path: Path, header: Path) -> None:
    """Several measurements, from several threads too, take one process; after closing none is left, nor begun."""
    others = _children()
    dry_loads = DryLoads(tmp_path / "logs")
    dry_loads.measure(header, _SETTINGS)
    known = _children() - others
    with ThreadPoolExecutor(4) as pool:
        needs = list(pool.map(lambda ctx: dry_loads.measure(header, FitSettings(ctx)), (512, 1024, 2048, 4096) * 2))
    assert len(set(needs)) == 4
    assert needs[0].kv * 8 == needs[3].kv
    assert _children() - others == known
    dry_loads.close()
    assert not _children() & known
    assert _refused(dry_loads, header).fact("reason") == "closed"


def test_closing_waits_for_no_answer(tmp_path: Path, header: Path) -> None:
    """A process that hangs is ended with its question, whoever waits for the answer."""
    loads = DryLoads(tmp_path / "logs", target=_silent)
    others = _children()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(_refused, loads, header)
        while not _children() - others:
            os.sched_yield()
        loads.close()
        assert waiting.result(timeout=20).kind is ErrorKind.FIT_UNMEASURABLE


def test_later_answers_are_awaited_less_long(tmp_path: Path, header: Path) -> None:
    """The first one waits for llama.cpp to start; a process that hangs after that is given up sooner."""
    loads = DryLoads(tmp_path / "logs", target=_once, later_s=0.2)
    assert loads.measure(header, _SETTINGS) == _NEED
    assert _refused(loads, header).fact("reason") == "no answer"
    loads.close()


def _children() -> set[int]:
    found = set()
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # one that has just ended, for want of questions
            if "resource_tracker" not in " ".join(child.cmdline()):
                found.add(child.pid)
    return found


def test_stripped_header_is_enough(dry_loads: DryLoads, tmp_path: Path) -> None:
    """A stripped header is a small part of the file, says the same, stays as it is when stripped again, and has no
    text of the tokenizer."""
    model = write_model(tmp_path / "model.gguf", Tiny(vocab_size=2000))
    stripped = tmp_path / "stripped.gguf"
    stripped.write_bytes(gguf_strip.strip_file(model))
    whole, small = gguf.read_header(model), gguf.read_header(stripped, whole=False)
    assert small.size_bytes < 4096 < whole.data_offset
    assert small.tensors == whole.tensors
    assert (small.vocab_size, small.architecture) == (whole.vocab_size, whole.architecture)
    assert not small.has_tokenizer
    assert small.chat_template is None
    assert gguf_strip.strip(stripped.read_bytes()) == stripped.read_bytes()
    assert dry_loads.measure(stripped, _SETTINGS) == dry_loads.measure(model, _SETTINGS)
    with pytest.raises(EngineError) as caught:
        gguf.read_header(stripped)
    assert caught.value.report.kind is ErrorKind.GGUF_TRUNCATED


def test_part_of_a_header_is_not_stripped(tmp_path: Path) -> None:
    """Bytes that end within the header say how far it goes on at least."""
    data = write_model(tmp_path / "model.gguf").read_bytes()
    with pytest.raises(IncompleteError) as caught:
        gguf_strip.strip(data[:1000])
    assert caught.value.end > 1000


# Processes that behave badly, started instead of the real one


def _silent(connection: Connection, log_path: str) -> None:
    del log_path
    connection.recv()
    threading.Event().wait()


def _once(connection: Connection, log_path: str) -> None:
    del log_path
    connection.recv()
    connection.send(_NEED)
    threading.Event().wait()


def _dying(connection: Connection, log_path: str) -> None:
    *_, folder = connection.recv()
    Path(folder, "model.gguf").write_text("what it was at")
    Path(log_path).write_text("last words")
    os.kill(os.getpid(), signal.SIGKILL)


def _leaving(connection: Connection, log_path: str) -> None:
    del log_path
    connection.recv()
    connection.send(_NEED)


def _failing(connection: Connection, log_path: str) -> None:
    del connection, log_path
    os._exit(3)


def test_silence_ends(tmp_path: Path, header: Path) -> None:
    """A process that does not answer is ended, and the model cannot be measured."""
    loads = DryLoads(tmp_path / "logs", target=_silent, patience_s=0.2)
    report = _refused(loads, header)
    assert (report.kind, report.fact("reason")) == (ErrorKind.FIT_UNMEASURABLE, "no answer")
    assert not list((tmp_path / "logs").iterdir())


def test_death_leaves_its_last_words(tmp_path: Path, header: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process is told by its signal and its log, a failed one by its exit status; nothing of them stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "written"))
    (tmp_path / "written").mkdir()
    loads = DryLoads(tmp_path / "logs", target=_dying)
    report = _refused(loads, header)
    assert (report.fact("reason"), report.detail) == ("SIGKILL", "last words")
    assert _refused(DryLoads(tmp_path / "logs", target=_failing), header).fact("reason") == "exit 3"
    assert not list((tmp_path / "logs").iterdir())
    assert not list((tmp_path / "written").iterdir())


def test_process_that_left_is_replaced(tmp_path: Path, header: Path) -> None:
    """A process that ended for want of questions is started again, without a word."""
    loads = DryLoads(tmp_path / "logs", target=_leaving)
    for _ in range(2):
        assert loads.measure(header, _SETTINGS) == _NEED
    loads.close()
