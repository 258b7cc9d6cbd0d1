"""A draft made from its target: what it takes is told first, and only a complete file ever has its name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app import requantise
from app.engine_client import EngineClient, Job
from app.model_values import LocalModel, PlaceKind
from app.paths import Paths
from app.self_draft import DRAFT_FILE_TYPES, fallback_words, make, plan
from engine.errors import EngineError, ErrorKind
from engine.gguf import check_loadable, read_header
from engine.protocol import Failed
from engine.quantising import estimated_seconds, requantised
from tests.conftest import StarterFiles
from tests.fakes import gguf_files, scripted_engine
from tests.fakes.clients import MakeClient
from tests.fakes.gguf_files import Tiny


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineClient]:
    client = EngineClient(tmp_path_factory.mktemp("logs"))
    yield client
    client.close()


def local(*parts: Path) -> LocalModel:
    header = read_header(parts[0])
    size = sum(part.stat().st_size for part in parts)
    return LocalModel(
        parts[0], parts, PlaceKind.OURS, size, header.name, header.architecture, "F32", 1, header.vocab_size, 128
    )


@pytest.fixture
def target(tmp_path: Path) -> LocalModel:
    return local(gguf_files.write_model(tmp_path / "Large 模型.gguf", Tiny(width=256)))


def files(paths: Paths) -> list[str]:
    return sorted(file.name for file in (paths.models / "self-drafts").rglob("*") if file.is_file())


@pytest.mark.parametrize("file_type", ["Q2_K", "Q4_0", "Q4_K_M"])
def test_the_size_of_a_real_model_is_told_right(
    file_type: str, starter: StarterFiles, engine: EngineClient, paths: Paths
) -> None:
    """What llama.cpp writes has the size that was told, to three percent, and the time is more than none."""
    wanted = plan(local(starter.target), file_type, paths)
    made = make(wanted, engine)
    assert made.stat().st_size == pytest.approx(wanted.size_bytes, rel=0.03)
    check_loadable(read_header(made))
    assert read_header(made).quantisation == file_type
    assert 0 < wanted.seconds < 60
    made.unlink()


@pytest.mark.parametrize("model", [Tiny(width=256, layers=9), Tiny(width=64), Tiny("gemma3", width=256)])
def test_each_tensor_gets_the_type_that_was_told(model: Tiny, engine: EngineClient, tmp_path: Path) -> None:
    """For every file type, mixtures and rows that fall back among them, to the byte."""
    source = gguf_files.write_model(tmp_path / "source.gguf", model)
    for file_type in DRAFT_FILE_TYPES:
        *_, ending = engine.quantize(source, tmp_path / "made.gguf", file_type)
        assert not isinstance(ending, Failed), ending
        made = read_header(tmp_path / "made.gguf")
        told = list(requantised([read_header(source)], file_type))
        assert {new.old.name: new.type for new in told} == {tensor.name: tensor.type for tensor in made.tensors}
        assert made.data_offset + sum(new.nbytes for new in told) == made.size_bytes


def test_rows_that_do_not_divide_are_told(tmp_path: Path, paths: Paths) -> None:
    """K-quants need rows of 256: how many fall back, and to what."""
    narrow = local(gguf_files.write_model(tmp_path / "narrow.gguf", Tiny(width=64)))
    wanted = plan(narrow, "Q4_K_M", paths)
    assert wanted.fallback_types == ("Q5_0", "Q8_0")
    assert 0 < wanted.fallen_back < wanted.tensors
    assert fallback_words(wanted).startswith(f"{wanted.fallen_back} of {wanted.tensors} tensors have rows ")
    assert fallback_words(plan(narrow, "Q4_0", paths)) != ""  # its output asks for Q6_K
    wide = local(gguf_files.write_model(tmp_path / "wide.gguf", Tiny(width=256)))
    assert fallback_words(plan(wide, "Q4_K_M", paths)) == ""


def test_mixtures_of_experts_keep_their_routers(tmp_path: Path) -> None:
    """Experts are counted by their layer, routers are left alone, eight experts get better attention."""
    shapes = {"token_embd.weight": [512, 256], "output.weight": [512, 256]}
    for layer in range(8):
        shapes |= {
            f"blk.{layer}.attn_k.weight": [64, 256],
            f"blk.{layer}.attn_v.weight": [64, 256],
            f"blk.{layer}.attn_output.weight": [256, 256],
            f"blk.{layer}.ffn_down_exps.weight": [8, 256, 256],
            f"blk.{layer}.ffn_gate_inp.weight": [8, 256],
        }
    keys = {"general.architecture": "llama", "llama.block_count": 8, "llama.expert_count": 8}
    found = read_header(gguf_files.write_header(tmp_path / "moe.gguf", keys, shapes))
    types = {new.old.name: new.type for new in requantised([found], "Q4_K_M")}
    assert types["blk.0.ffn_gate_inp.weight"] == "F32"
    assert types["blk.3.attn_k.weight"] == types["blk.3.attn_v.weight"] == "Q8_0"
    assert types["blk.3.attn_output.weight"] == "Q5_K"
    assert [types[f"blk.{layer}.ffn_down_exps.weight"] for layer in range(8)] == [
        "Q6_K", "Q4_K", "Q4_K", "Q6_K", "Q4_K", "Q4_K", "Q6_K", "Q6_K",
    ]  # fmt: skip
    assert types["output.weight"] == "Q6_K"
    assert types["token_embd.weight"] == "Q4_K"


def test_a_target_that_is_small_already_is_refused(starter: StarterFiles, paths: Paths) -> None:
    """Nothing is won with a draft of four fifths of its size: the error says both sizes, and nothing is made."""
    with pytest.raises(EngineError) as caught:
        plan(local(starter.draft), "Q4_0", paths)
    report = caught.value.report
    assert report.kind is ErrorKind.SELF_DRAFT_TOO_LARGE
    assert report.fact("size_bytes") == pytest.approx(starter.draft.stat().st_size, rel=0.03)
    assert not paths.models.exists()


def test_planning_writes_nothing_and_tells_the_room(target: LocalModel, paths: Paths) -> None:
    """The folder need not exist for its disk's free space to be told."""
    wanted = plan(target, "Q4_0", paths)
    assert wanted.free_bytes > 0
    assert not paths.data.exists()
    assert wanted.path.is_relative_to(paths.models / "self-drafts")
    assert wanted.path.name == "Large 模型.Q4_0.gguf"


