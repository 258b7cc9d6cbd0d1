"""What makes a pair fit, each change on its own, with what it saves and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.devices.device import DeviceKind
from app.fit.figures import ModelFigures
from app.fit.placing import Pair, chunk, layers_on_gpu
from app.fit.search import CTX_STEP, Search
from app.fit.values import Advice, AdviceKind, PairSettings, Placement, Verdict
from engine.errors import EngineError
from engine.types import FlashAttention, KvType

SMALLER_KV: Final = KvType.Q8_0  # costs next to nothing of a text's quality; smaller ones do

_LARGE_KV: Final = (KvType.F32, KvType.F16, KvType.BF16)
SMALL_UBATCH: Final = 128
_UBATCHES: Final = (256, SMALL_UBATCH)
_ROUND_CTX: Final = 1024
_SMALL_CTX: Final = 4096

# How much faster than the computer's memory the card's is: 500 GB/s against 60 GB/s. Decoding reads every weight once.
_CARD_FACTOR: Final = 8


@dataclass(frozen=True, slots=True)
class OtherDraft:
    """A smaller draft for the same target; `id` is the caller's name for it."""

    id: str
    title: str
    figures: ModelFigures


def advise(
    search: Search, settings: PairSettings, placement: Placement, others: Sequence[OtherDraft] = ()
) -> tuple[Advice, ...]:
    """What helps where `placement`, that of `settings`, does not fit: first what suffices. What saves nothing is left
    out.

    Args:
        others: largest first.
    """
    ways = (_context, _kv_type, _ubatch, _no_draft, _experts, _layers)
    found = [advice for way in ways for advice in _possible(way(search, settings, placement))]
    at = next((index for index, advice in enumerate(found) if advice.kind is AdviceKind.NO_DRAFT), len(found))
    found[at:at] = _possible(_smaller_draft(search, settings, placement, others))
    saving = (advice for advice in found if advice.saves_bytes > 0)
    return tuple(sorted(saving, key=lambda advice: advice.verdict is not Verdict.FITS))


def _possible(ways: Iterator[Advice]) -> list[Advice]:
    """Not every model takes every setting; one that has no figures is no advice."""
    try:
        return list(ways)
    except EngineError:
        return []


def _context(search: Search, settings: PairSettings, before: Placement) -> Iterator[Advice]:
    fitting = search.largest_ctx(settings)
    ctx = round_ctx(min(fitting, settings.ctx) or min(_SMALL_CTX, settings.ctx // 2))
    if 0 < ctx < settings.ctx:
        yield _advice(search, AdviceKind.CONTEXT, replace(settings, ctx=ctx), before)


def round_ctx(ctx: int) -> int:
    """Down to a number that people use."""
    return ctx - ctx % (_ROUND_CTX if ctx >= 2 * _ROUND_CTX else CTX_STEP)


def _kv_type(search: Search, settings: PairSettings, before: Placement) -> Iterator[Advice]:
    if settings.kv_type in _LARGE_KV:
        yield _advice(search, AdviceKind.KV_TYPE, with_smaller_kv(settings), before)


def with_smaller_kv(settings: PairSettings) -> PairSettings:
    """llama.cpp takes such a cache with flash attention only."""
    flash = settings.flash_attention
    return replace(
        settings,
        kv_type=SMALLER_KV,
        flash_attention=FlashAttention.AUTO if flash is FlashAttention.OFF else flash,
    )


def _ubatch(search: Search, settings: PairSettings, before: Placement) -> Iterator[Advice]:
    now = chunk(settings, search.rooms.machine)
    tried = [
        _advice(search, AdviceKind.UBATCH, replace(settings, ubatch=size), before) for size in _UBATCHES if size < now
    ]
    yield from _best(tried)


def _smaller_draft(
    search: Search, settings: PairSettings, before: Placement, others: Sequence[OtherDraft]
) -> Iterator[Advice]:
    if search.pair.draft is None or not settings.with_draft:
        return
    tried = []
    for other in others:
        with_other = replace(search, pair=Pair(search.pair.target, other.figures))
        advice = _advice(with_other, AdviceKind.SMALLER_DRAFT, settings, before)
        tried.append(replace(advice, draft_id=other.id, draft_title=other.title))
    yield from _best(tried)


def _no_draft(search: Search, settings: PairSettings, before: Placement) -> Iterator[Advice]:
    if search.pair.draft is not None and settings.with_draft:
        yield _advice(search, AdviceKind.NO_DRAFT, replace(settings, with_draft=False), before)


def _experts(search: Search, settings: PairSettings, before: Placement) -> Iterator[Advice]:
    experts, used = search.pair.target.experts
    if not experts or settings.experts_on_cpu or not has_own_memory(search):
        return
    advice = _advice(search, AdviceKind.EXPERTS, replace(settings, experts_on_cpu=True), before)
    after = search.place(advice.settings)
    moved = (_on_gpus(before) - _on_gpus(after)) * used / experts
    yield replace(advice, speed=_speed(moved, _on_gpus(after) + moved))


def _layers(search: Search, settings: PairSettings, before: Placement) -> Iterator[Advice]:
    asked = layers_on_gpu(search.pair, settings, search.rooms.machine)
    if not asked or not has_own_memory(search):
        return
    fitting = search.fitting_layers(settings)
    if fitting < asked:
        fewer = replace(settings, gpu_layers=fitting, split=()) if fitting else without_gpu(settings)
        advice = _advice(search, AdviceKind.LAYERS, fewer, before)
        after = search.place(fewer)
        speed = _speed(_on_gpus(before) - _on_gpus(after), _on_gpus(before))
        yield replace(advice, speed=speed, layers=search.pair.target.layers)


def without_gpu(settings: PairSettings) -> PairSettings:
    """Both models on the processor."""
    return replace(settings, gpu_layers=0, draft_gpu_layers=0, split=())


def has_own_memory(search: Search) -> bool:
    """Whether there is another memory that something can be moved to."""
    return any(gpu.kind is DeviceKind.CARD for gpu in search.rooms.machine.gpus)


def _advice(search: Search, kind: AdviceKind, settings: PairSettings, before: Placement) -> Advice:
    after = search.place(settings)
    return Advice(kind, settings, after.verdict, _pressed(before, before) - _pressed(after, before))


def _pressed(placement: Placement, before: Placement) -> int:
    """What is needed of the memory that was short: all the cards', or the computer's."""
    kind = before.deciding.device.kind
    return sum(part.need_bytes for part in placement.devices if part.device.kind is kind)


def _best(tried: Sequence[Advice]) -> Sequence[Advice]:
    """The first that makes the pair fit, or the one that saves most."""
    fitting = [advice for advice in tried if advice.verdict is Verdict.FITS]
    return fitting[:1] or sorted(tried, key=lambda advice: -advice.saves_bytes)[:1]


def _on_gpus(placement: Placement) -> int:
    """Bytes of the target's weights."""
    return sum(part.target.weights for part in placement.devices if part.device.kind is not DeviceKind.SYSTEM)


def _speed(moved: float, all_bytes: float) -> float:
    """Of decoding, where so much of what every token reads has moved to the computer's memory."""
    share = moved / all_bytes if all_bytes else 0.0
    return 1 / (1 + share * (_CARD_FACTOR - 1))
