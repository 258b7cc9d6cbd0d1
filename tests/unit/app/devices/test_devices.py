"""What the engine's build can use of the cards that are there."""

from __future__ import annotations

from pathlib import Path

from app.devices.device import Device, DeviceKind, Machine, OwnUse
from app.devices.devices import Devices
from app.devices.nvml import Nvml
from engine.fit import Backend
from engine.types import DeviceInfo, EngineInfo
from tests.fakes.devices import GIB, AmdCard, Card, FakeNvml, memory, write_amd_cards

CPU = DeviceInfo("CPU", "a processor", "cpu", 30 * GIB, 32 * GIB)


def read(
    tmp_path: Path,
    *infos: DeviceInfo,
    cards: tuple[Card, ...] = (),
    amd: tuple[AmdCard, ...] = (),
    own: OwnUse = OwnUse(),  # noqa: B008 – it is frozen
) -> Machine:
    def system(_: OwnUse) -> Device:
        return memory(20 * GIB, 32 * GIB)

    devices = Devices(Nvml(FakeNvml(*cards)), write_amd_cards(tmp_path / "drm", *amd), system)
    engine = EngineInfo(1, "0.3.36", (), True, "", (*infos, CPU)) if infos else None
    return devices.read(engine, own)


def info(name: str, description: str, total: int, kind: str = "gpu") -> DeviceInfo:
    """As a backend tells it: a little less than the driver does."""
    return DeviceInfo(name, description, kind, total - GIB, total - total // 50)


def test_driver_figures_for_the_engine_s_cards(tmp_path: Path) -> None:
    """The engine's order and names, the driver's figures of now."""
    cards = (Card("NVIDIA GeForce RTX 3060", uuid="a"), Card("NVIDIA GeForce RTX 4090", 24 * GIB, [5 * GIB], uuid="b"))
    infos = [info("CUDA0", "NVIDIA GeForce RTX 4090", 24 * GIB), info("CUDA1", "NVIDIA GeForce RTX 3060", 12 * GIB)]
    found = read(tmp_path, *infos, cards=cards)
    assert [gpu.id for gpu in found.gpus] == ["b", "a"]
    assert found.main.free_bytes == 5 * GIB
    assert found.backend is Backend.CUDA


def test_a_build_without_gpus_uses_none(tmp_path: Path) -> None:
    """A card that the engine cannot use does not count, and is known as such."""
    found = read(tmp_path, CPU, cards=(Card(),))
    assert found.gpus == ()
    assert [gpu.id for gpu in found.unused] == ["GPU-1"]
    assert found.main.kind is DeviceKind.SYSTEM


def test_without_the_engine_s_word_all_cards_count(tmp_path: Path) -> None:
    """Before the engine has started, what the drivers tell is taken."""
    found = read(tmp_path, cards=(Card(),), amd=(AmdCard(),))
    assert [gpu.id for gpu in found.gpus] == ["GPU-1", "0000:03:00.0"]


def test_equal_cards(tmp_path: Path) -> None:
    """Two of a kind, each once, in their order; and where the engine sees only one, the one that is as free."""
    cards = (Card(uuid="a", sizes=[3 * GIB]), Card(uuid="b", sizes=[11 * GIB]))
    both = [DeviceInfo(f"CUDA{n}", cards[0].name, "gpu", free * GIB, 12 * GIB) for n, free in ((0, 3), (1, 10))]
    assert [gpu.id for gpu in read(tmp_path / "1", *both, cards=cards).gpus] == ["a", "b"]
    one = read(tmp_path / "2", *both[1:], cards=cards)
    assert ([gpu.id for gpu in one.gpus], [gpu.id for gpu in one.unused]) == (["b"], ["a"])
    same = (Card(uuid="a"), Card(uuid="b"))
    assert [gpu.id for gpu in read(tmp_path / "3", *both, cards=same).gpus] == ["a", "b"]


def test_a_card_of_two_backends_counts_once(tmp_path: Path) -> None:
    """CUDA and Vulkan in one build show the same card, with and without a driver that answers."""
    infos = [info(name, Card().name, 12 * GIB) for name in ("CUDA0", "Vulkan0")]
    assert [gpu.live for gpu in read(tmp_path / "1", *infos, cards=(Card(),)).gpus] == [True]
    assert [gpu.live for gpu in read(tmp_path / "2", *infos).gpus] == [False]


def test_amd_by_vulkan(tmp_path: Path) -> None:
    """The kernel has no name for the card, the backend has; the total tells which card it is."""
    found = read(
        tmp_path,
        info("Vulkan0", "AMD Radeon RX 7800 XT (RADV NAVI32)", 16 * GIB),
        amd=(AmdCard(total=str(8 * GIB), slot="0000:01:00.0"), AmdCard()),
    )
    assert [(gpu.id, gpu.name) for gpu in found.gpus] == [("0000:03:00.0", "AMD Radeon RX 7800 XT (RADV NAVI32)")]
    assert found.main.free_bytes == 15 * GIB


def test_a_card_that_only_the_engine_knows(tmp_path: Path) -> None:
    """Its figures are those of the engine's start, and never more is free than there is."""
    shown = DeviceInfo("Vulkan0", "Intel Arc A770", "gpu", 20 * GIB, 16 * GIB)
    (gpu,) = read(tmp_path, shown).gpus
    assert (gpu.live, gpu.free_bytes, gpu.total_bytes) == (False, 16 * GIB, 16 * GIB)


def test_unified_memory(tmp_path: Path) -> None:
    """Apple's GPU may use most of the computer's memory, and no more than is free there now."""
    found = read(tmp_path, info("MTL0", "Apple M2", 24 * GIB))
    assert found.main.kind is DeviceKind.UNIFIED
    assert found.backend is Backend.METAL
    assert found.main.free_bytes == 20 * GIB


def test_unified_memory_that_the_driver_keeps(tmp_path: Path) -> None:
    """It is not counted as the engine's by the system, and it can be had by a load all the same."""
    found = read(tmp_path, info("MTL0", "Apple M2", 24 * GIB), own=OwnUse(by_device={"MTL0 Apple M2": 3 * GIB}))
    assert (found.main.ours_bytes, found.main.available_bytes) == (3 * GIB, 23 * GIB)
    assert found.memories == found.gpus


def test_integrated_gpu_only_without_another(tmp_path: Path) -> None:
    """Beside a card the processor's GPU is not used; alone it shares the computer's memory."""
    integrated = info("Vulkan1", "Intel UHD", 16 * GIB, kind="igpu")
    card = info("Vulkan0", Card().name, 12 * GIB)
    assert [gpu.name for gpu in read(tmp_path / "1", card, integrated, cards=(Card(),)).gpus] == [Card().name]
    assert [gpu.kind for gpu in read(tmp_path / "2", integrated).gpus] == [DeviceKind.UNIFIED]


def test_unknown_backend(tmp_path: Path) -> None:
    """A backend of another name is a GPU like any other."""
    assert read(tmp_path, info("SYCL0", "Intel Arc", 16 * GIB)).backend is Backend.VULKAN


def test_the_real_computer() -> None:
    """Whatever it has, it has memory."""
    found = Devices().read()
    assert found.system.total_bytes >= found.system.free_bytes > 0
