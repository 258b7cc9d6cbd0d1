"""A reply as the JSON that `generate` prints: a contract, whose keys may be added to and never renamed."""

from __future__ import annotations

from dataclasses import asdict

from app.messages import draft_inactive_sentence, inactive_sentence, message_for
from app.pairs import PairChoice, pair_title
from engine.errors import ErrorReport
from engine.stats import GenerationStats, ReplyFold
from engine.types import EndReason, LoadedPair, RoundChoice, TokenEvent

Document = dict[str, object]


def reply_document(reply: ReplyFold, seed: int, pair: LoadedPair | None, choice: PairChoice) -> Document:
    """Rounds and positions count from 0. A reply without an end ended with an error."""
    return {
        "text": reply.text,
        "finish_reason": (reply.end or EndReason.ERROR).value,
        "seed": seed,
        "tokens": [_token(token) for token in reply.tokens],
        "stats": stats_document(reply.stats, pair),
        "pair": pair_document(pair, choice),
    }


def stats_document(stats: GenerationStats, pair: LoadedPair | None) -> Document:
    """ "speculation" tells what ran: "on" if a drafter was at work, even if it stopped on the way."""
    on = stats.inactive is None or stats.verified > 0
    return {
        "prompt_tokens": stats.prompt_tokens,
        "reused_tokens": stats.reused_tokens,
        "completion_tokens": stats.completion_tokens,
        "rounds": stats.rounds,
        "drafted": stats.drafted,
        "verified": stats.verified,
        "accepted": stats.accepted,
        "resampled": stats.resampled,
        "bonus": stats.bonus,
        "plain": stats.plain,
        "acceptance_rate": stats.acceptance_rate,
        "tokens_per_round": stats.tokens_per_round,
        "accepted_at": list(stats.accepted_at),
        "verified_at": list(stats.verified_at),
        "prefill_s": stats.prefill_s,
        "ttft_s": stats.ttft_s,
        "decode_s": stats.decode_s,
        "tokens_per_s": stats.tokens_per_s,
        "draft_s": stats.draft_s,
        "verify_s": stats.verify_s,
        "sample_s": stats.sample_s,
        "other_s": stats.other_s,
        "speculation": "on" if on else "off",
        "inactive_reason": None if stats.inactive is None else inactive_sentence(stats.inactive, pair),
        "inactive_kind": None if stats.inactive is None else stats.inactive.value,
        "draft_inactive_reason": None
        if stats.draft_inactive is None
        else draft_inactive_sentence(stats.draft_inactive, pair),
        "draft_inactive_kind": None if stats.draft_inactive is None else stats.draft_inactive.value,
        "drafters": {"model": asdict(stats.model), "lookup": asdict(stats.lookup)},
        "choice": choice_document(stats.choice),
    }


def choice_document(choice: RoundChoice | None) -> Document | None:
    """What was chosen last and why; None where there was nothing to choose."""
    if choice is None:
        return None
    return {
        "choice": choice.choice.value,
        "drafter": None if choice.drafter is None else choice.drafter.value,
        "length": choice.length,
        "ratio": choice.ratio,
        "resting": choice.resting,
    }


def pair_document(pair: LoadedPair | None, choice: PairChoice) -> Document | None:
    """What was loaded; None if nothing was."""
    if pair is None:
        return None
    return {
        "id": choice.pair_id,
        "title": pair_title(pair, choice),
        "target": asdict(pair.target),
        "draft": None if pair.draft is None else asdict(pair.draft),
        "ctx": pair.ctx,
        "device": pair.device,
        "backend": pair.backend,
        "load_s": pair.load_s,
        "memory_bytes": pair.memory_bytes,
        "masked": pair.masked,
    }


def error_document(report: ErrorReport) -> Document:
    message = message_for(report)
    return {
        "kind": report.kind.value,
        "title": message.title,
        "text": message.text,
        "facts": dict(report.facts),
        "detail": message.detail,
    }


def _token(token: TokenEvent) -> Document:
    rejected = token.rejected
    return {
        "id": token.token_id,
        "text": token.text,
        "source": token.source.value,
        "drafter": None if token.drafter is None else token.drafter.value,
        "p": token.p,
        "q": token.q,
        "rejected": None
        if rejected is None
        else {"id": rejected.token_id, "text": rejected.text, "p": rejected.p, "q": rejected.q},
        "round": token.round,
        "position": token.position,
        "match": token.match or None,
    }
