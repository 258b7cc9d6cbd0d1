"""Text that comes from files and users is shown as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes import tapes
from tests.fakes.fake_client import FakeClient
from tests.gui.shell import Shell, ignore_platform, open_shell

pytestmark = ignore_platform


def taken_for_markup(shell: Shell, foreign: str) -> list[QWidget]:
    """What would show `foreign`, or its tool tip, as markup."""
    labels = [label for label in shell.window.findChildren(QLabel) if foreign in label.text()]
    widgets = [widget for widget in shell.window.findChildren(QWidget) if foreign in widget.toolTip()]
    return [label for label in labels if label.textFormat() is not Qt.TextFormat.PlainText] + widgets


@pytest.mark.parametrize("foreign", ["<h1>Big</h1>", "<img src='file:///x.png'>"])
def test_markup_stays_text(qtbot: QtBot, tmp_path: Path, foreign: str) -> None:
    """Names of devices, models, files and chats that look like HTML are text in every label and tool tip."""
    device = replace(tapes.ENGINE.devices[0], description=foreign)
    target, draft = replace(tapes.TARGET, name=foreign), replace(tapes.DRAFT, name=f"{foreign} draft")
    pair = replace(tapes.PAIR, target=target, draft=draft)
    engine = replace(tapes.ENGINE, devices=(device,))
    client = FakeClient(engine=engine, loads=[tapes.loading(pair), tapes.loading(pair, hold_at=0.5)])
    with open_shell(qtbot, tmp_path, client) as shell:
        shell.wait(lambda: any(foreign in chip.words for chip in shell.window.first_start.chips))
        assert not taken_for_markup(shell, foreign)
        shell.load()
        shell.chat.notices.show_hint(foreign)
        file = tmp_path / "other.gguf"
        file.write_bytes(b"x")
        shell.window.pair_actions.drop([file])
        assert foreign in shell.window.status_line.verdict
        assert any(foreign in label.text() for label in shell.window.findChildren(QLabel) if not label.isHidden())
        assert not taken_for_markup(shell, foreign)
        shell.pairs.open(replace(tapes.REQUEST, target=foreign))
        shell.wait(lambda: shell.pairs.loading and shell.pairs.loading.done_bytes)
        assert not taken_for_markup(shell, foreign)
        shell.pairs.cancel()
        shell.wait(lambda: shell.pairs.loading is None)
