"""Plain values shared by the engine, the app and the window.

Everything here is frozen, picklable and free of behaviour beyond arithmetic on its own fields. Times are
seconds (float) from one monotonic clock of the engine process, sizes are bytes, positions count from 0.

Words: *target* is the model whose text the user wants, *draft* the small model that guesses; p and q are the
target's and the draft's probability of a token **after** the sampling settings; a *round* is one proposal, one
target pass and its verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

MAX_CTX: Final = 1 << 24  # what a load may ask for; beyond, llama.cpp's 32-bit fields wrap or it computes for minutes
LEAST_CTX: Final = 256  # llama.cpp rounds contexts up to its multiples
DEFAULT_CTX: Final = 8192  # where a load names none, and the target was trained with as many
MAX_THREADS: Final = 512
MAX_GPU_LAYERS: Final = 9999
LEAST_UBATCH: Final = 32  # holds a round of the longest draft
MAX_UBATCH: Final = 4096
MAX_GPUS: Final = 16  # as many shares of a split as llama.cpp reads
MAX_REPEAT_PENALTY: Final = 100.0
MAX_MATCH: Final = 64  # tokens that the lookup compares at each place; a longer match counts as this long
MAX_DRAFT_LENGTH: Final = 16  # a checked batch reserves a row of logits per guess, so this bounds device memory


class Source(Enum):
    """Where a token of the reply came from."""

    ACCEPTED = "accepted"  # proposed by a drafter and kept by the target
    RESAMPLED = "resampled"  # the target's own token where it did not keep the guess
    BONUS = "bonus"  # the free token after everything proposed was kept
    PLAIN = "plain"  # no draft ran


class Drafter(Enum):
    """What proposed a token."""

    MODEL = "model"
    LOOKUP = "lookup"  # text that repeats from the prompt, the reply or the conversation


class Choice(Enum):
    """Why a round does what it does."""

    FIXED = "fixed"  # the length that was asked for
    DRAFTING = "drafting"  # it pays
    PROBING = "probing"  # it did not pay; does it now?
    RESTING = "resting"  # it does not pay
    LOOKING = "looking"  # is there something to copy? The draft would have to read much
    CHECKING = "checking"  # a plain round, as what plain decoding costs was not seen for long
    NO_ROOM = "no_room"  # no drafter can guess anything, or a single token is asked for
    ROUNDS_TOO_SLOW = "rounds_too_slow"  # several rounds took far longer than predicted: off for a while


@dataclass(frozen=True, slots=True)
class RoundChoice:
    """What was chosen and why, to be shown.

    Attributes:
        length: guesses to expect; a draft that is sure of itself may make more. 0 is plain decoding.
        ratio: predicted tokens a second of the best length from 1 on, over those of plain decoding; None where nothing
            is predicted.
        resting: tokens of this reply since drafting stopped to pay; 0 while it pays.
        next_probe: tokens until it is tried again at the earliest; None if no try is in sight.
    """

    choice: Choice
    drafter: Drafter | None = None
    length: int = 0
    ratio: float | None = None
    resting: int = 0
    next_probe: int | None = None


class Rule(Enum):
    """How proposals are judged. All three leave exactly the target's distribution."""

    COUPLED = "coupled"
    RESIDUAL = "residual"
    MATCH = "match"


class EndReason(Enum):
    """Why a reply ended."""

    STOP = "stop"  # an end-of-generation token or a stop string
    LENGTH = "length"  # max_tokens reached
    CONTEXT = "context"  # the context is full
    CANCELLED = "cancelled"
    ERROR = "error"


class Inactive(Enum):
    """Why speculation was not running, or stopped, although the reply went on."""

    SWITCHED_OFF = "switched_off"
    NO_DRAFT = "no_draft"
    ZERO_LENGTH = "zero_length"  # a draft length of 0 was asked for
    TARGET_ROLLBACK = "target_rollback"  # the target cannot forget rejected tokens
    DRAFT_ROLLBACK = "draft_rollback"
    DRAFT_CONTEXT_FULL = "draft_context_full"
    DRAFT_FAILED = "draft_failed"  # the draft's decode failed in this reply


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """How logits become a distribution; the defaults are those most local programs use.

    Order: repeat penalty, top-k, top-p, min-p, temperature (as in llama.cpp, so settings carry over).
    """

    temperature: float = 0.8  # 0 means a one-hot row
    top_k: int = 40  # 0 means all
    top_p: float = 0.95  # 1 means all
    min_p: float = 0.05  # 0 means all
    repeat_penalty: float = 1.0  # 1 means none
    repeat_window: int = 64  # tokens looked back
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Rejected:
    """A guess that the target did not keep."""

    token_id: int
    text: str
    p: float
    q: float


@dataclass(frozen=True, slots=True)
class TokenEvent:
    """One token of the reply.

    Attributes:
        index: position in the reply.
        text: what this token adds to the visible text; "" while a character or a possible stop string is
            incomplete, and the held text then comes with a later token.
        p: target probability of this token.
        q: draft probability of this token, None where no draft token stood.
        rejected: the guess that stood here, for RESAMPLED tokens only.
        round: number of the round in this reply.
        position: place in the round; equals the draft position for ACCEPTED and RESAMPLED tokens.
        match: for a guess of the lookup, how many tokens before the proposal agreed with the place that it repeats
            (those further back are not looked at); 0 for others.
    """

    index: int
    token_id: int
    text: str
    source: Source
    drafter: Drafter | None
    p: float
    q: float | None
    rejected: Rejected | None
    round: int
    position: int
    match: int = 0


