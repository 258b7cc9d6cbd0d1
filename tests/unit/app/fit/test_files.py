"""From a load that is asked for to its settings, and from what was judged to a load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.dry_load_client import DryLoads
from app.fit.files import request_of, search_files, settings_of
from app.fit.history import FitHistory
from app.fit.placing import layers_by_shares
from app.fit.report import fit_report
from app.fit.values import PairSettings, Verdict
from engine.errors import EngineError, ErrorKind
from engine.fit import Method
from engine.types import FlashAttention, KvType, LoadRequest
from tests.fakes.devices import GIB, card, machine
from tests.fakes.gguf_files import Tiny, write_model
from tests.unit.app.fit.conftest import MakeSearch

FULL = LoadRequest(
    "t",
    "d",
    ctx=4096,
    kv_type=KvType.Q8_0,
    flash_attention=FlashAttention.ON,
    gpu_layers=20,
    draft_gpu_layers=3,
    threads=2,
    ubatch=256,
    experts_on_cpu=True,
)


@pytest.fixture
def dry_loads(tmp_path: Path) -> Iterator[DryLoads]:
    """Real ones."""
    probes = DryLoads(tmp_path / "logs")
    yield probes
    probes.close()


def test_nothing_is_lost_between_a_load_and_its_settings(search: MakeSearch) -> None:
    """There and back again, on one card and on two, where the way the layers are dealt out is put down."""
    one = search(machine(card(24 * GIB)), "llama-8b", "llama-1b-tied")
    settings = settings_of(FULL, one)
    assert settings == PairSettings(4096, KvType.Q8_0, FlashAttention.ON, 256, 20, 3, True)
    assert request_of(settings, one.place(settings), FULL) == FULL
    two = search(machine(card(24 * GIB, name="a"), card(12 * GIB, name="b")), "llama-8b", "llama-1b-tied")
    settings = settings_of(FULL, two)
    assert settings.split == ()
    loaded = request_of(settings, two.place(settings), FULL)
    assert loaded.split == layers_by_shares((24, 12), 20) == (14, 6)
    assert loaded.draft_split in ((1.0, 0.0), (0.0, 1.0))
    assert settings_of(loaded, two).split == (14, 6)
    assert request_of(settings_of(loaded, two), two.place(settings_of(loaded, two)), FULL) == loaded
    assert settings_of(LoadRequest("t", "d", split=(0.0, 0.0)), two).split == ()
    without = PairSettings(4096, with_draft=False)
    assert request_of(without, two.place(without), FULL).draft is None


def test_defaults_are_the_engine_s(search: MakeSearch) -> None:
    """8,192 tokens, or as many as the target was trained with; a target on its own has no draft."""
    found = search(machine(), "llama-8b")
    assert settings_of(LoadRequest("t"), found) == PairSettings(8192, with_draft=False)
    assert settings_of(LoadRequest("t", ctx=5), found).ctx == 256


@pytest.mark.parametrize(
    ("shares", "layers", "dealt"),
    [((1, 1), 5, (3, 2)), ((3, 1), 8, (6, 2)), ((0, 1), 4, (0, 4)), ((1, 0, 1), 4, (2, 0, 2)), ((7, 22), 29, (7, 22))],
)
def test_layers_are_dealt_out_as_llama_cpp_does(shares: tuple[float, ...], layers: int, dealt: tuple[int, ...]) -> None:
    """In their order; counts as shares give these counts back."""
    assert layers_by_shares(shares, layers) == dealt
    assert layers_by_shares([float(count) for count in dealt], layers) == dealt


def test_real_files_are_measured(tmp_path: Path, dry_loads: DryLoads) -> None:
    """By llama.cpp where it is asked, by arithmetic where not, and both agree on weights and caches."""
    request = LoadRequest(
        str(write_model(tmp_path / "t.gguf")), str(write_model(tmp_path / "d.gguf", Tiny(noise=0.1))), ctx=512
    )
    history = FitHistory(tmp_path / "state")
    reports = []
    for probes in (dry_loads, None):
        found = search_files(request, machine(), history, probes)
        reports.append(fit_report(found, settings_of(request, found)))
    assert [report.method for report in reports] == [Method.MEASURED, Method.ESTIMATED]
    assert [report.verdict for report in reports] == [Verdict.FITS] * 2
    measured, estimated = (report.placement.devices[0].target for report in reports)
    assert (measured.weights, measured.kv) == (estimated.weights, estimated.kv)


def test_smaller_batches_need_less(tmp_path: Path, dry_loads: DryLoads) -> None:
    """What the request asks for reaches the measurement."""
    request = LoadRequest(str(write_model(tmp_path / "t.gguf")), ctx=1024)
    found = search_files(request, machine(), FitHistory(tmp_path), dry_loads)
    settings = [settings_of(LoadRequest(request.target, ctx=1024, ubatch=size), found) for size in (512, 32)]
    large, small = (found.measured(one).devices[0].target.compute for one in settings)
    assert large > 2 * small


def test_what_was_learned_moves_the_margin(tmp_path: Path) -> None:
    """After loads that took more than was predicted, more is left free."""
    request = LoadRequest(str(write_model(tmp_path / "t.gguf")))
    history = FitHistory(tmp_path / "state")
    margins = []
    for _ in range(2):
        found = search_files(request, machine(), history, None)
        margins.append(found.place(PairSettings(512)).devices[0].margin_bytes)
        history.record("system", predicted=GIB, measured=GIB + 100_000_000)
    assert margins[1] - margins[0] == 100_000_000


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    """Are refused before anything is measured."""
    foreign = Tiny(changed_tokens=tuple((token, f"~{token}") for token in range(270, 512)))
    other = write_model(tmp_path / "d.gguf", foreign)
    request = LoadRequest(str(write_model(tmp_path / "t.gguf")), str(other))
    with pytest.raises(EngineError) as caught:
        search_files(request, machine(), FitHistory(tmp_path), None)
    assert caught.value.report.kind is ErrorKind.DRAFT_VOCABULARY
