"""The catalogue is found wherever the program is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from app.catalogue.shipped import shipped_file

ROOT = Path(__file__).parents[4]
FILES = ("models.json", "models.schema.json")


def test_in_a_checkout_it_lies_beside_the_packages() -> None:
    """Both files are those of the checkout, whatever else is installed."""
    assert [shipped_file(name) for name in FILES] == [ROOT / name for name in FILES]


def test_a_file_that_is_nowhere_has_a_place_for_the_report() -> None:
    """What is missing is told by the path where it should be."""
    assert shipped_file("nothing.json") == ROOT / "nothing.json"


def test_an_installation_has_both_files() -> None:
    """They are among the data files of the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["data-files"] == {"share/draftlight": list(FILES)}


def test_an_installed_program_finds_them(tmp_path: Path) -> None:
    """Away from the checkout, the list of installed files tells where they went."""
    packages, share = tmp_path / "lib" / "site-packages", tmp_path / "share" / "draftlight"
    information = packages / "draftlight-0.1.0.dist-info"
    for folder in (packages / "app" / "catalogue", share, information):
        folder.mkdir(parents=True)
    for module in ("__init__.py", "catalogue/__init__.py", "catalogue/shipped.py"):
        (packages / "app" / module).write_bytes((ROOT / "app" / module).read_bytes())
    (share / "models.json").write_text("{}")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: draftlight\nVersion: 0.1.0\n")
    (information / "RECORD").write_text("app/__init__.py,,\n../../share/draftlight/models.json,,\n")
    code = "from app.catalogue.shipped import shipped_file; print(shipped_file('models.json'))"
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(packages)!r}); {code}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.strip() == str((share / "models.json").resolve())
