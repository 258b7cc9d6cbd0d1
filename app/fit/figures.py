"""What one model needs under any settings: arithmetic for all of them, llama.cpp's own figures for a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.fit.values import NotMeasured
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.fit import DeviceNeed, FitSettings, ModelNeed
from engine.gguf import GgufHeader

Answer = Callable[[FitSettings], ModelNeed]


class ModelFigures(Protocol):
    """What the placement asks of a model.

    Attributes:
        layers: the blocks and the output.
        trained_ctx, tokens (of the vocabulary): 0 where the header does not say.
        experts: how many a mixture has, and how many of them a token goes through; (0, 0) for others.
        not_measured: why `need` tells estimates; None where what was learned was measured.
    """

    layers: int
    trained_ctx: int
    tokens: int
    experts: tuple[int, int]
    not_measured: NotMeasured | None

    def need(self, settings: FitSettings) -> ModelNeed:
        """The best figures there are. Raises EngineError where there are none."""
        ...

    def learn(self, settings: FitSettings) -> bool:
        """Make the figures for these settings exact, if that is possible and was not done yet; whether it was."""
        ...


class FileFigures:
    """A model told by its header. Not thread-safe.

    Measuring takes some 20 ms and the arithmetic much less, so a search is done with the arithmetic, corrected by the
    difference that the last measurement showed, and only its ends are measured.
    """

    def __init__(self, header: GgufHeader, estimate: Answer, measure: Answer | None = None) -> None:
        """`header` is that of the first part. Without `measure` nothing is measured."""
        self.layers: int = header.number("{arch}.block_count") + 1
        self.trained_ctx: int = header.context_length
        self.tokens: int = header.vocab_size
        self.experts: tuple[int, int] = (
            header.number("{arch}.expert_count"),
            header.number("{arch}.expert_used_count"),
        )
        self.not_measured: NotMeasured | None = NotMeasured.NOT_ASKED
        self._estimate = estimate
        self._measure = measure
        self._estimates: dict[FitSettings, ModelNeed] = {}
        self._measured: dict[FitSettings, ModelNeed] = {}
        self._refused: dict[FitSettings, ErrorReport] = {}
        self._last: FitSettings | None = None
        self._path = str(header.path)

    def need(self, settings: FitSettings) -> ModelNeed:
        if settings in self._measured:
            return self._measured[settings]
        try:
            estimated = self._estimated(settings)
            if self._last is None or len(settings.split) != len(self._last.split):
                return estimated
            return _corrected(estimated, self._estimated(self._last), self._measured[self._last])
        except EngineError:
            if self.learn(settings):  # slower, and all there is
                return self._measured[settings]
            raise

    def learn(self, settings: FitSettings) -> bool:
        """Where it fails, llama.cpp is not asked about these settings again."""
        if self._measure is None or settings in self._measured or settings in self._refused:
            return False
        try:
            measured = self._measure(settings)
            if len(measured.devices) != max(1, len(settings.split)):  # llama.cpp took other devices than are known
                raise EngineError(ErrorKind.FIT_UNMEASURABLE, path=self._path, reason="other devices")
        except EngineError as error:
            self._refused[settings] = error.report
            if not self._measured:
                self.not_measured = NotMeasured.FAILED
            return False
        self._measured[settings] = measured
        self._last = settings
        self.not_measured = None
        return True

    @property
    def refusal(self) -> ErrorReport | None:
        """Why a measurement failed, the last that did."""
        return list(self._refused.values())[-1] if self._refused else None

    def _estimated(self, settings: FitSettings) -> ModelNeed:
        if settings not in self._estimates:
            self._estimates[settings] = self._estimate(settings)
        return self._estimates[settings]


def _corrected(need: ModelNeed, estimated: ModelNeed, measured: ModelNeed) -> ModelNeed:
    """`need`, by as much more or less as was `measured` where something else had been `estimated`."""
    parts = zip(need.devices, estimated.devices, measured.devices, strict=True)
    return ModelNeed(
        devices=tuple(_shifted(*part) for part in parts),
        host=_shifted(need.host, estimated.host, measured.host),
        output=need.output,
    )


def _shifted(need: DeviceNeed, estimated: DeviceNeed, measured: DeviceNeed) -> DeviceNeed:
    return DeviceNeed(
        weights=max(0, need.weights + measured.weights - estimated.weights),
        kv=max(0, need.kv + measured.kv - estimated.kv),
        compute=max(0, need.compute + measured.compute - estimated.compute),
    )
