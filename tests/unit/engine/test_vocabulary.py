"""A draft is accepted or refused exactly as llama.cpp would, and a refusal names the first difference."""

from __future__ import annotations

import struct
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.vocabulary
from engine.errors import EngineError, ErrorKind
from engine.gguf import read_header
from engine.gguf_format import StringArray
from engine.vocabulary import Check, Vocabulary, VocabularyDifference, compare, require_same, vocabulary_of
from tests.fakes import gguf_files, llama_probe
from tests.fakes.gguf_files import BOS, EOS, FIRST_BYTE, Tiny

TEXTS = list(gguf_files.vocabulary(512)[0])


def strings(texts: list[bytes]) -> StringArray:
    data = b"".join(struct.pack("<Q", len(text)) + text for text in texts)
    return StringArray(data, np.cumsum([0, *(len(text) + 8 for text in texts)]))


def vocabulary(texts: list[bytes]) -> Vocabulary:
    return Vocabulary("gpt2", strings(texts), len(texts), add_bos=False, add_eos=False, bos=None, eos=None)


def write(path: Path, texts: list[str] = TEXTS, model: str = "gpt2", pre: str = "gpt-2", **keys: object) -> Path:
    """A vocabulary alone; `keys` are those of the tokenizer."""
    first_word = gguf_files.FIRST_WORD
    merges = [merge for merge in gguf_files.vocabulary(512)[1] if merge.replace(" ", "") in texts[first_word:]]
    return gguf_files.write_header(
        path,
        {
            "tokenizer.ggml.model": model,
            "tokenizer.ggml.pre": pre,
            "tokenizer.ggml.tokens": texts,
            "tokenizer.ggml.merges": merges or ["t h"],
            **{f"tokenizer.ggml.{key}": value for key, value in keys.items()},
        },
    )


def sentencepiece(size: int = 300) -> list[str]:
    return ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *(f"w{i}" for i in range(size - 259))]