@dataclass(frozen=True, slots=True)
class DraftRound:
    """One round. accepted <= verified <= len(drafted); len(tokens) is at most accepted + 1.

    One drafter made all of `drafted`; None where nothing was. `choice` is why; None where there is none to make.

    draft_s and verify_s are spent inside llama.cpp for the draft and the target, sample_s in shaping and
    judging; wall_s is the whole round, so what is left of it is overhead.
    """

    job: int
    number: int
    drafted: tuple[int, ...]
    verified: int
    accepted: int
    tokens: tuple[TokenEvent, ...]
    draft_s: float
    verify_s: float
    sample_s: float
    wall_s: float
    drafter: Drafter | None = None
    choice: RoundChoice | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """role is "system", "user" or "assistant"."""

    role: str
    content: str


class ChatFormat(Enum):
    """How messages become a prompt."""

    MODEL = "model"  # the model's own template
    CHATML = "chatml"  # a choice for models without a usable template
    PLAIN = "plain"  # the contents, one paragraph each


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One reply. Exactly one of `prompt` (raw text, no template) and `messages` is given.

    Attributes:
        job: chosen by the caller, unique in the engine's life.
        max_tokens: None means up to the end of the context.
        speculate: False, or a draft_length of 0, decodes plainly from the same loop.
        draft_length: most tokens that the draft model proposes in a round; the lookup has a limit of its own. None
            chooses drafter and length by time, round by round.
        p_min: with a draft_length, drafting stops where the draft's best guess is less probable than this.
        drafters: which may propose; the lookup comes first where it finds a long match. At least one.
        kind: of text, "code" say: what is learned of one kind is where the next reply of it begins.
        trim_oldest: drop the oldest turns (never the system message) when the prompt does not fit.
        cold: forget both caches first, as a fair comparison needs.
    """

    job: int
    prompt: str | None = None
    messages: tuple[ChatMessage, ...] = ()
    chat_format: ChatFormat = ChatFormat.MODEL
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    speculate: bool = True
    draft_length: int | None = None
    p_min: float = 0.0
    rule: Rule = Rule.COUPLED
    drafters: frozenset[Drafter] = frozenset(Drafter)
    kind: str = ""
    trim_oldest: bool = False
    cold: bool = False


class FlashAttention(Enum):
    """AUTO lets the backend decide."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class KvType(Enum):
    """Element type of both KV caches, by its GGUF name."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    Q8_0 = "q8_0"
    Q5_1 = "q5_1"
    Q5_0 = "q5_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"
    IQ4_NL = "iq4_nl"


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """What to load and how.

    Attributes:
        ctx: tokens for both contexts; None means the smaller of 8,192 and what the target was trained with.
        gpu_layers, draft_gpu_layers: -1 means all.
        threads: None means as many as there are physical cores, or fewer or more for the passes of a reply where a
            short measurement shows that they are faster.
        ubatch: tokens of a prompt computed at once; None means 128 on the processor and 512 on a GPU.
        experts_on_cpu: the experts of a target that is a mixture stay in the computer's memory.
        split, draft_split: shares of several GPUs, in their order, of any sum; empty shares by free memory.
        measure: what passes cost, at the end of the load; otherwise before the first reply that needs to know. Takes
            1.5 s at most unless passes are very slow.
    """

    target: str
    draft: str | None = None
    ctx: int | None = None
    kv_type: KvType = KvType.F16
    flash_attention: FlashAttention = FlashAttention.AUTO
    gpu_layers: int = -1
    draft_gpu_layers: int = -1
    threads: int | None = None
    ubatch: int | None = None
    experts_on_cpu: bool = False
    split: tuple[float, ...] = ()
    draft_split: tuple[float, ...] = ()
    measure: bool = False


def context_of(request: LoadRequest, trained_ctx: int) -> int:
    """The tokens of context that a load makes, rounded up as llama.cpp does; trained_ctx is 0 where unknown."""
    wanted = request.ctx or min(DEFAULT_CTX, trained_ctx or DEFAULT_CTX)
    return -(-wanted // LEAST_CTX) * LEAST_CTX


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a loaded model."""

    path: str
    name: str
    architecture: str
    quantisation: str
    parameters: int
    size_bytes: int
    vocab_size: int
    trained_ctx: int
    has_chat_template: bool


@dataclass(frozen=True, slots=True)
class LoadedPair:
    """A pair that is ready.

    Attributes:
        device: what computes, in words ("CPU", "NVIDIA GeForce RTX 4070").
        inactive: why its draft cannot guess, None if it can. With TARGET_ROLLBACK nothing can.
        memory_bytes: resident memory of the engine process after loading.
        masked: ids that the draft never proposes because their texts differ from the target's.
    """

    target: ModelInfo
    draft: ModelInfo | None
    ctx: int
    device: str
    backend: str
    inactive: Inactive | None
    load_s: float
    memory_bytes: int
    masked: int = 0


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """One device that the engine build can use. free and total are bytes."""

    name: str
    description: str
    kind: str  # "cpu", "gpu", "igpu" or "accelerator"
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What the engine is."""

    pid: int
    llama_cpp_python: str
    backends: tuple[str, ...]
    gpu_offload: bool
    system_info: str
    devices: tuple[DeviceInfo, ...]
