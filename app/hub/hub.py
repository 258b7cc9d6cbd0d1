"""The hub, or a mirror that speaks its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from urllib.parse import quote

from app.hub.http import RefusedError, host_of, new_client, refusal, understanding
from app.hub.library import HfApi, ModelInfo, RepoSibling, constants, get_hf_file_metadata, set_client_factory
from app.hub.listing import HubModel, Listing, RepoFacts, list_models, match, same_file, with_all_parts
from app.hub.token import Token
from app.model_settings import DEFAULT_ENDPOINT
from app.model_values import RemoteModel, RemotePart
from app.version import VERSION
from engine.errors import EngineError, ErrorKind

# The library's own client waits for ever and tries again for half a minute; ours fails at once, with a reason.
set_client_factory(new_client)
# It would tell the hub about this computer, and ask huggingface.co for more to tell even where a mirror is set.
constants.HF_HUB_DISABLE_TELEMETRY = True

MAX_FILES = 20_000  # of one repository

_REPO = re.compile(r"[\w-][\w.-]{0,95}/[\w.-]{1,96}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_BRANCH = "main"


@dataclass(frozen=True, slots=True)
class FoundRepo:
    """A repository with GGUF files.

    Attributes:
        licence: "" where the hub does not say. updated: None likewise.
    """

    id: str
    downloads: int
    likes: int
    licence: str
    gated: bool
    updated: datetime | None


class Hub:
    """A `Source`. Thread-safe; the calls block on the network.

    All raise EngineError: HUB_UNREACHABLE, HUB_REFUSED, HUB_BUSY, TOKEN_REFUSED, SETTING_INVALID where HF_TOKEN
    cannot be a token, and those that name a repository also REPO_MISSING and REPO_GATED.
    """

    def __init__(self, endpoint: str, token: Token) -> None:
        """`endpoint`: an address without a slash at its end."""
        self._endpoint = endpoint
        self._token = token
        self._api = HfApi(endpoint=endpoint, library_name="draftlight", library_version=VERSION)

    @property
    def name(self) -> str:
        return host_of(self._endpoint)

    def url(self, model: RemoteModel, part: RemotePart) -> str:
        return f"{self._endpoint}/{model.repo}/resolve/{quote(model.revision, safe='')}/{quote(part.path)}"

    def headers(self) -> dict[str, str]:
        token = self._token.load()
        return {} if token is None else {"Authorization": f"Bearer {token}"}

    def search(self, text: str, limit: int = 30) -> tuple[FoundRepo, ...]:
        """Repositories with GGUF files, those that are downloaded most first."""
        with self._asking(""), understanding(self.name):
            found = self._api.list_models(
                search=text,
                filter="gguf",
                sort="downloads",
                limit=limit,
                expand=["downloads", "likes", "gated", "lastModified", "tags"],
                token=self._hub_token(),
            )
            return tuple(_found(info) for info in islice(found, limit) if _REPO.fullmatch(info.id))

    def repo_facts(self, repo: str, revision: str = _BRANCH) -> RepoFacts:
        """What the hub says of a repository, whose name may be written in other letter case, or be its old one."""
        self._check_name(repo)
        with self._asking(repo), understanding(self.name):
            info = self._api.model_info(
                repo,
                revision=None if revision == _BRANCH else revision,
                files_metadata=True,
                token=self._hub_token(),
            )
            return RepoFacts(
                repo=info.id if _REPO.fullmatch(info.id) else repo,
                commit=info.sha if info.sha and _COMMIT.fullmatch(info.sha) else revision,
                gated=bool(info.gated),
                licence=_licence(info),
                files=tuple(_part(sibling) for sibling in islice(info.siblings or (), MAX_FILES)),
            )

    def listing(self, repo: str) -> Listing:
        """The models of a repository, and what is left out."""
        return list_models(self.repo_facts(repo))

    def models(self, repo: str) -> tuple[HubModel, ...]:
        """The models of a repository, smallest first."""
        return self.listing(repo).models

    def resolve(self, model: RemoteModel) -> RemoteModel:
        """As `Source.resolve`. Where lists of files are not to be had, the files themselves are asked for.

        A commit that is not there (any more) gives way to the newest one if the files' SHA-256 hold them to be the
        same. Where one part of a split model is named, all of them are meant.
        """
        model = with_all_parts(model)
        try:
            return match(model, self.repo_facts(model.repo, model.revision), self.name)
        except EngineError as error:
            kind = error.report.kind
            if kind in (ErrorKind.HUB_REFUSED, ErrorKind.HUB_BUSY, ErrorKind.REPO_MISSING):
                return self._resolve_without_list(model, error)
            held = all(part.sha256 for part in model.parts)
            if kind is ErrorKind.REPO_FILE_MISSING and model.revision != _BRANCH and held:
                return match(model, self.repo_facts(model.repo), self.name)
            raise

    def _resolve_without_list(self, model: RemoteModel, refusal_of_list: EngineError) -> RemoteModel:
        self._check_name(model.repo)
        commits, parts = set(), []
        for part in model.parts:
            try:
                commit, found = self._ask_for_file(model, part)
            except EngineError as error:
                missing = (ErrorKind.REPO_MISSING, ErrorKind.REPO_FILE_MISSING)
                if error.report.kind in missing and refusal_of_list.report.kind is ErrorKind.REPO_MISSING:
                    raise refusal_of_list from error
                raise
            commits.add(commit)
            parts.append(same_file(part, found, model.repo))
        revision = commits.pop() if len(commits) == 1 else model.revision
        return RemoteModel(model.repo, revision, tuple(parts))

    def _ask_for_file(self, model: RemoteModel, part: RemotePart) -> tuple[str, RemotePart]:
        """Its commit, and itself with its size and SHA-256 as far as the headers tell."""
        with self._asking(model.repo, part.path), understanding(self.name):
            told = get_hf_file_metadata(self.url(model, part), token=self._hub_token(), endpoint=self._endpoint)
        commit = told.commit_hash if told.commit_hash and _COMMIT.fullmatch(told.commit_hash) else model.revision
        return commit, RemotePart(part.path, _size(told.size), _sha256(told.etag))

    @contextmanager
    def _asking(self, repo: str, file: str = "") -> Iterator[None]:
        try:
            yield
        except RefusedError as error:
            has_token = self._token.load() is not None
            page = f"{DEFAULT_ENDPOINT}/{repo}"  # licences are accepted at the hub itself: mirrors know no users
            raise refusal(error, repo=repo, file=file, page=page, has_token=has_token) from None

    def _check_name(self, repo: str) -> None:
        if not _REPO.fullmatch(repo) or ".." in repo:
            raise EngineError(ErrorKind.REPO_MISSING, repo=repo, host=self.name)

    def _hub_token(self) -> str | bool:
        return self._token.load() or False  # None would let the library look for tokens of other programs


def _found(info: ModelInfo) -> FoundRepo:
    return FoundRepo(
        id=info.id,
        downloads=info.downloads if isinstance(info.downloads, int) else 0,
        likes=info.likes if isinstance(info.likes, int) else 0,
        licence=_licence(info),
        gated=bool(info.gated),
        updated=info.last_modified,
    )


def _licence(info: ModelInfo) -> str:
    stated = getattr(info.card_data, "license", None)
    tags: Iterable[object] = info.tags or ()
    tagged = (tag.removeprefix("license:") for tag in tags if isinstance(tag, str) and tag.startswith("license:"))
    return stated if isinstance(stated, str) else next(tagged, "")


def _part(sibling: RepoSibling) -> RemotePart:
    if not isinstance(sibling.rfilename, str):
        raise TypeError(sibling.rfilename)
    sha256 = None if sibling.lfs is None else sibling.lfs.sha256
    return RemotePart(sibling.rfilename, _size(sibling.size), _sha256(sha256))


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _sha256(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and _SHA256.fullmatch(value.lower()) else None
