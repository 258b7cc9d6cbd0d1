"""Every model is told whether it can draft for a target, and why not, by its header alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.drafts import DraftJudge, DraftVerdict, judge, verdict_words, vocabulary_fingerprint
from app.model_values import LocalModel, PlaceKind
from engine.errors import ErrorKind, ErrorReport
from engine.gguf import GgufHeader, read_header
from tests.fakes import gguf_files
from tests.fakes.gguf_files import FIRST_WORD, Tiny

UNRELATED = tuple((token_id, f"<other {token_id}>") for token_id in range(FIRST_WORD, 512))


def header(folder: Path, name: str = "draft", model: Tiny | None = None) -> GgufHeader:
    return read_header(gguf_files.write_model(folder / f"{name}.gguf", model))


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> GgufHeader:
    return header(tmp_path_factory.mktemp("target"), "Large 7B", Tiny(layers=4))


def side_file(folder: Path, architecture: str, tensors: dict[str, list[int]], **keys: object) -> GgufHeader:
    wanted = {
        "general.architecture": architecture,
        "general.name": "Qwen3.6 27B",
        f"{architecture}.block_count": 5,
        **{key.replace("__", "."): value for key, value in keys.items()},
    }
    return read_header(gguf_files.write_header(folder / "mtp-head.gguf", wanted, tensors))


def words(verdict: DraftVerdict) -> tuple[str, str]:
    return verdict_words(verdict, "Large 7B", "Small 1B")


def test_the_same_vocabulary_can_draft(target: GgufHeader, tmp_path: Path) -> None:
    """A smaller model with the target's tokens: nothing is masked, nothing more is to be said."""
    verdict = judge(target, header(tmp_path))
    assert (verdict.can_draft, verdict.masked, verdict.reason) == (True, 0, None)
    assert words(verdict) == ("can draft", "same 512 tokens; 0 differ")


def test_few_differences_can_draft_masked(target: GgufHeader, tmp_path: Path) -> None:
    """How many are masked is told, and where one vocabulary is longer, both sizes."""
    verdict = judge(target, header(tmp_path, model=Tiny(changed_tokens=UNRELATED[:2])))
    assert (verdict.can_draft, verdict.masked) == (True, 2)
    assert words(verdict)[1] == "same 512 tokens; 2 differ and are not proposed"
    verdict = judge(target, header(tmp_path, model=Tiny(vocab_size=600)))
    assert (verdict.can_draft, verdict.masked) == (True, 0)
    assert words(verdict)[1] == "600 tokens against 512; the 512 that both have are the same"
    verdict = judge(target, header(tmp_path, model=Tiny(vocab_size=600, changed_tokens=UNRELATED[:3])))
    assert "3 of the 512 that both have differ" in words(verdict)[1]


def test_another_vocabulary_cannot_draft(target: GgufHeader, tmp_path: Path) -> None:
    """The sizes and the first difference with both texts; on one line even where a text is a line break."""
    verdict = judge(target, header(tmp_path, model=Tiny(vocab_size=1_100, changed_tokens=((2, "<unused\n0>"),))))
    assert not verdict.can_draft
    assert verdict.reason is not None
    assert verdict.reason.kind is ErrorKind.DRAFT_VOCABULARY
    assert words(verdict) == (
        "cannot draft",
        "1,100 tokens against 512; first difference at id 2: “<unused\\n0>” against “<|im_end|>”",
    )
    verdict = judge(target, header(tmp_path, model=Tiny(changed_tokens=UNRELATED)))
    assert words(verdict)[1].startswith("251 of 512 tokens differ; first difference at id 261: “<other 261>” against ")
    verdict = judge(target, header(tmp_path, model=Tiny(vocab_size=1_100)))
    assert words(verdict)[1] == "1,100 tokens against 512: too many are unknown to one of the two"
    bare = gguf_files.write_header(tmp_path / "bare.gguf", {"general.architecture": "llama"}, {"blk.0.a": [8]})
    assert words(judge(target, read_header(bare))) == ("cannot draft", "there are no tokens to compare")


@pytest.mark.parametrize("architecture", ["eagle3", "dflash", "gemma4-assistant"])
def test_heads_of_other_models_cannot_draft(architecture: str, target: GgufHeader, tmp_path: Path) -> None:
    """EAGLE, DFlash and assistant files need the hidden state of their own target, which is named where they say it."""
    base = {"general__base_model__0__name": "Gemma 4 12B"}
    verdict = judge(target, side_file(tmp_path, architecture, {"blk.0.attn_norm.weight": [8]}, **base))
    assert verdict.reason is not None
    assert verdict.reason.kind is ErrorKind.NEEDS_OWN_TARGET
    assert words(verdict)[1] == "needs its own target’s hidden state; it only works with Gemma 4 12B"
    verdict = judge(target, side_file(tmp_path, architecture, {"blk.0.attn_norm.weight": [8]}))
    assert words(verdict)[1].endswith("it only works with the model that it was trained for")


@pytest.mark.parametrize(
    "tensors", [["blk.4.nextn.eh_proj.weight", "blk.4.attn_norm.weight"], ["blk.4.attn_norm.weight"]]
)
def test_heads_cut_out_of_their_model_cannot_draft(tensors: list[str], target: GgufHeader, tmp_path: Path) -> None:
    """An MTP side file is known by its tensors, or by its key where all layers but the last are missing."""
    key = {"qwen35__nextn_predict_layers": 1}
    verdict = judge(target, side_file(tmp_path, "qwen35", {name: [8] for name in tensors}, **key))
    assert words(verdict) == (
        "cannot draft",
        "needs its own target’s hidden state; it only works with Qwen3.6 27B",
    )
    whole = side_file(tmp_path, "qwen35", {name: [8] for name in (*tensors, "blk.0.attn_norm.weight")}, **key)
    assert judge(target, whole).reason != verdict.reason


def test_what_writes_no_text_cannot_draft(target: GgufHeader, tmp_path: Path) -> None:
    """Encoders and mere vocabularies are refused with the sentence of the error."""
    verdict = judge(target, read_header(gguf_files.write_embedding_model(tmp_path / "encoder.gguf")))
    assert words(verdict)[0] == "cannot draft"
    assert "does not write text" in words(verdict)[1]
    verdict = judge(target, read_header(gguf_files.write_vocabulary_only(tmp_path / "words.gguf")))
    assert verdict.reason is not None
    assert verdict.reason.kind is ErrorKind.VOCABULARY_ONLY


def test_a_split_model_is_judged_by_its_first_part(target: GgufHeader, tmp_path: Path) -> None:
    """The other parts need not be there: before a download there is but one header."""
    first, second = gguf_files.write_split_model(tmp_path)
    second.unlink()
    assert judge(target, read_header(first)).can_draft


@pytest.mark.parametrize(("layers", "told"), [(3, False), (4, True), (6, True)])
def test_a_draft_as_large_as_its_target_is_no_faster(
    layers: int, told: bool, target: GgufHeader, tmp_path: Path
) -> None:
    """It can draft, and the note says that nothing is won."""
    verdict = judge(target, header(tmp_path, model=Tiny(layers=layers)))
    assert verdict.can_draft
    assert verdict.not_faster == told
    assert ("would not be faster" in words(verdict)[1]) == told


def test_of_experts_only_those_that_are_used_count(target: GgufHeader, tmp_path: Path) -> None:
    """A mixture larger than the target is faster where it reads few of its experts for a token."""
    size = 2 * sum(tensor.nbytes for tensor in target.tensors) // 4
    keys = {"general.architecture": "qwen3moe", "tokenizer.ggml.model": "gpt2", "qwen3moe.expert_count": 16}
    keys |= {"tokenizer.ggml.tokens": list(gguf_files.vocabulary(512)[0])}
    for used, told in ((2, False), (16, True)):
        path = gguf_files.write_header(
            tmp_path / "moe.gguf",
            keys | {"qwen3moe.expert_used_count": used},
            {"blk.0.attn_norm.weight": [8], "blk.0.ffn_down_exps.weight": [size]},
        )
        assert judge(target, read_header(path)).not_faster == told


def test_another_beginning_is_a_note(target: GgufHeader, tmp_path: Path) -> None:
    """It costs guesses at most, so it does not keep a model from drafting."""
    verdict = judge(target, header(tmp_path, model=Tiny(add_bos=True)))
    assert verdict.can_draft
    assert words(verdict)[1] == "same 512 tokens; 0 differ; it begins texts in another way, so it may guess worse"


def test_fingerprints_are_those_of_the_vocabulary(target: GgufHeader, tmp_path: Path) -> None:
    """Equal for other weights and names, different for one token, another size or another beginning."""
    same = [target, header(tmp_path, "a", Tiny(noise=0.5, name="Another")), header(tmp_path, "b", Tiny(layers=1))]
    others = [Tiny(changed_tokens=UNRELATED[:1]), Tiny(vocab_size=513), Tiny(add_bos=True)]
    prints = [vocabulary_fingerprint(header(tmp_path, "c", model)) for model in others]
    assert len({vocabulary_fingerprint(one) for one in same}) == 1
    assert len({*prints, vocabulary_fingerprint(target)}) == 4


def local(found: GgufHeader, name: str = "Small", problem: ErrorReport | None = None) -> LocalModel:
    return LocalModel(
        found.path, (found.path,), PlaceKind.OURS, found.size_bytes, name, "llama", "F32", 1, 512, 128, problem
    )


def test_a_vocabulary_is_compared_once(target: GgufHeader, tmp_path: Path) -> None:
    """Later models with it get their own verdict without being opened: their name, their size, their problem."""
    judging = DraftJudge(target)
    first = header(tmp_path, "First", Tiny(changed_tokens=UNRELATED))
    fingerprint = vocabulary_fingerprint(first)
    refused = judging.judge_model(local(first, "First"), fingerprint)
    assert refused == judge(target, first)
    first.path.unlink()
    again = judging.judge_model(local(first, "Second"), fingerprint)
    assert again.reason is not None
    assert again.reason.fact("draft") == "Second"
    assert words(again) == words(refused)
    fine = header(tmp_path, "Fine", Tiny(layers=1))
    assert not judging.judge_model(local(fine), vocabulary_fingerprint(fine)).not_faster
    large = header(tmp_path, "Large", Tiny(layers=8))
    assert judging.judge_model(local(large), vocabulary_fingerprint(fine)).not_faster
    problem = ErrorReport(ErrorKind.NOT_GENERATIVE)
    assert judging.judge_model(local(fine, problem=problem), vocabulary_fingerprint(fine)).reason == problem


def test_a_file_that_went_away_is_told(target: GgufHeader, tmp_path: Path) -> None:
    """What reading it says is the reason, and is not remembered for its vocabulary."""
    judging = DraftJudge(target)
    gone = header(tmp_path)
    gone.path.unlink()
    verdict = judging.judge_model(local(gone), "print")
    assert verdict.reason is not None
    assert verdict.reason.kind is ErrorKind.FILE_MISSING
    assert judging.judge_model(local(header(tmp_path)), "print").can_draft
