"""Arithmetic and measurements together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.fit.figures import FileFigures
from app.fit.files import estimator, rooms
from app.fit.history import FitHistory
from app.fit.placing import Pair
from app.fit.report import fit_report
from app.fit.search import CTX_STEP, Search
from app.fit.values import NotMeasured, PairSettings, Verdict
from engine.errors import EngineError, ErrorKind
from engine.fit import DeviceNeed, FitSettings, Method, ModelNeed
from engine.gguf import GgufHeader
from tests.fakes.devices import GIB, MIB, card, machine
from tests.unit.app.fit.conftest import HeaderOf


class Measuring:
    """A llama.cpp that needs a little more for compute than the arithmetic says, and counts how often it is asked.

    Attributes:
        asked: all that it was.
    """

    def __init__(self, header: GgufHeader, *, refuses: bool = False, devices: int = 1) -> None:
        self._estimate = estimator(header)
        self._refuses = refuses
        self._devices = devices
        self.asked: list[FitSettings] = []

    def __call__(self, settings: FitSettings) -> ModelNeed:
        self.asked.append(settings)
        if self._refuses:
            raise EngineError(ErrorKind.FIT_UNMEASURABLE, path="x", reason="SIGABRT")
        need = self._estimate(settings)
        # Not in proportion, so that no correction is ever exact elsewhere.
        extra = 20 * MIB + settings.ctx * 700 + (settings.ctx // 1000) ** 2 * 1000
        devices = tuple(replace(device, compute=device.compute + extra) for device in need.devices)
        return replace(need, devices=devices * self._devices)


def no_arithmetic(settings: FitSettings) -> ModelNeed:
    raise EngineError(ErrorKind.FIT_UNMEASURABLE, path="x", reason="unknown architecture")


def one_model(figures: FileFigures, free: int = 9 * GIB) -> Search:
    return Search(Pair(figures), rooms(machine(card(12 * GIB, free)), FitHistory(Path("/nowhere"))))


def test_the_verdict_is_llama_cpp_s_own(header_of: HeaderOf) -> None:
    """Where it can be asked, its figures count, and the answer says so."""
    header = header_of("llama-8b")
    measure = Measuring(header)
    report = fit_report(one_model(FileFigures(header, estimator(header), measure)), PairSettings(8192))
    part = report.placement.devices[0]
    assert part.target == measure(measure.asked[0]).devices[0]
    assert part.target.compute > estimator(header)(measure.asked[0]).devices[0].compute
    assert (report.method, report.not_measured) == (Method.MEASURED, None)


@pytest.mark.parametrize("free", range(7 * GIB, 12 * GIB, 3 * GIB // 5))
def test_the_largest_context_is_measured(header_of: HeaderOf, free: int) -> None:
    """It fits and the next does not, by llama.cpp's own figures; the search asks it a few times only."""
    header = header_of("llama-8b")
    measure = Measuring(header)
    found = one_model(FileFigures(header, estimator(header), measure), free)
    found.measured(PairSettings(8192))
    largest = found.largest_ctx(PairSettings(8192))
    assert 256 < largest < 131072
    assert len(measure.asked) <= 9
    assert {settings.ctx for settings in measure.asked} >= {8192, largest, largest + CTX_STEP}
    exact = one_model(FileFigures(header, measure), free)
    assert exact.place(PairSettings(largest)).verdict is Verdict.FITS
    assert exact.place(PairSettings(largest + CTX_STEP)).verdict is not Verdict.FITS


def test_arithmetic_is_corrected_by_what_was_measured(header_of: HeaderOf) -> None:
    """Other settings move by the same difference, and nothing becomes less than nothing."""
    header = header_of("llama-8b")
    estimate, measure = estimator(header), Measuring(header)
    figures = FileFigures(header, estimate, measure)
    known, other = FitSettings(8192), FitSettings(4096)
    assert figures.need(other) == estimate(other)
    assert figures.learn(known)
    assert not figures.learn(known)
    difference = measure(known).compute - estimate(known).compute
    assert figures.need(other).compute == estimate(other).compute + difference
    assert figures.need(other).weights == estimate(other).weights
    two = FitSettings(4096, split=(1.0, 1.0))
    assert figures.need(two) == estimate(two)


@pytest.mark.parametrize("devices", [0, 2])
def test_refused_measurements(header_of: HeaderOf, devices: int) -> None:
    """A header that llama.cpp refuses or dies of, or other devices than are known, leave the arithmetic: estimated."""
    header = header_of("llama-8b")
    measure = Measuring(header, refuses=devices == 0, devices=devices)
    figures = FileFigures(header, estimator(header), measure)
    report = fit_report(one_model(figures), PairSettings(8192))
    assert (report.method, report.not_measured) == (Method.ESTIMATED, NotMeasured.FAILED)
    assert report.verdict is Verdict.FITS
    assert figures.refusal is not None
    assert figures.refusal.kind is ErrorKind.FIT_UNMEASURABLE
    assert len(measure.asked) == len(set(measure.asked))


def test_without_arithmetic_everything_is_measured(header_of: HeaderOf) -> None:
    """An architecture whose rules are unknown costs time, not the answer; without both there is none."""
    header = header_of("llama-8b")
    report = fit_report(one_model(FileFigures(header, no_arithmetic, Measuring(header))), PairSettings(8192))
    assert report.method is Method.MEASURED
    assert report.largest_ctx > 8192
    for measure in (None, Measuring(header, refuses=True)):
        with pytest.raises(EngineError) as caught:
            fit_report(one_model(FileFigures(header, no_arithmetic, measure)), PairSettings(8192))
        assert caught.value.report.kind is ErrorKind.FIT_UNMEASURABLE


def test_one_estimated_model_makes_the_pair_estimated(header_of: HeaderOf) -> None:
    """Both must be measured before the answer says so."""
    header = header_of("llama-8b")
    found = one_model(FileFigures(header, estimator(header), Measuring(header)))
    draft = FileFigures(header, estimator(header))
    report = fit_report(replace(found, pair=replace(found.pair, draft=draft)), PairSettings(8192))
    assert report.not_measured is NotMeasured.NOT_ASKED


def test_nothing_is_less_than_nothing(header_of: HeaderOf) -> None:
    """A correction downwards ends at 0."""
    header = header_of("llama-8b")

    def nothing(settings: FitSettings) -> ModelNeed:
        return ModelNeed((DeviceNeed(),), DeviceNeed(), 0)

    figures = FileFigures(header, estimator(header), nothing)
    figures.learn(FitSettings(8192))
    assert figures.need(FitSettings(4096)).total == 0
