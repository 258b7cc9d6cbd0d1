"""What makes a pair fit, and the best of all that fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.devices.device import Machine
from app.fit.advice import OtherDraft, advise, round_ctx
from app.fit.figures import FileFigures
from app.fit.files import estimator
from app.fit.proposal import propose
from app.fit.report import fit_report
from app.fit.search import Search
from app.fit.values import Advice, AdviceKind, PairSettings, Verdict
from engine.errors import EngineError, ErrorKind
from engine.fit import FitSettings, ModelNeed
from engine.types import MAX_CTX, FlashAttention, KvType
from tests.fakes.devices import GIB, MACHINES, MIB, card, machine, memory, unified
from tests.unit.app.fit.conftest import HeaderOf, MakeSearch, enough

LARGE = ("qwen3-32b", "qwen3-0.6b")
SLACK = 64 * MIB  # a proposal leaves it free beside the margin
SMALL = ("llama-8b", "llama-1b-tied")
MIXTURE = ("qwen3-30b-a3b", "qwen3-0.6b")


def advice_for(found: Search, settings: PairSettings, *others: OtherDraft) -> dict[AdviceKind, Advice]:
    return {advice.kind: advice for advice in advise(found, settings, found.place(settings), others)}


@pytest.mark.parametrize("name", [name for name in MACHINES if name not in ("none", "unified", "24 GB")])
@pytest.mark.parametrize("models", [LARGE, MIXTURE, ("gemma-3-27b", "gemma-3-4b")])
def test_every_advice_saves_what_it_says(name: str, models: tuple[str, str], search: MakeSearch) -> None:
    """Its settings lead to its verdict, and what it saves is the difference on the cards."""
    found = search(MACHINES[name](), *models)
    asked = PairSettings(16384)
    before = found.place(asked)
    assert before.verdict is Verdict.TOO_BIG
    advices = advise(found, asked, before)
    assert advices
    cards = len(found.rooms.machine.gpus)
    for advice in advices:
        after = found.place(advice.settings)
        assert after.verdict is advice.verdict
        needs = [sum(part.need_bytes for part in placement.devices[:cards]) for placement in (before, after)]
        assert advice.saves_bytes == needs[0] - needs[1] > 0
        if advice.kind is AdviceKind.LAYERS:
            assert advice.verdict is Verdict.FITS


def test_a_shorter_context_first(search: MakeSearch) -> None:
    """Where a shorter one fits, the longest that people would choose is advised, and proposed."""
    found = search(machine(card(12 * GIB)), "llama-8b", "llama-1b-tied")
    asked = PairSettings(65536)
    advice = advice_for(found, asked)[AdviceKind.CONTEXT]
    assert advice.settings.ctx == round_ctx(found.largest_ctx(asked)) > 4096
    assert advice.verdict is Verdict.FITS
    proposal = propose(found, asked)
    assert proposal is not None
    assert proposal.settings == advice.settings
    assert proposal.placement.verdict is Verdict.FITS


def test_then_a_smaller_cache(search: MakeSearch) -> None:
    """Where less than a useful context would be left, the cache is made smaller instead."""
    models = "llama-8b", "llama-1b-tied"
    asked = PairSettings(8192, flash_attention=FlashAttention.OFF)
    short = search(machine(card(12 * GIB)), *models).place(replace(asked, ctx=3840))
    found = search(machine(card(12 * GIB, enough(short.devices[0]))), *models)
    assert found.largest_ctx(asked) == 3840
    proposal = propose(found, asked)
    assert proposal is not None
    assert proposal.settings.kv_type is KvType.Q8_0
    assert proposal.settings.flash_attention is FlashAttention.AUTO
    assert proposal.settings.ctx >= 4096
    assert proposal.settings.gpu_layers == -1


def test_then_fewer_layers(search: MakeSearch) -> None:
    """Where no context helps, as many layers as fit stay on the card, and not one more would."""
    found = search(machine(card(12 * GIB)), *LARGE)
    proposal = propose(found, PairSettings(8192))
    assert proposal is not None
    chosen = proposal.settings
    assert (chosen.ctx, chosen.kv_type) == (4096, KvType.Q8_0)
    assert 0 < chosen.gpu_layers < found.pair.target.layers
    assert found.place(replace(chosen, gpu_layers=chosen.gpu_layers + 1)).verdict is not Verdict.FITS


def test_experts_before_layers(search: MakeSearch) -> None:
    """Of a mixture only a few experts work on each token, so they are the first to leave the card."""
    found = search(machine(card(12 * GIB)), *MIXTURE)
    proposal = propose(found, PairSettings(8192))
    assert proposal is not None
    assert proposal.settings == PairSettings(8192, experts_on_cpu=True)
    draft = search(machine(card(40 * GIB)), "llama-8b", MIXTURE[0])
    places = [draft.place(PairSettings(8192, experts_on_cpu=on_cpu)) for on_cpu in (False, True)]
    assert places[0].devices[0].draft == places[1].devices[0].draft  # a draft is all on the card
    advice = advice_for(found, PairSettings(8192))[AdviceKind.EXPERTS]
    assert advice.speed is not None
    assert 0.1 < advice.speed < 0.5
    assert AdviceKind.EXPERTS not in advice_for(search(machine(card(12 * GIB)), *LARGE), PairSettings(8192))


def test_a_tiny_card_leaves_the_processor(search: MakeSearch) -> None:
    """On one gigabyte nothing fits: both models run in the computer's memory, with the context that was asked for."""
    found = search(MACHINES["1 GB"](), "llama-8b", "llama-1b-tied")
    proposal = propose(found, PairSettings(8192))
    assert proposal is not None
    assert proposal.settings == PairSettings(8192, gpu_layers=0, draft_gpu_layers=0)


