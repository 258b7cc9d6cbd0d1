"""The command line is a contract: names, defaults, limits and exit statuses."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from app import bench_options, options
from app.cli import parse
from app.compare.presets import PRESETS
from app.compare.values import ComparePlan
from app.version import VERSION
from engine.types import (
    ChatFormat,
    ChatMessage,
    Drafter,
    FlashAttention,
    GenerationRequest,
    KvType,
    LoadRequest,
    Rule,
    SamplingSettings,
)

GENERATE = ["generate", "--pair", "starter", "--prompt", "hello"]


def request(*words: str) -> GenerationRequest:
    return options.generation_request(parse(words))


def test_defaults_are_those_of_the_engine() -> None:
    """Without options the request is the engine's default, but for a random seed."""
    made = request(*GENERATE)
    default = GenerationRequest(job=0)
    assert (made.max_tokens, made.stop, made.draft_length, made.p_min, made.rule) == (None, (), None, 0.0, Rule.COUPLED)
    assert made.sampling.temperature == default.sampling.temperature
    assert made.sampling.repeat_penalty == default.sampling.repeat_penalty
    assert options.with_load_settings(parse(GENERATE), LoadRequest("a")) == LoadRequest("a", measure=True)
    for fixed in (["--draft-length", "4"], ["--speculation", "off"]):
        assert options.with_load_settings(parse([*GENERATE, *fixed]), LoadRequest("a")) == LoadRequest("a")
    assert request(*GENERATE).sampling.seed != made.sampling.seed


@pytest.mark.parametrize("words", ["lookup,model", "model,lookup", "lookup", "model"])
def test_drafters_are_a_set(words: str) -> None:
    """Any of them in any order; without the option all of them."""
    assert request(*GENERATE, "--drafters", words).drafters == {Drafter(word) for word in words.split(",")}
    assert request(*GENERATE).drafters == set(Drafter)


def test_every_option_reaches_its_request() -> None:
    """No option is read and then forgotten."""
    words = [
        "generate",
        "--target",
        "t.gguf",
        "--draft",
        "d.gguf",
        "--prompt",
        "x",
        "--raw",
        "--max-tokens",
        "7",
        "--temperature",
        "0.5",
        "--top-k",
        "3",
        "--top-p",
        "0.9",
        "--min-p",
        "0.1",
        "--repeat-penalty",
        "1.1",
        "--seed",
        "18446744073709551615",
        "--stop",
        "a",
        "--stop",
        "b",
        "--draft-length",
        "16",
        "--p-min",
        "0.2",
        "--rule",
        "residual",
        "--drafters",
        "model",
        "--ctx",
        "512",
        "--kv-type",
        "q8_0",
        "--flash-attn",
        "on",
        "--gpu-layers",
        "3",
        "--draft-gpu-layers",
        "0",
        "--threads",
        "2",
        "--ubatch",
        "64",
        "--experts-on-cpu",
        "--split",
        "3,1.5,0",
        "--speculation",
        "on",
        "--chat-format",
        "plain",
        "--json",
        "--verbose",
    ]
    arguments = parse(words)
    made = options.generation_request(arguments)
    sampling = made.sampling
    assert (made.prompt, made.messages, made.chat_format) == ("x", (), ChatFormat.PLAIN)
    assert (made.max_tokens, made.stop, made.draft_length) == (7, ("a", "b"), 16)
    assert (made.p_min, made.rule, made.drafters) == (0.2, Rule.RESIDUAL, frozenset({Drafter.MODEL}))
    assert (sampling.temperature, sampling.top_k, sampling.top_p, sampling.min_p) == (0.5, 3, 0.9, 0.1)
    assert (sampling.repeat_penalty, sampling.seed) == (1.1, 2**64 - 1)
    assert options.pair_choice(arguments).target == "t.gguf"
    assert options.with_load_settings(arguments, LoadRequest("t.gguf", "d.gguf")) == LoadRequest(
        "t.gguf", "d.gguf", 512, KvType.Q8_0, FlashAttention.ON, 3, 0, 2, 64, True, (3.0, 1.5, 0.0)
    )


