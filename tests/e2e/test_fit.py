"""`fit` with the real program: real headers, a real dry load, this computer's memory."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.conftest import TinyPair
from tests.e2e.program import run
from tests.fakes.gguf_files import Tiny, write_model, write_split_model
from tests.fakes.gguf_headers import real_sizes
from tests.fakes.hub import FakeHub
from tests.unit.app.catalogue.samples import a_file, an_entry, write_catalogue

TARGET, DRAFT = a_file("Owner/Some-7B", "Some-7B.gguf"), a_file("Owner/Some-1B", "Some-1B.gguf")


@pytest.fixture
def hub(tiny: TinyPair, base_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """Has both models of the pair some-pair, and none of any other."""
    write_catalogue(base_dir / "data" / "models.json", an_entry(target=TARGET, draft=DRAFT))
    monkeypatch.setenv("HOME", str(base_dir))
    with FakeHub() as hub:
        hub.add("Owner/Some-7B", {"Some-7B.gguf": tiny.target.read_bytes()})
        hub.add("Owner/Some-1B", {"Some-1B.gguf": tiny.draft.read_bytes()})
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


def test_json(tiny: TinyPair, base_dir: Path) -> None:
    """The figures are llama.cpp's own, they add up, and nothing is loaded or kept but a log."""
    result = run("fit", *tiny.words, "--ctx", "512", "--json")
    assert result.status == 0, result.err
    document = result.document
    assert (document["verdict"], document["ctx"], document["method"]) == ("fits", 512, "measured")
    target, draft = document["target"], document["draft"]
    assert isinstance(target, dict)
    assert isinstance(draft, dict)
    assert target["kv_bytes"] == draft["kv_bytes"] == 512 * 2 * (32 + 32) * 2  # tokens, layers, keys and values
    # One matrix of 512 rows of 64 numbers each at both ends, and two layers.
    assert target["weights_bytes"] == pytest.approx(tiny.target.stat().st_size, rel=0.1)
    others = [document["output_bytes"], document["overhead_bytes"]]
    assert document["need_bytes"] == sum([*target.values(), *draft.values(), *others])
    assert document["largest_ctx"] == 1024  # what it was trained with
    assert document["advice"] == []
    devices = document["devices"]
    assert isinstance(devices, list)
    assert devices[-1]["total_bytes"] <= psutil.virtual_memory().total
    assert not (base_dir / "data").exists()


def test_for_people(tiny: TinyPair) -> None:
    """A table, the verdict with its context, and where the figures come from."""
    result = run("fit", "--target", str(tiny.target), "--ctx", "768", "--split", "1,0,0,0,0")
    assert result.status == 0, result.err
    assert "The split is left out" in result.err
    assert "Target KV cache, 768 tokens" in result.out
    assert "It fits with a context of 768 tokens." in result.out
    assert "Measured by llama.cpp" in result.out
    assert "Draft" not in result.out


def test_every_option_counts(tiny: TinyPair) -> None:
    """Context, cache type and flash attention change what is needed as they do a load."""

    def kv(*words: str) -> int:
        document = run("fit", *tiny.words, *words, "--json").document
        target = document["target"]
        assert isinstance(target, dict)
        return int(target["kv_bytes"])

    usual = 1024 * 2 * (32 + 32) * 2  # of as many tokens as it was trained with
    assert kv("--kv-type", "f32", "--flash-attn", "off") == 2 * usual
    assert kv("--kv-type", "q8_0", "--ctx", "300") == usual // 2 * 34 // 64  # llama.cpp rounds up to 512


def test_a_model_that_no_computer_holds(tmp_path: Path) -> None:
    """Far too big, and by how much; the exit status is still 0."""
    model = real_sizes()["deepseek-v3.1"]
    model.keys["context_length"] = 163840
    path = model.write(tmp_path / "huge.gguf", whole=True)
    result = run("fit", "--target", str(path), "--json")
    assert result.status == 0, result.err
    document = result.document
    assert (document["verdict"], document["largest_ctx"], document["proposal"]) == ("too_big", 0, None)
    short = document["short_bytes"]
    assert isinstance(short, int)
    assert short > 100e9


def test_a_header_that_llama_cpp_refuses(tmp_path: Path) -> None:
    """Costs the measurement: the arithmetic answers, and says that it is an estimate and why."""
    model = real_sizes()["llama-1b-tied"]
    model.tensors = [tensor for tensor in model.tensors if tensor[0] != "blk.3.ffn_up.weight"]
    result = run("fit", "--target", str(model.write(tmp_path / "model.gguf", whole=True)), "--ctx", "4096")
    assert result.status == 0, result.err
    assert "with a context of 4,096 tokens" in result.out
    assert "Estimated: llama.cpp did not measure it, so it may not load either." in result.out


