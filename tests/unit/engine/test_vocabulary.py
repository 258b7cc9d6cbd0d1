"""Which ids a draft may propose, which pairs are refused, and that a refusal names the first difference."""

from __future__ import annotations

import struct
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError, ErrorKind
from engine.gguf import read_header
from engine.gguf_format import StringArray
from engine.vocabulary import Check, Vocabulary, VocabularyDifference, match, require_match, vocabulary_of
from tests.fakes import gguf_files, llama_probe
from tests.fakes.gguf_files import BOS, EOS, FIRST_BYTE, Tiny

TEXTS = list(gguf_files.vocabulary(512)[0])


def strings(texts: list[bytes]) -> StringArray:
    data = b"".join(struct.pack("<Q", len(text)) + text for text in texts)
    return StringArray(data, np.cumsum([0, *(len(text) + 8 for text in texts)]))


def vocabulary(texts: list[bytes]) -> Vocabulary:
    return Vocabulary("gpt2", strings(texts), len(texts), begin=None)


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

    longer = [f"<more {i}>" for i in range(600)]
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
        "25 tokens": {"texts": [*TEXTS[:-25], *longer[:25]]},
        "26 tokens": {"texts": [*TEXTS[:-26], *longer[:26]]},
        "an empty token": {"texts": changed(400, "")},
        "an empty token by name": {"texts": changed(400, "[EMPTY_400]")},
        "a zero byte": {"texts": changed(400, "ab\0c")},
        "another zero byte": {"texts": changed(400, "ab\0d")},
        "up to a zero byte": {"texts": changed(400, "ab")},
        "128 more": {"texts": TEXTS + longer[:128]},
        "512 more": {"texts": TEXTS + longer[:512]},
        "513 more": {"texts": TEXTS + longer[:513]},
        "513 more, one other": {"texts": changed(400, "other") + longer[:513]},
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
    """Which token comes before every text, if one does, for every kind of tokenizer."""
    kinds = {"none": 0, "llama": 1, "gpt2": 2, "bert": 3, "t5": 4}
    for name, path in files.items():
        ours, loaded = vocabulary_of(read_header(path)), theirs[name]
        assert loaded is not None, name
        assert kinds[ours.kind] == loaded["type"], name
        begin = loaded["bos"] if loaded["add_bos"] and loaded["bos"] >= 0 else None
        assert ours.begin == begin, name
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


def test_what_llama_cpp_accepts_is_accepted(files: dict[str, Path], theirs: dict[str, Any]) -> None:
    """Every pair that passes common_speculative_are_compatible passes here, and what is not masked has one text."""
    ours = {name: vocabulary_of(read_header(path)) for name, path in files.items()}
    more = fewer = 0
    for one, other in permutations((name for name in files if ours[name].kind != "none"), 2):
        found = match(ours[one], ours[other])
        verdict = allowed(theirs[one], theirs[other])
        assert found.difference is None or not verdict, (one, other)
        more += found.difference is None and not verdict
        fewer += found.difference is not None
        if found.difference is None:
            left = set(range(found.shared)) - set(found.masked)
            assert all(theirs[one]["texts"][i] == theirs[other]["texts"][i] for i in left), (one, other)
    assert more
    assert fewer


@pytest.mark.parametrize(
    ("target", "draft", "masked", "shared"),
    [
        ("plain", "plain", (), 512),
        ("plain", "one token", (400,), 512),
        ("plain", "token 4", (4,), 512),
        ("token 4", "one token", (4, 400), 512),
        ("plain", "25 tokens", tuple(range(487, 512)), 512),
        ("plain", "an empty token", (400,), 512),
        ("plain", "128 more", (), 512),
        ("512 more", "plain", (), 512),
        ("plain", "512 more", (), 512),
        ("one token", "128 more", (400,), 512),
    ],
)
def test_few_differences_are_masked(
    target: str, draft: str, masked: tuple[int, ...], shared: int, files: dict[str, Path]
) -> None:
    """Ids whose texts differ, up to one in twenty, and all beyond the smaller vocabulary, up to half of the larger."""
    found = match(vocabulary_of(read_header(files[target])), vocabulary_of(read_header(files[draft])))
    assert (found.masked, found.shared, found.difference) == (masked, shared, None)


