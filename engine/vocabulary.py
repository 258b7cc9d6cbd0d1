"""Whether a draft speaks the target's vocabulary, and which ids it must not propose.

The loop works on token ids: the target's tokenizer makes the prompt's, the draft reads the same ids and proposes
others, the target judges them. So no draft can change the text; what a vocabulary decides is whether its guesses can
be any good. Ids whose texts differ are masked out of the draft, ids that only one of the two has are never proposed.
A pair is refused where so much differs that two unrelated vocabularies stand behind it (docs/adr/0009).

What a header leaves open is filled in as llama.cpp's loader does (llama_vocab::impl::load), since two makers' files of
one model can differ in just that.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from engine.errors import EngineError, ErrorKind
from engine.gguf import GgufHeader
from engine.gguf_format import StringArray

# Vocabularies of one family differ in up to one id of forty (Gemma 3 and 4, in what they reserve), unrelated ones in
# at least 97 of a hundred: anything between tells them apart.
MAX_DIFFERING: Final = 20  # one shared id in so many
MAX_RATIO: Final = 2  # of the sizes: beyond, most of what one model writes the other does not know

_KINDS = {"gemma4": "gpt2", "hybriddna": "gpt2", "whitespace": "gpt2", "no_vocab": "none", "": "none"}
_BEGIN_BY_KIND = {"llama": 1, "bert": 101, "gpt2": 11, "plamo2": 1}
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
        begin: the id that the tokenizer puts before every text; None where it adds none.
    """

    kind: str
    tokens: StringArray | tuple[()]
    size: int
    begin: int | None

    def text(self, token_id: int | None) -> str:
        """The text of a token; "" for None and for ids without one."""
        return self.tokens[token_id] if token_id is not None and token_id < len(self.tokens) else ""


class Check(Enum):
    """What keeps a draft from serving a target, in the order of looking."""

    KIND = "kind"  # one of the two has no vocabulary to compare
    SIZE = "size"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class VocabularyDifference:
    """The first check that fails.

    Attributes:
        token_id: the first id whose texts differ; None where all that both have agree.
        target_text, draft_text: the tokens' texts at token_id; the kinds for KIND.
        differing_tokens: ids whose texts differ.
    """

    check: Check
    token_id: int | None
    target_text: str
    draft_text: str
    target_size: int
    draft_size: int
    differing_tokens: int = 0


@dataclass(frozen=True, slots=True)
class VocabularyMatch:
    """What two vocabularies have in common.

    Attributes:
        masked: ids below `shared` whose texts differ, ascending; the draft must not propose them. Empty where the draft
            cannot serve.
        shared: how many ids both have; the draft must not propose one beyond.
        difference: why the draft cannot serve the target; None if it can.
        same_begin: both put the same token before a text, or none. The draft reads the target's, so one that
            was trained with another may guess worse, and no more follows.
    """

    masked: tuple[int, ...]
    shared: int
    difference: VocabularyDifference | None
    same_begin: bool


def vocabulary_of(header: GgufHeader) -> Vocabulary:
    """The vocabulary that llama.cpp would load from this file."""
    model, pre, tokens = header.text("tokenizer.ggml.model"), header.text("tokenizer.ggml.pre"), header.tokens
    kind = _KINDS.get(model, model)
    if kind == "none" or tokens is None:
        return Vocabulary("none", (), header.vocab_size, begin=None)
    if kind != "gpt2":
        pre = ""  # only byte-level BPE has a choice of pre-tokenizers
    elif model == "gemma4":
        pre = "gemma4"
    adds = header.metadata.get("tokenizer.ggml.add_bos_token")
    if not isinstance(adds, bool):
        adds = kind in ("llama", "bert") or pre in _ADDS_BEGIN
    begin = header.number("tokenizer.ggml.bos_token_id", -1)
    if not 0 <= begin < len(tokens):
        no_default = model == "gemma4" or pre in _BEGIN_UNSET
        begin = -1 if no_default else _BEGIN_BY_KIND.get(kind, -1)
    adds = (adds or pre in _ALWAYS_ADDS_BEGIN) and 0 <= begin < len(tokens)
    return Vocabulary(kind, tokens, len(tokens), begin=begin if adds else None)


def match(target: Vocabulary, draft: Vocabulary) -> VocabularyMatch:
    """What the draft may propose to the target, or why it cannot serve it."""
    smaller, larger = sorted((target.size, draft.size))
    same_begin = target.begin == draft.begin and target.text(target.begin) == draft.text(draft.begin)

    def refused(check: Check, token_id: int | None, ours: str, theirs: str, differing: int = 0) -> VocabularyMatch:
        found = VocabularyDifference(check, token_id, ours, theirs, target.size, draft.size, differing)
        return VocabularyMatch((), smaller, found, same_begin)

    if not target.tokens or not draft.tokens:
        return refused(Check.KIND, None, target.kind, draft.kind)
    masked = target.tokens.differing(draft.tokens).tolist()
    first = masked[0] if masked else None
    texts = target.text(first), draft.text(first)
    if larger > MAX_RATIO * smaller:
        return refused(Check.SIZE, first, *texts, len(masked))
    if MAX_DIFFERING * len(masked) > smaller:
        return refused(Check.TOKEN, first, *texts, len(masked))
    return VocabularyMatch(tuple(masked), smaller, None, same_begin)


def require_match(target: GgufHeader, draft: GgufHeader) -> VocabularyMatch:
    """Refuse a draft that cannot serve the target.

    Raises:
        EngineError: DRAFT_VOCABULARY, with the first difference among the facts.
    """
    found = match(vocabulary_of(target), vocabulary_of(draft))
    if found.difference is not None:
        raise refusal(found.difference, target, draft)
    return found


def refusal(difference: VocabularyDifference, target: GgufHeader, draft: GgufHeader) -> EngineError:
    """The error that says why `draft` cannot serve `target`."""
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
    return EngineError(ErrorKind.DRAFT_VOCABULARY, detail="", **facts)
