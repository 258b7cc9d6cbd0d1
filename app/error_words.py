"""The words for every kind of error and every reason why speculation is not running.

They name no button and no option, so that the window and the command line can both use them.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, assert_never

from app import model_words, shortage_words
from app.amounts import count, size
from app.translate import translate
from engine.errors import ErrorKind, ErrorReport
from engine.types import Choice, EndReason, Inactive

_FROM_OUTSIDE: Final = ("SIGKILL", "SIGTERM", "SIGHUP")  # signals that no fault of its own sends
_WINDOWS_ILLEGAL_INSTRUCTION = str(0xC000001D)

# Why a path cannot be read, in the system's words: reports bring these and no numbers.
_PERMISSIONS = frozenset(map(os.strerror, (errno.EACCES, errno.EPERM)))
_PATHS = frozenset(map(os.strerror, (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EINVAL)))
_NO_FILES = frozenset(map(os.strerror, (errno.EISDIR, errno.ENXIO, errno.ENODEV)))


class Facts(Mapping[str, str]):
    """A report's facts as words: files by their name too ("path_name"), sizes in GB, counts with separators.

    Facts that are absent are empty.
    """

    _LABELS = frozenset(
        {"code", "exit_code", "token_id", "version", "position", "status"}
    )  # numbers that count nothing

    _ASIDE = frozenset({"margin_bytes", "others_bytes"})  # sizes that are compared with no other

    def __init__(self, report: ErrorReport) -> None:
        sizes = {
            value
            for name, value in report.facts
            if name.endswith("_bytes") and not isinstance(value, str) and name not in self._ASIDE
        }
        exact = len({size(value) for value in sizes}) < len(sizes)  # "98 MB, but 98 MB" would explain nothing
        self._words: dict[str, str] = {}
        for name, value in report.facts:
            if isinstance(value, str):
                word = json.dumps(value, ensure_ascii=False) if name.endswith("_text") else value
                self._words[name] = printable(word)
                self._words[name + "_name"] = printable(Path(value).name)
            elif name in self._LABELS:
                self._words[name] = str(value)
            elif name.endswith("_bytes"):
                self._words[name] = _exactly(value) if exact else size(value)
            else:
                self._words[name] = count(value)

    def __getitem__(self, name: str) -> str:
        return self._words.get(name, "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def _exactly(size_bytes: int | float) -> str:
    """With three digits more than usual; all of them where that is little."""
    return f"{size_bytes / 1e9:,.3f} GB" if size_bytes >= 1e9 else f"{count(size_bytes)} bytes"


def printable(text: str) -> str:
    """`text` with what would steer a terminal or turn its direction shown as escapes. Names of files may hold it."""
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text)


def words_for(kind: ErrorKind, facts: Facts) -> tuple[str, str]:
    """Title and text, with the facts' names still in braces."""
    match kind:
        # Files.
        case ErrorKind.FILE_MISSING:
            return translate("messages", "{path_name} is not there"), translate(
                "messages", "No file was found at {path}. Check the path, or choose another file."
            )
        case ErrorKind.FILE_UNREADABLE:
            return translate("messages", "{path_name} cannot be read"), _unreadable(facts)
        case ErrorKind.NOT_GGUF:
            return translate("messages", "{path_name} is not a model file"), translate(
                "messages",
                "{path} does not begin as a GGUF file does. Models for this program are GGUF files; "
                "a web page or a file of another format may have been saved under this name.",
            )
        case ErrorKind.GGUF_TRUNCATED:
            return translate("messages", "{path_name} is incomplete"), translate(
                "messages",
                "The file has {size_bytes}, and its header describes at least {expected_bytes}. "
                "The download probably stopped early; download it again.",
            )
        case ErrorKind.GGUF_BROKEN:
            return translate("messages", "{path_name} is damaged"), translate(
                "messages", "Its header cannot be understood ({reason}). Download the file again."
            )
        case ErrorKind.GGUF_VERSION:
            return translate("messages", "{path_name} has an unknown GGUF version"), translate(
                "messages",
                "The file says version {version}, and this program reads versions 2 and 3. "
                "Get a newer conversion of the model.",
            )
        case ErrorKind.SPLIT_INCOMPLETE:
            return translate("messages", "A part of {path_name} is missing"), translate(
                "messages",
                "The model is split over several files, and {missing} is not beside the others. "
                "Put all parts into one folder.",
            )
        case ErrorKind.QUANTIZE_FAILED:
            return translate("messages", "{path_name} could not be converted"), translate(
                "messages",
                "The conversion stopped: {reason}. Check the free space on the disk and try again.",
            )
        # Models.
        case ErrorKind.VOCABULARY_ONLY:
            return translate("messages", "{path_name} holds no model"), translate(
                "messages", "The file has a vocabulary but no weights. Choose the file with the weights."
            )
        case ErrorKind.NOT_GENERATIVE:
            return translate("messages", "{path_name} does not write text"), translate(
                "messages",
                "A model of the architecture {architecture} turns text into numbers, or needs another "
                "program to be read. Choose a model that writes text.",
            )
        case ErrorKind.NEEDS_OWN_TARGET:
            return translate("messages", "{path_name} only works together with its own target"), translate(
                "messages",
                "The file is a head of the architecture {architecture} that was trained for one target, "
                "not a model of its own. Choose a complete small model as the draft.",
            )
        case ErrorKind.LOAD_FAILED:
            return translate("messages", "{path_name} could not be loaded"), translate(
                "messages",
                "The engine refused the file. It may be damaged, or its architecture may be newer "
                "than this version of the engine; the engine's log says more.",
            )
        case ErrorKind.LOAD_CANCELLED:
            return translate("messages", "Loading was cancelled"), translate(
                "messages", "No model is loaded. Load one to go on."
            )
        case ErrorKind.CONTEXT_FAILED:
            return translate("messages", "A context of {ctx} tokens could not be set up"), translate(
                "messages",
                "{path_name} was read, but the engine refused its context. Use a shorter context, "
                "another type for the cache, or flash attention where the cache is quantised.",
            )
        case ErrorKind.OUT_OF_MEMORY:
            return translate("messages", "There is not enough memory"), shortage_words.ran_out(facts)
        case ErrorKind.WOULD_NOT_FIT:
            return shortage_words.would_not_fit(facts)
        case ErrorKind.DRAFT_VOCABULARY:
            return translate("messages", "This model cannot draft for {target}"), _difference(facts)
        # Prompts and settings.
        case ErrorKind.NO_CHAT_TEMPLATE:
            return translate("messages", "{model} has no chat template"), translate(
                "messages",
                "Without one the model cannot be told who says what. Choose the ChatML or the plain format "
                "for the chat, or give the prompt as raw text.",
            )
        case ErrorKind.CHAT_TEMPLATE_BROKEN:
            return translate("messages", "The chat template of {model} does not work"), translate(
                "messages",
                "It stopped with: {reason}. Choose the ChatML or the plain format for the chat, "
                "or give the prompt as raw text.",
            )
        case ErrorKind.CHAT_TEMPLATE_UNSAFE:
            return translate("messages", "The chat template of {model} was stopped"), translate(
                "messages",
                "It reached for something that a template has no business with ({reason}). "
                "Do not trust this file; get the model from another source.",
            )
        case ErrorKind.CHAT_TEMPLATE_ENDLESS:
            return translate("messages", "The chat template of {model} does not end"), translate(
                "messages",
                "It was stopped at its limit of time or length. Choose the ChatML or the plain format "
                "for the chat, or give the prompt as raw text.",
            )
        case ErrorKind.PROMPT_EMPTY:
            return translate("messages", "The prompt is empty"), translate(
                "messages", "Write something for the model to answer."
            )
        case ErrorKind.PROMPT_TOO_LONG:
            return translate("messages", "The prompt is longer than the context"), _too_long(facts)
        case ErrorKind.MAX_TOKENS_PAST_CONTEXT:
            return translate("messages", "The reply would not fit into the context"), translate(
                "messages",
                "A prompt of {prompt_tokens} tokens and a reply of {max_tokens} are more than the {ctx} that "
                "the context holds. Ask for fewer tokens, or use a longer context.",
            )
        case ErrorKind.SETTING_INVALID:
            return translate("messages", "A setting has a value that does not work"), translate(
                "messages", "{name} is {value}: {reason}. Choose another value."
            )
        case ErrorKind.CACHE_NEEDS_FLASH:
            return translate("messages", "A {kv_type} cache needs flash attention"), translate(
                "messages", "Switch flash attention on or let it be chosen, or use an f16 cache."
            )
        # The engine at work.
        case ErrorKind.DECODE_FAILED:
            return translate("messages", "The model stopped in the middle of its work"), translate(
                "messages",
                "Decoding with {path_name} failed with code {code}. Try again; if it happens again, "
                "load the pair anew with a shorter context.",
            )
        case ErrorKind.NON_FINITE_LOGITS:
            return translate("messages", "The model gave numbers that are not numbers"), translate(
                "messages",
                "No token can be chosen from them. The file may be damaged, or the type of its weights may "
                "not work on this device. Try another file of the model, or without the graphics card.",
            )
        case ErrorKind.NOT_LOADED:
            return translate("messages", "No model is loaded"), translate(
                "messages", "Load a model before you ask for a reply."
            )
        case ErrorKind.BUSY:
            return translate("messages", "The engine is busy"), translate(
                "messages", "Another reply is being written. Wait for its end, or stop it."
            )
        case ErrorKind.ENGINE_START_FAILED:
            return translate("messages", "The engine could not be started"), _start_failed(facts)
        case ErrorKind.ENGINE_DIED:
            return translate("messages", "The engine stopped unexpectedly"), _died(facts)
        case ErrorKind.INTERNAL:
            return translate("messages", "Something went wrong inside the program"), translate(
                "messages",
                "This is a fault of the program: {reason}. Try again; a report with the details helps to mend it.",
            )
        # What the app finds wrong before the engine is asked.
        case ErrorKind.FOLDER_UNWRITABLE:
            return _unwritable(facts)
        case ErrorKind.DISK_FULL:
            return translate("messages", "There is not enough space on the disk"), _disk_full(facts)
        case ErrorKind.STARTER_MISSING:
            return translate("messages", "The starter pair is not installed"), translate(
                "messages", "The package {package} is missing. Run python3 run.py, which installs it."
            )
        case ErrorKind.TEXT_NOT_UTF8:
            return translate("messages", "{path_name} is not text in UTF-8"), translate(
                "messages",
                "The byte at position {position} belongs to no character. Save the file as UTF-8.",
            )
        case ErrorKind.MESSAGES_INVALID:
            return translate("messages", "{path_name} is not a list of messages"), translate(
                "messages",
                'It should be JSON: a list of objects with "role" (system, user or assistant) and "content". {reason}.',
            )
        case ErrorKind.SPECULATION_INACTIVE:
            return translate("messages", "There is nothing to compare"), _inactive(facts)
        case ErrorKind.REPLY_TOO_SHORT:
            return translate("messages", "The reply is too short to measure"), _too_short(facts)
        case _:
            return model_words.words_for(kind, facts)


