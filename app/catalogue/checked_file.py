"""A catalogue's file that is checked, and corrected where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.catalogue import document
from app.catalogue.check import CheckedPair
from app.catalogue.reading import Catalogue, read_pairs
from app.catalogue.rewriting import Place, Scalar, replace_values, write_text
from engine.errors import EngineError, ErrorKind


class CheckedCatalogueFile:
    """Attributes:
    catalogue: its valid pairs, and what is wrong with the others.
    """

    def __init__(self, path: Path) -> None:
        """Raises EngineError: FILE_MISSING, CATALOGUE_BROKEN."""
        self._path = path
        try:
            self._text = document.read_text(path)
        except FileNotFoundError:
            raise EngineError(ErrorKind.FILE_MISSING, path=str(path)) from None
        numbered, problems = read_pairs(path, document.entries_of(self._text, path))
        self._numbers = {pair.id: number for number, pair in numbered}
        self.catalogue = Catalogue(tuple(pair for _, pair in numbered), tuple(problems))

    def write(self, checked: Sequence[CheckedPair]) -> int:
        """Put what the hub says into the file; gives how many values that changes. Raises EngineError."""
        changes: dict[Place, Scalar] = {
            ("pairs", self._numbers[one.pair.id], *difference.place): difference.hub
            for one in checked
            for difference in one.differences
        }
        if changes:
            write_text(self._path, replace_values(self._text, changes))
        return len(changes)
