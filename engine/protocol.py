"""What travels between the app and the engine process: commands down, events up, and nothing else.

The pipe carries these dataclasses, pickled: commands one by one, events in tuples (`engine.outbox`). Per job the engine
sends any number of progress events and `DraftRound`s and then exactly one ending: `Finished`, `Loaded`, `Weighed`,
`Quantized` or `Failed`. Statistics are never sent; they are folded from the rounds (`engine.stats`).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.costs import MeasuredCosts
from engine.errors import ErrorReport
from engine.knowledge import Knowledge
from engine.types import (
    DraftRound,
    EndReason,
    EngineInfo,
    GenerationRequest,
    Inactive,
    LoadedPair,
    LoadRequest,
)


@dataclass(frozen=True, slots=True)
class Load:
    """Unload what is loaded and load this. Ends with `Loaded` or `Failed`. `knowledge` is what was `Learned` before."""

    job: int
    request: LoadRequest
    knowledge: Knowledge | None = None


@dataclass(frozen=True, slots=True)
class Generate:
    """Ends with `Finished` or `Failed`; the job is `request.job`."""

    request: GenerationRequest


@dataclass(frozen=True, slots=True)
class Weigh:
    """Say how near the target is to two tokens after the prompt of `request` and `reply`, from an empty cache. Ends
    with `Weighed` or `Failed`, that with LOAD_CANCELLED where it was cancelled.

    Attributes:
        request: the reply that was asked for; its sampling settings and its rule decide.
        reply: token ids of its beginning.
        tokens: ids of the two.
    """

    job: int
    request: GenerationRequest
    reply: tuple[int, ...]
    tokens: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quantize:
    """Write `source` requantised to `file_type` at `destination`. Ends with `Quantized` or `Failed`.

    Attributes:
        file_type: GGUF name of the type, "F32", "Q2_K", "Q3_K_M", "Q4_0", "Q4_1", "Q4_K_M" or "Q8_0".
    """

    job: int
    source: str
    destination: str
    file_type: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """End `job` soon: within one ubatch while reading a prompt, within a round while writing."""

    job: int


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Leave. The engine also leaves when the pipe closes."""


Command = Load | Generate | Weigh | Quantize | Cancel | Shutdown


@dataclass(frozen=True, slots=True)
class Ready:
    """First event of an engine's life."""

    info: EngineInfo


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """At most 20 a second. `model` is "target" or "draft"; done_bytes counts over both files."""

    job: int
    model: str
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Measuring:
    """Both files are read. Until `Loaded` the pair is tried out: what it can do, with how many threads, and what passes
    cost; the load can still be cancelled."""

    job: int


@dataclass(frozen=True, slots=True)
class Loaded:
    job: int
    pair: LoadedPair


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """One per ubatch. done counts the reused tokens too."""

    job: int
    done_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class Started:
    """The prompt is in the target's cache; rounds follow.

    Attributes:
        reused_tokens: of the prompt, taken over from the previous turn.
        dropped_messages: oldest turns left out because the conversation is longer than the context.
        inactive: why this reply does not speculate, None if it does.
        draft_inactive: why the draft model proposes nothing although the lookup does.
    """

    job: int
    prompt_tokens: int
    reused_tokens: int
    dropped_messages: int
    prefill_s: float
    inactive: Inactive | None
    draft_inactive: Inactive | None = None


@dataclass(frozen=True, slots=True)
class SpeculationStopped:
    """Speculation ended inside a reply, which goes on plainly; where `lookup_goes_on`, only the draft model is out."""

    job: int
    inactive: Inactive
    lookup_goes_on: bool = False


@dataclass(frozen=True, slots=True)
class CostsSeen:
    """What passes cost now, where drafts are chosen by time: as measured by a load that was asked to, at the beginning
    of a reply, and while it is written at most 4 times a second."""

    job: int
    costs: MeasuredCosts


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of the pair now, to be given to its next load: after a load that measured, and after each reply
    whose drafts were chosen by time."""

    job: int
    knowledge: Knowledge


@dataclass(frozen=True, slots=True)
class Finished:
    """The reply is complete.

    Attributes:
        tail: text held back as a possible stop string that turned out not to be one; belongs to the last token.
        ttft_s: from the request's arrival in the engine to the first token.
        decode_s: from the first token to the end.
    """

    job: int
    reason: EndReason
    tail: str
    ttft_s: float
    decode_s: float


@dataclass(frozen=True, slots=True)
class Weighed:
    """The answer to `Weigh`.

    Attributes:
        logits: the target's, of the two tokens, before any sampling setting.
        chosen: the token that the target writes here; None where the rule draws by chance that depends on what was
            proposed before, as `residual` does above temperature 0.
        gap: the smallest change to a single logit with which the target writes one of the two where it would write
            the other; infinite where none below 16 does, None where `chosen` is.
    """

    job: int
    logits: tuple[float, float]
    chosen: int | None
    gap: float | None


@dataclass(frozen=True, slots=True)
class Quantized:
    job: int
    path: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The job ended with an error. The engine always names it; job is None where work failed before it became one."""

    job: int | None
    report: ErrorReport


Event = (
    Ready
    | LoadProgress
    | Measuring
    | Loaded
    | PrefillProgress
    | Started
    | SpeculationStopped
    | CostsSeen
    | Learned
    | DraftRound
    | Finished
    | Weighed
    | Quantized
    | Failed
)