def test_more_cores_take_less_time(target: LocalModel) -> None:
    """And K-quants take more than the others."""
    tensors = {file_type: list(requantised([read_header(target.path)], file_type)) for file_type in ("Q4_0", "Q4_K_M")}
    assert estimated_seconds(tensors["Q4_K_M"], 1) > estimated_seconds(tensors["Q4_K_M"], 8)
    assert estimated_seconds(tensors["Q4_K_M"], 1) > estimated_seconds(tensors["Q4_0"], 1)


def test_two_targets_of_one_name_have_a_draft_each(tmp_path: Path, paths: Paths) -> None:
    """Long names are cut so that the file, and the part beside it while it is written, can be named."""
    found = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        name = "模" * 80 + ".gguf"
        found.append(local(gguf_files.write_model(tmp_path / folder / name, Tiny(layers=1))))
    one, other = (plan(model, "Q8_0", paths).path for model in found)
    assert one != other
    assert one.name == other.name
    assert len(one.name.encode()) < 200


def test_the_making_tells_how_far_it_is(target: LocalModel, paths: Paths, make_client: MakeClient) -> None:
    """The bytes that are written, of those that will be."""
    wanted = plan(target, "Q4_0", paths)
    told: list[tuple[int, int]] = []
    made = make(wanted, make_client(), on_progress=lambda done, total: told.append((done, total)))
    assert made == wanted.path
    assert made.read_bytes() == b"GGUF"
    assert told[-1] == (4, wanted.size_bytes)


@pytest.mark.parametrize("file_type", DRAFT_FILE_TYPES)
def test_a_draft_is_made_once(
    file_type: str, target: LocalModel, paths: Paths, engine: EngineClient, make_client: MakeClient
) -> None:
    """The first call writes it, later ones find it without an engine."""
    wanted = plan(target, file_type, paths)
    made = make(wanted, engine)
    idle = make_client()
    assert make(wanted, idle) == made
    assert idle.pid is None


def test_another_target_at_the_same_path_has_another_draft(target: LocalModel, paths: Paths) -> None:
    """The file that was there before left a draft that the new one must not take."""
    before = plan(target, "Q4_0", paths).path
    gguf_files.write_model(target.path, Tiny(width=256, noise=0.5))
    os.utime(target.path, (1, 1))
    assert plan(local(target.path), "Q4_0", paths).path != before


