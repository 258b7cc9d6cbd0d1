"""Whether a draft speaks the target's vocabulary.

The rule is the one of llama.cpp's speculative decoding (common_speculative_are_compatible): the same kind of
tokenizer, the same use of the first and the last special token, sizes at most 128 apart, and the same text for
every id from 5 to the end of the smaller vocabulary. What a header leaves open is filled in as llama.cpp's loader
does (llama_vocab::impl::load), since two makers' files of one model can differ in just that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from itertools import compress
from operator import ne

from engine.errors import EngineError, ErrorKind
from engine.gguf import GgufHeader
from engine.gguf_format import StringArray

MAX_SIZE_DIFFERENCE = 128
FIRST_COMPARED_ID = 5
_BLOCK = 1024  # tokens compared at once: most pairs have the same vocabulary throughout

_KINDS = {"gemma4": "gpt2", "hybriddna": "gpt2", "whitespace": "gpt2", "no_vocab": "none", "": "none"}
_BEGIN_BY_KIND = {"llama": 1, "bert": 101, "gpt2": 11, "plamo2": 1}
_END_BY_KIND = {"llama": 2, "gpt2": 11, "t5": 1, "plamo2": 2}
_BEGIN_UNSET = frozenset({"chatglm-bpe", "glm4", "glm5"})  # pre-tokenizers without the default of their kind

# fmt: off
_ADDS_BEGIN = frozenset({  # pre-tokenizers
    "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano",
    "tekken", "chameleon",
})
_ALWAYS_ADDS_BEGIN = frozenset({"gemma4", "granite-embed-multi-311m"})  # whatever their header says
# fmt: on


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The tokens of a model.

    Attributes:
        kind: the tokenizer's family: "gpt2" (byte-level BPE), "llama" (SentencePiece), "bert", "t5", "rwkv",
            "plamo2" or "none".
        tokens: empty for the kind "none", whose size alone is known.
        bos, eos: ids, None where the model has no such token; add_bos, add_eos: whether the tokenizer adds them.
    """

    kind: str
    tokens: StringArray | tuple[()]
    size: int
    add_bos: bool
    add_eos: bool
    bos: int | None
    eos: int | None

    def text(self, token_id: int | None) -> str:
        """The text of a token; "" for None and for ids without one."""
        return self.tokens[token_id] if token_id is not None and token_id < len(self.tokens) else ""


class Check(Enum):
    """What two vocabularies are compared by, in this order."""

    KIND = "kind"
    BOS = "bos"
    EOS = "eos"
    SIZE = "size"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class VocabularyDifference:
    """The first check that fails.

    Attributes:
        token_id: the first id whose texts differ; for BOS and EOS the target's id, or else the draft's; None for
            KIND and SIZE.
        target_text, draft_text: the tokens' texts, "" where none is added; the kinds for KIND.
        differing_tokens: ids whose texts differ, for TOKEN.
    """

    check: Check
    token_id: int | None
    target_text: str
    draft_text: str
    target_size: int
    draft_size: int
    differing_tokens: int = 0


def vocabulary_of(header: GgufHeader) -> Vocabulary:
    """The vocabulary that llama.cpp would load from this file."""
    model, pre, tokens = header.text("tokenizer.ggml.model"), header.text("tokenizer.ggml.pre"), header.tokens
    kind = _KINDS.get(model, model)
    if kind == "none" or tokens is None:
        return Vocabulary("none", (), header.vocab_size, add_bos=False, add_eos=False, bos=None, eos=None)
    if kind != "gpt2":
        pre = ""  # only byte-level BPE has a choice of pre-tokenizers
    elif model == "gemma4":
        pre = "gemma4"

    def special(key: str, default: int | None) -> int | None:
        token_id = header.number(key, -1)
        if 0 <= token_id < len(tokens):
            return token_id
        return default if default is not None and default < len(tokens) else None

    def added(key: str, default: bool) -> bool:
        value = header.metadata.get(key)
        return value if isinstance(value, bool) else default

    adds_begin = added("tokenizer.ggml.add_bos_token", kind in ("llama", "bert") or pre in _ADDS_BEGIN)
    no_default = model == "gemma4" or pre in _BEGIN_UNSET
    return Vocabulary(
        kind,
        tokens,
        len(tokens),
        add_bos=adds_begin or pre in _ALWAYS_ADDS_BEGIN,
        add_eos=added("tokenizer.ggml.add_eos_token", kind == "t5"),
        bos=special("tokenizer.ggml.bos_token_id", None if no_default else _BEGIN_BY_KIND.get(kind)),
        eos=special("tokenizer.ggml.eos_token_id", None if model == "gemma4" else _END_BY_KIND.get(kind)),
    )