def _too_long(facts: Facts) -> str:
    if facts["at_least"]:
        return translate(
            "messages",
            "The prompt has at least {prompt_tokens} tokens, and the context holds {ctx} for the prompt and "
            "the reply together. Use a longer context or a shorter prompt.",
        )
    return translate(
        "messages",
        "The prompt has {prompt_tokens} tokens, and the context holds {ctx} for the prompt and "
        "the reply together. Use a longer context or a shorter prompt.",
    )


def _unreadable(facts: Facts) -> str:
    reason, wanted = facts["reason"], facts["wanted"]
    if reason in _PERMISSIONS:
        return translate("messages", "{path}: {reason}. Check the file's permissions.")
    if reason in _PATHS:
        return translate("messages", "{path}: {reason}. Check the path.")
    if wanted == "file" or reason in _NO_FILES:
        return translate("messages", "{path}: {reason}. Choose a file.")
    if wanted == "shorter":
        return translate("messages", "{path}: {reason}. Choose a shorter one.")
    return translate("messages", "{path}: {reason}. Check the file's permissions and its disk.")


def _unwritable(facts: Facts) -> tuple[str, str]:
    if facts["path"] == "stdout":
        return translate("messages", "The answer could not be written"), translate(
            "messages", "{path}: {reason}. Send it to another place."
        )
    return translate("messages", "{path_name} cannot be written to"), translate(
        "messages", "{path}: {reason}. Check the folder's permissions, or choose another base folder."
    )


