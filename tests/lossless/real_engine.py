"""Replies of the real engine, over its client: pytest's own process never loads llama.cpp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.engine_client import EngineClient
from engine.errors import EngineError
from engine.protocol import CostsSeen, Failed, Finished, SpeculationStopped, Started
from engine.stats import ReplyFold
from engine.types import Drafter, DraftRound, FlashAttention, GenerationRequest, KvType, LoadRequest, SamplingSettings


def request(target: Path, draft: Path, ctx: int, *, exact: bool) -> LoadRequest:
    """What to load. In the exact configuration logits do not depend on how many tokens share a pass."""
    wanted = LoadRequest(target=str(target), draft=str(draft), ctx=ctx)
    return replace(wanted, kv_type=KvType.F32, flash_attention=FlashAttention.OFF) if exact else wanted


def load(client: EngineClient, wanted: LoadRequest) -> None:
    """Load a pair. Raises EngineError."""
    *_, ending = client.load(wanted)
    if isinstance(ending, Failed):
        raise EngineError.of(ending.report)


def write(
    client: EngineClient,
    prompt: str,
    sampling: SamplingSettings,
    length: int | None,
    tokens: int,
    drafters: frozenset[Drafter] = frozenset(Drafter),
) -> ReplyFold:
    """A reply to raw text from cold caches; draft length 0 switches speculation off, None is by time.

    Raises EngineError.
    """
    fold = ReplyFold()
    wanted = GenerationRequest(
        job=0,
        prompt=prompt,
        sampling=sampling,
        max_tokens=tokens,
        speculate=length != 0,
        draft_length=length,
        drafters=drafters,
        cold=True,
    )
    for event in client.generate(wanted):
        match event:
            case Started() | DraftRound() | SpeculationStopped() | CostsSeen() | Finished():
                fold.add(event)
            case Failed(report=report):
                raise EngineError.of(report)
    return fold
