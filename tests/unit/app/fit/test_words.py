"""The words for verdicts and devices, and the JSON that is a contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from app import translate
from app.devices.device import DeviceProblem, DeviceTrouble, MemoryUser
from app.fit.document import fit_document
from app.fit.proposal import propose
from app.fit.report import fit_report
from app.fit.table import fit_lines
from app.fit.values import Advice, AdviceKind, FitReport, NotMeasured, PairSettings, Verdict
from app.fit_words import (
    advice_words,
    device_name,
    gigabytes,
    method_sentence,
    problem_sentence,
    proposal_sentence,
    tokens_in_short,
    unused_sentence,
    verdict_in_short,
    verdict_sentence,
)
from engine.types import FlashAttention, KvType
from tests.fakes.devices import GIB, MIB, card, machine, memory
from tests.unit.app.fit.conftest import MakeSearch

MODEL = {"weights_bytes", "kv_bytes", "compute_bytes"}
# What DESIGN promises.
KEYS = {
    "verdict", "ctx", "device", "target", "draft", "overhead_bytes", "margin_bytes", "need_bytes", "free_bytes",
    "largest_ctx", "method", "advice",
}  # fmt: skip


@pytest.fixture
def report(search: MakeSearch) -> Callable[..., FitReport]:
    """Makes the report for a pair on one card."""

    def make(free: int, ctx: int = 8192, *models: str) -> FitReport:
        found = search(machine(card(12 * GIB, free, "RTX 4070")), *(models or ("qwen2.5-7b", "qwen2.5-0.5b")))
        return fit_report(found, PairSettings(ctx))

    return make


def test_more_than_the_model_was_trained_with(report: Callable[..., FitReport]) -> None:
    """Where a longer context fits than the target knows, that is told, and not that only a shorter one fits."""
    beyond = report(12 * GIB, 1_000 * 256, "qwen2.5-0.5b")
    assert beyond.verdict is Verdict.FITS
    assert f"was trained with {beyond.largest_ctx:,} tokens" in verdict_sentence(beyond)
    assert "tokens fit." not in verdict_sentence(beyond)
    assert verdict_in_short(beyond) == "Fits at 250k"


def test_every_verdict_names_its_context(report: Callable[..., FitReport], search: MakeSearch) -> None:
    """In sentences and in tables, with what is missing and what would fit instead."""
    fits = report(12 * GIB)
    need = fits.placement.devices[0].need_bytes
    tight, too_big, hopeless = report(need), report(need - 500 * MIB), report(9 * GIB, 8192, "qwen3-32b", "qwen3-0.6b")
    assert [one.verdict for one in (fits, tight, too_big, hopeless)] == [
        Verdict.FITS, Verdict.TIGHT, Verdict.TOO_BIG, Verdict.TOO_BIG
    ]  # fmt: skip
    for one in (fits, tight, too_big, hopeless):
        assert "8,192 tokens" in verdict_sentence(one)
        assert not set("{}") & set(verdict_sentence(one) + verdict_in_short(one))
    assert f"Up to {fits.largest_ctx:,} tokens fit." in verdict_sentence(fits)
    assert "0.54 GB of the safety margin" in verdict_sentence(tight)
    assert "too big by 1.06 GB, the margin included" in verdict_sentence(too_big)
    assert f"{hopeless.fitting_layers} of 65 layers would fit" in verdict_sentence(hopeless)
    assert verdict_in_short(fits).startswith("Fits, up to ")
    assert verdict_in_short(tight).startswith("Not at 8k; ")
    assert "at 8k" in verdict_in_short(hopeless)
    tight_only = replace(tight, largest_ctx=0)
    assert verdict_in_short(tight_only) == "Tight at 8k"


def test_numbers() -> None:
    """Sizes with two digits, tokens in thousands as people call them, never more than there are."""
    assert [gigabytes(size) for size in (0, 8.554e9, 1234.5e9)] == ["0.00 GB", "8.55 GB", "1,234.50 GB"]
    assert [tokens_in_short(count) for count in (256, 1024, 5376, 8192, 131072, 100_000)] == [
        "256", "1k", "5.3k", "8k", "128k", "100k"
    ]  # fmt: skip


@pytest.mark.parametrize("kind", AdviceKind)
def test_every_advice_has_words(kind: AdviceKind) -> None:
    """What to change, and what that saves or costs."""
    settings = PairSettings(4096, KvType.Q8_0, ubatch=256, gpu_layers=44)
    advice = Advice(kind, settings, Verdict.FITS, 800_000_000, speed=0.58, layers=49, draft_id="x", draft_title="Small")
    what, effect = advice_words(advice)
    told = {
        AdviceKind.CONTEXT: ("4,096", "saves 0.80 GB"),
        AdviceKind.KV_TYPE: ("q8_0", "saves 0.80 GB"),
        AdviceKind.UBATCH: ("256", "prompts"),
        AdviceKind.SMALLER_DRAFT: ("Small", "saves 0.80 GB"),
        AdviceKind.NO_DRAFT: ("No draft", "no speculation"),
        AdviceKind.EXPERTS: ("Experts", "about 0.6× speed"),
        AdviceKind.LAYERS: ("44 of 49 layers", "about 0.6× speed"),
    }[kind]
    assert told[0] in what
    assert told[1] in effect
    assert not set("{}") & set(what + effect)


def test_no_layers() -> None:
    """None at all is told as such."""
    advice = Advice(AdviceKind.LAYERS, PairSettings(4096, gpu_layers=0), Verdict.FITS, 1, speed=0.125, layers=49)
    assert "no layers on the GPU" in advice_words(advice)[0]


def test_all_changes_of_a_proposal(report: Callable[..., FitReport]) -> None:
    """Each that differs from what was asked for is named, and nothing else."""
    asked = replace(report(12 * GIB), settings=PairSettings(8192, flash_attention=FlashAttention.OFF))
    proposed = PairSettings(4096, KvType.Q8_0, gpu_layers=5, experts_on_cpu=True, with_draft=False)
    sentence = proposal_sentence(proposed, asked)
    for word in ("context 4,096", "KV cache q8_0", "flash attention auto", "experts in", "5 of 29 layers", "no draft"):
        assert word in sentence
    assert proposal_sentence(replace(asked.settings, ctx=4096), asked) == "The best that fits: context 4,096."


@pytest.mark.parametrize("reason", [None, *NotMeasured])
def test_where_the_figures_come_from(reason: NotMeasured | None, report: Callable[..., FitReport]) -> None:
    """Measured or estimated, and why."""
    sentence = method_sentence(replace(report(12 * GIB), not_measured=reason))
    assert sentence.startswith("Measured" if reason is None else "Estimated")


def test_unused_card() -> None:
    """It is named."""
    assert unused_sentence(card(GIB, name="RTX 4070")).startswith("RTX 4070 is not used")


@pytest.mark.parametrize("trouble", DeviceTrouble)
def test_every_trouble_has_words(trouble: DeviceTrouble) -> None:
    """Without a gap; a driver's own word is in them."""
    sentence = problem_sentence(DeviceProblem(trouble, "GPU is lost"))
    assert not set("{}") & set(sentence)
    assert ("GPU is lost" in sentence) is (trouble is not DeviceTrouble.HANGS)


