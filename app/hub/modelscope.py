"""ModelScope: another hub, with the same files under the same names for many repositories.

Its revisions are not the hub's, so a file is known by its SHA-256.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote

from app.hub.http import RefusedError, client, host_of, refusal, understanding
from app.hub.listing import HubModel, Listing, RepoFacts, list_models, match, with_all_parts
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind

ENDPOINT = "https://modelscope.cn"

_BRANCH = "master"
_REPO = re.compile(r"[\w-][\w.-]*/[\w.-]+", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ModelScope:
    """A `Source`. Thread-safe; the calls block on the network and raise EngineError as those of `Hub` do."""

    def __init__(self, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    @property
    def name(self) -> str:
        return host_of(self._endpoint)

    def url(self, model: RemoteModel, part: RemotePart) -> str:
        return f"{self._endpoint}/models/{model.repo}/resolve/{_BRANCH}/{quote(part.path)}"

    def headers(self) -> dict[str, str]:
        return {}  # the token is the hub's

    def repo_facts(self, repo: str) -> RepoFacts:
        """The list of files. ModelScope says nothing of gates there, and of licences elsewhere."""
        if not _REPO.fullmatch(repo) or ".." in repo:
            raise EngineError(ErrorKind.REPO_MISSING, repo=repo, host=self.name)
        with self._asking(repo), understanding(self.name):
            answer = client().get(
                f"{self._endpoint}/api/v1/models/{repo}/repo/files",
                params={"Revision": _BRANCH, "Recursive": "true"},
            )
            files = answer.json()["Data"]["Files"]
            parts = tuple(_part(file) for file in files if file.get("Type") != "tree")
        return RepoFacts(repo, _BRANCH, gated=False, licence="", files=parts)

    def listing(self, repo: str) -> Listing:
        """The models of a repository, and what is left out."""
        return list_models(self.repo_facts(repo))

    def models(self, repo: str) -> tuple[HubModel, ...]:
        """The models of a repository, smallest first."""
        return self.listing(repo).models

    def resolve(self, model: RemoteModel) -> RemoteModel:
        """As `Source.resolve`. The revision that is asked for is the hub's, and is not looked at."""
        return match(with_all_parts(model), self.repo_facts(model.repo), self.name)

    @contextmanager
    def _asking(self, repo: str) -> Iterator[None]:
        try:
            yield
        except RefusedError as error:
            page = f"{self._endpoint}/models/{repo}"
            raise refusal(error, repo=repo, page=page, has_token=False) from None


def _part(file: Mapping[str, object]) -> RemotePart:
    path, size, sha256 = file["Path"], file.get("Size"), file.get("Sha256")
    if not isinstance(path, str):
        raise TypeError(path)
    return RemotePart(
        path,
        size if isinstance(size, int) and size >= 0 else None,
        sha256.lower() if isinstance(sha256, str) and _SHA256.fullmatch(sha256.lower()) else None,
    )