def _start_failed(facts: Facts) -> str:
    if facts["signal"] in _FROM_OUTSIDE and not facts["reason"]:
        return translate(
            "messages",
            "Something outside the program ended it before it was ready, most often the system because memory ran out. "
            "Close other programs and try again.",
        )
    if _lacks_instruction(facts):
        return translate(
            "messages",
            "This processor lacks an instruction that this build of the engine uses. "
            "Install a build for older processors.",
        )
    if facts["reason"] and not facts["log_path"]:
        return translate("messages", "{reason}. Close other programs and try again.")
    if facts["reason"]:
        return translate("messages", "{reason}. Try again; the engine's log may say more: {log_path}")
    return translate(
        "messages",
        "It ended before it was ready (exit code {exit_code}). The engine's log says why: {log_path}",
    )


def _died(facts: Facts) -> str:
    if _lacks_instruction(facts):
        return translate(
            "messages",
            "This processor lacks an instruction that this build of the engine uses. "
            "Install a build for older processors.",
        )
    if facts["reason"]:
        return translate("messages", "It no longer answered, so it was ended. Load the pair again.")
    if facts["need_bytes"]:
        return shortage_words.died(facts)
    if facts["signal"] in _FROM_OUTSIDE:
        return translate(
            "messages",
            "Something outside the program ended it, most often the system because memory ran out. "
            "Load the pair again; a shorter context or a smaller model needs less memory.",
        )
    if facts["signal"]:
        return translate(
            "messages",
            "It met a fault that it could not survive ({signal}): most often a damaged model file, or too little "
            "memory on the graphics card. Load the pair again, with a shorter context or another file.",
        )
    if facts["exit_code"]:
        return translate("messages", "It ended with exit code {exit_code}. Load the pair again.")
    return translate("messages", "Nothing is known of the cause. Load the pair again.")


