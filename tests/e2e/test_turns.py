"""What one turn leaves for the next, in the real engine: caches, limits, and models that cannot roll back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine_client import EngineClient
from engine.errors import ErrorKind
from engine.protocol import Event, Failed, Loaded, Started
from engine.stats import FoldedEvent, ReplyFold
from engine.types import (
    ChatMessage,
    Drafter,
    EndReason,
    FlashAttention,
    GenerationRequest,
    Inactive,
    KvType,
    LoadedPair,
    LoadRequest,
    Rule,
    SamplingSettings,
)
from tests.fakes.gguf_files import Tiny, write_model

GREEDY = SamplingSettings(temperature=0.0)
WARM = SamplingSettings(temperature=0.9, top_k=0, top_p=1.0, min_p=0.0, seed=11)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineClient]:
    client = EngineClient(tmp_path_factory.mktemp("logs"))
    yield client
    client.close()


def load(client: EngineClient, target: Path, draft: Path | None = None, ctx: int | None = None) -> LoadedPair:
    """Loads in the exact configuration, where the shape of a batch changes no bit."""
    request = LoadRequest(
        str(target),
        str(draft) if draft else None,
        ctx=ctx,
        threads=1,
        kv_type=KvType.F32,
        flash_attention=FlashAttention.OFF,
    )
    *_, ending = client.load(request)
    assert isinstance(ending, Loaded), ending
    return ending.pair


def events_of(client: EngineClient, **fields: object) -> list[Event]:
    """With four guesses a round, unless `fields` say another number: one chosen by time may be 0."""
    return list(client.generate(GenerationRequest(0, **{"draft_length": 4, **fields})))  # type: ignore[arg-type]


def fold(events: list[Event]) -> ReplyFold:
    folded = ReplyFold()
    for event in events:
        if isinstance(event, FoldedEvent):
            folded.add(event)
    assert folded.end is not None, events[-1]
    return folded


def ids(reply: ReplyFold) -> list[int]:
    return [token.token_id for token in reply.tokens]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    made = {
        "target": Tiny(),
        "draft": Tiny(noise=0.1),
        "window": Tiny(architecture="gemma3", sliding_window=16),
        "window_draft": Tiny(architecture="gemma3", sliding_window=16, noise=0.1),
        "recurrent": Tiny(architecture="mamba"),
        "ending": Tiny(ends=True),
        "ending_draft": Tiny(ends=True, noise=0.1),
    }
    return {name: write_model(folder / f"{name}.gguf", model) for name, model in made.items()}


def test_second_turn_reuses_the_first(client: EngineClient, models: dict[str, Path]) -> None:
    """At least 95 % of what the first turn left in the cache is not read again, with and without speculation."""
    load(client, models["target"], models["draft"])
    for speculate in (True, False):
        history = (ChatMessage("user", "hello there, tell me something long " * 4),)
        first = fold(events_of(client, messages=history, max_tokens=60, speculate=speculate, cold=True))
        history += (ChatMessage("assistant", first.text), ChatMessage("user", "go on"))
        second = fold(events_of(client, messages=history, max_tokens=20, speculate=speculate))
        held = first.stats.prompt_tokens + first.stats.completion_tokens
        # Text is tokenised anew for a template, so a reply may be cut into other tokens at its very end.
        assert second.stats.reused_tokens >= 0.95 * first.stats.prompt_tokens
        assert second.stats.reused_tokens <= held
        cold = fold(events_of(client, messages=history, max_tokens=20, speculate=speculate, cold=True))
        assert cold.stats.reused_tokens == 0
        assert ids(cold) == ids(second)


def test_switching_speculation_loads_nothing(client: EngineClient, models: dict[str, Path]) -> None:
    """On, off, on again: the same text each time, nothing drafted when off, and no load in between."""
    load(client, models["target"], models["draft"])
    pid = client.pid
    replies = []
    for speculate in (True, False, True):
        events = events_of(client, prompt="abc", max_tokens=50, speculate=speculate, draft_length=4, sampling=WARM)
        assert not any(isinstance(event, Loaded) for event in events)
        replies.append(fold(events))
    assert client.pid == pid
    on, off, again = replies
    assert on.text == off.text == again.text
    assert off.stats.drafted == 0
    assert off.stats.inactive is Inactive.SWITCHED_OFF
    assert on.stats.accepted > 0
    assert on.stats.inactive is None


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize("length", [1, 2, 4, 8, 16])
def test_draft_length_changes_nothing_but_rounds(
    client: EngineClient, models: dict[str, Path], rule: Rule, length: int
) -> None:
    """Greedy text is the plain text for every rule and draft length; warm text too where the rule promises it."""
    load(client, models["target"], models["draft"])
    for sampling in (GREEDY, WARM) if rule is not Rule.RESIDUAL else (GREEDY,):
        plain = fold(events_of(client, prompt="one", max_tokens=80, speculate=False, sampling=sampling, rule=rule))
        fast = fold(
            events_of(client, prompt="one", max_tokens=80, draft_length=length, sampling=sampling, rule=rule)
        )
        assert ids(fast) == ids(plain)
        assert fast.stats.rounds < plain.stats.rounds
        assert fast.stats.verified <= fast.stats.drafted


def test_stop_string_inside_accepted_tokens_is_forgotten(client: EngineClient, models: dict[str, Path]) -> None:
    """Tokens after a stop are in no text, no count and no cache: the next turn writes what a cold engine writes."""
    load(client, models["target"], models["draft"])
    whole = fold(events_of(client, prompt="xyz", max_tokens=64, draft_length=16, sampling=GREEDY))
    stop = whole.text[20:24]
    before = whole.text[: whole.text.index(stop)]
    cut = fold(events_of(client, prompt="xyz", max_tokens=64, draft_length=16, sampling=GREEDY, stop=(stop,)))
    assert cut.text == before
    assert cut.end is EndReason.STOP
    follow = "xyz" + before + "!"
    warm = fold(events_of(client, prompt=follow, max_tokens=20, sampling=GREEDY))
    cold = fold(events_of(client, prompt=follow, max_tokens=20, sampling=GREEDY, cold=True))
    assert ids(warm) == ids(cold)


def test_end_token_ends_inside_accepted_tokens(client: EngineClient, models: dict[str, Path]) -> None:
    """Nothing follows an end token, however many accepted guesses stood behind it, and its text is not shown."""
    load(client, models["ending"], models["ending_draft"])
    off = fold(events_of(client, prompt="q", speculate=False, sampling=GREEDY))
    on = fold(events_of(client, prompt="q", draft_length=16, sampling=GREEDY))
    assert on.end is off.end is EndReason.STOP
    assert ids(on) == ids(off)
    assert "<|" not in on.text


@pytest.mark.parametrize("draft_length", [0, 1, 7, 16])
def test_context_is_filled_to_the_last_token(
    client: EngineClient, models: dict[str, Path], draft_length: int
) -> None:
    """Without a limit a reply ends when prompt and reply fill the context, and the next message works."""
    pair = load(client, models["target"], models["draft"], ctx=256)
    reply = fold(events_of(client, prompt="abc", draft_length=draft_length, sampling=GREEDY))
    assert reply.end is EndReason.CONTEXT
    assert reply.stats.prompt_tokens + reply.stats.completion_tokens == pair.ctx
    assert fold(events_of(client, prompt="abc", max_tokens=5)).end is EndReason.LENGTH


def test_prompts_that_do_not_fit_are_refused_with_numbers(client: EngineClient, models: dict[str, Path]) -> None:
    """Too long a prompt, too many tokens and no prompt are named; a prompt that just fits writes one token."""
    load(client, models["target"], ctx=256)
    *_, ending = events_of(client, prompt="a" * 300)
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.PROMPT_TOO_LONG
    assert ending.report.fact("prompt_tokens") == 300
    assert ending.report.fact("ctx") == 256
    *_, ending = events_of(client, prompt="a" * 100, max_tokens=157)
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.MAX_TOKENS_PAST_CONTEXT
    *_, ending = events_of(client, prompt="")
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.PROMPT_EMPTY
    assert fold(events_of(client, prompt="a" * 255)).stats.completion_tokens == 1


def test_oldest_turns_give_way(client: EngineClient, models: dict[str, Path]) -> None:
    """A conversation longer than the context loses its oldest turns, keeps its system message, and says how many."""
    load(client, models["target"], ctx=512)
    history = [ChatMessage("system", "Be brief.")]
    for number in range(12):
        history += [ChatMessage("user", f"question {number} " + "word " * 8), ChatMessage("assistant", "answer " * 4)]
    history.append(ChatMessage("user", "the last one"))
    *_, ending = events_of(client, messages=tuple(history), max_tokens=40)
    assert isinstance(ending, Failed)
    events = events_of(client, messages=tuple(history), max_tokens=40, trim_oldest=True)
    started = next(event for event in events if isinstance(event, Started))
    assert started.dropped_messages > 0
    assert started.dropped_messages % 2 == 0
    assert started.prompt_tokens + 40 <= 512
    kept = (history[0], *history[1 + started.dropped_messages :])
    assert ids(fold(events_of(client, messages=kept, max_tokens=40, cold=True))) == ids(fold(events))


def test_sliding_window_rolls_back(client: EngineClient, models: dict[str, Path]) -> None:
    """A model with a sliding window speculates past its window and writes its plain text."""
    pair = load(client, models["window"], models["window_draft"])
    assert pair.inactive is None
    off = fold(events_of(client, prompt="hello", max_tokens=120, speculate=False, sampling=GREEDY))
    for length in (1, 4, 16):
        on = fold(events_of(client, prompt="hello", max_tokens=120, draft_length=length, sampling=GREEDY, cold=True))
        assert ids(on) == ids(off)
        assert on.stats.inactive is None


def test_edited_conversation_behind_the_window_is_read_again(client: EngineClient, models: dict[str, Path]) -> None:
    """Going back further than a sliding window reaches gives the text of a cold engine."""
    load(client, models["window"], models["window_draft"])
    long = "abcdefghij" * 40
    fold(events_of(client, prompt=long, max_tokens=100, sampling=GREEDY, cold=True))
    edited = long[:30] + "Z"
    warm = fold(events_of(client, prompt=edited, max_tokens=30, sampling=GREEDY))
    cold = fold(events_of(client, prompt=edited, max_tokens=30, sampling=GREEDY, cold=True))
    assert ids(warm) == ids(cold)


def test_recurrent_model_runs_plainly_and_says_why(client: EngineClient, models: dict[str, Path]) -> None:
    """A model that cannot forget tokens is not speculated with; its text is the plain text, turn after turn."""
    pair = load(client, models["recurrent"], models["draft"])
    assert pair.inactive is Inactive.TARGET_ROLLBACK
    first = fold(events_of(client, prompt="hello", max_tokens=30, sampling=GREEDY))
    assert first.stats.inactive is Inactive.TARGET_ROLLBACK
    assert first.stats.drafted == 0
    again = fold(events_of(client, prompt="hello", max_tokens=30, sampling=GREEDY))
    assert ids(again) == ids(first)


def test_recurrent_draft_is_not_used(client: EngineClient, models: dict[str, Path]) -> None:
    """A draft that cannot forget tokens leaves the lookup alone, or the target, with the reason."""
    pair = load(client, models["target"], models["recurrent"])
    assert pair.inactive is Inactive.DRAFT_ROLLBACK
    reply = fold(events_of(client, prompt="hello", max_tokens=10))
    assert (reply.stats.inactive, reply.stats.draft_inactive) == (None, Inactive.DRAFT_ROLLBACK)
    assert reply.stats.model.drafted == 0
    reply = fold(events_of(client, prompt="hello", max_tokens=10, drafters=frozenset({Drafter.MODEL})))
    assert reply.stats.inactive is Inactive.DRAFT_ROLLBACK
    assert reply.stats.plain == reply.stats.completion_tokens
