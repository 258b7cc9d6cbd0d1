"""What can be told of a pair from its files' headers, before anything that is loaded is given up for it."""

from __future__ import annotations

from engine import gguf
from engine.types import LoadRequest
from engine.vocabulary import require_match


def check_files(request: LoadRequest) -> None:
    """Read the headers of both files, which takes up to a second for large vocabularies.

    Raises:
        EngineError: what the engine would refuse for the same reason.
    """
    target = gguf.read_header(request.target)
    gguf.check_loadable(target)
    if request.draft is not None:
        draft = gguf.read_header(request.draft)
        gguf.check_loadable(draft)
        require_match(target, draft)
