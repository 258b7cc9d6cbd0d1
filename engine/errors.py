"""The engine's errors: kinds and numbers. The sentences live in `app.messages`.

An `EngineError` never crosses a process boundary; its `report` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ErrorKind(Enum):
    """Everything that can go wrong, as a closed list. Comments name the facts that come along."""

    FILE_MISSING = "file_missing"  # path
    FILE_UNREADABLE = "file_unreadable"  # path, reason, wanted ("file", "shorter") where the reason is not the system's
    NOT_GGUF = "not_gguf"  # path
    GGUF_TRUNCATED = "gguf_truncated"  # path, size_bytes, expected_bytes
    GGUF_BROKEN = "gguf_broken"  # path, reason
    GGUF_VERSION = "gguf_version"  # path, version
    SPLIT_INCOMPLETE = "split_incomplete"  # path, missing
    VOCABULARY_ONLY = "vocabulary_only"  # path
    NOT_GENERATIVE = "not_generative"  # path, architecture
    NEEDS_OWN_TARGET = "needs_own_target"  # path, architecture, perhaps owner: MTP, EAGLE, DFlash, assistant heads
    LOAD_FAILED = "load_failed"  # path, reason
    LOAD_CANCELLED = "load_cancelled"
    CONTEXT_FAILED = "context_failed"  # path, ctx, reason
    OUT_OF_MEMORY = "out_of_memory"  # stage ("load", "context", "decode"), path; facts of `WOULD_NOT_FIT`
    DRAFT_VOCABULARY = "draft_vocabulary"  # draft, target, difference, token_id, draft_text, target_text, …
    NO_CHAT_TEMPLATE = "no_chat_template"  # model
    CHAT_TEMPLATE_BROKEN = "chat_template_broken"  # model, reason
    CHAT_TEMPLATE_UNSAFE = "chat_template_unsafe"  # model, reason
    CHAT_TEMPLATE_ENDLESS = "chat_template_endless"  # model, limit_s or limit_bytes
    PROMPT_EMPTY = "prompt_empty"
    PROMPT_TOO_LONG = "prompt_too_long"  # prompt_tokens, ctx, at_least (1 where there may be more)
    MAX_TOKENS_PAST_CONTEXT = "max_tokens_past_context"  # prompt_tokens, max_tokens, ctx
    SETTING_INVALID = "setting_invalid"  # name, value, reason
    CACHE_NEEDS_FLASH = "cache_needs_flash"  # kv_type
    DECODE_FAILED = "decode_failed"  # code, model
    NON_FINITE_LOGITS = "non_finite_logits"  # model
    NOT_LOADED = "not_loaded"
    BUSY = "busy"
    QUANTIZE_FAILED = "quantize_failed"  # path, reason
    ENGINE_START_FAILED = "engine_start_failed"  # reason
    ENGINE_DIED = "engine_died"  # exit_code, signal, log_path; reason where it was killed because it hung
    INTERNAL = "internal"  # reason
    # What the app finds wrong before the engine is asked.
    FOLDER_UNWRITABLE = "folder_unwritable"  # path, reason
    DISK_FULL = "disk_full"  # path; needed_bytes and free_bytes where they are known
    STARTER_MISSING = "starter_missing"  # package
    TEXT_NOT_UTF8 = "text_not_utf8"  # path, position
    MESSAGES_INVALID = "messages_invalid"  # path, reason
    SPECULATION_INACTIVE = "speculation_inactive"  # inactive: nothing to compare with
    REPLY_TOO_SHORT = "reply_too_short"  # completion_tokens, end (of EndReason), stop_texts: nothing to measure
    # Hubs and downloads.
    OFFLINE = "offline"  # the user's own wish: nothing was asked
    HUB_UNREACHABLE = "hub_unreachable"  # host, reason
    HUB_REFUSED = "hub_refused"  # host, status, reason: an answer that makes no sense of its own
    HUB_BUSY = "hub_busy"  # host, retry_after_s: too many requests
    REPO_MISSING = "repo_missing"  # repo, host
    REPO_FILE_MISSING = "repo_file_missing"  # repo, file, host
    REPO_GATED = "repo_gated"  # repo, url where to accept, token ("none", "refused", "given")
    DOWNLOAD_STALLED = "download_stalled"  # file, host, seconds
    DOWNLOAD_WRONG_SIZE = "download_wrong_size"  # file, size_bytes, expected_bytes
    DOWNLOAD_WRONG_HASH = "download_wrong_hash"  # file, sha256, expected_sha256
    DOWNLOAD_NOT_GGUF = "download_not_gguf"  # file, host: a web page, say
    DOWNLOAD_CHANGED = "download_changed"  # file, repo: another file now stands at the hub
    DOWNLOAD_ELSEWHERE = "download_elsewhere"  # file: another program is downloading the same
    DOWNLOAD_CANCELLED = "download_cancelled"
    NAME_UNSAFE = "name_unsafe"  # name, reason: a server's name that is no file name here
    PAIR_UNKNOWN = "pair_unknown"  # id, near: names like it, "" where there are none
    PAIR_NOT_HERE = "pair_not_here"  # id, title: in the catalogue, not on this computer
    CATALOGUE_BROKEN = "catalogue_broken"  # path, reason, entry where only one is
    MODEL_NOT_REMOVABLE = "model_not_removable"  # path, owner: another program's
    TRASH_FAILED = "trash_failed"  # path, reason
    MODEL_CHANGED = "model_changed"  # path, sha256, expected_sha256: verify found other bytes
    MODEL_UNKNOWN = "model_unknown"  # path: no model, or in none of the places that are looked into
    PIECES_NOT_JOINED = "pieces_not_joined"  # path, pieces, file: what they make when they are joined
    SELF_DRAFT_TOO_LARGE = "self_draft_too_large"  # path, file_type, size_bytes, expected_bytes
    # verdict ("tight", "too_big"), device ("" is the computer's memory), ctx, need_bytes, free_bytes, margin_bytes,
    # missing_bytes, others_bytes, remedy: the best settings that fit, in words, "" where there are none
    WOULD_NOT_FIT = "would_not_fit"
    FIT_UNMEASURABLE = "fit_unmeasurable"  # path, reason: llama.cpp does not tell what the model needs
    TOKEN_REFUSED = "token_refused"  # host: it does not know the token that was sent


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """What went wrong, as values.

    Attributes:
        facts: named numbers and words that a sentence may use, in no particular order.
        detail: for the expert behind a button: a log's last lines or a trace; may be empty.
    """

    kind: ErrorKind
    facts: tuple[tuple[str, str | int | float], ...] = ()
    detail: str = ""

    def fact(self, name: str, default: str | int | float = "") -> str | int | float:
        """The named fact, or `default` where it is absent."""
        return dict(self.facts).get(name, default)


class EngineError(Exception):
    """The one exception of the engine; carries its report."""

    def __init__(self, kind: ErrorKind, detail: str = "", **facts: str | int | float) -> None:
        super().__init__(f"{kind.value}: {facts} {detail}".strip())
        self.report = ErrorReport(kind, tuple(facts.items()), detail)

    @classmethod
    def of(cls, report: ErrorReport) -> EngineError:
        """A report that came over the pipe, raised again."""
        return cls(report.kind, report.detail, **dict(report.facts))