def test_what_is_recommended_gives_way_to_what_is_asked_for() -> None:
    """Each setting comes from the option, or else from the pair, or else from the command; for `bench` too."""
    card = SamplingSettings(temperature=0.7, top_k=20, top_p=0.8, min_p=0.0, repeat_penalty=1.05)
    words = ["--temperature", "0", "--min-p", "0", "--seed", "7"]
    for command in (GENERATE, ["bench", "--pair", "starter"]):
        made = options.generation_request(parse([*command, *words]), "x", card).sampling
        assert made == replace(card, temperature=0.0, min_p=0.0, seed=7)
        assert options.generation_request(parse(command), "x", card).sampling.top_k == 20


def test_a_prompt_is_a_user_message_unless_it_is_raw() -> None:
    """Chat is the default; --raw gives the text to the model as it is."""
    assert request(*GENERATE).messages == (ChatMessage("user", "hello"),)
    raw = request(*GENERATE, "--raw")
    assert (raw.prompt, raw.messages) == ("hello", ())


def test_prompt_and_messages_from_files(tmp_path: Path) -> None:
    """Both file options read what they name."""
    text, messages = tmp_path / "prompt.txt", tmp_path / "messages.json"
    text.write_text("from a file")
    messages.write_text(json.dumps([{"role": "user", "content": "from JSON"}]))
    base = ["generate", "--pair", "starter"]
    assert request(*base, "--prompt-file", str(text)).messages == (ChatMessage("user", "from a file"),)
    assert request(*base, "--messages", str(messages)).messages == (ChatMessage("user", "from JSON"),)


def test_bench_has_its_own_defaults() -> None:
    """A benchmark without options is greedy, short, and needs no prompt."""
    arguments = parse(["bench", "--pair", "starter"])
    made = options.generation_request(arguments, "write code")
    assert (made.sampling.temperature, made.max_tokens, arguments.repeats) == (0.0, 128, 5)
    assert made.messages == (ChatMessage("user", "write code"),)


def bench_plans(*words: str) -> list[ComparePlan]:
    return bench_options.plans(parse(["bench", "--pair", "starter", *words]), None)


def test_presets_are_plans_of_one_seed() -> None:
    """In the order that was asked for, each once; `all` is all of them."""
    plans = bench_plans("--preset", "story,code,story")
    assert [(plan.preset, plan.request.kind) for plan in plans] == [("story", "chat"), ("code", "code")]
    assert len({plan.request.sampling.seed for plan in plans}) == 1
    everything = [preset.id for preset in PRESETS]
    assert [plan.preset for plan in bench_plans("--preset", "all")] == everything
    assert sorted(plan.preset for plan in bench_plans("--preset", "story,all")) == sorted(everything)
    [plan] = bench_plans()
    assert (plan.preset, plan.request.kind, plan.request.cold) == ("", "code", True)
    [raw] = bench_plans("--preset", "code", "--raw")
    assert raw.request.prompt == PRESETS[0].prompt
    assert raw.request.messages == ()


@pytest.mark.parametrize(
    ("words", "lengths"),
    [
        ([], None),
        (["--sweep"], (1, 2, 3, 4, 5, 6, 7, 8)),
        (["--sweep", "0-3"], (1, 2, 3)),
        (["--sweep", "4,1,2-4"], (1, 2, 3, 4)),
        (["--sweep", "16"], (16,)),
    ],
)
def test_a_sweep_names_its_lengths(words: list[str], lengths: tuple[int, ...] | None) -> None:
    """Ascending and each once. Auto is measured beside them, so a length of its own does not count."""
    assert parse(["bench", "--pair", "starter", *words]).sweep == lengths
    [plan] = bench_plans("--draft-length", "3", *words)
    assert plan.request.draft_length == (3 if lengths is None else None)


@pytest.mark.parametrize(
    "words",
    [
        "--preset poem", "--preset=", "--preset code,", "--preset code --prompt x", "--sweep 17", "--sweep 0",
        "--sweep 5-3", "--sweep 1,,2", "--sweep x",
    ],
)
def test_wrong_presets_and_sweeps_are_wrong_usage(words: str) -> None:
    with pytest.raises(SystemExit) as leaving:
        parse(["bench", "--pair", "starter", *words.split()])
    assert leaving.value.code == 2


