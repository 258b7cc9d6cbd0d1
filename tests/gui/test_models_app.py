"""What is behind the Models page, for real: files on the disk, a hub on a local port, and what they say."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.downloads.state import Download, DownloadState
from app.fit.desk import FitDesk
from app.fit.values import Verdict
from app.model_settings import ModelSettings, read_model_settings, write_model_settings
from app.model_values import PlaceKind, RemoteModel
from app.paths import Paths
from engine.errors import ErrorKind
from engine.types import KvType
from tests.fakes.devices import machine
from tests.fakes.fake_client import FakeClient
from tests.fakes.gguf_files import Tiny, write_model
from tests.fakes.hub import FakeHub
from tests.fakes.hub_faults import hold
from tests.gui.shell import PATIENCE_MS
from ui import models_pool
from ui.models_app import AppParts
from ui.models_control import ModelsControl
from ui.models_fits import ModelsFits
from ui.models_rows import PairRow, Progress, same_model
from ui.models_subjects import pair_subjects

TARGET, DRAFT, OTHER = "Owner/Target-GGUF", "Owner/Draft-GGUF", "Owner/Other-GGUF"


class Desk:
    """A control on real parts."""

    def __init__(self, qtbot: QtBot, control: ModelsControl) -> None:
        self.bot = qtbot
        self.control = control

    def wait(self, condition: object) -> None:
        assert callable(condition)
        self.bot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)

    def start(self) -> None:
        self.control.start()
        self.wait(lambda: self.control.opened and not self.control.scanning)

    def download(self, model: RemoteModel) -> Download:
        return next(one for one in self.control.downloads if same_model(one.model, model))

    @property
    def kinds(self) -> list[ErrorKind]:
        """Of what the downloads failed of."""
        return [download.error.kind for download in self.control.downloads if download.error is not None]

    @property
    def pair(self) -> PairRow:
        return next(row for row in self.control.pair_rows() if row.pair.id == "mine")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    contents = {
        TARGET: Tiny(layers=2, seed=1),
        DRAFT: Tiny(layers=1, width=32, seed=2),
        OTHER: Tiny(layers=1, seed=3, changed_tokens=tuple((token, f"~{token}") for token in range(270, 512))),
    }
    with FakeHub() as hub:
        for repo, tiny in contents.items():
            name = f"{repo.rpartition('/')[2].removesuffix('-GGUF')}-Q8_0.gguf"
            hub.add(repo, {name: write_model(tmp_path / name, tiny).read_bytes()})
        yield hub


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for name in [name for name in sys.modules if name.startswith("send2trash")]:
        monkeypatch.delitem(sys.modules, name)  # it looks up the trash's place when it is imported
    paths = Paths()
    write_model_settings(paths, ModelSettings(endpoint=hub.endpoint))
    (paths.data / "models.json").write_text(json.dumps(catalogue(tmp_path)), encoding="utf-8")
    fit_desk = FitDesk(paths)
    control = ModelsControl(AppParts(paths, FakeClient(), fit_desk))
    yield Desk(qtbot, control)
    control.close()
    fit_desk.close()


def catalogue(folder: Path) -> dict[str, object]:
    """The user's own, with one pair of the hub's; made from an entry that ships."""
    shipped = json.loads((Path(__file__).parents[2] / "models.json").read_text(encoding="utf-8"))
    entry = shipped["pairs"][0] | {"id": "mine", "title": "Mine"}
    for half, repo, file in (("target", TARGET, "Target-Q8_0.gguf"), ("draft", DRAFT, "Draft-Q8_0.gguf")):
        size = (folder / file).stat().st_size
        parts = [{"path": file, "size_bytes": size, "sha256": None}]
        entry[half] = entry[half] | {"repo": repo, "about_bytes": size, "quantisation": "Q8_0", "parts": parts}
    return shipped | {"pairs": [entry]}


def test_from_the_hub_to_a_pair(desk: Desk) -> None:
    """A pair of the catalogue is downloaded, found, judged, verified, listed as here at the hub, and removed."""
    control = desk.control
    desk.start()
    assert not control.problems
    assert not desk.pair.ready
    control.fetch_pair(desk.pair)
    desk.wait(lambda: desk.pair.ready)
    desk.wait(lambda: not control.downloads)
    target, draft = desk.pair.target, desk.pair.draft
    assert target is not None
    assert draft is not None
    assert target.place is PlaceKind.OURS

    desk.wait(lambda: draft in control.local)  # which follows when the scan has ended
    control.drafts.judge(target, control.local)
    desk.wait(lambda: not control.drafts.judging)
    verdicts = {row.path: row.verdict for row in control.drafts.rows}
    assert verdicts[str(draft.path)].can_draft

    control.verify(target)
    desk.wait(lambda: any(row.check and row.check.share is None for row in control.local_rows()))
    assert all(row.check.error is None for row in control.local_rows() if row.check)

    control.search.search("target")
    desk.wait(lambda: control.search.repos)
    control.search.open(control.search.repos[0])
    desk.wait(lambda: control.search.models)
    assert [row.here for row in control.hub_rows()] == [target]

    control.remove(draft)
    desk.wait(lambda: draft not in control.local or control.problems)
    assert not control.problems
    assert not draft.path.exists()
    desk.wait(lambda: not desk.pair.ready)


def test_header_of_a_target_that_is_not_here(desk: Desk, tmp_path: Path) -> None:
    """What lies here is judged by the header of a target at the hub, of which nothing is kept."""
    control = desk.control
    desk.start()
    control.add_files([tmp_path / "Draft-Q8_0.gguf", tmp_path / "Other-Q8_0.gguf"])
    desk.wait(lambda: {"Draft", "Other"} <= {model.name for model in control.local})
    control.drafts.judge(desk.pair.pair.target.model, control.local)
    desk.wait(lambda: control.drafts.rows and not control.drafts.judging)
    verdicts = {row.name: row.verdict for row in control.drafts.rows}
    assert verdicts["Draft F32"].can_draft
    assert not verdicts["Other F32"].can_draft
    assert not list(Paths().models.rglob("*.gguf"))


def test_a_pair_is_judged_before_its_download(desk: Desk) -> None:
    """Of a pair at the hub only the headers come, and llama.cpp measures them; offline what was kept is enough."""
    desk.start()
    for offline in (False, True):
        desk.control.use_settings(replace(desk.control.settings, offline=offline))
        fits = ModelsFits(desk.control._parts)
        fits.use_machine(machine())
        fits.use_models(desk.control)
        fits.show(True)
        fits.use_base(512, KvType.F16)
        fits.look_at(pair_subjects([desk.pair]))

        def measured(fits: ModelsFits = fits) -> bool:
            fit = fits.fit("mine")
            return fit is not None and fit.report is not None and fit.report.not_measured is None

        desk.wait(measured)
        assert fits.fit("mine").report.verdict is Verdict.FITS
        fits.close()
    assert not list(Paths().models.rglob("*.gguf"))


def test_offline_refuses_and_says_so(desk: Desk) -> None:
    """Offline no hub is asked: a search and a header say why, and what is set is remembered."""
    control = desk.control
    desk.start()
    control.use_settings(ModelSettings(endpoint=control.settings.endpoint, offline=True))
    desk.wait(lambda: read_model_settings(Paths()).offline and not control.scanning)
    control.search.search("target")
    desk.wait(lambda: control.search.error)
    assert control.search.error is not None
    assert control.search.error.kind is ErrorKind.OFFLINE


def test_files_that_cannot_be_added(desk: Desk, tmp_path: Path) -> None:
    """A file that is no model is refused with its reason, and the others are added."""
    control = desk.control
    desk.start()
    (tmp_path / "words.gguf").write_text("no model")
    control.add_files([tmp_path / "words.gguf", tmp_path / "Other-Q8_0.gguf"])
    desk.wait(lambda: control.problems and any(model.name == "Other" for model in control.local))
    assert control.problems[0].kind is ErrorKind.NOT_GGUF


def test_offline_stops_the_downloads_for_a_while(desk: Desk, hub: FakeHub) -> None:
    """What comes is stopped offline, what is asked for refused; both go on online, and what was paused does not."""
    control = desk.control
    desk.start()
    target, draft = desk.pair.pair.target.model, desk.pair.pair.draft.model
    other = replace(draft, repo=OTHER, parts=(replace(draft.parts[0], path="Other-Q8_0.gguf", size_bytes=None),))
    for model in (other, target):
        hub.script("bytes", hold(1_000), file=model.file_name)
        control.fetch(model)
    hub.wait_until_held(2)
    desk.wait(lambda: len(control.downloads) == 2)
    paused = desk.download(other)
    control.pause(Progress(paused.state, (paused.id,), 0, 0))
    desk.wait(lambda: desk.download(other).state is DownloadState.PAUSED)

    control.use_settings(replace(control.settings, offline=True))
    desk.wait(lambda: desk.kinds == [ErrorKind.OFFLINE])
    control.fetch(draft)
    desk.wait(lambda: desk.kinds == [ErrorKind.OFFLINE] * 2)
    control.use_settings(replace(control.settings, offline=False))
    desk.wait(lambda: desk.pair.ready)
    assert desk.download(other).state is DownloadState.PAUSED


def test_quick_changes_are_kept_in_their_order(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast settings are changed, the last ones are remembered, whole, also where the program ends at once."""
    monkeypatch.setattr(models_pool, "CLOSE_S", 60.0)  # two hundred writes may take longer on a slow disk
    control = desk.control
    desk.start()
    for limit in range(1, 201):
        control.use_settings(replace(control.settings, speed_limit=limit * 1_000, offline=bool(limit % 2)))
    wanted = control.settings
    control.close()
    assert read_model_settings(Paths()) == wanted
    assert [file.name for file in Paths().data.glob("settings*")] == ["settings.json"]
    assert not control.settings_problem


def test_folders_change_while_they_are_looked_through(desk: Desk, tmp_path: Path) -> None:
    """Folders come and go while a scan is under way; what the last ones hold is found, and nothing fails."""
    control = desk.control
    desk.start()
    for _ in range(10):
        control.add_folder(tmp_path)
        control.use_settings(replace(control.settings, folders=()))
    control.add_folder(tmp_path)
    desk.wait(lambda: {"Target", "Draft", "Other"} <= {model.name for model in control.local} and not control.scanning)
    assert not control.problems


def test_settings_that_cannot_be_kept(desk: Desk) -> None:
    """Where settings cannot be written those before go on to count, and the reason is told."""
    control = desk.control
    desk.start()
    before = control.settings
    file = Paths().data / "settings.json"
    file.unlink()
    (file / "in the way").mkdir(parents=True)
    control.use_settings(replace(before, modelscope=True))
    desk.wait(lambda: control.settings_problem)
    assert control.settings_problem is not None
    assert control.settings_problem.kind is ErrorKind.FOLDER_UNWRITABLE
    assert control.settings == before
    assert not list(Paths().data.glob("*.new"))
