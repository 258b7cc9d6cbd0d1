"""What pairs taught is kept between starts, and never in the way."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.learned import LearnedPairs
from engine.acceptance import LearnedAcceptance
from engine.costs import MeasuredCosts
from engine.knowledge import Knowledge
from engine.types import Drafter, EngineInfo, LoadRequest

INFO = EngineInfo(1, "0.3.36", ("CPU",), False, "AVX2 = 1", ())
KNOWN = Knowledge(
    MeasuredCosts((0.02, 0.025), 0.007, 0.002, 0.001),
    {
        Drafter.MODEL: LearnedAcceptance({"": ((3.5,), (1.0,)), "code": ((9.0, 4.0), (0.0, 1.0))}, ((1.0, 2.0, 1.5),)),
        Drafter.LOOKUP: LearnedAcceptance(),
    },
)

COSTS = {"verify_s": [1], "draft_s": 1, "draft_token_s": 1, "draft_read_s": 1}


@pytest.fixture
def request_(tmp_path: Path) -> LoadRequest:
    for name in ("target.gguf", "draft.gguf"):
        (tmp_path / name).write_bytes(b"weights")
    return LoadRequest(str(tmp_path / "target.gguf"), str(tmp_path / "draft.gguf"))


def only_file(folder: Path) -> Path:
    (file,) = (folder / "learned").iterdir()
    return file


def test_what_was_written_is_read_in_the_next_run(tmp_path: Path, request_: LoadRequest) -> None:
    """All of it, for the same pair whatever its context and whether it is measured again."""
    assert LearnedPairs(tmp_path).read(request_, INFO) is None
    LearnedPairs(tmp_path).write(request_, INFO, KNOWN)
    assert LearnedPairs(tmp_path).read(replace(request_, ctx=4096, measure=True), INFO) == KNOWN


def test_it_holds_for_one_pair_one_way_of_loading_and_one_build(tmp_path: Path, request_: LoadRequest) -> None:
    """Other threads, no draft, another engine, or other weights under the same name are other passes."""
    learned = LearnedPairs(tmp_path)
    learned.write(request_, INFO, KNOWN)
    assert learned.read(replace(request_, threads=3), INFO) is None
    assert learned.read(replace(request_, draft=None), INFO) is None
    assert learned.read(request_, replace(INFO, llama_cpp_python="0.3.37")) is None
    assert learned.read(request_, replace(INFO, system_info="AVX512 = 1")) is None
    assert learned.read(request_, replace(INFO, pid=2)) == KNOWN
    os.utime(request_.target, (1, 1))
    assert learned.read(request_, INFO) is None


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        "{}",
        "null",
        "\x00",
        "[" * 100_000,
        json.dumps({"costs": {}, "acceptance": {}}),
        json.dumps({"costs": {**COSTS, "verify_s": []}, "acceptance": {}}),
        json.dumps({"costs": {**COSTS, "verify_s": [-1]}, "acceptance": {}}),
        json.dumps({"costs": {**COSTS, "verify_s": "12"}, "acceptance": {}}),
        json.dumps({"costs": {**COSTS, "draft_s": 10**400}, "acceptance": {}}),
        json.dumps({"costs": COSTS, "acceptance": {"oracle": {"kinds": {}, "bins": []}}}),
        json.dumps({"costs": COSTS, "acceptance": {"model": {"kinds": {"": [1]}, "bins": []}}}),
    ],
)
def test_a_damaged_file_teaches_nothing(tmp_path: Path, request_: LoadRequest, damage: str) -> None:
    """And is replaced by the next that is written."""
    learned = LearnedPairs(tmp_path)
    learned.write(request_, INFO, KNOWN)
    only_file(tmp_path).write_text(damage)
    assert learned.read(request_, INFO) is None
    learned.write(request_, INFO, KNOWN)
    assert learned.read(request_, INFO) == KNOWN


def test_numbers_that_no_clock_gives_teach_nothing(tmp_path: Path, request_: LoadRequest) -> None:
    """Infinite or no number."""
    learned = LearnedPairs(tmp_path)
    for value in ("NaN", "Infinity", '"1"', "true", "1" * 400):
        learned.write(request_, INFO, KNOWN)
        file = only_file(tmp_path)
        file.write_text(file.read_text().replace("0.025", value))
        assert learned.read(request_, INFO) is None


def test_only_so_many_pairs_are_remembered(tmp_path: Path, request_: LoadRequest) -> None:
    """Those that were used last."""
    learned = LearnedPairs(tmp_path)
    for threads in range(1, 71):
        learned.write(replace(request_, threads=threads), INFO, KNOWN)
        os.utime(learned._path(replace(request_, threads=threads), INFO), (threads, threads))
    assert len(list((tmp_path / "learned").iterdir())) == 64
    assert learned.read(replace(request_, threads=70), INFO) == KNOWN
    assert learned.read(replace(request_, threads=1), INFO) is None


def test_where_nothing_can_be_written_nothing_is_lost_but_the_memory(tmp_path: Path, request_: LoadRequest) -> None:
    """A file in the folder's place, or models that are gone."""
    (tmp_path / "learned").write_text("in the way")
    LearnedPairs(tmp_path).write(request_, INFO, KNOWN)
    assert LearnedPairs(tmp_path).read(request_, INFO) is None
    Path(request_.target).unlink()
    LearnedPairs(tmp_path / "other").write(request_, INFO, KNOWN)
    assert LearnedPairs(tmp_path / "other").read(request_, INFO) is None
