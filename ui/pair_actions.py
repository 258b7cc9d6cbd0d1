"""What the user can do about pairs: the menu, the dialogs, dropped files and the buttons of cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.report import report_text
from app.translate import translate
from engine.types import EngineInfo, LoadRequest
from ui.cards import Action, Notice
from ui.dialogs import ask_about_drop, show_details, show_drop_help
from ui.open_files import OpenFilesDialog
from ui.pair_button import PairButton
from ui.pair_control import PairControl


class PairActions(QObject):
    """Main thread. Opens its dialogs over the window, none of which blocks."""

    def __init__(self, window: QWidget, pairs: PairControl) -> None:
        super().__init__(window)
        self._window = window
        self._pairs = pairs

    def serve(self, button: PairButton) -> None:
        """Do what the button's menu offers, but for Unload."""
        button.starter_wanted.connect(self._pairs.open_starter)
        button.open_wanted.connect(lambda: self.open_files())
        button.draft_wanted.connect(self._choose_draft)
        button.options_wanted.connect(lambda: self.open_files(self._pairs.request))
        button.recent_wanted.connect(lambda place: self._pairs.open(self._pairs.other_recent[place].request))

    def open_files(self, request: LoadRequest | None = None) -> OpenFilesDialog:
        """The dialog for choosing files, filled with `request`."""
        dialog = OpenFilesDialog(self._window, request)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._pairs.open)
        dialog.open()
        return dialog

    def drop(self, files: list[Path]) -> None:
        """Two files are a pair, the larger the target. One is a target, or asked about where one is loaded."""
        pair, loaded = self._pairs.pair, self._pairs.request
        if len(files) > 2:
            self.open_files(LoadRequest(str(files[0]), str(files[1])))
        elif len(files) == 2:
            self._pairs.open(LoadRequest(str(files[0]), str(files[1])))
        elif pair is None or loaded is None:
            self._pairs.open(LoadRequest(str(files[0])))
        else:
            file = str(files[0])
            ask_about_drop(
                self._window,
                files[0],
                pair.target.name,
                as_draft=lambda: self._pairs.open(replace(loaded, draft=file)),
                as_target=lambda: self._pairs.open(LoadRequest(file)),
            )

    def explain_drops(self) -> None:
        """Nothing that was dropped can be loaded."""
        show_drop_help(self._window, self.open_files)

    def act(self, action: Action, notice: Notice) -> None:
        """The button of a card that is about a pair, or its details."""
        request = notice.request
        match action:
            case Action.LOAD_STARTER:
                self._pairs.open_starter()
            case Action.LOAD_AGAIN if request is not None:
                self._pairs.open(request)
            case Action.LOAD_WITHOUT_DRAFT if request is not None:
                self._pairs.open(replace(request, draft=None))
            case Action.LOAD_REMEDY if notice.remedy is not None:
                self._pairs.open(notice.remedy)
            case Action.LOAD_ANYWAY if request is not None:
                self._pairs.open(request, anyway=True)
            case Action.OPEN_FILES:
                self.open_files(request)
            case Action.LOAD_OPTIONS:
                self.open_files(request or self._pairs.request)
            case Action.DETAILS if notice.report is not None:
                engine = self._pairs.engine if isinstance(self._pairs.engine, EngineInfo) else None
                show_details(
                    self._window,
                    notice.title,
                    report_text(notice.report, engine, request or self._pairs.request),
                )

    def _choose_draft(self) -> None:
        loaded = self._pairs.request
        if loaded is None:
            return
        dialog = QFileDialog(self._window, translate("main_window", "Choose a draft"), str(Path(loaded.target).parent))
        dialog.setNameFilters([translate("main_window", "GGUF models (*.gguf)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda file: self._pairs.open(replace(loaded, draft=file)))
        dialog.open()
