"""The words for want of memory: what is needed, what there is, and what would fit."""

from __future__ import annotations

from collections.abc import Mapping

from app.fit_words import nothing_fits_sentence
from app.translate import join_sentences, translate

Facts = Mapping[str, str]  # as `app.error_words.Facts`: absent ones are empty


def would_not_fit(facts: Facts) -> tuple[str, str]:
    text = join_sentences((_needs(facts), _remedy(facts)))
    if facts["verdict"] == "tight":
        return translate("messages", "Memory would be tight"), text
    return translate("messages", "This does not fit into memory"), text


def ran_out(facts: Facts) -> str:
    match facts["stage"]:
        case "load":
            begin = translate("messages", "Memory ran out while {path_name} was loaded.")
        case "context":
            begin = translate("messages", "Memory ran out while the context of {path_name} was set up.")
        case _:
            begin = translate("messages", "Memory ran out while the reply was written.")
    if not facts["need_bytes"]:
        return join_sentences(
            (
                begin,
                translate(
                    "messages",
                    "Use a shorter context, a smaller type for the cache, fewer layers on the graphics card, or a "
                    "smaller model; closing other programs helps too.",
                ),
            )
        )
    return join_sentences((begin, _needs(facts), _remedy(facts)))


def died(facts: Facts) -> str:
    """Of an engine that did not survive it."""
    return join_sentences((translate("messages", "It ran out of memory."), _needs(facts), _remedy(facts)))


def _needs(facts: Facts) -> str:
    """What is needed and what is there; about the computer's memory where no device is named."""
    if facts["device"]:
        needs = translate(
            "messages",
            "With a context of {ctx} tokens {need_bytes} of {device} are needed, and {free_bytes} of it are free.",
        )
    else:
        needs = translate(
            "messages", "With a context of {ctx} tokens {need_bytes} of memory are needed, and {free_bytes} are free."
        )
    if facts["verdict"] != "fits":
        return join_sentences((needs, translate("messages", "At least {margin_bytes} should stay free.")))
    return needs


def _remedy(facts: Facts) -> str:
    if facts["verdict"] == "fits":  # and yet it did not
        why = translate("messages", "Another limit may be set for the program, or others took memory meanwhile.")
        less = translate("messages", "This takes less: {remedy}.")
        return join_sentences((why, less)) if facts["remedy"] else why
    if facts["remedy"]:
        return translate("messages", "This would fit: {remedy}.")
    return nothing_fits_sentence()
