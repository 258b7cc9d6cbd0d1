"""Drafts that must not propose ids which mean something else to them: the text is the target's all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine_client import EngineClient
from engine.decoder import Decoder
from engine.distribution import Distribution, Logits, distribution
from engine.drafting import Guess, ModelDrafter
from engine.gguf import read_header
from engine.speculate import Speculator
from engine.types import Inactive, Rule, SamplingSettings, Source
from engine.verify import AcceptanceRule, Coupled
from tests.conftest import StarterFiles
from tests.fakes.edited_gguf import with_vocabulary
from tests.fakes.proposing import proposed
from tests.fakes.table_model import TableModel, log_of
from tests.lossless import real_engine
from tests.lossless.harness import (
    BARE,
    CERTAIN_FIRST,
    DRAFT,
    TARGET,
    VOCAB,
    Setup,
    real,
    replies,
    tokens_of,
)
from tests.lossless.joint import ENOUGH, LEVEL, REPLIES, JointTest
from tests.lossless.ways import AUTO, AUTO_CHAIN, CHAIN, FIXED, Way

MASKED = 3  # the draft gives it up to four fifths
MASK = np.array([MASKED])
LENGTH = 2
SIGMAS = 5.0


class Masked(ModelDrafter):
    """The real one, with a mask."""

    def __init__(self, decoder: Decoder, settings: SamplingSettings, rule: AcceptanceRule) -> None:
        super().__init__(decoder, settings, rule, MASK)


def without_masked(rows: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    left = rows * (np.arange(VOCAB) != MASKED)
    return left / left.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("length", [1, 2, 4])
def test_a_masked_draft_leaves_the_joint_law(length: int) -> None:
    """Three tokens have the target's joint law under the residual rule, and every kind of token took part in it."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), length, drafter=Masked))
    assert test.run(ENOUGH) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= 0.04, source  # fewer guesses are kept than without a mask


@pytest.mark.parametrize("way", [AUTO, CHAIN, AUTO_CHAIN], ids=str)
def test_a_masked_draft_leaves_the_joint_law_in_every_way(way: Way) -> None:
    """By time and behind a lookup, too; the lookup is free to propose what is masked."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), LENGTH, drafter=Masked, way=way))
    assert test.run(ENOUGH // 4) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= 0.02, source


@pytest.mark.parametrize("rule", Rule)
def test_masked_guesses_are_kept_as_often_as_the_tables_say(rule: Rule) -> None:
    """Acceptance is that of the draft's row without the masked token, renormalised; and none of it is masked."""
    test = JointTest.of(Setup(real(rule), LENGTH, drafter=Masked))
    assert test.run(ENOUGH) > LEVEL
    p, q = TARGET, without_masked(DRAFT)
    match rule:
        case Rule.RESIDUAL:
            chances = np.minimum(p, q).sum(axis=1)
        case Rule.COUPLED:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.maximum(p[:, None, :] / p[:, :, None], q[:, None, :] / q[:, :, None])
            chances = np.where(q > 0, 1.0 / ratios.sum(axis=2), 0.0).sum(axis=1)
        case Rule.MATCH:
            chances = p[np.arange(VOCAB), q.argmax(axis=1)]
    assert abs(test.acceptance_error(chances)) < SIGMAS


@pytest.mark.parametrize("rule", Rule)
def test_what_is_masked_is_never_proposed(rule: Rule) -> None:
    """Not once, though the draft is surest of it after token 1, while the target does write it."""
    rounds = [event for reply in replies(Setup(real(rule), 4, drafter=Masked), range(200), 12) for event in reply]
    assert all(MASKED not in event.drafted for event in rounds)
    written = [emitted for event in rounds for emitted in event.emitted if emitted.token == MASKED]
    assert {emitted.source for emitted in written} == {Source.RESAMPLED, Source.BONUS}


# ---------------------------------------------------------------- bugs