def _difference(facts: Facts) -> str:
    match facts["difference"]:
        case "kind":
            return translate(
                "messages",
                "{draft} can only be compared with {target} by their tokens, and one of them brings none. "
                "Choose a draft that comes with its vocabulary.",
            )
        case "size":
            return translate(
                "messages",
                "{target} knows {target_size} tokens, and {draft} knows {draft_size}. "
                "Choose a draft of the target's own family.",
            )
        case _:
            return translate(
                "messages",
                "Token {token_id} is {target_text} for {target} and {draft_text} for {draft}; {differing_tokens} "
                "tokens differ. Choose a draft of the target's own family.",
            )


def _disk_full(facts: Facts) -> str:
    if facts["needed_bytes"]:
        return translate(
            "messages",
            "{path} needs {needed_bytes}, and {free_bytes} are free. Free some space and try again.",
        )
    return translate("messages", "{path} cannot be written. Free some space and try again.")


def _too_short(facts: Facts) -> str:
    match facts["end"]:
        case EndReason.LENGTH.value:
            return translate(
                "messages", "The limit that was set for it ended it at token {completion_tokens}. Allow more tokens."
            )
        case EndReason.CONTEXT.value:
            return translate(
                "messages",
                "The context was full at token {completion_tokens} of the reply. "
                "Use a longer context or a shorter prompt.",
            )
        case _ if facts["stop_texts"] not in ("", "0"):
            return translate(
                "messages",
                "It ended at token {completion_tokens}, by itself or before a text that was set to end it. "
                "Set no such text, or use a prompt that asks for more.",
            )
        case _:
            return translate(
                "messages",
                "The model ended it at token {completion_tokens}. Use a prompt that asks for more.",
            )


def _inactive(facts: Facts) -> str:
    return inactive_words(Inactive(facts["inactive"])).format(
        target=translate("messages", "the target"), draft=translate("messages", "the draft")
    )


def _lacks_instruction(facts: Facts) -> bool:
    return facts["signal"] == "SIGILL" or facts["exit_code"] == _WINDOWS_ILLEGAL_INSTRUCTION


