"""Many answers about the same models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.dry_load_client import DryLoads
from app.fit import pair_fits
from app.fit.pair_fits import FitQuestion, PairFits, SmallerDraft
from app.fit.values import AdviceKind, NotMeasured, PairSettings, Verdict
from engine.errors import EngineError, ErrorKind
from engine.types import KvType
from tests.fakes.devices import GIB, card, machine
from tests.fakes.fake_fits import PaperDesk, fresh_fits, header_file

TARGET = (header_file("Qwen2.5-Coder-14B.gguf"),)
DRAFT = (header_file("Qwen2.5-Coder-1.5B.gguf"),)
SMALL = (header_file("Qwen2.5-Coder-0.5B.gguf"),)
QUESTION = FitQuestion(TARGET, DRAFT, PairSettings(8192), machine(card(11 * GIB)))


@pytest.fixture
def fits() -> PairFits:
    return fresh_fits()


def test_headers_are_read_once(fits: PairFits, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another context, another cache and another memory are answered without reading a header again."""
    read: list[tuple[Path, ...]] = []
    figures = pair_fits.figures

    def counted(files: tuple[Path, ...], dry_loads: DryLoads) -> object:
        read.append(files)
        return figures(files, dry_loads)

    monkeypatch.setattr(pair_fits, "figures", counted)
    reports = [
        fits.report(replace(QUESTION, settings=settings, machine=computer))
        for settings in (PairSettings(2048), PairSettings(8192), PairSettings(8192, KvType.Q8_0))
        for computer in (machine(card(8 * GIB)), machine(card(24 * GIB)))
    ]
    assert sorted(read) == sorted([TARGET, DRAFT])
    assert {report.verdict for report in reports} >= {Verdict.FITS, Verdict.TOO_BIG}


def test_arithmetic_first(fits: PairFits) -> None:
    """Without asking the answer is estimated; once llama.cpp was asked, later ones stand on its word."""
    assert fits.report(QUESTION).not_measured is NotMeasured.NOT_ASKED
    assert fits.report(replace(QUESTION, asks=True)).not_measured is None
    assert fits.report(replace(QUESTION, settings=PairSettings(4096))).not_measured is None


def test_advice_names_another_pair(fits: PairFits) -> None:
    """Who asks for advice hears of smaller drafts too, under the names that were given; others are spared the work."""
    smaller = SmallerDraft("other-pair", "0.5B", SMALL)
    broken = SmallerDraft("broken", "?", (Path("/nowhere"),))
    report = fits.report(replace(QUESTION, advises=True, smaller_drafts=(broken, smaller)))
    found = [advice for advice in report.advice if advice.kind is AdviceKind.SMALLER_DRAFT]
    assert [(advice.draft_id, advice.draft_title) for advice in found] == [("other-pair", "0.5B")]
    assert not fits.report(QUESTION).advice


def test_files_that_change_are_read_again(fits: PairFits, tmp_path: Path) -> None:
    """What is wrong with a file is told each time, until there is another file."""
    file = tmp_path / "model.gguf"
    question = replace(QUESTION, target=(file,))
    for content, kind in ((None, ErrorKind.FILE_MISSING), (b"no model", ErrorKind.NOT_GGUF)):
        if content is not None:
            file.write_bytes(content)
        for _ in range(2):
            with pytest.raises(EngineError) as raised:
                fits.report(question)
            assert raised.value.report.kind is kind
    file.write_bytes(TARGET[0].read_bytes())
    assert fits.report(question).layers == 49


def test_margins_are_those_that_were_learned() -> None:
    """The margin of each device is what the desk says."""
    desk = PaperDesk()
    part = PairFits(desk).report(QUESTION).placement.devices[0]  # type: ignore[arg-type]
    assert part.margin_bytes == desk.margins(QUESTION.machine)[part.device.id]
