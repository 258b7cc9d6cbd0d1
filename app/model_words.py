"""The words for what goes wrong between a hub, the disk and the models folder. As `app.error_words`, of which it is
a part."""

from __future__ import annotations

from collections.abc import Mapping

from app.translate import translate
from engine.errors import ErrorKind


def words_for(kind: ErrorKind, facts: Mapping[str, str]) -> tuple[str, str]:
    """Title and text, with the facts' names still in braces."""
    match kind:
        case ErrorKind.OFFLINE:
            return translate("messages", "Offline mode is on"), _offline(facts)
        case ErrorKind.HUB_UNREACHABLE:
            return translate("messages", "{host} cannot be reached"), translate(
                "messages",
                "{reason}. Check the connection, or choose a mirror in the settings. What was downloaded is kept.",
            )
        case ErrorKind.HUB_REFUSED:
            return translate("messages", "{host} did not give what was asked for"), translate(
                "messages", "It answered {status}: {reason}. Try again later, or choose another source in the settings."
            )
        case ErrorKind.HUB_BUSY:
            return translate("messages", "{host} asks for a pause"), translate(
                "messages",
                "It had too many requests. It can be asked again in {retry_after_s} s; a token of your own raises the "
                "limit.",
            )
        case ErrorKind.REPO_MISSING:
            return translate("messages", "{repo} is not there"), translate(
                "messages", "{host} has no such repository, or hides it from you. Check its name, or give a token."
            )
        case ErrorKind.REPO_FILE_MISSING:
            return translate("messages", "{file} is not there"), translate(
                "messages", "{repo} at {host} has no such file. It may have been renamed; look at its list of files."
            )
        case ErrorKind.REPO_GATED:
            return translate("messages", "{repo} asks you to accept its licence"), _gated(facts)
        case ErrorKind.DOWNLOAD_STALLED:
            return translate("messages", "The download stands still"), translate(
                "messages",
                "{host} sent nothing of {file} for {seconds} s, several times. What came so far is kept; go on later.",
            )
        case ErrorKind.DOWNLOAD_WRONG_SIZE:
            return translate("messages", "{file} came with the wrong size"), translate(
                "messages", "It has {size_bytes} and should have {expected_bytes}. Download it again."
            )
        case ErrorKind.DOWNLOAD_WRONG_HASH:
            return translate("messages", "{file} came damaged"), translate(
                "messages",
                "Its SHA-256 is {sha256} and should be {expected_sha256}. It was not kept; download it again, perhaps "
                "from another source.",
            )
        case ErrorKind.DOWNLOAD_NOT_GGUF:
            return translate("messages", "{host} sent something else than a model"), translate(
                "messages",
                "What came instead of {file} does not begin as a GGUF file does; it may be a page that asks to sign "
                "in. Open the address in a browser, or choose another source.",
            )
        case ErrorKind.DOWNLOAD_CHANGED:
            return translate("messages", "{file} was replaced at the hub"), translate(
                "messages",
                "{repo} now holds another file under this name than the one that was looked up. Where a download of it "
                "had begun, cancel that and begin it anew.",
            )
        case ErrorKind.DOWNLOAD_ELSEWHERE:
            return translate("messages", "{file} is already being downloaded"), translate(
                "messages", "Another window or program is at it. Wait for it, or stop it there."
            )
        case ErrorKind.DOWNLOAD_CANCELLED:
            return translate("messages", "The download was cancelled"), translate("messages", "Nothing was kept of it.")
        case ErrorKind.NAME_UNSAFE:
            return translate("messages", "A file has a name that is not used here"), translate(
                "messages", "The hub calls it {name}: {reason}. It was not downloaded."
            )
        case ErrorKind.PAIR_UNKNOWN:
            return translate("messages", "There is no pair {id}"), _unknown_pair(facts)
        case ErrorKind.PAIR_NOT_HERE:
            return translate("messages", "{title} is not on this computer yet"), translate(
                "messages", "Download the pair {id} first."
            )
        case ErrorKind.CATALOGUE_BROKEN:
            return translate("messages", "The catalogue {path_name} has a mistake"), _catalogue(facts)
        case ErrorKind.MODEL_NOT_REMOVABLE:
            return translate("messages", "{path_name} belongs to {owner}"), translate(
                "messages", "It is used where it lies, at {path}, and is only removed with that program."
            )
        case ErrorKind.TRASH_FAILED:
            return translate("messages", "{path_name} could not be moved to the trash"), translate(
                "messages", "{path}: {reason}. Remove the file yourself if you want it gone."
            )
        case ErrorKind.MODEL_CHANGED:
            return translate("messages", "{path_name} is not the file it should be"), translate(
                "messages",
                "Its SHA-256 is {sha256} and should be {expected_sha256}. It is damaged or was changed; download it "
                "again.",
            )
        case ErrorKind.MODEL_UNKNOWN:
            return translate("messages", "{path_name} is not among the models"), translate(
                "messages",
                "Nothing at {path} is a model in the models folder, among the files and folders that were added, or in "
                "another program's folder that is looked into.",
            )
        case ErrorKind.PIECES_NOT_JOINED:
            return translate("messages", "{path_name} is only a piece of a file"), translate(
                "messages",
                "{file} was cut into pieces, of which {pieces} are here. Join them in their order into one file; then "
                "it can be used.",
            )
        case ErrorKind.TOKEN_REFUSED:
            return translate("messages", "{host} does not accept your token"), translate(
                "messages",
                "It is wrong or was withdrawn. Make a new one with the right to read, or remove it: models that are "
                "open to all need none. The variable HF_TOKEN comes before a token that was given here.",
            )
        case ErrorKind.SELF_DRAFT_TOO_LARGE:
            return translate("messages", "{path_name} is small already"), translate(
                "messages",
                "It has {size_bytes}, and as {file_type} it would still have {expected_bytes}: too much for a draft "
                "that is to be faster. Choose a smaller type, or a smaller model of the same family.",
            )
        case ErrorKind.FIT_UNMEASURABLE:
            return translate("messages", "The need of {path_name} cannot be measured"), translate(
                "messages", "llama.cpp gave no figures for {path}: {reason}. Loading it may fail in the same way."
            )
        case _:
            raise AssertionError(kind)  # a test asks for the words of every kind


def _offline(facts: Mapping[str, str]) -> str:
    if facts["file"]:
        return translate(
            "messages",
            "What {file} takes of memory is told by its header, the first megabytes of the file, and nothing is asked "
            "of the network. Switch offline mode off in the settings; once read, the header is kept.",
        )
    return translate("messages", "Nothing is asked of the network. Switch offline mode off in the settings to go on.")


def _gated(facts: Mapping[str, str]) -> str:
    match facts["token"]:
        case "refused":
            return translate(
                "messages",
                "Your token was refused. Make a new one with the right to read, and accept the licence at {url}",
            )
        case "given":
            return translate(
                "messages", "Your token is right, but its owner has not accepted the licence yet. Accept it at {url}"
            )
        case _:
            return translate(
                "messages",
                "Open {url} in a browser, sign in and accept the licence; then give this program a token with the "
                "right to read.",
            )


def _unknown_pair(facts: Mapping[str, str]) -> str:
    if facts["near"]:
        return translate("messages", "The catalogue has no pair of this name. Near ones: {near}.")
    return translate("messages", "The catalogue has no pair of this name. List the pairs to see the names.")


def _catalogue(facts: Mapping[str, str]) -> str:
    if facts["entry"]:
        return translate("messages", "{path}: the entry {entry} is left out. {reason}.")
    return translate("messages", "{path} is not used. {reason}.")