def choice_words(choice: Choice, *, hopeful: bool = False) -> str:
    """Why a round was drafted as it was, with {length} and {ratio} still in braces.

    hopeful: a gain is predicted, although it rests.
    """
    match choice:
        case Choice.FIXED:
            return translate("messages", "The draft guesses up to {length} tokens a round, as it was set.")
        case Choice.DRAFTING:
            return translate("messages", "Some {length} guesses a round pay: {ratio}× predicted.")
        case Choice.PROBING:
            return translate("messages", "It did not pay, {ratio}× predicted; a few guesses show whether it does now.")
        case Choice.RESTING if hopeful:
            return translate("messages", "Guessing did not pay; the target writes alone until a try shows otherwise.")
        case Choice.RESTING:
            return translate("messages", "Guessing does not pay here, {ratio}× predicted, so the target writes alone.")
        case Choice.LOOKING:
            return translate("messages", "{ratio}× predicted; it is seen first whether the text copies the prompt.")
        case Choice.CHECKING:
            return translate("messages", "Guessing pays little, {ratio}× predicted; one round goes without it.")
        case Choice.NO_ROOM:
            return translate("messages", "There was nothing to guess.")
        case Choice.ROUNDS_TOO_SLOW:
            return translate("messages", "Guessing is off for a while: its rounds took far longer than predicted.")


def choice_note_words(choice: Choice, *, hopeful: bool = False) -> str:
    """The same in a few words, likewise."""
    match choice:
        case Choice.FIXED | Choice.NO_ROOM:
            return ""
        case Choice.DRAFTING:
            return translate("messages", "auto: draft {length}, {ratio}× predicted")
        case Choice.PROBING:
            return translate("messages", "auto: trying again, {ratio}× predicted")
        case Choice.RESTING if hopeful:
            return translate("messages", "auto: resting until a try pays")
        case Choice.RESTING:
            return translate("messages", "auto: resting, {ratio}× predicted")
        case Choice.LOOKING:
            return translate("messages", "auto: looking for something to copy")
        case Choice.CHECKING:
            return translate("messages", "auto: one round without, {ratio}× predicted")
        case Choice.ROUNDS_TOO_SLOW:
            return translate("messages", "auto: off, rounds were far too slow")


def rest_words(*, hopeful: bool) -> str:
    """Why the target wrote a reply alone, with {ratio} still in braces."""
    if hopeful:
        return translate("messages", "Guessing did not pay on this text with this pair, so the target wrote alone.")
    return translate("messages", "Predicted {ratio}× on this text with this pair, so the target wrote alone.")


def draft_inactive_words(inactive: Inactive) -> str:
    """Why the draft model proposes nothing while the lookup does, with {draft} still in braces."""
    match inactive:
        case Inactive.NO_DRAFT:
            return translate("messages", "No draft model is loaded, so only text that repeats is proposed.")
        case Inactive.DRAFT_ROLLBACK:
            return translate(
                "messages",
                "The draft {draft} cannot forget rejected tokens: its architecture keeps a running state. "
                "Only text that repeats is proposed. Choose another draft.",
            )
        case Inactive.DRAFT_CONTEXT_FULL:
            return translate(
                "messages",
                "The context of the draft {draft} is full. From here on only text that repeats is proposed.",
            )
        case Inactive.DRAFT_FAILED:
            return translate(
                "messages", "The draft {draft} failed. From here on only text that repeats is proposed."
            )
        case _:  # the others stop the lookup too
            return inactive_words(inactive)


def inactive_words(inactive: Inactive) -> str:
    """Why speculation is not running, with {target} and {draft} still in braces."""
    match inactive:
        case Inactive.SWITCHED_OFF:
            return translate("messages", "Speculation is switched off.")
        case Inactive.NO_DRAFT:
            return translate("messages", "Speculation needs a draft model, and none is loaded.")
        case Inactive.ZERO_LENGTH:
            return translate("messages", "Speculation is off because the draft length is 0.")
        case Inactive.TARGET_ROLLBACK:
            return translate(
                "messages",
                "Speculation is off because {target} cannot forget rejected tokens: "
                "its architecture keeps a running state.",
            )
        case Inactive.DRAFT_ROLLBACK:
            return translate(
                "messages",
                "Speculation is off because the draft {draft} cannot forget rejected tokens: "
                "its architecture keeps a running state. Choose another draft.",
            )
        case Inactive.DRAFT_CONTEXT_FULL:
            return translate(
                "messages",
                "Speculation stopped because the context of the draft {draft} is full. The reply goes on without it.",
            )
        case Inactive.DRAFT_FAILED:
            return translate(
                "messages",
                "Speculation stopped because the draft {draft} failed. The reply goes on without it.",
            )
        case _:
            assert_never(inactive)
