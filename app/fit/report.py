"""The whole answer for one pair and one way to load it."""

from __future__ import annotations

from collections.abc import Sequence

from app.fit.advice import OtherDraft, advise
from app.fit.placing import layers_on_gpu
from app.fit.search import Search
from app.fit.values import FitReport, PairSettings, Verdict


def fit_report(
    search: Search, settings: PairSettings, other_drafts: Sequence[OtherDraft] = (), *, with_advice: bool = True
) -> FitReport:
    """Some milliseconds by arithmetic, a fraction of a second where llama.cpp is asked.

    Args:
        other_drafts: smaller ones for the same target, largest first.
        with_advice: False leaves the advice out, for lists of many pairs.

    Raises:
        EngineError: where the pair cannot even be estimated.
    """
    placement = search.measured(settings)
    layers = layers_on_gpu(search.pair, settings, search.rooms.machine)
    fits = placement.verdict is Verdict.FITS
    return FitReport(
        settings=settings,
        placement=placement,
        largest_ctx=search.largest_ctx(settings),
        layers=search.pair.target.layers,
        fitting_layers=layers if fits else search.fitting_layers(settings),
        not_measured=search.not_measured,
        advice=advise(search, settings, placement, other_drafts) if with_advice and not fits else (),
    )
