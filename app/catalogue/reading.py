"""The catalogue: the pairs that come with the program, and over them those of the user's own file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from app.catalogue import document
from app.catalogue.entries import pair_of
from app.catalogue.shipped import shipped_file
from app.model_values import CataloguePair
from app.paths import Paths
from app.starter import STARTER_ID
from engine.errors import EngineError, ErrorKind, ErrorReport

FILE_NAME = "models.json"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What is known of pairs, without the starter pair.

    Attributes:
        problems: files and entries that were left out.
    """

    pairs: tuple[CataloguePair, ...]
    problems: tuple[ErrorReport, ...] = ()

    def pair(self, pair_id: str) -> CataloguePair:
        """Raises EngineError(PAIR_UNKNOWN) with names that are near, where there is no such pair."""
        for pair in self.pairs:
            if pair.id == pair_id:
                return pair
        names = [STARTER_ID, *(pair.id for pair in self.pairs)]
        near = ", ".join(get_close_matches(pair_id.lower(), names))
        raise EngineError(ErrorKind.PAIR_UNKNOWN, id=pair_id, near=near)


def read_catalogue(paths: Paths) -> Catalogue:
    """The shipped pairs in their order, each replaced by the user's own of the same id, and the user's others after
    them. Some milliseconds where there is no user's file. What is broken is left out and reported."""
    problems: list[ErrorReport] = []
    pairs: dict[str, CataloguePair] = {}
    for path, trusted in ((shipped_file(FILE_NAME), True), (paths.data / FILE_NAME, False)):
        try:
            text = document.read_text(path)
            found = _pairs(path, document.entries_of(text, path), problems, trusted=trusted)
            pairs |= {pair.id: pair for pair in found}
        except FileNotFoundError:
            if trusted:
                problems.append(document.broken(path, "it is not there").report)
        except EngineError as error:
            problems.append(error.report)
    return Catalogue(tuple(pairs.values()), tuple(problems))


def _pairs(
    path: Path, entries: list[object], problems: list[ErrorReport], *, trusted: bool
) -> Iterator[CataloguePair]:
    """The pairs of a file. Those of a trusted one, which the tests check, are taken as they are."""
    if trusted:
        yield from (pair_of(entry) for entry in entries if isinstance(entry, dict))
        return
    from app.catalogue.rules import first_mistake, name_of

    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        name = name_of(entry, number)
        mistake = "the id stands twice" if name in seen else first_mistake(entry)
        if mistake is not None or not isinstance(entry, dict):
            problems.append(document.broken(path, mistake or "", name).report)
            continue
        seen.add(name)
        yield pair_of(entry)
