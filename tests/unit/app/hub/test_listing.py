"""A repository's files are sorted into models and the rest."""

from __future__ import annotations

import pytest

from app.hub.listing import LeftOut, RepoFacts, left_out_words, list_models, quantisation
from app.model_values import RemotePart


def listing(*paths: str, size: int = 10) -> tuple[list[tuple[str, int, str]], dict[str, LeftOut]]:
    """The models as (first file, parts, quantisation), and what is left out."""
    files = tuple(RemotePart(path, size) for path in paths)
    found = list_models(RepoFacts("o/r", "c", gated=True, licence="mit", files=files))
    assert all(
        (one.gated, one.licence, one.model.repo, one.model.revision) == (True, "mit", "o/r", "c")
        for one in found.models
    )
    models = [(one.model.parts[0].path, len(one.model.parts), one.quantisation) for one in found.models]
    return models, dict(found.left_out)


def test_plain_files() -> None:
    """Each GGUF file is a model; other files are not spoken of."""
    models, left_out = listing("b-Q8_0.gguf", "a-Q4_K_M.gguf", "README.md", "imatrix.dat", "config.json", "x.GGUF")
    assert models == [("a-Q4_K_M.gguf", 1, "Q4_K_M"), ("b-Q8_0.gguf", 1, "Q8_0"), ("x.GGUF", 1, "")]
    assert left_out == {}


def test_split_models() -> None:
    """Parts are one model in their order, wherever they stand in the list; a folder of its own is another model."""
    models, left_out = listing(
        "m-q4_k_m-00002-of-00003.gguf",
        "m-q4_k_m-00001-of-00003.gguf",
        "m-q4_k_m-00003-of-00003.gguf",
        "Q8_0/m-00001-of-00002.gguf",
        "Q8_0/m-00002-of-00002.gguf",
        "m-q4_k_m.gguf",
    )
    assert models == [
        ("m-q4_k_m.gguf", 1, "Q4_K_M"),
        ("Q8_0/m-00001-of-00002.gguf", 2, "Q8_0"),
        ("m-q4_k_m-00001-of-00003.gguf", 3, "Q4_K_M"),
    ]
    assert left_out == {}


@pytest.mark.parametrize(
    "paths",
    [
        ("m-00001-of-00002.gguf",),
        ("m-00002-of-00002.gguf",),
        ("m-00001-of-00003.gguf", "m-00003-of-00003.gguf"),
        ("m-00000-of-00001.gguf",),
        ("m-00001-of-00000.gguf",),
        ("m-00001-of-99999.gguf",),
    ],
)
def test_incomplete_models(paths: tuple[str, ...]) -> None:
    """A model with missing parts is left out whole."""
    assert listing(*paths) == ([], dict.fromkeys(paths, LeftOut.INCOMPLETE))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("m.Q6_K.gguf.part1of2", LeftOut.LEGACY_PARTS),
        ("m.Q6_K.gguf.part2of2", LeftOut.LEGACY_PARTS),
        ("m-q8_0.gguf-split-a", LeftOut.LEGACY_PARTS),
        ("m.gguf.part_01", LeftOut.LEGACY_PARTS),
        ("mmproj-model-f16.gguf", LeftOut.VISION),
        ("google_gemma-mmproj-bf16.gguf", LeftOut.VISION),
        ("model-imatrix.gguf", LeftOut.IMATRIX),
        ("model.imatrix.gguf", LeftOut.IMATRIX),
        ("MTP/mtp-gemma-4-12B-it-Q8_0.gguf", LeftOut.HEAD),
        ("mtp-gemma-4-12B-it.gguf", LeftOut.HEAD),
        ("eagle3-gpt-oss-20b-Q8_0.gguf", LeftOut.HEAD),
        ("dflash-qwen3-8b-f16.gguf", LeftOut.HEAD),
    ],
)
def test_what_is_no_model(path: str, reason: LeftOut) -> None:
    """Pieces, pictures' halves, figures and heads are left out, each with its reason."""
    assert listing(path) == ([], {path: reason})
    assert left_out_words(reason)


@pytest.mark.parametrize(
    "path", ["Qwen3.6-27B-MTP-Q4_0.gguf", "Eagle-7B-Q4_0.gguf", "Model-imatrix-Q4_K_M.gguf", "smtp-model-Q4_0.gguf"]
)
def test_what_only_looks_like_a_side_file(path: str) -> None:
    """Complete models whose names have such words in them stay."""
    models, left_out = listing(path)
    assert (len(models), left_out) == (1, {})


def test_names_that_are_one_on_some_disks() -> None:
    """Neither of two names that differ in letter case is offered."""
    models, left_out = listing("A-Q4_0.gguf", "a-Q4_0.gguf", "b-Q4_0.gguf")
    assert [path for path, _, _ in models] == ["b-Q4_0.gguf"]
    assert set(left_out.values()) == {LeftOut.SAME_NAME}


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("Qwen3-8B-Q4_K_M.gguf", "Q4_K_M"),
        ("qwen2.5-7b-instruct-q4_k_m.gguf", "Q4_K_M"),
        ("Qwen3-32B-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"),
        ("model.i1-IQ2_XXS.gguf", "IQ2_XXS"),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1"),
        ("model.Q8_0.gguf", "Q8_0"),
        ("gpt-oss-20b-MXFP4.gguf", "MXFP4"),
        ("gpt-oss-20b-mxfp4-00001-of-00003.gguf", "MXFP4"),
        ("model-fp16.gguf", "F16"),
        ("model-BF16.gguf", "BF16"),
        ("BF16/model-00001-of-00002.gguf", "BF16"),
        ("Lexi-8B-Q5_K_S-imat.gguf", "Q5_K_S"),
        ("model-Q4_0_4_4.gguf", "Q4_0_4_4"),
        ("model-TQ1_0.gguf", "TQ1_0"),
        ("model-Q6_K-Q8_0.gguf", "Q8_0"),
        ("Qwen3-8B.gguf", ""),
        ("Q4.gguf", "Q4"),
        ("unseqQ4_K.gguf", ""),
    ],
)
def test_quantisation(path: str, label: str) -> None:
    """The label is read from the name, or else from the folder."""
    assert quantisation(path) == label