# pre-tokenizers with a default of their own, and some without
PRE_TOKENIZERS = [
    "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano", "tekken",
    "chameleon", "gemma4", "granite-embed-multi-311m", "chatglm-bpe", "glm4", "glm5", "default", "gpt-2", "qwen2",
    "qwen35", "smollm", "deepseek-v3", "gpt-4o", "command-r", "jina-v2-code",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Vocabularies that differ in one thing each."""
    folder = tmp_path_factory.mktemp("vocabularies")

    def changed(token_id: int, text: str) -> list[str]:
        return [*TEXTS[:token_id], text, *TEXTS[token_id + 1 :]]

    longer = [f"<more {i}>" for i in range(130)]
    wanted: dict[str, dict[str, Any]] = {
        "plain": {},
        "adds begin": {"add_bos_token": True, "bos_token_id": BOS},
        "adds another begin": {"add_bos_token": True, "bos_token_id": EOS},
        "names another begin": {"bos_token_id": EOS},
        "adds end": {"add_eos_token": True, "eos_token_id": EOS},
        "adds another end": {"add_eos_token": True, "eos_token_id": BOS},
        "names another end": {"eos_token_id": BOS},
        "an id out of range": {"bos_token_id": 99_999, "eos_token_id": 512, "add_bos_token": True},
        "one token": {"texts": changed(400, "other")},
        "token 4": {"texts": changed(4, "other")},
        "token 5": {"texts": changed(5, "other")},
        "an empty token": {"texts": changed(400, "")},
        "an empty token by name": {"texts": changed(400, "[EMPTY_400]")},
        "a zero byte": {"texts": changed(400, "ab\0c")},
        "another zero byte": {"texts": changed(400, "ab\0d")},
        "up to a zero byte": {"texts": changed(400, "ab")},
        "128 more": {"texts": TEXTS + longer[:128]},
        "129 more": {"texts": TEXTS + longer[:129]},
        "few bytes": {"texts": TEXTS[: FIRST_BYTE + 256]},
        "sentencepiece": {"texts": sentencepiece(), "model": "llama"},
        "sentencepiece without begin": {"texts": sentencepiece(), "model": "llama", "add_bos_token": False},
        "pieces": {"texts": [*(f"[{i}]" for i in range(100)), "[UNK]", "[CLS]", "[SEP]", *TEXTS], "model": "bert"},
        "unigram": {"texts": ["<pad>", "</s>", "<unk>", *sentencepiece()[3:]], "model": "t5"},
        "none": {"model": "none"},
        "no vocabulary": {"model": "no_vocab"},
        **{f"pre {pre}": {"pre": pre} for pre in PRE_TOKENIZERS},
        **{f"pre {pre}, no begin": {"pre": pre, "add_bos_token": False} for pre in ("llama-bpe", "gemma4")},
        "gemma 4": {"model": "gemma4", "bos_token_id": BOS},
    }  # fmt: skip
    return {name: write(folder / f"{i}.gguf", **keys) for i, (name, keys) in enumerate(wanted.items())}


@pytest.fixture(scope="module")
def theirs(files: dict[str, Path]) -> dict[str, Any]:
    """The same vocabularies as llama.cpp loads them."""
    return dict(zip(files, llama_probe.ask("vocabulary", files.values()), strict=True))


def test_what_a_header_leaves_open_is_filled_in_as_llama_cpp_does(
    files: dict[str, Path], theirs: dict[str, Any]
) -> None:
    """Whether the first and last special tokens are added, and which they are, for every kind of tokenizer."""
    kinds = {"none": 0, "llama": 1, "gpt2": 2, "bert": 3, "t5": 4}
    for name, path in files.items():
        ours, loaded = vocabulary_of(read_header(path)), theirs[name]
        assert loaded is not None, name
        assert kinds[ours.kind] == loaded["type"], name
        assert (ours.add_bos, ours.add_eos) == (loaded["add_bos"], loaded["add_eos"]), name
        ids = [-1 if token_id is None else token_id for token_id in (ours.bos, ours.eos)]
        assert ids == [loaded["bos"], loaded["eos"]], name
        if ours.kind != "none":
            assert ours.size == loaded["size"], name


def allowed(target: dict[str, Any], draft: dict[str, Any]) -> bool:
    """llama.cpp's rule, on what llama.cpp itself says of two vocabularies."""
    if target["type"] != draft["type"]:
        return False
    for adds, token_id in (("add_bos", "bos"), ("add_eos", "eos")):
        if target[adds] != draft[adds] or (target[adds] and target[token_id] != draft[token_id]):
            return False
    common = min(target["size"], draft["size"])
    return abs(target["size"] - draft["size"]) <= 128 and target["texts"][5:common] == draft["texts"][5:common]


def test_every_verdict_is_llama_cpps(files: dict[str, Path], theirs: dict[str, Any]) -> None:
    """All pairs of the vocabularies are accepted or refused as common_speculative_are_compatible would, both ways."""
    ours = {name: vocabulary_of(read_header(path)) for name, path in files.items()}
    verdicts = []
    for one, other in combinations(files, 2):
        verdict = allowed(theirs[one], theirs[other])
        assert (compare(ours[one], ours[other]) is None) == verdict, (one, other)
        assert (compare(ours[other], ours[one]) is None) == verdict, (other, one)
        verdicts.append(verdict)
    assert {True, False} == set(verdicts)


@pytest.mark.parametrize(
    ("target", "draft", "difference"),
    [
        ("plain", "sentencepiece", (Check.KIND, None, "gpt2", "llama")),
        ("adds begin", "plain", (Check.BOS, BOS, TEXTS[BOS], "")),
        ("plain", "adds begin", (Check.BOS, BOS, "", TEXTS[BOS])),
        ("adds begin", "adds another begin", (Check.BOS, BOS, TEXTS[BOS], TEXTS[EOS])),
        ("adds another end", "adds end", (Check.EOS, BOS, TEXTS[BOS], TEXTS[EOS])),
        ("plain", "129 more", (Check.SIZE, None, "", "")),
        ("plain", "one token", (Check.TOKEN, 400, TEXTS[400], "other")),
        ("token 5", "one token", (Check.TOKEN, 5, "other", TEXTS[5])),
    ],
)
def test_the_first_difference_is_named(
    target: str, draft: str, difference: tuple[Check, int | None, str, str], files: dict[str, Path]
) -> None:
    """Which check fails, at which id, and what stands there in each of the two."""
    found = compare(vocabulary_of(read_header(files[target])), vocabulary_of(read_header(files[draft])))
    assert found is not None
    assert (found.check, found.token_id, found.target_text, found.draft_text) == difference
    assert (found.target_size, found.draft_size) == tuple(
        read_header(files[name]).vocab_size for name in (target, draft)
    )


def test_a_refusal_carries_its_facts(files: dict[str, Path], tmp_path: Path) -> None:
    """The error names both models, the difference, and how many tokens differ."""
    changes = ((300, "x"), (301, "y"), (3, "z"))
    target = gguf_files.write_model(tmp_path / "target.gguf", Tiny())
    draft = gguf_files.write_model(tmp_path / "draft.gguf", Tiny(changed_tokens=changes))
    with pytest.raises(EngineError) as caught:
        require_same(read_header(target), read_header(draft))
    report = caught.value.report
    assert report.kind is ErrorKind.DRAFT_VOCABULARY
    assert dict(report.facts) == {
        "target": "target",
        "draft": "draft",
        "difference": "token",
        "token_id": 300,
        "target_text": TEXTS[300],
        "draft_text": "x",
        "target_size": 512,
        "draft_size": 512,
        "differing_tokens": 2,
    }
    with pytest.raises(EngineError) as caught:
        require_same(read_header(target), read_header(files["129 more"]))
    assert "token_id" not in dict(caught.value.report.facts)
    require_same(read_header(target), read_header(gguf_files.write_model(draft, Tiny(noise=0.1, name="Small"))))


def test_tokens_are_compared_as_bytes() -> None:
    """Two texts that are shown alike because neither is UTF-8 are still two."""
    found = compare(vocabulary([b"_"] * 5 + [b"\xff"]), vocabulary([b"_"] * 5 + [b"\xfe"]))
    assert found == VocabularyDifference(Check.TOKEN, 5, "\ufffd", "\ufffd", 6, 6, differing_tokens=1)


WORDS = st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"[EMPTY_7]", b"a\0b", "é".encode()]), max_size=12)


@given(WORDS, WORDS, WORDS)
def test_the_fast_comparison_is_the_plain_one(start: list[bytes], target: list[bytes], draft: list[bytes]) -> None:
    """Blocks compared at once give what comparing token by token gives."""
    ours, theirs = vocabulary(start + target), vocabulary(start + draft)

    def text(raw: bytes, token_id: int) -> bytes:
        return (raw or f"[EMPTY_{token_id}]".encode()).split(b"\0")[0]

    pairs = list(zip(start + target, start + draft, strict=False))
    differing = [i for i, (one, other) in enumerate(pairs) if i >= 5 and text(one, i) != text(other, i)]
    with patch.object(engine.vocabulary, "_BLOCK", 3):
        found = compare(ours, theirs)
    assert (found and found.token_id) == (differing[0] if differing else None)
