"""What the status line and the speculation switch say, worked out from what is the case now."""

from __future__ import annotations

from app.amounts import count
from app.compare.values import Arm, Step
from app.engine_client import EngineState
from app.messages import HOPEFUL, choice_sentence, draft_inactive_sentence
from app.translate import translate
from engine.errors import ErrorReport
from engine.stats import GenerationStats
from engine.types import Choice, Inactive, LoadedPair, RoundChoice
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl


def engine_status(
    pairs: PairControl, replies: ReplyControl, step: Step | None, reading: bool, used_tokens: int
) -> tuple[str, str]:
    """Tone of the dot and words.

    Args:
        step: of the comparison under way. reading: its prompt is still read.
        used_tokens: how much of the context the open conversation takes.
    """
    loading, pair, writing = pairs.loading, pairs.pair, replies.writing
    if loading is not None:
        if loading.preparing:
            return "busy", translate("status_line", "Making the starter pair")
        return "busy", translate("status_line", "Loading {name}").format(name=loading.name)
    if pair is not None and writing is not None:
        if writing.turn.fold.stats.rounds == 0:
            return "busy", translate("status_line", "Reading the prompt…")
        return "busy", translate("status_line", "Writing…")
    if pair is not None and step is not None:
        if reading:
            return "busy", translate("status_line", "Comparing: reading the prompt…")
        if step.arm is Arm.OFF:
            return "busy", translate("status_line", "Comparing: writing without speculation…")
        return "busy", translate("status_line", "Comparing: writing with speculation…")
    if pair is not None:
        words = translate("status_line", "Engine ready · {backend} · n_ctx {ctx}").format(
            backend=pair.backend, ctx=count(pair.ctx)
        )
        if used_tokens:
            share = f"{100 * used_tokens / pair.ctx:.0f}"
            words += translate("status_line", " · {share} % used").format(share=share)
        return "good", words
    if isinstance(pairs.engine, ErrorReport):
        return "warn", translate("status_line", "The engine did not start")
    match pairs.state:
        case EngineState.STARTING:
            return "busy", translate("status_line", "The engine is starting")
        case EngineState.DIED:
            return "warn", translate("status_line", "The engine stopped")
        case EngineState.STOPPED:
            return "off", translate("status_line", "No engine running")
        case _:
            return "good", translate("status_line", "Engine ready, no pair loaded")


def pair_verdict(pair: LoadedPair | None) -> str:
    if pair is None:
        return ""
    if pair.draft is None:
        return translate("status_line", "No draft: the target writes alone")
    draft = f"{pair.draft.name} {pair.draft.quantisation}".strip()
    if pair.masked:
        return translate("status_line", "Draft {draft} serves, with {masked} tokens masked").format(
            draft=draft, masked=count(pair.masked)
        )
    return translate("status_line", "Draft {draft} matches the target vocabulary").format(draft=draft)


def why_inactive(pairs: PairControl, replies: ReplyControl, stats: GenerationStats | None) -> Inactive | None:
    """Why the draft will not guess in the next reply, or stopped in the one being written, whose `stats` these are."""
    if stats is not None and stats.draft_inactive in (Inactive.DRAFT_CONTEXT_FULL, Inactive.DRAFT_FAILED):
        return stats.draft_inactive
    if not replies.speculate:
        return Inactive.SWITCHED_OFF
    if replies.settings.draft_length == 0:
        return Inactive.ZERO_LENGTH
    return pairs.pair.inactive if pairs.pair is not None else None


def speculation_words(
    inactive: Inactive | None, pair: LoadedPair | None, draft_length: int | None, choice: RoundChoice | None
) -> tuple[str, str]:
    """A few words for beside the switch, and the whole sentence. `choice` is that of the last round."""
    if inactive is None and draft_length is None:
        return _auto_words(choice)
    if inactive is None:
        words = translate("top_bar", "draft {length}").format(length=draft_length)
        return words, translate("top_bar", "The draft guesses {length} tokens a round").format(length=draft_length)
    return _short(inactive), draft_inactive_sentence(inactive, pair)


def _auto_words(choice: RoundChoice | None) -> tuple[str, str]:
    if choice is None or choice.choice is Choice.NO_ROOM:
        return translate("top_bar", "auto"), translate("top_bar", "How much is drafted is chosen by time")
    return _auto_state(choice), choice_sentence(choice)


def _auto_state(choice: RoundChoice) -> str:
    match choice.choice:
        case Choice.PROBING:
            return translate("top_bar", "auto · trying again")
        case Choice.ROUNDS_TOO_SLOW:
            return translate("top_bar", "auto · off, rounds too slow")
        case Choice.RESTING if choice.ratio is not None and choice.ratio <= HOPEFUL:
            return translate("top_bar", "auto · resting: {ratio}× predicted").format(ratio=f"{choice.ratio:.2f}")
        case Choice.RESTING:
            return translate("top_bar", "auto · resting")
        case Choice.LOOKING:
            return translate("top_bar", "auto · looking")
        case Choice.CHECKING:
            return translate("top_bar", "auto · checking")
        case _:
            return translate("top_bar", "auto · draft {length}").format(length=choice.length)


def _short(inactive: Inactive) -> str:
    match inactive:
        case Inactive.SWITCHED_OFF:
            return translate("top_bar", "off")
        case Inactive.ZERO_LENGTH:
            return translate("top_bar", "draft length 0")
        case Inactive.TARGET_ROLLBACK:
            return translate("top_bar", "not with this target")
        case Inactive.NO_DRAFT | Inactive.DRAFT_ROLLBACK | Inactive.DRAFT_CONTEXT_FULL | Inactive.DRAFT_FAILED:
            return translate("top_bar", "lookup only")
