"""Weighing through the real engine: what the target says of two tokens is what it writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

import pytest

from app.engine_client import EngineClient
from engine.errors import ErrorKind
from engine.protocol import Failed, PrefillProgress, Weighed
from engine.stats import ReplyFold
from engine.types import GenerationRequest, Rule, SamplingSettings
from tests.conftest import StarterFiles
from tests.lossless import real_engine

PROMPT = "The lighthouse keeper had not spoken to anyone for a month when"
TOKENS = 16
PLACES = (0, 3, 9, 15)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, starter: StarterFiles) -> Iterator[EngineClient]:
    client = EngineClient(tmp_path_factory.mktemp("logs"))
    real_engine.load(client, real_engine.request(starter.target, starter.draft, 256, exact=True))
    yield client
    client.close()


def request(sampling: SamplingSettings, rule: Rule = Rule.COUPLED) -> GenerationRequest:
    return GenerationRequest(job=0, prompt=PROMPT, sampling=sampling, max_tokens=TOKENS, rule=rule)


def weigh(
    client: EngineClient, asked: GenerationRequest, reply: ReplyFold, index: int, tokens: tuple[int, int]
) -> Weighed:
    ids = tuple(token.token_id for token in reply.tokens)
    *_, ending = client.weigh(asked, ids[:index], tokens)
    assert isinstance(ending, Weighed), ending
    return ending


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_token_that_was_written_wins(client: EngineClient, temperature: float) -> None:
    """Greedy and at temperature 0.8, at several places of a reply, against other tokens of it; greedy the gap is the
    difference of the two logits."""
    sampling = SamplingSettings(temperature=temperature, seed=20)
    reply = real_engine.write(client, PROMPT, sampling, 0, TOKENS)
    for index in PLACES:
        written = reply.tokens[index].token_id
        other = next(token.token_id for token in reply.tokens if token.token_id != written)
        weighed = weigh(client, request(sampling), reply, index, (written, other))
        assert weighed.chosen == written
        assert weighed.gap is not None
        assert weighed.gap > 0
        if temperature == 0:
            assert weighed.logits[0] > weighed.logits[1]
            assert weighed.gap == pytest.approx(weighed.logits[0] - weighed.logits[1], abs=1e-3)
        assert weigh(client, request(sampling), reply, index, (other, written)).gap == weighed.gap


def test_residual_is_not_weighed_above_temperature_0(client: EngineClient) -> None:
    """Its logits are told, and no choice: it draws by chance."""
    sampling = SamplingSettings(temperature=0.8, seed=20)
    weighed = weigh(client, request(sampling, Rule.RESIDUAL), ReplyFold(), 0, (28, 30))
    assert (weighed.chosen, weighed.gap) == (None, None)
    assert all(map(isfinite, weighed.logits))


def test_it_leaves_the_engine_as_a_reply_does(client: EngineClient) -> None:
    """It tells how far it has read, and the next reply is the same as before."""
    greedy = SamplingSettings(temperature=0.0)
    before = real_engine.write(client, PROMPT, greedy, 4, TOKENS)
    first, *_, last = client.weigh(request(greedy), tuple(token.token_id for token in before.tokens), (28, 30))
    assert isinstance(first, PrefillProgress)
    assert first.done_tokens == 0
    assert isinstance(last, Weighed)
    assert real_engine.write(client, PROMPT, greedy, 4, TOKENS).text == before.text


def test_a_refused_request_ends_with_its_reason(client: EngineClient) -> None:
    """As a reply to it would."""
    wrong = request(replace(SamplingSettings(), temperature=-1.0))
    *_, ending = client.weigh(wrong, (), (28, 30))
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.SETTING_INVALID
