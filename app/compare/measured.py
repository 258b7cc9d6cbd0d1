"""A comparison with everything that it depends on: what a file about it holds, and what makes two comparable."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from app.compare.values import ComparePlan, Outcome
from app.pairs import PairChoice, pair_title
from engine.types import EngineInfo, GenerationRequest, LoadedPair, LoadRequest, ModelInfo

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Measured:
    """Attributes:
    load: what the pair was loaded from, with its settings.
    choice: how the user named the pair, where that is known.
    """

    plan: ComparePlan
    outcome: Outcome
    load: LoadRequest
    pair: LoadedPair
    engine: EngineInfo
    choice: PairChoice = field(default_factory=PairChoice)

    @property
    def title(self) -> str:
        """Of the pair, for people."""
        return pair_title(self.pair, self.choice)

    @property
    def complete(self) -> bool:
        """As many pairs of runs were measured as were planned."""
        return len(self.outcome.pairs) == self.plan.repeats


def pair_key(pair: LoadedPair) -> str:
    """The same for the same two models on the same device, wherever their files lie."""
    models = [_model_key(model) for model in (pair.target, pair.draft) if model is not None]
    return json.dumps([*models, pair.device, pair.backend])


def engine_build(engine: EngineInfo) -> str:
    """What the engine is, in a word or two."""
    return f"{engine.llama_cpp_python} ({', '.join(engine.backends)})"


def settings_document(measured: Measured) -> Document:
    """Everything but the models and the computer that figures depend on, the prompt included."""
    request, load = measured.plan.request, measured.load
    return {
        **{key: getattr(value, "value", value) for key, value in asdict(request.sampling).items()},
        "max_tokens": request.max_tokens,
        "stop": list(request.stop),
        "draft_length": length_word(request),
        "p_min": request.p_min,
        "rule": request.rule.value,
        "drafters": sorted(drafter.value for drafter in request.drafters),
        "ctx": measured.pair.ctx,
        "kv_type": load.kv_type.value,
        "flash_attn": load.flash_attention.value,
        "gpu_layers": load.gpu_layers,
        "draft_gpu_layers": load.draft_gpu_layers,
        "threads": load.threads,
        "ubatch": load.ubatch,
        "experts_on_cpu": load.experts_on_cpu,
        "split": list(load.split),
        "repeats": measured.plan.repeats,
        "preset": measured.plan.preset or None,
        "kind": request.kind or None,
        "chat_format": None if request.prompt is not None else request.chat_format.value,
        "messages": [asdict(message) for message in request.messages],
        "prompt": request.prompt,
    }


def settings_key(measured: Measured) -> str:
    """The same for figures that can be compared: the seed and how often it was measured do not matter."""
    settings = {key: value for key, value in settings_document(measured).items() if key not in ("seed", "repeats")}
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode(errors="surrogatepass")).hexdigest()[:32]


def length_word(request: GenerationRequest) -> str | int:
    """The draft length, "auto" where it is chosen by time."""
    return "auto" if request.draft_length is None else request.draft_length


def _model_key(model: ModelInfo) -> list[str | int]:
    return [model.name, model.architecture, model.quantisation, model.parameters, model.size_bytes]