class WithholdsWhatIsMasked(ModelDrafter):
    """Draws from the whole row, and stops where what it drew is masked."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        guesses = super().propose(committed, *rest)
        masked = (at for at, guess in enumerate(guesses) if guess.token == MASKED)
        return guesses[: next(masked, len(guesses))]


class MasksTheToldRow(ModelDrafter):
    """Draws from the whole row, and tells the row without what is masked."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        return [replace(guess, q=_masked(guess.q)) for guess in super().propose(committed, *rest)]


class TellsTheWholeRow(Masked):
    """Draws from the row without what is masked, and tells the whole row."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        guesses = super().propose(committed, *rest)
        rows = log_of(np.vstack([DRAFT, CERTAIN_FIRST]))
        contexts = [committed[-1], *(guess.token for guess in guesses)]
        told = (distribution(rows[context], self._settings) for context in contexts)
        return [replace(guess, q=q) for guess, q in zip(guesses, told, strict=False)]


class MasksTheTarget(Speculator):
    """The mask is applied to p as well."""

    def _check(self, guesses: list[Guess]) -> Logits:
        rows = super()._check(guesses)
        rows[:, MASK] = -np.inf
        return rows


def _masked(row: Distribution) -> Distribution:
    left = row.ids != MASKED
    return Distribution(row.ids[left], row.probs[left] / row.probs[left].sum())


BUGS = {
    **{
        f"{way}: withholds what is masked after drawing it": Setup(
            real(Rule.RESIDUAL), LENGTH, drafter=WithholdsWhatIsMasked, way=way
        )
        for way in (FIXED, AUTO)
    },
    "masks the told row alone": Setup(real(Rule.RESIDUAL), LENGTH, drafter=MasksTheToldRow),
    "tells the whole row": Setup(real(Rule.RESIDUAL), LENGTH, drafter=TellsTheWholeRow),
    **{
        f"{rule.value}: masks the target too": Setup(real(rule), LENGTH, drafter=Masked, speculator=MasksTheTarget)
        for rule in Rule
    },
}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_caught(name: str) -> None:
    """The same test rejects this bug within as many replies as it takes to pass the right code."""
    test = JointTest.of(BUGS[name])
    assert any(test.run(look) < 1e-6 for look in (1_000, ENOUGH, REPLIES))


# ---------------------------------------------------------------- one seed, one text

SETTINGS = [
    pytest.param(BARE, id="bare"),
    pytest.param(replace(BARE, temperature=0.0), id="greedy"),
    pytest.param(SamplingSettings(temperature=0.8, top_k=3, top_p=0.9, min_p=0.1), id="cut"),
    pytest.param(replace(BARE, repeat_penalty=1.6, repeat_window=5), id="repeat penalty"),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("rule", [Rule.COUPLED, Rule.MATCH])
def test_one_seed_gives_one_text_with_a_masked_draft(rule: Rule, settings: SamplingSettings) -> None:
    """Under rules keyed by the seed the tokens are those without a draft, at every draft length and in every way."""

    def texts(length: int, way: Way = FIXED) -> list[list[int]]:
        setup = Setup(real(rule), length, settings, drafter=Masked, way=way)
        return [[emitted.token for emitted in tokens_of(reply)][:20] for reply in replies(setup, range(10), 20)]

    plain = texts(0)
    assert all(texts(length) == plain for length in (1, 2, 4))
    assert texts(4, AUTO) == plain
    looking = texts(0, CHAIN)  # another prompt
    assert all(texts(4, way) == looking for way in (CHAIN, AUTO_CHAIN))


# ---------------------------------------------------------------- rows of which little is left


def drafter(rows: list[list[float]]) -> ModelDrafter:
    return ModelDrafter(TableModel.of(rows), BARE, Coupled(0), MASK)


def propose(drafting: ModelDrafter, last: int, p_min: float = 0.0) -> list[Guess]:
    return proposed(drafting, [last], 1, VOCAB, p_min=p_min)


def test_confidence_is_that_of_the_row_that_is_left() -> None:
    """p_min looks at the row without what is masked: 0.25 of 0.5 is one half."""
    row = [0.15, 0.25, 0.1, 0.5]
    assert len(propose(drafter([row] * VOCAB), 0, 0.49)) == 1
    assert propose(drafter([row] * VOCAB), 0, 0.51) == []


def test_a_row_of_which_nothing_is_left_proposes_nothing() -> None:
    """That is no failure: the draft goes on in the next round. A row that is no number is one."""
    drafting = drafter([[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    assert propose(drafting, 0) == []
    drafting.settle(0)
    assert drafting.ended is None
    assert [guess.token for guess in propose(drafting, 1)] == [0]
    broken = ModelDrafter(TableModel([[np.nan, 0.0, 0.0, 0.0]]), BARE, Coupled(0), MASK)
    assert propose(broken, 0) == []
    assert broken.ended is Inactive.DRAFT_FAILED


def sure_of_masked() -> TableModel:
    """Sure of the masked token after token 1, so that nothing is left to propose there."""
    rows = np.vstack([DRAFT, CERTAIN_FIRST])
    rows[1] = np.eye(VOCAB)[MASKED]
    return TableModel(log_of(rows))


def test_rows_of_which_nothing_is_left_leave_the_law() -> None:
    """Whether something is proposed depends on the row alone, so the replies have the joint law."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), LENGTH, draft=sure_of_masked, drafter=Masked))
    assert test.run(ENOUGH) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS, Source.PLAIN):
        assert test.share(source) >= 0.02, source