def test_json_keys(search: MakeSearch) -> None:
    """Every promised key is there, on every kind of computer, and the whole is JSON."""
    for computer in (machine(), machine(card(4 * GIB)), machine(card(3 * GIB, name="a"), card(4 * GIB, name="b"))):
        found = search(computer, "qwen2.5-7b", "qwen2.5-0.5b")
        asked = PairSettings(8192)
        report = fit_report(found, asked)
        document: dict[str, Any] = fit_document(report, propose(found, asked), has_draft=True)
        assert document.keys() >= KEYS
        assert document["target"].keys() == document["draft"].keys() == MODEL
        assert document["verdict"] == report.verdict.value
        parts = [sum(document[model].values()) for model in ("target", "draft")]
        assert document["need_bytes"] == sum(parts) + document["output_bytes"] + document["overhead_bytes"]
        assert json.loads(json.dumps(document)) == document
        assert len(document["devices"]) == len(report.placement.devices)
        assert all(set(advice) >= {"kind", "saves_bytes", "verdict", "settings"} for advice in document["advice"])
    alone = search(machine(), "qwen2.5-7b")
    document = fit_document(fit_report(alone, asked), None, has_draft=False)
    assert (document["draft"], document["proposal"], document["device"]) == (None, None, "memory")


def test_the_device_that_decides_is_at_the_top(search: MakeSearch) -> None:
    """Where the computer's memory is what is missing, the figures are its own."""
    usual = search(machine(card(24 * GIB)), "qwen2.5-7b", "qwen2.5-0.5b").place(PairSettings(8192)).devices[1]
    few = machine(card(24 * GIB, name="RTX 4090"), system=memory(usual.need_bytes, 64 * GIB))
    found = search(few, "qwen2.5-7b", "qwen2.5-0.5b")
    document = fit_document(fit_report(found, PairSettings(8192)), None, has_draft=True)
    assert (document["device"], document["verdict"]) == ("memory", "tight")


def test_table_for_people(search: MakeSearch) -> None:
    """All rows of the card, what is needed of how much, the ways out and the best of them."""
    users = (MemoryUser(7, "browser", 610_000_000), MemoryUser(8, "", 20_000_000), MemoryUser(9, "unsized", None))
    computer = machine(replace(card(12 * GIB, 11 * GIB, "RTX 4070"), users=users))
    found = search(computer, "qwen3-32b", "qwen3-0.6b")
    asked = PairSettings(8192)
    text = "\n".join(fit_lines(fit_report(found, asked), propose(found, asked)))
    for word in (
        "RTX 4070", "Target weights", "Target KV cache, 8,192 tokens", "Draft weights", "Draft KV cache",
        "Compute buffers, both", "Output buffers", "The engine itself", "Other programs now", "Safety margin",
        "  browser ", "  8 ", "of 12.88 GB", "too big by",
        "Ways to make it fit:", "KV cache q8_0", "The best that fits:", "Estimated",
    ):  # fmt: skip
        assert word in text, word
    assert "unsized" not in text
    fitting = search(computer, "qwen2.5-7b")
    lines = list(fit_lines(fit_report(fitting, asked), propose(fitting, asked)))
    assert not any("Ways" in line or "best" in line or "Draft" in line for line in lines)


def test_words_are_translated_before_they_are_filled(
    report: Callable[..., FitReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The translator sees the sentences with their names in braces, and its words are used."""
    monkeypatch.setattr(translate, "_translator", lambda context, text: f"<{text}>")
    one = report(12 * GIB)
    assert verdict_sentence(one).startswith("<It fits with a context of 8,192 tokens.>")
    assert device_name(memory()) == "<this computer's memory>"
