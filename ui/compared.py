"""What a comparison is of, and its replies as they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median_low

from app.compare.values import Arm, ComparePlan
from app.rate_meter import RateMeter
from engine.stats import ReplyFold
from engine.types import LoadedPair, LoadRequest
from ui.compare_settings import CompareSettings


@dataclass(slots=True)
class Written:
    """A reply of one side.

    Attributes:
        meter: speed while it was written.
        drafted: by round, how many tokens were proposed.
    """

    fold: ReplyFold
    meter: RateMeter = field(default_factory=RateMeter)
    drafted: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float | None:
        """Tokens per second: of the moment while it is written, of all of it afterwards."""
        return self.meter.rate if self.fold.end is None else self.fold.stats.tokens_per_s

    @property
    def usual_length(self) -> int:
        """The median of the rounds that proposed something; 0 where most did not."""
        lengths = [drafted for drafted in self.drafted if drafted]
        return median_low(lengths) if 2 * len(lengths) > len(self.drafted) else 0


@dataclass(slots=True)
class Compared:
    """What a comparison is of, and its replies.

    Attributes:
        newest: the one that was begun last.
        complete: the last whole one of each side.
        by_time: the draft length was chosen by time although 0 was set, which would compare off with off.
        parting: those of the first pair that differs; empty while none does.
    """

    plan: ComparePlan
    settings: CompareSettings
    pair: LoadedPair
    load: LoadRequest
    by_time: bool = False
    newest: Written | None = None
    complete: dict[Arm, Written] = field(default_factory=dict)
    parting: dict[Arm, Written] = field(default_factory=dict)
