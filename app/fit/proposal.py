"""The best settings that fit: a shorter context first, then a smaller cache type, then smaller pieces of prompts, then
less on the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from app.fit.advice import SMALL_UBATCH, SMALLER_KV, has_own_memory, round_ctx, with_smaller_kv, without_gpu
from app.fit.placing import chunk
from app.fit.search import Search
from app.fit.values import PairSettings, Placement, Verdict
from engine.errors import EngineError

# Down to here a shorter context is better than any other way: it still holds a conversation or a file.
_USEFUL_CTX: Final = 4096
SLACK_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Proposal:
    """`placement` is that of `settings`, and fits."""

    settings: PairSettings
    placement: Placement


def propose(search: Search, asked: PairSettings, slack_bytes: int = SLACK_BYTES) -> Proposal | None:
    """What is asked for where it fits, else the least change; without the draft only where nothing else helps.

    Free memory moves all the time: what is proposed leaves `slack_bytes` free beside the margins, or less on small
    devices, so that it still fits when it is asked for.

    None where even that does not fit. Raises EngineError where the pair cannot even be estimated.
    """
    placement = search.measured(asked)
    if placement.verdict is Verdict.FITS:
        return Proposal(asked, placement)
    search = _with_slack(search, slack_bytes)
    ways = [asked, replace(asked, with_draft=False)] if asked.with_draft and search.pair.draft else [asked]
    for settings in ways:
        for proposed in _changes(search, settings):
            try:
                placement = search.measured(proposed)
            except EngineError:  # not every model takes every setting
                continue
            if placement.verdict is Verdict.FITS:
                return Proposal(proposed, placement)
    return None


def _with_slack(search: Search, slack_bytes: int) -> Search:
    margins = {
        device.id: search.rooms.margins[device.id] + min(slack_bytes, device.total_bytes // 100)
        for device in search.rooms.machine.memories
    }
    return replace(search, rooms=replace(search.rooms, margins=margins))


def _changes(search: Search, asked: PairSettings) -> Iterator[PairSettings]:
    """Best first."""
    least = min(asked.ctx, _USEFUL_CTX)
    if not asked.with_draft:
        yield asked
    caches = [asked] if asked.kv_type is SMALLER_KV else [asked, with_smaller_kv(asked)]
    small = [replace(settings, ubatch=SMALL_UBATCH) for settings in caches] if _reads_more(search, asked) else []
    for settings in (*caches, *small):
        yield from _shorter(search, settings, least)
    if has_own_memory(search):
        if search.pair.target.experts[0]:
            for settings in caches:
                yield from _shorter(search, replace(settings, experts_on_cpu=True), least)
        for settings in reversed(caches):  # what was given up before stays given up, so that more layers fit
            fewer = _fewer_layers(search, replace(settings, ctx=least, split=()))
            if fewer is not None:
                yield fewer
        yield from _shorter(search, without_gpu(asked), 1)
    shortest = [proposed for settings in (*caches, *small) for proposed in _shorter(search, settings, 1)]
    yield from sorted(shortest, key=lambda proposed: -proposed.ctx)  # of equal ones that which gives up least


def _reads_more(search: Search, asked: PairSettings) -> bool:
    """Whether prompts are read in larger pieces than need be."""
    return chunk(asked, search.rooms.machine) > SMALL_UBATCH


def _fewer_layers(search: Search, settings: PairSettings) -> PairSettings | None:
    try:
        layers = search.fitting_layers(settings)
    except EngineError:
        return None
    return replace(settings, gpu_layers=layers) if layers else None


def _shorter(search: Search, settings: PairSettings, least: int) -> Iterator[PairSettings]:
    """With the longest context that fits, if that is long enough and not longer than asked for."""
    try:
        fitting = search.largest_ctx(settings)
    except EngineError:
        return
    ctx = settings.ctx if fitting >= settings.ctx else round_ctx(fitting)
    if ctx >= least:
        yield replace(settings, ctx=ctx)
