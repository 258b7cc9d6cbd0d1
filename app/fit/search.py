"""How much of a pair would fit: by halving, with llama.cpp's own figures at the ends where it can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from app.devices.device import DeviceKind
from app.fit.placing import Pair, Rooms, fit_settings, layers_on_gpu, most, place
from app.fit.values import NotMeasured, PairSettings, Placement, Verdict
from engine.types import LEAST_CTX, MAX_CTX

CTX_STEP: Final = LEAST_CTX

# A correction moves the end of a search by a step or two; this many measurements are more than it ever took.
_MOST_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class Search:
    """For one pair on one machine as it is now. Not thread-safe; everything raises EngineError where a model cannot
    even be estimated.

    Attributes:
        asks: llama.cpp is asked where it can be; False tells what is known by now, within some milliseconds.
    """

    pair: Pair
    rooms: Rooms
    asks: bool = True

    def place(self, settings: PairSettings) -> Placement:
        """By the figures there are."""
        return place(self.pair, settings, self.rooms)

    def measured(self, settings: PairSettings) -> Placement:
        """By exact figures, where there can be any. Blocks for some 40 ms the first time."""
        placement = self.place(settings)
        for _ in range(_MOST_ROUNDS):
            if not self._learn(settings, placement):
                break
            placement = self.place(settings)
        return placement

    def largest_ctx(self, settings: PairSettings) -> int:
        """The longest context that fits, a multiple of CTX_STEP, up to what the target was trained with; 0 if none."""
        limit = max(1, min(self.pair.target.trained_ctx or MAX_CTX, MAX_CTX) // CTX_STEP)
        return CTX_STEP * self._most(
            limit,
            lambda steps: replace(settings, ctx=CTX_STEP * steps),
            lambda placement: placement.verdict is Verdict.FITS,
        )

    def fitting_layers(self, settings: PairSettings) -> int:
        """How many of the layers that the settings ask for fit on the GPUs, whatever then happens to the rest."""
        return self._most(
            layers_on_gpu(self.pair, settings, self.rooms.machine),
            lambda layers: replace(settings, gpu_layers=layers, split=()),
            lambda placement: all(
                part.verdict is Verdict.FITS for part in placement.devices if part.device.kind is not DeviceKind.SYSTEM
            ),
        )

    @property
    def not_measured(self) -> NotMeasured | None:
        """Why the figures are estimated; None where they were measured."""
        models = [self.pair.target] if self.pair.draft is None else [self.pair.target, self.pair.draft]
        return next((model.not_measured for model in models if model.not_measured is not None), None)

    def _most(
        self, limit: int, settings_of: Callable[[int], PairSettings], fits: Callable[[Placement], bool]
    ) -> int:
        found = 0
        for _ in range(_MOST_ROUNDS):
            found = most(lambda number: fits(self.place(settings_of(number))), limit)
            ends = [settings_of(number) for number in range(max(1, found), min(found + 1, limit) + 1)]
            if sum(self._learn(end, self.place(end)) for end in ends) == 0:
                break
        return found

    def _learn(self, settings: PairSettings, placement: Placement) -> bool:
        """Whether a figure became exact."""
        if not self.asks:
            return False
        gpus = placement.devices[: len(self.rooms.machine.gpus)]
        split = tuple(gpu.layers for gpu in gpus)
        for_target, for_draft = fit_settings(
            self.pair, settings, self.rooms.machine, split, placement.draft_gpu
        )
        learned = self.pair.target.learn(for_target)
        if self.pair.draft is not None and settings.with_draft:
            learned = self.pair.draft.learn(for_draft) or learned
        return learned
