"""Which models can draft for a target, and why the others cannot. Told by headers alone, so before a download too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

from app.amounts import count
from app.messages import message_for
from app.model_values import LocalModel
from app.translate import translate
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import GgufHeader, check_writes_text, read_header
from engine.vocabulary import match, refusal, vocabulary_of

# Heads that say how many tokens they predict, as those do that are cut out of a model, but have a name of their own
_TRAINED_APART = frozenset({"gemma4-assistant"})


@dataclass(frozen=True, slots=True)
class DraftVerdict:
    """What is to be said of one draft for one target.

    Attributes:
        masked: ids that the draft never proposes because their texts differ.
        reason: why it cannot draft; None if it can.
        shared, target_size, draft_size: tokens; 0 where the draft's vocabulary was not looked at.
        not_faster: every token costs the draft as much as the target, or more.
        same_begin: both put the same token before a text.
    """

    can_draft: bool
    masked: int
    reason: ErrorReport | None
    shared: int = 0
    target_size: int = 0
    draft_size: int = 0
    not_faster: bool = False
    same_begin: bool = True


class DraftJudge:
    """Judges many drafts for one target. Vocabularies that it has met are not compared again. For one thread."""

    def __init__(self, target: GgufHeader) -> None:
        self._target = target
        self._vocabulary = vocabulary_of(target)
        self._cost = _bytes_per_token(target)
        self._met: dict[str, DraftVerdict] = {}

    def judge(self, draft: GgufHeader) -> DraftVerdict:
        """Of a header, wherever it came from. Reads no file."""
        try:
            check_writes_text(draft, {tensor.name for tensor in draft.tensors})
            if draft.is_vocabulary_only:
                raise EngineError(ErrorKind.VOCABULARY_ONLY, path=str(draft.path))
        except EngineError as error:
            return DraftVerdict(can_draft=False, masked=0, reason=_with_owner(error.report, draft))
        found = match(self._vocabulary, vocabulary_of(draft))
        reason = None if found.difference is None else refusal(found.difference, self._target, draft).report
        return DraftVerdict(
            can_draft=reason is None,
            masked=len(found.masked),
            reason=reason,
            shared=found.shared,
            target_size=self._vocabulary.size,
            draft_size=draft.vocab_size,
            not_faster=self._is_not_faster(_bytes_per_token(draft)),
            same_begin=found.same_begin,
        )

    def judge_model(self, model: LocalModel, fingerprint: str) -> DraftVerdict:
        """Of a model on this computer. Its header is only read where its vocabulary is new, and may take a second then.

        A mixture of experts counts with its whole size where its header is not read.

        Args:
            model: its `problem` is believed: nothing else is looked at where there is one.
            fingerprint: as `vocabulary_fingerprint` gave it for this model.
        """
        if model.problem is not None:
            return DraftVerdict(can_draft=False, masked=0, reason=model.problem)
        verdict = self._met.get(fingerprint)
        if verdict is None:
            try:
                verdict = self.judge(read_header(model.path))
            except EngineError as error:
                return DraftVerdict(can_draft=False, masked=0, reason=error.report)
            if verdict.target_size:
                self._met[fingerprint] = verdict
            return verdict
        reason = verdict.reason and replace(
            verdict.reason,
            facts=tuple((name, model.name if name == "draft" else value) for name, value in verdict.reason.facts),
        )
        return replace(verdict, reason=reason, not_faster=self._is_not_faster(model.size_bytes))

    def _is_not_faster(self, cost: float | None) -> bool:
        return cost is not None and self._cost is not None and cost >= self._cost


def judge(target: GgufHeader, draft: GgufHeader) -> DraftVerdict:
    """Whether `draft` can draft for `target`. Reads no file."""
    return DraftJudge(target).judge(draft)


def vocabulary_fingerprint(header: GgufHeader) -> str:
    """The same for two files if, and practically only if, their verdicts as drafts are the same but for their sizes.

    Takes some milliseconds for the largest vocabularies.
    """
    vocabulary = vocabulary_of(header)
    digest = blake2b(f"{vocabulary.kind} {vocabulary.size} {vocabulary.begin} ".encode(), digest_size=16)
    if vocabulary.tokens:
        digest.update(vocabulary.tokens.span(0, vocabulary.size))
    return digest.hexdigest()


def verdict_words(verdict: DraftVerdict, target_name: str, draft_name: str) -> tuple[str, str]:
    """Whether it can, in two words, and why: "can draft" and "same 151,936 tokens; 0 differ"."""
    if verdict.reason is None:
        return translate("drafts", "can draft"), "; ".join(_what_is_shared(verdict))
    return translate("drafts", "cannot draft"), _why_not(verdict, target_name, draft_name)


def _what_is_shared(verdict: DraftVerdict) -> list[str]:
    if verdict.target_size == verdict.draft_size:
        words = translate("drafts", "same {shared} tokens; {masked} differ")
        if verdict.masked:
            words = translate("drafts", "same {shared} tokens; {masked} differ and are not proposed")
    elif verdict.masked:
        words = translate(
            "drafts",
            "{draft_size} tokens against {target_size}; {masked} of the {shared} that both have differ and are not "
            "proposed",
        )
    else:
        words = translate(
            "drafts", "{draft_size} tokens against {target_size}; the {shared} that both have are the same"
        )
    notes = [words.format_map(_sizes(verdict))]
    if not verdict.same_begin:
        notes.append(translate("drafts", "it begins texts in another way, so it may guess worse"))
    if verdict.not_faster:
        notes.append(translate("drafts", "it is as large as the target, so it would not be faster"))
    return notes


def _why_not(verdict: DraftVerdict, target_name: str, draft_name: str) -> str:
    report = verdict.reason
    assert report is not None
    if report.kind is ErrorKind.NEEDS_OWN_TARGET:
        owner = str(report.fact("owner"))
        if owner:
            return translate("drafts", "needs its own target’s hidden state; it only works with {owner}").format(
                owner=owner
            )
        return translate(
            "drafts", "needs its own target’s hidden state; it only works with the model that it was trained for"
        )
    if report.kind is ErrorKind.DRAFT_VOCABULARY:
        return _vocabulary_words(report, verdict).format_map(
            _sizes(verdict)
            | {
                "token_id": str(report.fact("token_id")),
                "target_text": _shown(str(report.fact("target_text"))),
                "draft_text": _shown(str(report.fact("draft_text"))),
                "differing": count(int(report.fact("differing_tokens", 0))),
            }
        )
    return message_for(report).line


def _vocabulary_words(report: ErrorReport, verdict: DraftVerdict) -> str:
    if report.fact("difference") == "kind":
        return translate("drafts", "there are no tokens to compare")
    if report.fact("token_id") == "":
        return translate("drafts", "{draft_size} tokens against {target_size}: too many are unknown to one of the two")
    if verdict.target_size == verdict.draft_size:
        return translate(
            "drafts",
            "{differing} of {shared} tokens differ; first difference at id {token_id}: “{draft_text}” against "
            "“{target_text}”",
        )
    return translate(
        "drafts",
        "{draft_size} tokens against {target_size}; first difference at id {token_id}: “{draft_text}” against "
        "“{target_text}”",
    )


def _shown(text: str) -> str:
    """A token on one line."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _sizes(verdict: DraftVerdict) -> dict[str, str]:
    names = ("shared", "masked", "target_size", "draft_size")
    return {name: count(getattr(verdict, name)) for name in names}


def _with_owner(report: ErrorReport, draft: GgufHeader) -> ErrorReport:
    """Adds whose head it is, where the header says so."""
    if report.kind is not ErrorKind.NEEDS_OWN_TARGET:
        return report
    # Heads that were cut out of their target carry its name; those that were trained for one name it as their base.
    owner = draft.text("general.base_model.0.name")
    if draft.number("{arch}.nextn_predict_layers") > 0 and draft.architecture not in _TRAINED_APART:
        owner = draft.text("general.name") or owner
    return replace(report, facts=(*report.facts, ("owner", owner)))


def _bytes_per_token(header: GgufHeader) -> float | None:
    """What is read for one token: all weights, of the experts those that are used. None for a part of a split model."""
    if header.split_count > 1:
        return None
    used = header.number("{arch}.expert_used_count") / max(1, header.number("{arch}.expert_count"))
    return sum(tensor.nbytes * (used if "_exps." in tensor.name else 1.0) for tensor in header.tensors)