@pytest.mark.parametrize("foreign", ["text", "other model", "other type"])
def test_what_is_not_the_draft_is_not_taken(
    foreign: str, target: LocalModel, paths: Paths, engine: EngineClient
) -> None:
    """Whatever lies at its place gives way to the draft."""
    wanted = plan(target, "Q4_0", paths)
    wanted.path.parent.mkdir(parents=True)
    if foreign == "text":
        wanted.path.write_text("no model")
    elif foreign == "other model":
        other = gguf_files.write_model(paths.data / "other.gguf", Tiny(width=256, layers=3))
        *_, ending = engine.quantize(other, wanted.path, "Q4_0")
        assert not isinstance(ending, Failed)
    else:
        *_, ending = engine.quantize(target.path, wanted.path, "Q8_0")
        assert not isinstance(ending, Failed)
    made = read_header(make(wanted, engine))
    assert made.quantisation == "Q4_0"
    assert {tensor.name for tensor in made.tensors} == {tensor.name for tensor in read_header(target.path).tensors}


def test_a_folder_at_its_place_is_told(target: LocalModel, paths: Paths, make_client: MakeClient) -> None:
    """It is not taken for the draft, and not removed."""
    wanted = plan(target, "Q4_0", paths)
    wanted.path.mkdir(parents=True)
    with pytest.raises(EngineError) as caught:
        make(wanted, make_client())
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE
    assert caught.value.report.fact("path") == str(wanted.path)


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_name_that_is_no_text(tmp_path: Path, paths: Paths) -> None:
    """A target whose name is not UTF-8 can have a draft."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 7B.gguf"))
    wanted = plan(local(gguf_files.write_model(path, Tiny(width=256))), "Q4_0", paths)
    assert wanted.path.name == "caf 7B.Q4_0.gguf"


def test_a_split_target_makes_one_file(tmp_path: Path, engine: EngineClient, paths: Paths) -> None:
    """All parts are counted and written into one."""
    parts = gguf_files.write_split_model(tmp_path, Tiny(width=256))
    wanted = plan(local(*parts), "Q8_0", paths)
    made = read_header(make(wanted, engine))
    assert made.split_count == 1
    assert made.size_bytes == pytest.approx(wanted.size_bytes, rel=0.03)
    check_loadable(made)


def test_too_little_space(target: LocalModel, paths: Paths, make_client: MakeClient) -> None:
    """A disk without room is noticed before anything is written, with both numbers."""
    wanted = replace(plan(target, "Q4_0", paths), size_bytes=10**18)
    with pytest.raises(EngineError) as caught:
        make(wanted, make_client())
    report = caught.value.report
    assert report.kind is ErrorKind.DISK_FULL
    assert report.fact("needed_bytes") == 10**18
    assert files(paths) == []


def test_a_disk_that_runs_full_is_told_as_that(
    target: LocalModel, paths: Paths, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """llama.cpp only says that it failed: what is free then says why. Nothing stays of the part."""
    wanted = plan(target, "Q4_0", paths)
    usage = requantise.shutil.disk_usage(target.path.parent)
    free = iter([usage, usage._replace(free=1000)])
    monkeypatch.setattr(requantise.shutil, "disk_usage", lambda folder: next(free))
    with pytest.raises(EngineError) as caught:
        make(wanted, make_client(scripted_engine.fails_to_quantize))
    report = caught.value.report
    assert (report.kind, report.fact("free_bytes")) == (ErrorKind.DISK_FULL, 1000)
    assert report.fact("needed_bytes") == wanted.size_bytes - 2
    assert files(paths) == []


def test_a_failure_leaves_nothing(target: LocalModel, paths: Paths, make_client: MakeClient) -> None:
    """Where there is room, the engine's own error comes back."""
    with pytest.raises(EngineError) as caught:
        make(plan(target, "Q4_0", paths), make_client(scripted_engine.fails_to_quantize))
    assert caught.value.report.kind is ErrorKind.QUANTIZE_FAILED
    assert files(paths) == []


def test_cancel_leaves_nothing(target: LocalModel, paths: Paths, make_client: MakeClient) -> None:
    """Cancelling ends the work at once, even where the engine is deaf."""
    jobs: list[Job] = []

    def on_progress(done: int, total: int) -> None:
        if done:
            jobs[0].cancel()

    client = make_client(scripted_engine.hangs_while_quantizing)
    with pytest.raises(EngineError) as caught:
        make(plan(target, "Q4_0", paths), client, jobs.append, on_progress)
    assert caught.value.report.kind is ErrorKind.LOAD_CANCELLED
    assert files(paths) == []
