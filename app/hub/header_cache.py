"""What is kept of the headers of models that are not on this computer: enough to tell whether they would fit.

One file for each part, some 20 KB: the header without its tokenizer, and behind it the hash of these bytes, so that
what a crash or a full disk left of one is no header. Names of servers never become paths.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from app.hub.names import collision_key
from app.hub.source import Source
from app.model_values import RemoteModel, RemotePart
from app.paths import make_folder, storage_error
from app.small_file import read_small_bytes, write_small_file
from engine.errors import EngineError, ErrorKind

# Asking somebody else will not help.
_FINAL: Final = frozenset({ErrorKind.DOWNLOAD_CANCELLED, ErrorKind.FOLDER_UNWRITABLE, ErrorKind.DISK_FULL})
_FORMAT: Final = 1  # part of each name: what an older program kept is not found


class HeaderCache:
    """Thread-safe and disposable; several programs may share the folder. Its calls block on the disk."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made when something is to be kept."""
        self._folder = folder
        self._lock = threading.Lock()

    def find(self, model: RemoteModel) -> tuple[Path, ...] | None:
        """The headers of all parts, in order, for `app.fit.files.figures`; None where one is missing or damaged."""
        files = self._files(model)
        return files if all(map(_is_whole, files)) else None

    def fetch(self, source: Source, model: RemoteModel, cancelled: Callable[[], bool]) -> tuple[Path, ...]:
        """What is kept, or else what is read from the source, some megabytes for each part, and kept from now on.

        A model whose size nobody has told yet is looked up first: only that tells a repository that is not there from
        one that is gated.

        Raises:
            EngineError: as `Source.resolve` and `read_remote_header` do, FOLDER_UNWRITABLE, DISK_FULL.
        """
        from app.hub.remote_header import read_stripped_headers  # with HTTP, which what is kept can do without

        if (found := self.find(model)) is not None:
            return found
        make_folder(self._folder)  # what cannot be kept need not come
        there = source.resolve(model) if model.size_bytes is None else model
        headers = read_stripped_headers(source, there, cancelled)
        files = self._files(model)
        with self._lock:
            for file, header in zip(files, headers, strict=True):
                if not _is_whole(file):  # no other thread was quicker: on Windows a file that is read stays
                    _keep(file, header)
        return files

    def fetch_from(
        self, sources: Callable[[], Sequence[Source]], model: RemoteModel, cancelled: Callable[[], bool]
    ) -> tuple[Path, ...]:
        """What is kept, or else as `fetch` from the first source that has it.

        Args:
            sources: gives them in the order to try; not called where the headers are kept.

        Raises:
            EngineError: OFFLINE, which names the file, what else `sources` raises, or why the first one did not have
                it.
        """
        if (found := self.find(model)) is not None:
            return found
        try:
            places = sources()
        except EngineError as error:
            if error.report.kind is not ErrorKind.OFFLINE:
                raise
            raise EngineError(ErrorKind.OFFLINE, file=model.file_name) from error
        refusals = []
        for source in places:
            try:
                return self.fetch(source, model, cancelled)
            except EngineError as error:
                if error.report.kind in _FINAL:
                    raise
                refusals.append(error)
        raise refusals[0]

    def _files(self, model: RemoteModel) -> tuple[Path, ...]:
        return tuple(self._folder / _name(model, part) for part in model.parts)


def _name(model: RemoteModel, part: RemotePart) -> str:
    """The same for names that differ only in letter case, as they do for hubs."""
    names = json.dumps([_FORMAT, collision_key(model.repo), model.revision, collision_key(part.path)])
    return f"{hashlib.sha256(names.encode()).hexdigest()[:32]}.gguf"


def _is_whole(file: Path) -> bool:
    try:
        data = read_small_bytes(file)
    except OSError:
        return False
    size = len(data) - hashlib.sha256().digest_size
    return size > 0 and hashlib.sha256(data[:size]).digest() == data[size:]


def _keep(file: Path, header: bytes) -> None:
    """Whole or not at all."""
    try:
        write_small_file(file, header + hashlib.sha256(header).digest())
    except OSError as error:
        raise storage_error(file.parent, error) from error
