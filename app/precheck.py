"""What can be told of a pair from its files' headers, before anything that is loaded is given up for it."""

from __future__ import annotations

from engine import gguf
from engine.types import LoadRequest
from engine.vocabulary import require_match

Headers = tuple[gguf.GgufHeader, ...]  # of all parts of a model


def check_files(request: LoadRequest) -> tuple[Headers, Headers | None]:
    """Read the headers of target and draft, which takes up to a second for large vocabularies, and give them.

    Raises:
        EngineError: what the engine would refuse for the same reason.
    """
    target = gguf.check_loadable(gguf.read_header(request.target))
    if request.draft is None:
        return target, None
    draft = gguf.check_loadable(gguf.read_header(request.draft))
    require_match(target[0], draft[0])
    return target, draft