@pytest.mark.parametrize(
    ("target", "draft", "difference"),
    [
        ("plain", "none", (Check.KIND, None, "gpt2", "none", 0)),
        ("none", "no vocabulary", (Check.KIND, None, "none", "none", 0)),
        ("plain", "513 more", (Check.SIZE, None, "", "", 0)),
        ("513 more", "plain", (Check.SIZE, None, "", "", 0)),
        ("plain", "513 more, one other", (Check.SIZE, 400, TEXTS[400], "other", 1)),
        ("plain", "sentencepiece", (Check.TOKEN, 0, TEXTS[0], "<unk>", 300)),
        ("plain", "26 tokens", (Check.TOKEN, 486, TEXTS[486], "<more 0>", 26)),
    ],
)
def test_the_first_difference_is_named(
    target: str, draft: str, difference: tuple[Check, int | None, str, str, int], files: dict[str, Path]
) -> None:
    """Which check fails, at which id, what stands there in each of the two, and how many ids differ."""
    match_found = match(vocabulary_of(read_header(files[target])), vocabulary_of(read_header(files[draft])))
    found = match_found.difference
    assert found is not None
    assert match_found.masked == ()
    told = (found.check, found.token_id, found.target_text, found.draft_text, found.differing_tokens)
    assert told == difference
    assert (found.target_size, found.draft_size) == tuple(
        read_header(files[name]).vocab_size for name in (target, draft)
    )


@pytest.mark.parametrize(
    ("target", "draft", "same"),
    [
        ("plain", "names another begin", True),
        ("adds begin", "adds begin", True),
        ("adds begin", "plain", False),
        ("adds begin", "adds another begin", False),
        ("plain", "adds another end", True),
    ],
)
def test_how_texts_begin_and_end_is_no_obstacle(target: str, draft: str, same: bool, files: dict[str, Path]) -> None:
    """The draft reads the target's ids, so another first token is only told, and an added last one says nothing."""
    found = match(vocabulary_of(read_header(files[target])), vocabulary_of(read_header(files[draft])))
    assert found.difference is None
    assert found.same_begin == same


def test_another_kind_of_tokenizer_with_the_same_texts_serves(tmp_path: Path) -> None:
    """Only the texts count: what splits a text into tokens is the target's business alone."""
    one = write(tmp_path / "one.gguf", model="gpt2")
    other = write(tmp_path / "other.gguf", model="llama")
    found = match(vocabulary_of(read_header(one)), vocabulary_of(read_header(other)))
    assert (found.masked, found.difference) == ((), None)


def test_a_refusal_carries_its_facts(files: dict[str, Path], tmp_path: Path) -> None:
    """The error names both models, the difference, and how many tokens differ."""
    changes = tuple((token_id, f"x{token_id}") for token_id in (3, *range(300, 400)))
    target = gguf_files.write_model(tmp_path / "target.gguf", Tiny())
    draft = gguf_files.write_model(tmp_path / "draft.gguf", Tiny(changed_tokens=changes))
    with pytest.raises(EngineError) as caught:
        require_match(read_header(target), read_header(draft))
    report = caught.value.report
    assert report.kind is ErrorKind.DRAFT_VOCABULARY
    assert dict(report.facts) == {
        "target": "target",
        "draft": "draft",
        "difference": "token",
        "token_id": 3,
        "target_text": TEXTS[3],
        "draft_text": "x3",
        "target_size": 512,
        "draft_size": 512,
        "differing_tokens": 101,
    }
    with pytest.raises(EngineError) as caught:
        require_match(read_header(target), read_header(files["513 more"]))
    assert "token_id" not in dict(caught.value.report.facts)
    other = gguf_files.write_model(draft, Tiny(noise=0.1, name="Small", changed_tokens=changes[:2]))
    assert require_match(read_header(target), read_header(other)).masked == (3, 300)


def test_tokens_are_compared_as_bytes() -> None:
    """Two texts that are shown alike because neither is UTF-8 are still two."""
    found = match(vocabulary([b"_"] * 5 + [b"\xff"]), vocabulary([b"_"] * 5 + [b"\xfe"]))
    assert found.difference == VocabularyDifference(Check.TOKEN, 5, "\ufffd", "\ufffd", 6, 6, differing_tokens=1)


WORDS = st.lists(
    st.sampled_from([b"", b"a", b"b", b"ab", b"a\0b", "é".encode(), b"x" * 31, b"x" * 40, b"x" * 39 + b"y"]),
    max_size=12,
)


@given(WORDS, WORDS, WORDS)
def test_the_fast_comparison_is_the_plain_one(start: list[bytes], target: list[bytes], draft: list[bytes]) -> None:
    """All strings compared at once give what comparing them one by one gives."""
    pairs = zip(start + target, start + draft, strict=False)
    differing = [i for i, (one, other) in enumerate(pairs) if one != other]
    assert strings(start + target).differing(strings(start + draft)).tolist() == differing
