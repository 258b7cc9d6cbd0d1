"""A server's names lead to files below the models folder, on every system, or to a refusal."""

from __future__ import annotations

import ntpath
import posixpath
import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.hub.names import MAX_DEPTH, MAX_NAME_BYTES, collision_key, local_path, printable
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind

MODELS = Path("/data/models")

BIDI = "\u202e"
HOSTILE = [
    "..",
    "../x.gguf",
    "a/../../x.gguf",
    "/etc/x.gguf",
    "//server/share/x.gguf",
    "C:/x.gguf",
    "C:x.gguf",
    "a\\..\\x.gguf",
    "\\\\server\\x.gguf",
    "a//x.gguf",
    "./x.gguf",
    "a/./x.gguf",
    "x.gguf/",
    "x.gguf:stream.gguf",
    "CON.gguf",
    "con.gguf",
    "nul.tar.gguf",
    "a/COM1/x.gguf",
    "COM¹.gguf",
    "lpt9 .gguf",
    "CONIN$.gguf",
    "x.gguf.",
    "x.gguf ",
    " x.gguf",
    ".gguf",
    ".hidden/x.gguf",
    "folder./x.gguf",
    "folder /x.gguf",
    "x\0.gguf",
    "x\n.gguf",
    "x\x1b[2J.gguf",
    "x\x7f.gguf",
    "x\u2028.gguf",
    f"x{BIDI}fugg.gguf",
    "x\u2066y.gguf",
    "x\ufeff.gguf",
    "x\ud800.gguf",
    "what?.gguf",
    "a*.gguf",
    "a|b.gguf",
    'a"b.gguf',
    "x.gguf.part",
    "x.safetensors",
    "x",
    "",
    "/".join("abcdefgh") + "/x.gguf",
]
HARMLESS = [
    "x.gguf",
    "Qwen3-8B-Q4_K_M.GGUF",
    "with blanks in it.gguf",
    "Q4_K_M/model-00001-of-00002.gguf",
    "中文模型.gguf",
    "ünïcödé.gguf",
    "😀 模型 👨\u200d👩\u200d👧.gguf",
    "a" * 200 + ".gguf",
    "CONSOLE.gguf",
    "COM10.gguf",
    "a.b.c.gguf",
    "-x.gguf",
    "~$x.gguf",
    "%2e%2e%2fx.gguf",
    "$(HOME).gguf",
    "a'b;c&d.gguf",
]


def path_of(path: str, repo: str = "owner/repo") -> Path:
    return local_path(MODELS, RemoteModel(repo, "main", (RemotePart(path),)), RemotePart(path))


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_names_are_refused(path: str) -> None:
    """What leaves the folder, means a device or a stream, or hides what it is, is refused with a reason."""
    with pytest.raises(EngineError) as caught:
        path_of(path)
    report = caught.value.report
    assert report.kind is ErrorKind.NAME_UNSAFE
    assert report.fact("reason")
    assert str(report.fact("name")).isprintable()


@pytest.mark.parametrize("path", HARMLESS)
def test_harmless_names_are_used_as_they_are(path: str) -> None:
    """Blanks, other scripts, emoji and 200 letters are names like others."""
    assert path_of(path) == MODELS.joinpath("owner", "repo", *path.split("/"))


@pytest.mark.parametrize("repo", ["repo", "a/b/c", "../..", "a/..", "/b", "a/", "NUL/x", "a\\b/c", "a/b:c", ""])
def test_repositories_are_held_to_the_same(repo: str) -> None:
    """A repository's name cannot do what a file's cannot."""
    with pytest.raises(EngineError) as caught:
        path_of("x.gguf", repo)
    assert caught.value.report.kind is ErrorKind.NAME_UNSAFE


tricky = st.sampled_from(
    [*"/\\.:~ \0…", "..", "CON", "nul", "COM1", BIDI, "é", "é", "ſ", "K", "K", "中" * 90, "a" * 240]
)
segments = st.lists(st.text(max_size=6) | tricky, max_size=8).map("".join)
paths = st.lists(segments, min_size=1, max_size=MAX_DEPTH + 1).map(lambda parts: "/".join(parts) + ".gguf")


def accepted(path: str) -> Path | None:
    try:
        return path_of(path)
    except EngineError:
        return None


@given(paths)
@example("…" * 100 + ".gguf")
@example("a" * 5000 + ".gguf")
def test_every_name_stays_inside_on_every_system(path: str) -> None:
    """An accepted path has the server's depth, no step up, no root, and names that every disk takes."""
    found = accepted(path)
    if found is None:
        return
    names = found.relative_to(MODELS).parts
    assert len(names) == 2 + len(path.split("/"))
    relative = "/".join(names)
    assert posixpath.normpath(relative) == relative
    assert ntpath.normpath(relative) == relative.replace("/", "\\")
    windows = PureWindowsPath(relative)
    assert not windows.is_absolute()
    assert not windows.drive
    assert not windows.is_reserved()
    assert PurePosixPath(relative).suffix.lower() == ".gguf"
    for name in names:
        assert 0 < len(name.encode()) <= MAX_NAME_BYTES
        assert name == name.strip(" .")
        assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in name)


@given(paths, paths)
@example("…a.gguf", "_a.gguf")
@example("中" * 100 + ".gguf", "中" * 101 + ".gguf")
@example("A" * 300 + ".gguf", "a" * 300 + ".gguf")
def test_two_names_never_become_one(one: str, other: str) -> None:
    """Different names lead to different files; even on a disk that knows no letter case, if they differ in more."""
    first, second = accepted(one), accepted(other)
    if first is None or second is None or one == other:
        return
    assert first != second
    if collision_key(one) != collision_key(other):
        assert collision_key(str(first)) != collision_key(str(second))


def test_long_names_stay_parts_of_one_model() -> None:
    """The parts of a split model whose name is shortened still find each other by their names."""
    parts = [path_of(f"{'模型' * 60}-0000{number}-of-00002.gguf").name for number in (1, 2)]
    assert parts[0].endswith("-00001-of-00002.gguf")
    assert parts[0].replace("-00001-", "-00002-") == parts[1]


def test_shortened_names_are_their_own_kind() -> None:
    """A server cannot guess the short form of a long name and send another file under it."""
    short = path_of("模" * 200 + ".gguf")
    assert path_of(short.name) != short


def test_names_for_the_terminal() -> None:
    """Nothing in a server's name can steer a terminal."""
    assert printable("a\x1b[2Jb\n中😀") == "a\ufffd[2Jb\ufffd中😀"
