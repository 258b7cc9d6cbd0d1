"""Tokens per second while a reply is written: over the last moment, and as a line over the whole reply."""

from __future__ import annotations

from collections import deque

from engine.types import DraftRound

WINDOW_S = 1.5
LEAST_S = 0.2  # the first round only draws from what reading the prompt left, in no time
STEP_S = 0.1
MOST_POINTS = 128


class RateMeter:
    """Folds rounds. Measures in the engine's own time, so a busy window does not change the figures.

    Attributes:
        points: the moving rate at even steps; where a reply is long, neighbours are merged and the step grows.
    """

    def __init__(self) -> None:
        self.points: list[float] = []
        self._recent: deque[tuple[int, float]] = deque()  # tokens, wall_s
        self._tokens = 0  # in `_recent`
        self._wall_s = 0.0
        self._step_s = STEP_S
        self._since_point_s = 0.0

    @property
    def rate(self) -> float | None:
        """Tokens per second over the last moment, None before there was one."""
        return self._tokens / self._wall_s if self._wall_s >= LEAST_S else None

    def add(self, event: DraftRound) -> None:
        self._recent.append((len(event.tokens), event.wall_s))
        self._tokens += len(event.tokens)
        self._wall_s += event.wall_s
        while len(self._recent) > 1 and self._wall_s - self._recent[0][1] >= WINDOW_S:
            tokens, wall_s = self._recent.popleft()
            self._tokens -= tokens
            self._wall_s -= wall_s
        self._since_point_s += event.wall_s
        if self._since_point_s >= self._step_s and self.rate is not None:
            self._since_point_s = 0.0
            self.points.append(self.rate)
            if len(self.points) > MOST_POINTS:
                pairs = zip(self.points[::2], self.points[1::2], strict=False)
                self.points = [(first + second) / 2 for first, second in pairs]
                self._step_s *= 2
