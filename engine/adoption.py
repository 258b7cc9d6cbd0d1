"""A draft that is the target at a lower precision goes on from what the target has read.

What the target computed of each token of a text stands in its cache; what such a draft would compute is nearly the
same, so it is copied. Of SmolLM2 135M at F32 and Q4_1, 200 tokens take 2 ms instead of 700, and what the draft guesses
after them is nearer to the target than after its own reading. A guess may come from anything, as long as its row is the
one that it was drawn from, so the text stays what it is. docs/adr/0015 has more.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Final

import numpy as np

from engine.costs import Costs
from engine.decoder import Decoder
from engine.distribution import Logits

WORTH: Final = 2.0  # times: so much less must copying take than reading, as both are known roughly
AS_GOOD: Final = 2.0  # times the draft's own distance from the target: more, and what was copied means something else
ALIKE: Final = 0.02  # nats of distance that say nothing


@dataclass(frozen=True, slots=True)
class Adoption:
    """For a draft of which `adopts` said yes.

    Attributes:
        source: the target.
        token_s: seconds that copying takes for each token of the context.
        costs: of passes, now.
    """

    source: Decoder
    token_s: float
    costs: Costs

    def seconds(self) -> float:
        """To copy what the target holds."""
        return self.token_s * len(self.source.tokens)

    def pays(self, unread: int) -> bool:
        """Whether copying takes clearly less time than reading so many tokens, of which one is read in any case; and
        whether there is memory for it."""
        quicker = unread > 1 and WORTH * self.seconds() < self.costs.reading(unread) - self.costs.draft()
        return quicker and self.source.can_save()

    def bring(self, draft: Decoder) -> bool:
        """As the function."""
        return bring(self.source, draft)


def bring(source: Decoder, draft: Decoder) -> bool:
    """Make the draft's cache hold what the source's does, in time that the draft spends; False if it cannot."""
    begin = perf_counter()
    state = source.save()
    brought = state is not None and draft.restore(state)
    draft.spent_s += perf_counter() - begin
    return brought


def adopts(target: Logits, own: Logits, adopted: Logits) -> bool:
    """Whether a draft does as well with what it copied as with what it read.

    Args:
        target: logits [vocab] after a text.
        own: the draft's after reading it.
        adopted: the draft's after the same text, all of which but the last token was copied.
    """
    size = min(len(target), len(own))
    p = _shares(target[:size])
    distances = [float(np.sum(p * np.log(p / _shares(row[:size])))) for row in (own, adopted)]
    return bool(np.isfinite(distances).all()) and distances[1] <= AS_GOOD * distances[0] + ALIKE


def _shares(logits: Logits) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Probabilities [vocab], none of them 0."""
    values = np.exp(logits.astype(np.float64) - logits.max()) + 1e-12
    return np.asarray(values / values.sum())