def test_the_draft_goes_last(search: MakeSearch) -> None:
    """Without the draft nothing is faster, so it is only left away where nothing else helps."""
    alone = search(machine(), "llama-8b").place(PairSettings(4096)).devices[0]
    computer = machine(system=memory(enough(alone) + SLACK))
    proposal = propose(search(computer, "llama-8b", "llama-1b-tied"), PairSettings(4096))
    assert proposal is not None
    assert proposal.settings == PairSettings(4096, with_draft=False)


@pytest.mark.parametrize("computer", [machine(system=memory(4 * GIB, 8 * GIB)), machine(unified(8 * GIB, 4 * GIB))])
def test_nothing_helps(computer: Machine, search: MakeSearch) -> None:
    """Then nothing is proposed, and no advice says that it fits."""
    found = search(computer, *LARGE)
    assert propose(found, PairSettings(8192)) is None
    advices = advice_for(found, PairSettings(8192))
    assert {AdviceKind.CONTEXT, AdviceKind.KV_TYPE, AdviceKind.NO_DRAFT} <= advices.keys()
    assert not {AdviceKind.LAYERS, AdviceKind.EXPERTS} & advices.keys()
    assert all(advice.verdict is Verdict.TOO_BIG for advice in advices.values())


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("models", [LARGE, MIXTURE, ("llama-8b", "llama-1b-tied"), ("qwen3.5-27b", "qwen3.5-0.8b")])
def test_what_is_proposed_fits(name: str, models: tuple[str, str], search: MakeSearch) -> None:
    """On every computer; and what fits as it is asked for is left as it is."""
    found = search(MACHINES[name](), *models)
    for asked in (PairSettings(32768), PairSettings(2048, KvType.Q8_0)):
        proposal = propose(found, asked)
        fits = found.place(asked).verdict is Verdict.FITS
        if proposal is not None:
            assert found.place(proposal.settings).verdict is Verdict.FITS
            assert proposal.settings.ctx <= asked.ctx
            assert (proposal.settings == asked) is fits
        assert proposal is not None or not fits


def test_smaller_pieces_before_a_context_that_is_no_use(search: MakeSearch) -> None:
    """Where prompts are read in large pieces, smaller ones are proposed before the context goes below 4,096 tokens."""
    asked = PairSettings(8192, KvType.Q8_0, ubatch=2048)
    room = enough(search(machine(card(24 * GIB)), *SMALL).place(replace(asked, ctx=4096, ubatch=128)).devices[0])
    proposal = propose(search(machine(card(24 * GIB, room + SLACK)), *SMALL), asked)
    assert proposal is not None
    assert (proposal.settings.ctx, proposal.settings.ubatch) == (4096, 128)


