"""Whatever models, faults and settings meet: the caches stay right, the rounds add up, and the text is the target's."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import MAX_DRAFT_LENGTH, Rule, SamplingSettings
from tests.fakes.table_model import TableModel
from tests.lossless.clocked import MACHINES
from tests.lossless.ways import WAYS, Way
from tests.lossless.writing import write

SAMPLING = [
    SamplingSettings(temperature=0.0),
    SamplingSettings(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0),
    SamplingSettings(temperature=0.8, top_k=3, top_p=0.9, min_p=0.05, repeat_penalty=1.3, repeat_window=4),
]


@dataclass(frozen=True, slots=True)
class Chain:
    """What a `TableModel` is made from, so that several can be made alike."""

    seed: int
    vocab: int
    ctx: int
    chunk: int
    refusals: int
    fails_from: int | None
    most_outputs: int | None

    def make(self) -> TableModel:
        rng = np.random.default_rng(self.seed)
        logits = rng.normal(size=(self.vocab, self.vocab)) * 2.0
        model = TableModel(logits, ctx=self.ctx, chunk=self.chunk)
        model.refusals = self.refusals
        model.fails_from = self.fails_from
        model.most_outputs = self.most_outputs
        return model

    def healthy(self) -> TableModel:
        return replace(self, refusals=0, fails_from=None, most_outputs=None).make()


targets = st.builds(
    Chain,
    seed=st.integers(0, 3),
    vocab=st.integers(3, 6),
    ctx=st.just(100),
    chunk=st.integers(MAX_DRAFT_LENGTH + 1, MAX_DRAFT_LENGTH + 8),  # the longest round and one token more must fit
    refusals=st.integers(0, 2),
    fails_from=st.none(),
    most_outputs=st.none() | st.integers(1, 4),
)
drafts = st.builds(
    Chain,
    seed=st.integers(0, 5),  # some equal to the target's, some not
    vocab=st.integers(3, 6),  # smaller and larger than the target's too
    ctx=st.just(100) | st.integers(1, 30),
    chunk=st.integers(1, 5),
    refusals=st.integers(0, 1),
    fails_from=st.none() | st.integers(0, 20),
    most_outputs=st.none(),
)


@settings(max_examples=300)
@given(
    target=targets,
    draft=st.none() | drafts,
    way=st.sampled_from(WAYS),
    turn=st.integers(0, len(MACHINES) - 1),
    rule=st.sampled_from(Rule),
    sampling=st.sampled_from(SAMPLING),
    seed=st.integers(0, 50),
    length=st.integers(0, 6),
    budget=st.integers(1, 30),
    prompt=st.lists(st.integers(0, 2), min_size=1, max_size=6),
    p_min=st.sampled_from([0.0, 0.5]),
    end=st.none() | st.integers(0, 2),
)
def test_any_pair_keeps_its_caches_right_and_writes_the_targets_text(
    target: Chain,
    draft: Chain | None,
    way: Way,
    turn: int,
    rule: Rule,
    sampling: SamplingSettings,
    seed: int,
    length: int,
    budget: int,
    prompt: list[int],
    p_min: float,
    end: int | None,
) -> None:
    """Between rounds the target holds all but the last token and the draft a prefix; `write` asserts it.

    Under the rules keyed by the seed the text is that of a healthy target alone, to its end token and its budget.
    """
    parts = {"rule": rule, "settings": replace(sampling, seed=seed), "budget": budget, "prompt": prompt}
    reply = write(
        target.make(),
        None if draft is None else draft.make(),
        way=way,
        policy=way.policy(length, p_min, turn),
        ends=lambda token: token == end,
        **parts,
    )
    assert len(reply.tokens) == budget or reply.tokens[-1] == end
    assert end not in reply.tokens[:-1]
    if rule is not Rule.RESIDUAL or sampling.temperature == 0.0:
        plain = write(target.healthy(), ends=lambda token: token == end, **parts)
        assert reply.tokens == plain.tokens
