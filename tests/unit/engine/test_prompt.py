"""How few tokens a text can have, found without tokenising it: never more than it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EngineError, ErrorKind
from engine.llama import LlamaModel
from engine.prompt import PromptMaker
from engine.types import ChatFormat, ChatMessage, GenerationRequest
from tests.conftest import StarterFiles
from tests.fakes.gguf_files import FIRST_BYTE, SPECIAL_TOKENS, Tiny, write_model

CTX = 256
ODD = [" " * 50, "\n\t", "\x04" * 99, "\U00050000" * 9, "\ud83d", "the", "▁", *SPECIAL_TOKENS]
TEXTS = st.lists(st.one_of(st.text(max_size=20), st.sampled_from(ODD)), max_size=20).map("".join)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaModel]:
    made = LlamaModel(str(write_model(tmp_path_factory.mktemp("prompt") / "tiny.gguf")), 0, lambda _: True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def real(starter: StarterFiles) -> Iterator[LlamaModel]:
    made = LlamaModel(str(starter.draft), 0, lambda _: True)
    yield made
    made.close()


@settings(deadline=None)
@given(text=TEXTS)
def test_a_text_has_no_fewer_tokens(tiny: LlamaModel, real: LlamaModel, text: str) -> None:
    """Whatever is in it: blanks, names of special tokens, halves of characters."""
    for model in (tiny, real):
        assert model.fewest_tokens(text) <= len(model.tokenize(text))


def test_it_is_worth_something(real: LlamaModel) -> None:
    """A token is not as long as a page."""
    assert real.fewest_tokens("word " * 100_000) > 2_000
    assert real.fewest_tokens(" " * 100_000) == 0


def test_bytes_that_a_vocabulary_lacks_do_not_count(tmp_path: Path, real: LlamaModel) -> None:
    """They are dropped from the text, so that any number of them fits. Real vocabularies lack rare ones."""
    file = write_model(tmp_path / "gap.gguf", Tiny(changed_tokens=((FIRST_BYTE + ord("A"), "changed"),)))
    model = LlamaModel(str(file), 0, lambda _: True)
    assert model.fewest_tokens("A" * 10_000) == 0
    assert 0 < model.fewest_tokens("AB" * 10_000) <= len(model.tokenize("AB" * 10_000)) <= 10_000
    model.close()
    assert real.fewest_tokens("\x04" * 10_000) == len(real.tokenize("\x04" * 10_000)) == 0


class NeverLong:
    """A model that refuses to tokenise a long text."""

    def __init__(self, model: LlamaModel) -> None:
        self.fewest_tokens = model.fewest_tokens
        self._model = model

    def tokenize(self, text: str) -> list[int]:
        assert len(text) < 16_000
        return self._model.tokenize(text)


@pytest.mark.parametrize("trim", [False, True])
def test_what_is_far_too_long_is_refused_before_it_is_tokenised(tiny: LlamaModel, trim: bool) -> None:
    """A raw prompt, a message, and a last message that no trimming makes shorter."""
    maker = PromptMaker(cast(LlamaModel, NeverLong(tiny)), "Tiny", None, CTX)
    text = "word " * 20_000
    messages = tuple(ChatMessage(role, text) for role in ("user", "assistant", "user"))
    chat = GenerationRequest(job=0, messages=messages, chat_format=ChatFormat.PLAIN, trim_oldest=trim)
    for request in (GenerationRequest(job=0, prompt=text), chat):
        with pytest.raises(EngineError) as refused:
            maker.make(request)
        report = refused.value.report
        assert (report.kind, report.fact("at_least")) == (ErrorKind.PROMPT_TOO_LONG, 1)


def test_what_is_far_too_long_can_give_way(tiny: LlamaModel) -> None:
    """An old message of megabytes is dropped without being tokenised."""
    maker = PromptMaker(cast(LlamaModel, NeverLong(tiny)), "Tiny", None, CTX)
    old, new = ChatMessage("user", "word " * 20_000), ChatMessage("user", "Hi")
    messages = (old, ChatMessage("assistant", "Yes"), new)
    made = maker.make(GenerationRequest(job=0, messages=messages, chat_format=ChatFormat.PLAIN, trim_oldest=True))
    assert made.dropped_messages == 2
    assert made.tokens == maker.make(GenerationRequest(job=0, messages=(new,), chat_format=ChatFormat.PLAIN)).tokens