# ---------------------------------------------------------------- real weights

REPLIES_TO = [
    ("def quicksort(items):\n    if len(items) <= 1:\n", SamplingSettings(temperature=0.0)),
    # "thermodynamic" is one token, of an id that is cut off.
    ("The lighthouse keeper had a thermodynamic theory of the", SamplingSettings(temperature=0.8, seed=20)),
]
TOKENS = 24
RENAMED = {"Ġthe": "<another>", "Ċ": "<one more>"}
SIZES = {"cut": 25_000, "padded": 49_152 + 300}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineClient]:
    client = EngineClient(tmp_path_factory.mktemp("logs"))
    yield client
    client.close()


@pytest.fixture(scope="module")
def plain_texts(client: EngineClient, starter: StarterFiles) -> list[list[int]]:
    """What the target writes alone."""
    real_engine.load(client, real_engine.request(starter.target, starter.draft, 256, exact=True))
    return [
        [token.token_id for token in real_engine.write(client, prompt, sampling, 0, TOKENS).tokens]
        for prompt, sampling in REPLIES_TO
    ]


@pytest.mark.parametrize("edit", SIZES)
def test_a_real_draft_of_another_vocabulary_changes_no_token(
    edit: str, client: EngineClient, starter: StarterFiles, plain_texts: list[list[int]], tmp_path: Path
) -> None:
    """With two tokens renamed and half of the others cut off, or 300 added: identical ids, and guesses are kept."""
    tokens = read_header(starter.draft).tokens
    assert tokens is not None
    texts, size = list(tokens), SIZES[edit]
    masked = {texts.index(old): new for old, new in RENAMED.items()}
    draft = with_vocabulary(starter.draft, tmp_path / "draft.gguf", renamed=masked, size=size)
    real_engine.load(client, real_engine.request(starter.target, draft, 256, exact=True))
    assert client.pair is not None
    assert client.pair.masked == 2
    accepted, proposed = 0, set()
    for (prompt, sampling), plain in zip(REPLIES_TO, plain_texts, strict=True):
        reply = real_engine.write(client, prompt, sampling, 4, TOKENS)
        assert reply.stats.inactive is None
        assert [token.token_id for token in reply.tokens] == plain
        proposed |= {token.rejected.token_id for token in reply.tokens if token.rejected is not None}
        proposed |= {token.token_id for token in reply.tokens if token.source is Source.ACCEPTED}
        accepted += reply.stats.accepted
    assert accepted > 10
    assert not proposed & set(masked)
    assert max(proposed) < min(size, len(texts))
    # The draft had to read what it must not propose.
    assert set(masked) <= {token_id for ids in plain_texts for token_id in ids}
    assert texts.index("Ġthermodynamic") >= SIZES["cut"]
