"""What the user does on the Models page: buttons of rows and cards, and the dialogs they open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.messages import message_for
from app.model_values import LocalModel
from app.report import report_text
from app.translate import translate
from engine.errors import ErrorReport
from ui.dialogs import show_details
from ui.models_cells import Act
from ui.models_control import ModelsControl
from ui.models_dialogs import SelfDraftDialog, confirm_cancel, confirm_removal
from ui.models_panel import show_in_folder
from ui.models_rows import DownloadRow, HubRow, LocalRow, PairRow, Progress

MUCH = 100_000_000  # bytes; so many are not deleted before the user said so


class ModelsActs(QObject):
    """Main thread. Its dialogs stand over the page and none of them blocks.

    Attributes:
        loaded_files: the paths of the models in use.

    Signals:
        load_wanted(object, object, object): the paths of a target and of its draft, or None for none; and the key
            under which it was judged.
        draft_wanted(object): the path of a draft for whatever target is loaded.
        sampling_wanted(object): the `SamplingSettings` that the card of an opened pair recommends.
        files_added(): the user chose files to be used where they lie.
    """

    load_wanted = Signal(object, object, object)
    draft_wanted = Signal(object)
    sampling_wanted = Signal(object)
    files_added = Signal()

    def __init__(self, page: QWidget, models: ModelsControl) -> None:
        super().__init__(page)
        self._page = page
        self._models = models
        self.loaded_files: Callable[[], Sequence[str]] = tuple

    def on_pair(self, act: Act, row: PairRow) -> None:
        match act:
            case Act.OPEN if row.target is not None and row.draft is not None:
                if row.pair.sampling is not None:
                    self.sampling_wanted.emit(row.pair.sampling)
                self.load_wanted.emit(row.target.path, row.draft.path, row.pair.id)
            case Act.SHOW if row.target is not None:
                show_in_folder(row.target.path)
            case Act.DOWNLOAD:
                self._models.fetch_pair(row)
            case Act.PAUSE:
                self._models.pause_pair(row)
            case Act.CANCEL:
                self._cancel(row.progress, lambda: self._models.cancel_pair(row))
            case _ if row.progress is not None:
                self._on_progress(act, row.progress)

    def on_local(self, act: Act, row: LocalRow) -> None:
        model = row.model
        match act:
            case Act.USE_AS_TARGET:
                self.load_wanted.emit(model.path, None, model.path)
            case Act.USE_AS_DRAFT:
                self.draft_wanted.emit(model.path)
            case Act.VERIFY:
                self._models.verify(model)
            case Act.STOP:
                self._models.stop_verifying(model)
            case Act.SHOW:
                show_in_folder(model.path)
            case Act.REMOVE:
                confirm_removal(self._page, model, self.loaded_files(), lambda: self._models.remove(model))

    def on_hub(self, act: Act, row: HubRow) -> None:
        if act is Act.USE_AS_TARGET and row.here is not None:
            self.load_wanted.emit(row.here.path, None, None)
        elif act is Act.DOWNLOAD:
            self._models.fetch(row.model.model)
        elif row.progress is not None:
            self._on_progress(act, row.progress)

    def on_download(self, act: Act, row: DownloadRow) -> None:
        self._on_progress(act, row.progress)

    def use_draft(self, target: LocalModel, draft: str) -> None:
        self.load_wanted.emit(target.path, Path(draft), None)

    def make_draft(self, target: LocalModel) -> None:
        SelfDraftDialog(self._page, self._models.drafts, target).open()

    def show_details(self, report: ErrorReport) -> None:
        show_details(self._page, message_for(report).title, report_text(report, None, None))

    def choose_files(self) -> None:
        dialog = self._file_dialog(translate("models", "Add GGUF files"), QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([translate("open_files", "GGUF models (*.gguf)")])
        dialog.filesSelected.connect(self.add_files)
        dialog.open()

    def add_files(self, files: list[str]) -> None:
        self._models.add_files([Path(file) for file in files])
        self.files_added.emit()

    def choose_folder(self) -> None:
        dialog = self._file_dialog(translate("models", "Add a folder with models"), QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda folder: self._models.add_folder(Path(folder)))
        dialog.open()

    def _on_progress(self, act: Act, progress: Progress) -> None:
        match act:
            case Act.PAUSE:
                self._models.pause(progress)
            case Act.RESUME | Act.TRY_AGAIN:
                self._models.resume(progress)
            case Act.CANCEL:
                self._cancel(progress, lambda: self._models.cancel(progress))
            case Act.UP | Act.DOWN:
                self._models.move(progress, -1 if act is Act.UP else 1)

    def _cancel(self, progress: Progress | None, cancel: Callable[[], object]) -> None:
        ids = progress.ids if progress is not None else ()
        came = sum(download.done_bytes for download in self._models.downloads if download.id in ids)
        if came > MUCH:
            confirm_cancel(self._page, came, cancel)
        else:
            cancel()

    def _file_dialog(self, title: str, mode: QFileDialog.FileMode) -> QFileDialog:
        dialog = QFileDialog(self._page, title)
        dialog.setFileMode(mode)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog
