"""Comparisons as files: the JSON is a contract, the Markdown is for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import inf

import pytest

from app import translate
from app.compare.document import document_text, sweep_document
from app.compare.markdown import markdown_text
from app.compare.sweep import sweep_outcome
from app.compare.table import comparison_table, heading, preset_table, stopped
from app.pairs import PairChoice
from engine.types import Choice, Drafter, RoundChoice
from tests.unit.app.compare.measurements import measured
from tests.unit.app.compare.replies import LONG, pair, run, words

RESTING = RoundChoice(Choice.RESTING, Drafter.MODEL, 0, 0.74, resting=12)
SIDE_KEYS = {
    "tokens_per_s", "least_tokens_per_s", "most_tokens_per_s", "ttft_s", "prefill_s", "completion_tokens",
    "acceptance_rate", "tokens_per_round", "passes",
}  # fmt: skip


def test_the_name_of_a_file_may_be_no_unicode() -> None:
    """It is told as it is, and can be read back; the text can be encoded all the same."""
    made = measured()
    path = "/models/caf\udce9 \ud83d.gguf"
    made = replace(made, pair=replace(made.pair, target=replace(made.pair.target, path=path)))
    assert json.loads(document_text(made).encode())["pair"]["target"]["path"] == path


def test_a_pair_is_called_the_same_everywhere() -> None:
    """A known one by its own name, another by its models; on the terminal the models are told of both."""
    models = "SmolLM2 135M Instruct F32 + SmolLM2 135M Instruct Q4_1"
    files = measured()
    known = replace(files, choice=PairChoice("starter"))
    for made, title, named in ((files, models, models), (known, "SmolLM2 135M", f"SmolLM2 135M: {models}")):
        assert json.loads(document_text(made))["pair"]["title"] == made.title == title
        assert heading(made).startswith(f"{named}, on ")


def test_one_pair_is_one_pair() -> None:
    """The heading tells what was asked for; what is missing has a line of its own."""
    made = measured()
    assert heading(made).endswith(", 2 pairs of runs\n")
    assert stopped(made) == []
    early = measured(pair(LONG, LONG))
    assert heading(early).endswith(", 2 pairs of runs\n")
    assert stopped(early) == ["Code: stopped after 1 of 2."]
    single = replace(early, plan=replace(early.plan, repeats=1))
    assert heading(single).endswith(", 1 pair of runs\n")
    assert stopped(single) == []


def test_json_keeps_its_keys() -> None:
    """Those that were always there, and those for whoever wants to measure the same."""
    document = json.loads(document_text(measured(pair(LONG, LONG, choice=RESTING))))
    assert document.keys() >= {"off", "on", "ratio", "pairs", "text", "machine", "pair", "settings", "choice"}
    assert document["off"].keys() >= SIDE_KEYS
    assert document["ratio"] == document["pairs"][0]["ratio"] == 2.0
    assert document["choice"] == {"choice": "resting", "drafter": "model", "length": 0, "ratio": 0.74, "resting": 12}
    settings = document["settings"]
    assert (settings["draft_length"], settings["preset"]) == ("auto", "code")
    assert (settings["seed"], settings["repeats"]) == (7, 2)
    assert (settings["kv_type"], settings["flash_attn"], settings["temperature"]) == ("f16", "auto", 0.0)
    assert document["machine"]["engine"]["llama_cpp_python"] == "0.3.36"
    assert document["pair"]["draft"]["quantisation"] == "Q4_1"
    assert document["text"]["identical"] is True
    assert document["text"]["difference"] is None


def test_a_stopped_comparison_says_so() -> None:
    """Both files tell that fewer pairs were measured than planned."""
    stopped = measured(pair(LONG, LONG))
    assert json.loads(document_text(stopped))["complete"] is False
    assert "- Runs: 1, stopped after 1 of 2" in markdown_text(stopped)
    whole = measured(pair(LONG, LONG), pair(LONG, LONG))
    assert json.loads(document_text(whole))["complete"] is True
    assert "stopped" not in markdown_text(whole)


def test_json_tells_a_difference_with_its_gap() -> None:
    """A gap that is infinite is no number, and no tie."""
    made = measured(pair(LONG, LONG), pair("a red car", "a blue car"))
    assert made.outcome.difference is not None
    weighed = replace(made.outcome.difference, gap=0.008, near_tie=True)
    text = json.loads(document_text(replace(made, outcome=replace(made.outcome, difference=weighed))))["text"]
    assert (text["identical"], text["first_difference"], text["off"], text["on"]) == (
        False, 1, "a red car", "a blue car",
    )  # fmt: skip
    assert (text["difference"]["gap"], text["difference"]["near_tie"]) == (0.008, True)
    endless = replace(weighed, gap=inf, near_tie=False)
    text = json.loads(document_text(replace(made, outcome=replace(made.outcome, difference=endless))))["text"]
    assert (text["difference"]["gap"], text["difference"]["near_tie"]) == (None, False)


def test_a_sweep_has_its_rows() -> None:
    outcome = sweep_outcome({policy: [run(words(LONG), 1.0)] for policy in (0, 2, None)})
    document = sweep_document(outcome)
    rows = document["rows"]
    assert isinstance(rows, list)
    assert [row["draft_length"] for row in rows] == ["off", 2, "auto"]
    assert all(row.keys() >= SIDE_KEYS | {"ratio", "choice"} for row in rows)
    assert document["auto_over_best"] == 1.0


def test_markdown_is_one_table_and_the_settings() -> None:
    """What a reader needs to measure the same, with marks in names harmless."""
    made = measured()
    made = replace(made, pair=replace(made.pair, target=replace(made.pair.target, name="a|b_c*")))
    lines = markdown_text(made).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {5}
    assert "| Tokens per second (median of 2) | 40.0 (40.0–40.0) | 80.0 (80.0–80.0) | 2.00× |" in rows
    assert lines[0] == "## a\\|b\\_c\\* F32 + SmolLM2 135M Instruct Q4\\_1"
    text = "\n".join(lines)
    for word in ("2.00× on code", "identical, all 80 tokens", "seed 7", "0.3.36 (CPU)", "Q4\\_1"):
        assert word in text


def test_tables_for_the_terminal() -> None:
    """Off, on and ratio have a row each; of several presets each has one, and a sentence."""
    one = measured()
    table = comparison_table(one.outcome, "code")
    assert [line.split()[0] for line in table.splitlines()[1:4]] == ["off", "on", "ratio"]
    assert "Nothing was proposed." in table
    story = measured(pair("a red car", "a blue car"), preset="story")
    text = preset_table([one, story])
    assert [line.split()[0] for line in text.splitlines()[1:3]] == ["Code", "Story"]
    assert "same" in text.splitlines()[1]
    assert "differs at 1" in text.splitlines()[2]
    assert "Story: After 1 equal tokens the texts part" in text


@pytest.fixture
def marked() -> Iterator[None]:
    """Another language, in which every text that goes through the translation says so."""
    translate.install(lambda context, text: f"«{text}»")
    yield
    translate.install(lambda context, text: text)


@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize(
    ("drafters", "words"),
    [
        ({Drafter.LOOKUP, Drafter.MODEL}, "«lookup, model»"),
        ({Drafter.LOOKUP}, "«lookup»"),
        ({Drafter.MODEL}, "«model»"),
    ],
)
def test_settings_in_markdown_are_in_the_users_language(drafters: set[Drafter], words: str) -> None:
    """Names of rules and numbers are the same in all of them."""
    made = measured()
    request = replace(made.plan.request, drafters=frozenset(drafters))
    auto, fixed = (
        markdown_text(replace(made, plan=replace(made.plan, request=replace(request, draft_length=length))))
        for length in (None, 4)
    )
    assert f"«draft length «auto», drafters {words}, rule coupled" in auto
    assert f"«draft length 4, drafters {words}, rule coupled" in fixed
