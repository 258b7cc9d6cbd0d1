"""Every text of the program exists in every language, and the compiled files hold what their sources say."""

from __future__ import annotations

import importlib.util
import shutil
import string
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "ui" / "translations").glob("*.ts"))


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script that makes the files."""
    spec = importlib.util.spec_from_file_location("update_translations", ROOT / "packaging" / "update_translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["update_translations"] = module
    spec.loader.exec_module(module)
    return module


def test_chinese_is_there() -> None:
    """The second language of the program is Simplified Chinese."""
    assert [file.name for file in FILES] == ["draftlight_zh_CN.ts"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_is_missing(tool: ModuleType, file: Path, tmp_path: Path) -> None:
    """The file holds exactly the texts of the program, each with a finished translation."""
    fresh = Path(shutil.copy(file, tmp_path / file.name))
    tool.collect(fresh)
    messages = ElementTree.parse(fresh).iter("message")
    unfinished = [message.findtext("source") for message in messages if unfinished_or_gone(message)]
    assert not unfinished
    assert sources(fresh) == sources(file), "run packaging/update_translations.py"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_fields_survive(file: Path) -> None:
    """A translation names the same values as its source, or a sentence would fail to be formatted."""
    for message in ElementTree.parse(file).iter("message"):
        source, translation = message.findtext("source") or "", message.findtext("translation") or ""
        assert fields(translation) == fields(source), source


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_compiled_file_is_up_to_date(tool: ModuleType, file: Path, tmp_path: Path) -> None:
    """What the program reads was compiled from what is written."""
    tool.compile_to(file, tmp_path / "fresh.qm")
    assert (tmp_path / "fresh.qm").read_bytes() == file.with_suffix(".qm").read_bytes()


def unfinished_or_gone(message: ElementTree.Element) -> bool:
    translation = message.find("translation")
    return translation is None or not translation.text or translation.get("type") is not None


def sources(file: Path) -> list[str]:
    return sorted((message.findtext("source") or "") for message in ElementTree.parse(file).iter("message"))


def fields(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
