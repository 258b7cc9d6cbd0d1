"""Where models come from and where they lie, as the user chose it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model_settings import (
    DEFAULT_ENDPOINT,
    ENDPOINT_VARIABLE,
    ModelSettings,
    is_endpoint,
    read_model_settings,
    write_model_settings,
)
from app.paths import Paths
from engine.errors import EngineError, ErrorKind

chosen = st.builds(
    ModelSettings,
    endpoint=st.sampled_from([None, "https://hf-mirror.com", "http://10.0.0.1:8080/artifactory/hub"]),
    modelscope=st.booleans(),
    offline=st.booleans(),
    speed_limit=st.none() | st.integers(1, 1 << 40),
    folders=st.lists(st.sampled_from([Path("/models"), Path("/模型 目录/ü")]), unique=True).map(tuple),
)


@given(chosen)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, settings: ModelSettings) -> None:
    """What is written is read again, in a folder that did not exist, and nothing else is left there."""
    paths = Paths(tmp_path_factory.mktemp("base"))
    write_model_settings(paths, settings)
    assert read_model_settings(paths) == settings
    assert [file.name for file in paths.data.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "\x00\xff",
        "[" * 100_000,
        '{"endpoint": "hf-mirror.com", "modelscope": 1, "offline": "no", "speed_limit": true, "folders": "/"}',
        '{"endpoint": 3, "speed_limit": -5, "folders": ["relative", 3, "/with\\u0000zero"]}',
    ],
)
def test_damaged_file(base_dir: Path, text: str) -> None:
    """A damaged file means the defaults, never an error."""
    paths = Paths()
    paths.data.mkdir(parents=True)
    (paths.data / "settings.json").write_bytes(text.encode("latin-1"))
    assert read_model_settings(paths) == ModelSettings()


def test_one_damaged_value() -> None:
    """The values that make sense are kept beside one that does not."""
    paths = Paths()
    paths.data.mkdir(parents=True)
    (paths.data / "settings.json").write_text('{"offline": true, "endpoint": 1, "folders": ["/a", 2], "more": 2}')
    assert read_model_settings(paths) == ModelSettings(offline=True, folders=(Path("/a"),))


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where nothing can be written the user is told, for a choice that is not kept would surprise later."""
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError) as caught:
        write_model_settings(Paths(tmp_path / "file"), ModelSettings())
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE


def test_which_endpoint_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting comes first, then the variable, then the hub itself; slashes at the end do not count."""
    monkeypatch.delenv(ENDPOINT_VARIABLE, raising=False)
    assert ModelSettings().hub_endpoint == DEFAULT_ENDPOINT
    monkeypatch.setenv(ENDPOINT_VARIABLE, "https://mirror.example/hub/")
    assert ModelSettings().hub_endpoint == "https://mirror.example/hub"
    assert ModelSettings(endpoint="https://other.example//").hub_endpoint == "https://other.example"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hf-mirror.com",
        "ftp://hub.example",
        "https://",
        "https://name:password@hub.example",
        "https://hub.example/?a=b",
        "https://hub.example:port",
        "https://hub.example/ x",
        "https://hub.example\n",
        "http://[::1",
        "http://x:99999",
        "http://x:0",
        "http://a..b",
        "http://.",
        "http://" + "a" * 300,
        "http://" + "a." * 200 + "example",
        "http://😀",
        "http://-a",
        "http://a%20b",
        "http://[fe80::1%25eth0]",
        "http://\udcff",
    ],
)
def test_what_is_no_endpoint(text: str) -> None:
    """Only plain web addresses can be asked."""
    assert not is_endpoint(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8080",
        "https://hub.example.",
        "http://my_mirror/hub",
        "http://10.0.0.1",
        "http://[::1]:80",
        "https://bücher.example",
        "https://模型.example",
    ],
)
def test_what_is_an_endpoint(text: str) -> None:
    """Names in any script, names of a local network, addresses of both kinds."""
    assert is_endpoint(text)


@pytest.mark.parametrize("limit", ["1e3", "1" + "0" * 400, str((1 << 40) + 1)])
def test_absurd_speed(limit: str) -> None:
    """A limit that limits nothing, or cannot be reckoned with, is none."""
    paths = Paths()
    paths.data.mkdir(parents=True)
    (paths.data / "settings.json").write_text(f'{{"speed_limit": {limit}, "offline": true}}')
    assert read_model_settings(paths) == ModelSettings(offline=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_the_place_of_the_file() -> None:
    """Nobody waits for its writer."""
    paths = Paths()
    paths.data.mkdir(parents=True)
    os.mkfifo(paths.data / "settings.json")
    assert read_model_settings(paths) == ModelSettings()
