"""Prompts of several kinds, as what speculation buys depends on the kind of text more than on anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.compare import prompt_texts
from app.translate import translate


@dataclass(frozen=True, slots=True)
class Preset:
    """A prompt that is measured.

    Attributes:
        id: what the command line and the files call it.
        kind: of text, by whose words is learned how likely guesses are kept.
    """

    id: str
    kind: str
    prompt: str


PRESETS: Final = (
    Preset("code", "code", prompt_texts.CODE),
    Preset("json", "json", prompt_texts.JSON),
    Preset("edit", "edit", prompt_texts.EDIT),
    Preset("translate", "translate", prompt_texts.TRANSLATE),
    Preset("summary", "summary", prompt_texts.SUMMARY),
    Preset("chat", "chat", prompt_texts.CHAT),
    Preset("story", "chat", prompt_texts.STORY),
    Preset("table", "json", prompt_texts.TABLE),
)


def preset_of(preset_id: str) -> Preset | None:
    return next((preset for preset in PRESETS if preset.id == preset_id), None)


def preset_name(preset_id: str) -> str:
    """What people call it; another id, an own prompt's "" too, is a prompt of their own."""
    match preset_id:
        case "code":
            return translate("compare", "Code")
        case "json":
            return translate("compare", "JSON")
        case "edit":
            return translate("compare", "Editing a file")
        case "translate":
            return translate("compare", "Translation")
        case "summary":
            return translate("compare", "Summary")
        case "chat":
            return translate("compare", "Open chat")
        case "story":
            return translate("compare", "Story")
        case "table":
            return translate("compare", "Table")
        case _:
            return translate("compare", "Own prompt")