def compare(target: Vocabulary, draft: Vocabulary) -> VocabularyDifference | None:
    """The first difference that keeps the draft from serving the target; None if it may."""

    def difference(check: Check, token_id: int | None, ours: str, theirs: str) -> VocabularyDifference:
        return VocabularyDifference(check, token_id, ours, theirs, target.size, draft.size)

    if target.kind != draft.kind:
        return difference(Check.KIND, None, target.kind, draft.kind)
    for check, adds, ids in (
        (Check.BOS, (target.add_bos, draft.add_bos), (target.bos, draft.bos)),
        (Check.EOS, (target.add_eos, draft.add_eos), (target.eos, draft.eos)),
    ):
        if adds[0] != adds[1] or (adds[0] and ids[0] != ids[1]):
            ours, theirs = (token_id if added else None for added, token_id in zip(adds, ids, strict=True))
            return difference(check, theirs if ours is None else ours, target.text(ours), draft.text(theirs))
    if abs(target.size - draft.size) > MAX_SIZE_DIFFERENCE:
        return difference(Check.SIZE, None, "", "")
    if not target.tokens or not draft.tokens:
        return None
    differing = _differing_ids(target.tokens, draft.tokens)
    for i in differing:
        if _c_text(target.tokens.raw(i), i) != _c_text(draft.tokens.raw(i), i):
            found = difference(Check.TOKEN, i, target.text(i), draft.text(i))
            return replace(found, differing_tokens=len(differing))
    return None


def _differing_ids(ours: StringArray, theirs: StringArray) -> list[int]:
    """Ids from FIRST_COMPARED_ID on at which the two do not have the same bytes."""
    differing: list[int] = []
    common = min(len(ours), len(theirs))
    for first in range(FIRST_COMPARED_ID, common, _BLOCK):
        last = min(first + _BLOCK, common)
        if ours.span(first, last) != theirs.span(first, last):
            unequal = map(ne, ours.raw_list(first, last), theirs.raw_list(first, last))
            differing.extend(compress(range(first, last), unequal))
    return differing


def _c_text(raw: bytes, token_id: int) -> bytes:
    """What llama.cpp compares: it names empty tokens, and its strings end at the first zero byte."""
    return (raw or b"[EMPTY_%d]" % token_id).partition(b"\0")[0]


def require_same(target: GgufHeader, draft: GgufHeader) -> None:
    """Refuse a draft that cannot serve the target.

    Raises:
        EngineError: DRAFT_VOCABULARY, with the first difference among the facts.
    """
    difference = compare(vocabulary_of(target), vocabulary_of(draft))
    if difference is None:
        return
    facts: dict[str, str | int | float] = {
        "target": target.name,
        "draft": draft.name,
        "difference": difference.check.value,
        "target_text": difference.target_text,
        "draft_text": difference.draft_text,
        "target_size": difference.target_size,
        "draft_size": difference.draft_size,
        "differing_tokens": difference.differing_tokens,
    }
    if difference.token_id is not None:
        facts["token_id"] = difference.token_id
    raise EngineError(ErrorKind.DRAFT_VOCABULARY, detail="", **facts)
