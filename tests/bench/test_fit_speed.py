"""How soon a catalogue's verdicts are there, and what they cost the main thread. Run by name, with -s."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.fit.desk import FitDesk
from app.fit.pair_fits import Files, FitQuestion, PairFits
from app.fit.values import PairSettings
from app.paths import Paths
from engine.gguf_strip import strip_file
from tests.bench.test_models_page import Heart
from tests.fakes.devices import card, machine
from tests.fakes.fake_fits import FakeFits, fresh_fits
from tests.fakes.fake_models import PAIRS, FakeParts
from tests.fakes.gguf_headers import real_sizes
from tests.gui.models import open_models
from tests.gui.shell import ignore_platform

pytestmark = ignore_platform

COUNT = 41
CONTEXTS = (2_048, 8_192, 32_768, 131_072)
LIMIT_S = 2.0
COMPUTER = machine(card(12_000_000_000, 11_100_000_000))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FitDesk]:
    desk = FitDesk(Paths(tmp_path / "base"))
    yield desk
    desk.close()


def kept_pairs(folder: Path) -> list[tuple[Files, Files]]:
    """What is kept of the headers of models of real size: each pair has files of its own."""
    stripped = {}
    for name, model in real_sizes().items():
        model.keys["context_length"] = 131_072
        whole = model.write(folder / f"{name}.gguf", whole=True)
        stripped[name] = strip_file(whole)
        whole.unlink()

    def write(name: str, number: int) -> Files:
        file = folder / f"{number}-{name}"
        file.write_bytes(stripped[name])
        return (file,)

    targets, drafts = cycle(stripped), cycle(("llama-1b-tied", "qwen2.5-0.5b", "qwen3-0.6b"))
    return [(write(next(targets), number), write(next(drafts), number)) for number in range(COUNT)]


def test_whole_catalogue(tmp_path: Path, desk: FitDesk, capsys: pytest.CaptureFixture[str]) -> None:
    """All pairs at four contexts by arithmetic in under two seconds, their headers read; then the same measured."""
    pairs = kept_pairs(tmp_path)
    fits = PairFits(desk)

    def answer(*, asks: bool) -> tuple[float, float]:
        """Seconds for all, and for the slowest."""
        longest, begin = 0.0, time.perf_counter()
        for ctx in CONTEXTS:
            for target, draft in pairs:
                before = time.perf_counter()
                fits.report(FitQuestion(target, draft, PairSettings(ctx), COMPUTER, asks))
                longest = max(longest, time.perf_counter() - before)
        return time.perf_counter() - begin, longest

    first, again, measured = answer(asks=False), answer(asks=False), answer(asks=True)
    with capsys.disabled():
        for name, (total_s, longest_s) in (("arithmetic", first), ("once more", again), ("measured", measured)):
            sys.stdout.write(f"\n{COUNT} pairs × {len(CONTEXTS)} contexts, {name}: {total_s:.2f} s, ")
            sys.stdout.write(f"the slowest {longest_s * 1000:.0f} ms")
    assert first[0] < LIMIT_S


def test_page_stays_awake(qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How long the main thread is held up while a catalogue is judged at another context, and again measured."""
    pairs = tuple(replace(PAIRS[number % len(PAIRS)], id=f"pair-{number}") for number in range(COUNT))
    parts = FakeParts(pairs=pairs, memory=FakeFits(fits=fresh_fits()))
    with open_models(qtbot, tmp_path, parts) as models:
        fits, heart = models.shell.program.fits, Heart()

        def settled() -> bool:
            known = (fits.fit(pair.id) for pair in pairs)
            return fits.is_done and all(fit is not None and fit.report is not None for fit in known)

        qtbot.waitUntil(settled, timeout=60_000)
        pauses = []
        for ctx in CONTEXTS:
            heart.start()
            begin = time.perf_counter()
            models.page._context.show_value(ctx)
            qtbot.waitUntil(settled, timeout=60_000)
            pauses.append((ctx, heart.stop(), time.perf_counter() - begin))
    with capsys.disabled():
        for ctx, pause_ms, total_s in pauses:
            sys.stdout.write(f"\ncontext {ctx}: all {len(pairs)} in {total_s:.2f} s, longest pause {pause_ms:.0f} ms")