def test_nothing_is_given_up_for_nothing(search: MakeSearch) -> None:
    """A smaller cache that makes no longer context fit is not proposed."""
    for free in range(10 * GIB, 11 * GIB, 100 * MIB):
        found = search(machine(system=memory(free=free, total=16 * GIB)), *SMALL)
        proposal = propose(found, PairSettings(8192))
        if proposal is not None and proposal.settings.kv_type is KvType.Q8_0:
            assert proposal.settings.ctx > found.largest_ctx(PairSettings(8192)) - 256


def test_no_more_than_can_be_asked_for(search: MakeSearch) -> None:
    """A target that says it was trained with two billion tokens fits with at most as many as a load takes."""
    found = search(machine(system=memory(free=1 << 50, total=1 << 51)), "qwen3-0.6b")
    found.pair.target.trained_ctx = (1 << 31) - 1
    assert found.largest_ctx(PairSettings(8192)) <= MAX_CTX


def test_speed_with_few_layers_less(search: MakeSearch) -> None:
    """A tenth of the layers in the computer's memory costs almost half of the speed."""
    most = search(machine(card(24 * GIB)), *LARGE).place(PairSettings(8192, gpu_layers=58))
    found = search(machine(card(24 * GIB, enough(most.devices[0]))), *LARGE)
    advice = advice_for(found, PairSettings(8192))[AdviceKind.LAYERS]
    assert (advice.settings.gpu_layers, advice.layers) == (58, 65)
    assert advice.speed == pytest.approx(0.6, abs=0.07)


def test_smaller_draft(search: MakeSearch, header_of: HeaderOf) -> None:
    """The first of the others with which the pair fits; where none helps, the one that saves most."""

    def other(name: str) -> OtherDraft:
        header = header_of(name)
        return OtherDraft(f"id of {name}", name, FileFigures(header, estimator(header)))

    others = [other(name) for name in ("qwen2.5-7b", "llama-1b-tied", "qwen3-0.6b", "qwen2.5-0.5b")]
    asked = PairSettings(4096)
    small = search(machine(card(12 * GIB)), "llama-8b", "llama-1b-tied").place(asked).devices[0]
    found = search(machine(card(12 * GIB, enough(small))), "llama-8b", "gemma-3-4b")
    advice = advice_for(found, asked, *others)[AdviceKind.SMALLER_DRAFT]
    assert (advice.draft_title, advice.draft_id, advice.verdict) == (
        "llama-1b-tied",
        "id of llama-1b-tied",
        Verdict.FITS,
    )
    assert advice in fit_report(found, asked, others).advice
    assert fit_report(found, asked, others, with_advice=False).advice == ()
    found = search(machine(card(6 * GIB)), "qwen3-32b", "gemma-3-4b")
    advice = advice_for(found, asked, *others)[AdviceKind.SMALLER_DRAFT]
    assert (advice.draft_title, advice.verdict) == ("qwen2.5-0.5b", Verdict.TOO_BIG)
    assert AdviceKind.SMALLER_DRAFT not in advice_for(found, replace(asked, with_draft=False), *others)


def test_what_saves_nothing_is_no_advice(search: MakeSearch) -> None:
    """A model without a cache gains nothing by a smaller one."""
    advices = advice_for(search(machine(card(2 * GIB, GIB)), "mamba2-2.7b"), PairSettings(8192))
    assert AdviceKind.KV_TYPE not in advices
    assert AdviceKind.LAYERS in advices


def test_what_the_model_does_not_take_is_no_advice(search: MakeSearch, header_of: HeaderOf) -> None:
    """Where there are no figures for a smaller cache, other ways are advised and proposed."""
    found = search(machine(card(12 * GIB)), *LARGE)
    header = header_of("qwen3-32b")
    answer = estimator(header)

    def no_small_cache(settings: FitSettings) -> ModelNeed:
        if settings.kv_type is KvType.Q8_0:
            raise EngineError(ErrorKind.FIT_UNMEASURABLE, path="x", reason="the head is not a multiple of 32")
        return answer(settings)

    target = FileFigures(header, no_small_cache)
    found = replace(found, pair=replace(found.pair, target=target))
    kinds = advice_for(found, PairSettings(8192)).keys()
    assert AdviceKind.KV_TYPE not in kinds
    assert {AdviceKind.CONTEXT, AdviceKind.LAYERS} <= kinds
    proposal = propose(found, PairSettings(8192))
    assert proposal is not None
    assert (proposal.settings.kv_type, proposal.settings.gpu_layers > 0) == (KvType.F16, True)