@pytest.mark.parametrize(
    ("lengths", "reason"),
    [
        ("4-2", "the range '4-2' ends below its beginning"),
        ("1,4-2", "the range '4-2' ends below its beginning"),
        ("0-", "the range '0-' has no end"),
        ("3-", "the range '3-' has no end"),
        ("1,-3", "the range '-3' has no beginning"),
        ("0", "'0' names no draft length above 0"),
        ("1-17", "17 must be between 0 and 16"),
    ],
)
def test_a_sweep_is_refused_with_what_is_wrong(
    lengths: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No part of a list is left out in silence."""
    with pytest.raises(SystemExit) as leaving:
        parse(["bench", "--pair", "starter", "--sweep", lengths])
    assert leaving.value.code == 2
    assert reason in capsys.readouterr().err


def test_base_dir_may_stand_before_or_after_the_command() -> None:
    """Both places mean the same; the later one wins."""
    assert parse(["--base-dir", "a", "doctor"]).base_dir == Path("a")
    assert parse(["doctor", "--base-dir", "b"]).base_dir == Path("b")
    assert parse(["--base-dir", "a", "doctor", "--base-dir", "b"]).base_dir == Path("b")
    assert parse([]).base_dir is None
    assert parse([]).command is None


@pytest.mark.parametrize(
    "words",
    [
        "generate --prompt x",
        "generate --pair starter",
        "generate --pair= --prompt x",
        "generate --pair starter --target t --prompt x",
        "generate --pair starter --draft d --prompt x",
        "generate --pair starter --prompt x --prompt-file f",
        "generate --pair starter --messages m --raw",
        "generate --pair starter --prompt x --temperature -0.1",
        "generate --pair starter --prompt x --temperature nan",
        "generate --pair starter --prompt x --temperature inf",
        "generate --pair starter --prompt x --temperature warm",
        "generate --pair starter --prompt x --top-p 1.1",
        "generate --pair starter --prompt x --top-p nan",
        "generate --pair starter --prompt x --min-p -1",
        "generate --pair starter --prompt x --top-k -1",
        "generate --pair starter --prompt x --top-k 1.5",
        "generate --pair starter --prompt x --repeat-penalty 0",
        "generate --pair starter --prompt x --max-tokens 0",
        "generate --pair starter --prompt x --ctx 0",
        "generate --pair starter --prompt x --threads 0",
        "generate --pair starter --prompt x --gpu-layers -2",
        "generate --pair starter --prompt x --ubatch 31",
        "generate --pair starter --prompt x --ubatch 4097",
        "generate --pair starter --prompt x --experts-on-cpu=no",
        "generate --pair starter --prompt x --split 1,,2",
        "generate --pair starter --prompt x --split=-1,2",
        "generate --pair starter --prompt x --split inf,1",
        "generate --pair starter --prompt x --split 0,0",
        "generate --pair starter --prompt x --split 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
        "generate --all --prompt x",
        "generate --pair starter --prompt x --seed -1",
        "generate --pair starter --prompt x --seed 18446744073709551616",
        "generate --pair starter --prompt x --draft-length 17",
        "generate --pair starter --prompt x --draft-length -1",
        "generate --pair starter --prompt x --p-min 2",
        "generate --pair starter --prompt x --kv-type f12",
        "generate --pair starter --prompt x --drafters magic",
        "generate --pair starter --prompt x --drafters lookup,",
        "generate --pair starter --prompt x --drafters model,magic",
        "generate --pair starter --prompt x --rule luck",
        "generate --pair starter --prompt x --speculation maybe",
        "generate --pair starter --prompt x --temp 1",
        "fit --all --pair starter",
        "fit --all --target t",
        "fit --all --draft d",
        "bench --pair starter --repeats 0",
        "bench --pair starter --repeats 99999999999",
        "bench --pair starter --max-tokens 7",
        "bench --pair starter --speculation on",
        "doctor --pair starter",
        "dance",
    ],
)
def test_wrong_usage_ends_with_status_2(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What makes no sense is refused before anything starts, on stderr."""
    with pytest.raises(SystemExit) as caught:
        parse(words.split())
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error:" in captured.err


@pytest.mark.parametrize("words", [["--prompt", "a\udcff"], ["--prompt", "x", "--stop", ""]])
def test_texts_that_are_none_end_with_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Stray bytes on the command line and an empty stop string are refused."""
    with pytest.raises(SystemExit) as caught:
        parse(["generate", "--pair", "starter", *words])
    assert caught.value.code == 2


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """The program tells the version that its package has."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    with pytest.raises(SystemExit) as caught:
        parse(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"Draftlight {project['project']['version']}\n"
    assert project["project"]["version"] == VERSION
