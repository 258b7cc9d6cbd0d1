"""The catalogue: the pairs that come with the program, and over them those of the user's own file."""

from __future__ import annotations

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
    shipped = shipped_file(FILE_NAME)
    try:
        pairs = _shipped_pairs(shipped, document.entries_of(document.read_text(shipped), shipped), problems)
    except FileNotFoundError:
        problems.append(document.broken(shipped, "it is not there").report)
    except EngineError as error:
        problems.append(error.report)
    own = paths.data / FILE_NAME
    try:
        numbered, mistakes = read_pairs(own, document.entries_of(document.read_text(own), own))
        pairs |= {pair.id: pair for _, pair in numbered}
        problems += mistakes
    except FileNotFoundError:
        pass  # as most have it
    except EngineError as error:
        problems.append(error.report)
    return Catalogue(tuple(pairs.values()), tuple(problems))


def _shipped_pairs(path: Path, entries: list[object], problems: list[ErrorReport]) -> dict[str, CataloguePair]:
    """The pairs as they are, since the tests hold them against the rules; only where somebody has broken them, the
    rules are asked again, which takes a tenth of a second."""
    try:
        pairs = [pair_of(entry) for entry in entries if isinstance(entry, dict)]
    except (KeyError, TypeError, ValueError):
        numbered, mistakes = read_pairs(path, entries)
        problems += mistakes
        pairs = [pair for _, pair in numbered]
    return {pair.id: pair for pair in pairs}


def read_pairs(path: Path, entries: list[object]) -> tuple[list[tuple[int, CataloguePair]], list[ErrorReport]]:
    """The valid entries with their index in the file, and what is wrong with the others."""
    from app.catalogue.rules import first_mistake, name_of  # with what checks schemas

    pairs: dict[str, tuple[int, CataloguePair]] = {}
    problems: list[ErrorReport] = []
    for index, entry in enumerate(entries):
        name = name_of(entry, index + 1)
        mistake = "the id stands twice" if name in pairs else first_mistake(entry)
        if isinstance(entry, dict) and mistake is None:
            pairs[name] = index, pair_of(entry)
        else:
            problems.append(document.broken(path, mistake or "", name).report)
    return list(pairs.values()), problems