def test_split_files(tmp_path: Path) -> None:
    """All parts count, named by the first, and one that is missing is told."""
    first, second = write_split_model(tmp_path, Tiny(layers=4))
    document = run("fit", "--target", str(first), "--json").document
    target = document["target"]
    assert isinstance(target, dict)
    assert target["weights_bytes"] == pytest.approx(first.stat().st_size + second.stat().st_size, rel=0.1)
    second.unlink()
    result = run("fit", "--target", str(first), "--json")
    assert result.status == 1
    error = result.document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == "split_incomplete"


def test_files_that_cannot_be_loaded(tmp_path: Path, tiny: TinyPair) -> None:
    """Refused with the reason that a load would give."""
    foreign = Tiny(changed_tokens=tuple((token, f"~{token}") for token in range(270, 512)))
    other = write_model(tmp_path / "other.gguf", foreign)
    for words in (["--target", str(tmp_path / "missing.gguf")], ["--target", str(tiny.target), "--draft", str(other)]):
        result = run("fit", *words)
        assert result.status == 1
        assert result.out == ""
        assert result.err
        assert "Traceback" not in result.err


def test_wrong_usage(tiny: TinyPair) -> None:
    """Status 2, as for every command."""
    for words in ([], ["--pair", "starter", "--draft", str(tiny.draft)], ["--target", "x", "--ctx", "0"]):
        assert run("fit", *words).status == 2


def test_a_pair_that_is_not_here(hub: FakeHub, tiny: TinyPair, base_dir: Path) -> None:
    """Is judged as its files would be, from the headers alone, and says so; the second time nobody is asked."""
    files = run("fit", *tiny.words, "--ctx", "512", "--json").document
    first = run("fit", "--pair", "some-pair", "--ctx", "512", "--json")
    assert first.status == 0, first.err
    assert first.err.startswith("Models that are not here")
    assert first.err.endswith(": 2\n")
    assert (files["here"], first.document["here"], first.document["method"]) == ("ready", "nothing", "measured")
    for key in ("target", "draft", "output_bytes", "margin_bytes", "largest_ctx", "layers"):
        assert first.document[key] == files[key], key
    assert not (base_dir / "data" / "models").exists()
    (base_dir / "data" / "settings.json").write_text(json.dumps({"offline": True}))
    again = run("fit", "--pair", "some-pair")
    assert (again.status, again.err) == (0, "")
    assert "Measured by llama.cpp from the files' headers. Nothing has been downloaded yet." in again.out
    assert len(hub.asked("bytes")) == 2


def test_half_a_pair(hub: FakeHub, tiny: TinyPair, base_dir: Path) -> None:
    """The half that is here is judged by its file; for the other one the network is needed, unless it is forbidden."""
    here = base_dir / "data" / "models" / "Owner" / "Some-1B" / "Some-1B.gguf"
    here.parent.mkdir(parents=True)
    shutil.copy(tiny.draft, here)
    settings = base_dir / "data" / "settings.json"
    settings.write_text(json.dumps({"offline": True}))
    offline = run("fit", "--pair", "some-pair")
    assert (offline.status, offline.out) == (1, "")
    assert "What Some-7B.gguf takes of memory is told by its header" in offline.err
    settings.unlink()
    result = run("fit", "--pair", "some-pair")
    assert "The target has not been downloaded yet." in result.out
    assert hub.asked("bytes", "Some-1B.gguf") == []


def test_all_pairs(hub: FakeHub, base_dir: Path) -> None:
    """One line for each; those whose headers cannot be had say why, and the others are told."""
    text = run("fit", "--all", "--ctx", "512", "--kv-type", "f32")
    assert text.status == 0, text.err
    lines = text.out.splitlines()
    (line,) = (line for line in lines if line.startswith("some-pair "))
    assert "1,024" in line
    assert line.endswith("Fits, up to 1k")
    assert any(line.endswith("bartowski/Qwen2.5-7B-Instruct-GGUF is not there") for line in lines)
    (base_dir / "data" / "settings.json").write_text(json.dumps({"offline": True}))
    result = run("fit", "--all", "--ctx", "512", "--json")
    assert result.status == 0, result.err
    pairs = result.document["pairs"]
    assert isinstance(pairs, list)
    told = [pair for pair in pairs if pair["error"] is None]
    assert [(pair["id"], pair["verdict"], pair["ctx"], pair["largest_ctx"]) for pair in told] == [
        ("some-pair", "fits", 512, 1024)
    ]
    assert {pair["error"]["kind"] for pair in pairs if pair["error"]} == {"offline"}
    assert len(lines) == len(pairs) + 1
