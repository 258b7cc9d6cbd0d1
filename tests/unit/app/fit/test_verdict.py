"""Verdicts at their edges, on every kind of computer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.devices.device import Device, DeviceKind, Machine, OwnUse
from app.devices.devices import Devices
from app.devices.nvml import Nvml
from app.fit.margin import missing_bytes
from app.fit.report import fit_report
from app.fit.search import CTX_STEP, Search
from app.fit.values import PairSettings, Placement, Verdict
from engine.fit import Backend
from engine.types import FlashAttention, KvType
from tests.fakes.devices import GIB, MACHINES, MIB, Card, FakeNvml, card, machine, memory, unified
from tests.unit.app.fit.conftest import TRAINED, HeaderOf, MakeSearch, enough

HERE = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

PAIR = ("qwen2.5-7b", "qwen2.5-0.5b")


def with_free(computer: Machine, device: Device, free: int) -> Machine:
    """The same computer, with so much free on one of its devices."""

    def changed(one: Device) -> Device:
        return replace(one, free_bytes=free) if one.id == device.id else one

    return replace(computer, gpus=tuple(map(changed, computer.gpus)), system=changed(computer.system))


def roomy(computer: Machine) -> Machine:
    """The same devices with a hundred times the memory."""

    def larger(one: Device) -> Device:
        return replace(one, total_bytes=100 * one.total_bytes, free_bytes=100 * one.total_bytes)

    return replace(computer, gpus=tuple(map(larger, computer.gpus)), system=larger(computer.system))


@pytest.mark.parametrize("name", MACHINES)
def test_one_mib_more_or_less_flips_the_verdict(name: str, search: MakeSearch) -> None:
    """On every device that the pair touches: fits, tight within the margin, and too big by exactly what is missing."""
    computer = roomy(MACHINES[name]())
    # On two cards the draft would move to the other one, where there is room.
    two = len(computer.gpus) > 1
    models, wanted = (PAIR[:1], PairSettings(8192, split=(19, 10))) if two else (PAIR, PairSettings(8192))

    def placed(device: Device, free: int) -> Placement:
        return search(with_free(computer, device, free), *models).place(wanted)

    for part in search(computer, *models).place(wanted).devices:
        device, need = part.device, part.need_bytes
        assert placed(device, enough(part)).verdict is Verdict.FITS
        assert placed(device, enough(part) - MIB).verdict is Verdict.TIGHT
        assert placed(device, need).verdict is Verdict.TIGHT
        assert placed(device, enough(part) - 1).verdict is Verdict.TIGHT
        assert placed(device, need - 1).verdict is Verdict.TOO_BIG
        too_big = placed(device, need - MIB)
        assert (too_big.verdict, too_big.short_bytes) == (Verdict.TOO_BIG, MIB)
        assert too_big.deciding.device.id == device.id


@HERE
@given(
    free=st.integers(4 * GIB, 40 * GIB),
    target=st.sampled_from(["qwen2.5-7b", "gemma-3-27b", "qwen3.5-27b", "gpt-oss-20b", "llama-8b"]),
    kv_type=st.sampled_from([KvType.F16, KvType.Q8_0, KvType.F32]),
    flash=st.sampled_from([FlashAttention.AUTO, FlashAttention.OFF]),
    kind=st.sampled_from(["card", "unified", "none", "two"]),
)
def test_the_largest_context_fits_and_the_next_does_not(
    free: int, target: str, kv_type: KvType, flash: FlashAttention, kind: str, search: MakeSearch
) -> None:
    """For any free memory; where all that the target was trained with fits, that is the largest."""
    if kv_type is KvType.Q8_0:
        flash = FlashAttention.AUTO
    computers = {
        "card": machine(card(48 * GIB, free)),
        "unified": machine(unified(48 * GIB, free)),
        "none": machine(system=memory(free, 64 * GIB)),
        "two": machine(card(48 * GIB, free // 3, "a"), card(48 * GIB, free - free // 3, "b")),
    }
    asked = PairSettings(8192, kv_type, flash)
    found = search(computers[kind], target, "qwen3-0.6b")
    largest = found.largest_ctx(asked)
    assert largest % CTX_STEP == 0
    assert 0 <= largest <= TRAINED
    if largest:
        assert found.place(replace(asked, ctx=largest)).verdict is Verdict.FITS
    if largest < TRAINED:
        assert found.place(replace(asked, ctx=largest + CTX_STEP)).verdict is not Verdict.FITS


@HERE
@given(free=st.integers(2 * GIB, 24 * GIB), target=st.sampled_from(["qwen3-32b", "gemma-3-27b", "qwen3-30b-a3b"]))
def test_the_layers_that_fit(free: int, target: str, search: MakeSearch) -> None:
    """So many fit on the card, and one more does not."""
    found = search(machine(card(24 * GIB, free)), target, "qwen3-0.6b")
    asked = PairSettings(8192)
    layers = found.fitting_layers(asked)
    if layers:
        assert found.place(replace(asked, gpu_layers=layers)).devices[0].verdict is Verdict.FITS
    if layers < found.pair.target.layers:
        assert found.place(replace(asked, gpu_layers=layers + 1)).devices[0].verdict is not Verdict.FITS


@HERE
@given(
    first=st.integers(2 * GIB, 24 * GIB),
    second=st.integers(2 * GIB, 24 * GIB),
    target=st.sampled_from(["qwen2.5-7b", "qwen3-30b-a3b", "gemma-3-27b"]),
)
def test_two_unequal_cards(first: int, second: int, target: str, search: MakeSearch) -> None:
    """No card gets more than it has, each layer goes to one card, and the draft to one of them as a whole."""
    computer = machine(card(24 * GIB, first, "a"), card(24 * GIB, second, "b"))
    found = search(computer, target, "qwen3-0.6b")
    placement = found.place(PairSettings(8192))
    gpus = placement.devices[:2]
    assert sum(gpu.layers for gpu in gpus) == found.pair.target.layers
    assert gpus[1 - placement.draft_gpu].draft.weights == 0
    assert gpus[placement.draft_gpu].draft.weights > 0
    if placement.verdict is Verdict.FITS:
        assert all(gpu.need_bytes + gpu.margin_bytes <= gpu.device.available_bytes for gpu in gpus)


def test_cards_are_filled_where_sharing_does_not_fit(search: MakeSearch) -> None:
    """What fits only if the draft and the output are where there is room is found."""
    empty = machine(card(24 * GIB, name="small"), card(24 * GIB, name="large"))
    # The draft goes to the first of two cards that have room.
    small, large, _ = search(empty, *PAIR).place(PairSettings(4096, split=(9, 20))).devices
    computer = with_free(with_free(empty, small.device, enough(small)), large.device, enough(large))
    placement = search(computer, *PAIR).place(PairSettings(4096))
    assert placement.verdict is Verdict.FITS
    assert [part.layers for part in placement.devices] == [9, 20, 0]
    halves = search(computer, *PAIR).place(PairSettings(4096, split=(15, 14)))
    assert halves.verdict is not Verdict.FITS
    assert [part.layers for part in halves.devices] == [15, 14, 0]


def test_too_big_for_both_cards(search: MakeSearch) -> None:
    """What is missing is the sum of what is missing on each; the worse one decides."""
    computer = machine(card(24 * GIB, GIB, "a"), card(24 * GIB, 2 * GIB, "b"))
    placement = search(computer, *PAIR).place(PairSettings(8192, split=(10, 19)))
    missing = [part.short_bytes for part in placement.devices]
    assert min(missing[:2]) > 0 == missing[2]
    assert placement.short_bytes == sum(missing)
    assert placement.deciding.short_bytes == max(missing)


def test_layers_that_fit_on_the_card_whatever_the_computer_has(search: MakeSearch) -> None:
    """Where the computer's memory is short, the card still takes all layers, and the verdict tells what is short."""
    found = search(machine(card(24 * GIB), system=memory(GIB // 4, 8 * GIB)), *PAIR)
    assert found.fitting_layers(PairSettings(8192)) == 29
    placement = found.place(PairSettings(8192))
    assert (placement.verdict, placement.deciding.device.kind) == (Verdict.TOO_BIG, DeviceKind.SYSTEM)


def test_the_draft_is_counted_and_has_its_own_cache(search: MakeSearch) -> None:
    """A target that fits alone may not fit with a draft, whose cache is its own and whose batch is small."""
    needed = enough(search(machine(card(8 * GIB)), PAIR[0]).place(PairSettings(8192)).devices[0])
    alone = search(machine(card(8 * GIB, needed)), PAIR[0]).place(PairSettings(8192))
    both = search(machine(card(8 * GIB, needed)), *PAIR).place(PairSettings(8192))
    assert alone.verdict is Verdict.FITS
    assert both.verdict is Verdict.TOO_BIG
    # Both vocabularies are in the computer's memory.
    assert both.devices[1].overhead_bytes - alone.devices[1].overhead_bytes == 136 * 151936
    draft = both.devices[0].draft
    assert draft.kv == 8192 * 24 * 2 * (2 * 64) * 2  # tokens, layers, keys and values, two heads of 64, 16 bits
    assert draft.compute < 200 * MIB


@pytest.mark.parametrize("pair", [PAIR, ("gemma-3-27b", "gemma-3-4b"), ("qwen3-30b-a3b", "qwen3-0.6b")])
def test_never_less_than_the_files(pair: tuple[str, str], search: MakeSearch, header_of: HeaderOf) -> None:
    """What is needed is more than the sum of both files, whatever the context."""
    files = sum(header_of(name).expected_bytes for name in pair)
    for computer in (machine(card(100 * GIB)), machine(), machine(unified(100 * GIB, 90 * GIB))):
        placement = search(computer, *pair).place(PairSettings(256))
        assert sum(part.need_bytes for part in placement.devices) > files


def test_rows_for_a_whole_round_are_counted(search: MakeSearch) -> None:
    """Seventeen rows of logits for a check of sixteen guesses, and one for the draft."""
    placement = search(machine(), *PAIR).place(PairSettings(8192))
    assert placement.devices[0].output_bytes == (17 * 152064 + 151936) * 4


def test_unified_memory_is_one_sum(search: MakeSearch) -> None:
    """Where card and processor share their memory, what stays with the processor counts there too."""
    shared = search(machine(unified(48 * GIB, 40 * GIB)), *PAIR).place(PairSettings(8192))
    apart = search(machine(replace(card(48 * GIB), backend=Backend.METAL)), *PAIR).place(PairSettings(8192))
    assert len(shared.devices) == 1
    weights = sum(part.target.weights + part.draft.weights for part in apart.devices)
    assert shared.devices[0].target.weights + shared.devices[0].draft.weights == weights


def test_a_build_without_gpus_needs_memory_only(search: MakeSearch) -> None:
    """Then nothing is asked of any card, and no layer is on one."""
    report = fit_report(search(machine(), *PAIR), PairSettings(8192))
    assert [part.device.kind for part in report.placement.devices] == [DeviceKind.SYSTEM]
    assert (report.fitting_layers, report.layers) == (0, 29)


def test_a_running_engine_gives_its_memory_back(search: MakeSearch) -> None:
    """What our own engine holds is no other program's."""
    full = card(12 * GIB, 2 * GIB)
    assert search(machine(full), *PAIR).place(PairSettings(8192)).verdict is Verdict.TOO_BIG
    ours = replace(full, ours_bytes=9 * GIB)
    placement = search(machine(ours), *PAIR).place(PairSettings(8192))
    assert placement.verdict is Verdict.FITS
    part = placement.devices[0]
    assert part.needed_bytes == GIB + part.need_bytes + part.margin_bytes


def test_a_card_whose_memory_is_taken_while_loading(tmp_path: Path, search: MakeSearch) -> None:
    """It fitted before, and the next reading tells that it does not, or that the margin is gone."""
    driver = FakeNvml(Card(sizes=[11 * GIB, 4 * GIB, GIB // 2], draws=False))
    devices = Devices(Nvml(driver), tmp_path, lambda own: memory())
    asked = PairSettings(8192)
    before = search(devices.read(), *PAIR).place(asked)
    assert before.verdict is Verdict.FITS
    assert search(devices.read(), *PAIR).place(asked).verdict is Verdict.TOO_BIG
    running = devices.read(own=OwnUse(by_device={"GPU-1": 6 * GIB}))
    margin = before.devices[0].margin_bytes
    assert missing_bytes(running.main, margin) == margin - GIB // 2
    assert missing_bytes(before.devices[0].device, margin) == 0


def test_another_context_is_another_verdict(search: MakeSearch) -> None:
    """Nothing is remembered from one question to the next but figures."""
    found: Search = search(machine(card(8 * GIB)), *PAIR)
    verdicts = [fit_report(found, PairSettings(ctx)).verdict for ctx in (8192, 131072, 8192)]
    assert verdicts == [Verdict.FITS, Verdict.TOO_BIG, Verdict.FITS]
