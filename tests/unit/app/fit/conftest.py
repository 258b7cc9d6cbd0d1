"""Models on paper, as large as real ones, and searches for pairs of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from app.devices.device import Machine
from app.fit.figures import FileFigures
from app.fit.files import estimator, rooms
from app.fit.history import FitHistory
from app.fit.placing import Pair
from app.fit.search import Search
from app.fit.values import DeviceFit
from engine import gguf
from tests.fakes.gguf_headers import real_sizes

TRAINED = 131072

MakeSearch = Callable[..., Search]
HeaderOf = Callable[[str], gguf.GgufHeader]


def enough(part: DeviceFit) -> int:
    """Free bytes with which a pair just fits."""
    return part.need_bytes + part.margin_bytes


@pytest.fixture(scope="session")
def header_of(tmp_path_factory: pytest.TempPathFactory) -> HeaderOf:
    """The header of a model of `real_sizes`, trained with TRAINED tokens."""
    folder = tmp_path_factory.mktemp("headers")

    @cache
    def header(name: str) -> gguf.GgufHeader:
        model = real_sizes()[name]
        model.keys["context_length"] = TRAINED
        return gguf.read_header(model.write(folder / f"{name}.gguf", whole=True))

    return header


@pytest.fixture
def search(header_of: HeaderOf, tmp_path_factory: pytest.TempPathFactory) -> MakeSearch:
    """Makes the search for a target, perhaps with a draft, on a machine of which nothing was learned."""
    nothing = FitHistory(tmp_path_factory.getbasetemp() / "no history")

    def figures(name: str) -> FileFigures:
        header = header_of(name)
        return FileFigures(header, estimator(header))

    def make(machine: Machine, target: str, draft: str | None = None) -> Search:
        pair = Pair(figures(target), None if draft is None else figures(draft))
        return Search(pair, rooms(machine, nothing))

    return make
