"""The repositories of the fake hub, and what the real one's API says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

POINTER_BYTES = 135
PLAIN_SUFFIXES = (".md", ".json", ".txt", ".gitattributes")  # kept in git itself, without a sha256

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Commit:
    """The files of a repository at one time. Contents may be anything with bytes in it, a mapped file as well."""

    sha: str
    files: Mapping[str, bytes]


@dataclass(slots=True)
class Repo:
    """One repository.

    Attributes:
        id: "owner/name" in its true letters.
        gated: False, "auto" or "manual".
        hidden: private: there for tokens in FakeHub.accepted only.
        gguf: the "gguf" block of the API, None where the hub has not read the files.
        commits: the last one is "main" and "master".
    """

    id: str
    licence: str = "apache-2.0"
    gated: str | bool = False
    hidden: bool = False
    downloads: int = 1000
    likes: int = 10
    tags: tuple[str, ...] = ("gguf", "text-generation")
    base_model: str | None = None
    updated: str = "2026-08-01T12:00:00.000Z"
    gguf: Document | None = None
    commits: list[Commit] = field(default_factory=list)

    def commit(self, changes: Mapping[str, bytes | None]) -> str:
        """Add, replace or (None) remove files. Gives the new commit."""
        before = self.commits[-1].files if self.commits else {}
        files = {path: content for path, content in {**before, **changes}.items() if content is not None}
        sha = hashlib.sha1(f"{self.id} {len(self.commits)}".encode()).hexdigest()
        self.commits.append(Commit(sha, files))
        return sha

    def at(self, revision: str) -> Commit | None:
        """The commit that a name or a commit's own number means."""
        if revision in ("main", "master"):
            return self.commits[-1]
        return next((commit for commit in self.commits if commit.sha == revision), None)


@lru_cache(maxsize=64)
def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_lfs(path: str) -> bool:
    return not path.endswith(PLAIN_SUFFIXES)


def blob_id(path: str, content: bytes) -> str:
    """The file's number in git: of the pointer, where the content is elsewhere."""
    if is_lfs(path):
        content = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (
            sha256(content).encode(),
            len(content),
        )
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def model_info(repo: Repo, commit: Commit, *, blobs: bool) -> Document:
    """`GET /api/models/{repo}`, which shows gated repositories to everybody."""
    siblings: list[Document] = []
    for path, content in commit.files.items():
        sibling: Document = {"rfilename": path}
        if blobs:
            sibling |= {"size": len(content), "blobId": blob_id(path, content)}
            if is_lfs(path):
                sibling["lfs"] = {"size": len(content), "sha256": sha256(content), "pointerSize": POINTER_BYTES}
        siblings.append(sibling)
    card: Document = {"license": repo.licence}
    if repo.base_model is not None:
        card["base_model"] = repo.base_model
    document = listed(repo) | {
        "author": repo.id.split("/")[0],
        "sha": commit.sha,
        "disabled": False,
        "cardData": card,
        "siblings": siblings,
        "spaces": [],
        "usedStorage": sum(len(content) for content in commit.files.values()),
    }
    if repo.gguf is not None:
        document["gguf"] = repo.gguf
    return document


def listed(repo: Repo) -> Document:
    """One entry of `GET /api/models`."""
    return {
        "_id": hashlib.sha1(repo.id.encode()).hexdigest()[:24],
        "id": repo.id,
        "modelId": repo.id,
        "private": repo.hidden,
        "gated": repo.gated,
        "downloads": repo.downloads,
        "likes": repo.likes,
        "lastModified": repo.updated,
        "createdAt": repo.updated,
        "tags": [*repo.tags, f"license:{repo.licence}"],
        "pipeline_tag": "text-generation",
        "library_name": "gguf",
    }


def tree(commit: Commit, folder: str, *, recursive: bool) -> list[Document]:
    """`GET /api/models/{repo}/tree/{revision}`."""
    prefix = f"{folder}/" if folder else ""
    entries: list[Document] = []
    folders: set[str] = set()
    for path, content in commit.files.items():
        if not path.startswith(prefix):
            continue
        parents = path[len(prefix) :].split("/")[:-1]
        for depth in range(1, len(parents) + 1 if recursive else min(2, len(parents) + 1)):
            name = prefix + "/".join(parents[:depth])
            if name not in folders:
                folders.add(name)
                oid = hashlib.sha1(name.encode()).hexdigest()
                entries.append({"type": "directory", "oid": oid, "size": 0, "path": name})
        if recursive or not parents:
            entries.append(tree_file(path, content))
    return entries


def tree_file(path: str, content: bytes) -> Document:
    """A file in a tree."""
    entry: Document = {"type": "file", "oid": blob_id(path, content), "size": len(content), "path": path}
    if is_lfs(path):
        entry["lfs"] = {"oid": sha256(content), "size": len(content), "pointerSize": POINTER_BYTES}
        entry["xetHash"] = hashlib.sha256(b"xet" + sha256(content).encode()).hexdigest()
    return entry


def modelscope_files(commit: Commit) -> Document:
    """`GET /api/v1/models/{repo}/repo/files` of ModelScope."""
    files = [
        {
            "Name": path.rsplit("/", 1)[-1],
            "Path": path,
            "Type": "blob",
            "Size": len(content),
            "Sha256": sha256(content),
            "IsLFS": is_lfs(path),
            "Revision": commit.sha,
            "CommittedDate": 1_750_000_000,
        }
        for path, content in commit.files.items()
    ]
    return {"Code": 200, "Data": {"Files": files}, "Message": "success", "RequestId": "0", "Success": True}
