"""The hub's own library, imported so that no variable of the environment spoils it.

It reads them while it is imported, and one that makes no sense makes it print to stdout and fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from app.model_settings import ENDPOINT_VARIABLE, is_endpoint

__all__ = ["HfApi", "ModelInfo", "RepoSibling", "constants", "get_hf_file_metadata", "set_client_factory"]

_NUMBERS = ("HF_HUB_ETAG_TIMEOUT", "HF_HUB_DOWNLOAD_TIMEOUT")  # of no use here: our client has its own


@contextmanager
def _sensible_environment() -> Iterator[None]:
    """Without the variables that would spoil the import; another thread may read all others meanwhile."""
    endpoint = os.environ.get(ENDPOINT_VARIABLE)
    hidden = _NUMBERS if endpoint is None or is_endpoint(endpoint) else (*_NUMBERS, ENDPOINT_VARIABLE)
    kept = {name: os.environ.pop(name) for name in hidden if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


with _sensible_environment():
    from huggingface_hub import HfApi, constants, get_hf_file_metadata, set_client_factory
    from huggingface_hub.hf_api import ModelInfo, RepoSibling
