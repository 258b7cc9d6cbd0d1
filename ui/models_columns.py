"""The columns of the Models page's tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.amounts import count, size
from app.devices.device import Machine
from app.downloads.state import DownloadState
from app.drafts import verdict_words
from app.error_words import printable
from app.messages import message_for
from app.translate import translate
from ui.models_cells import Act, Cell
from ui.models_fit_columns import fit_columns
from ui.models_row_model import Column
from ui.models_rows import DraftRow, HubRow, LocalRow, PairRow, Progress
from ui.models_words import (
    check_words,
    date_words,
    licence_words,
    model_name,
    or_dash,
    pair_subtitle,
    place_words,
    progress_words,
    two_sizes,
)

if TYPE_CHECKING:
    from app.hub.hub import FoundRepo  # brings the hub's client along, which the window need not wait for


def progress_cell(progress: Progress) -> Cell:
    """Bar, words and buttons of a download."""
    words, acts = progress_words(progress), progress.acts
    if progress.state is DownloadState.FAILED:
        text = message_for(progress.error).text if progress.error else ""
        return Cell(words, text, "warn", acts=acts, tip=f"{words}\n{text}")
    if progress.state is DownloadState.WAITING:
        return Cell(words, tone="muted", acts=tuple(act for act in acts if act is not Act.PAUSE))
    share = progress.done_bytes / progress.total_bytes if progress.total_bytes else 0.0
    return Cell(small=words, share=share, resting=progress.state is DownloadState.PAUSED, acts=acts)


def small_progress_cell(progress: Progress) -> Cell:
    """The same where the words need the room: they wrap, and the buttons are small pictures."""
    cell = progress_cell(progress)
    if progress.state is not DownloadState.FAILED:
        return replace(cell, wraps=True)
    return Cell(cell.text, tone="warn", acts=(Act.RESUME, Act.CANCEL), tip=cell.tip, wraps=True)


# matched pairs


def _pair_cell(row: PairRow) -> Cell:
    return Cell(printable(row.pair.title), pair_subtitle(row.pair), "strong")


def _action_cell(row: PairRow) -> Cell:
    if row.ready:
        return Cell(translate("models", "Ready"), acts=(Act.OPEN,))
    if row.progress is not None:
        return small_progress_cell(row.progress)
    if row.target is not None:
        return Cell(translate("models", "Only the draft is missing"), tone="muted", acts=(Act.DOWNLOAD,), wraps=True)
    return Cell(acts=(Act.DOWNLOAD,))


def pair_columns(machine: Callable[[], Machine | None]) -> tuple[Column, ...]:
    """`machine`: as last read."""
    return (*_ABOUT_PAIRS, *fit_columns(machine), Column(lambda: "", _action_cell, 185, stretch=3))


_ABOUT_PAIRS = (
    Column(lambda: translate("models", "Pair"), _pair_cell, 192, stretch=2, sort=lambda row: row.pair.title.casefold()),
    Column(
        lambda: translate("models", "Quantisation"),
        lambda row: Cell(f"{row.pair.target.quantisation} + {row.pair.draft.quantisation}"),
        136,
        gives_way=4,
    ),
    Column(
        lambda: translate("models", "Download"),
        lambda row: Cell(two_sizes(row.pair.target.about_bytes, row.pair.draft.about_bytes)),
        103,
        sort=lambda row: row.pair.target.about_bytes + row.pair.draft.about_bytes,
        gives_way=3,
    ),
)


# on this computer


def _local_cell(row: LocalRow) -> Cell:
    model = row.model
    if model.problem is not None:
        message = message_for(model.problem)
        return Cell(model_name(model), message.title, "muted", tip=f"{message.title}\n{message.text}")
    if row.check is not None:
        return Cell(model_name(model), check_words(row.check, model.size_bytes), "strong")
    return Cell(model_name(model), printable(model.path.name), "strong", tip=printable(str(model.path)))


LOCAL_COLUMNS = (
    Column(
        lambda: translate("models", "Model"), _local_cell, 230, stretch=4, sort=lambda row: row.model.name.casefold()
    ),
    Column(
        lambda: translate("models", "Architecture"),
        lambda row: Cell(printable(row.model.architecture) or "–"),
        104,
        stretch=1,
        sort=lambda row: row.model.architecture,
        gives_way=4,
    ),
    Column(
        lambda: translate("models", "Quantisation"),
        lambda row: Cell(printable(row.model.quantisation) or "–"),
        108,
        sort=lambda row: row.model.quantisation,
        gives_way=1,
    ),
    Column(
        lambda: translate("models", "Size"),
        lambda row: Cell(size(row.model.size_bytes)),
        84,
        sort=lambda row: row.model.size_bytes,
    ),
    Column(
        lambda: translate("models", "Vocabulary"),
        lambda row: Cell(or_dash(row.model.vocab_size)),
        98,
        sort=lambda row: row.model.vocab_size,
        gives_way=3,
    ),
    Column(
        lambda: translate("models", "Context"),
        lambda row: Cell(or_dash(row.model.context)),
        88,
        sort=lambda row: row.model.context,
        gives_way=2,
    ),
    Column(
        lambda: translate("models", "Place"),
        lambda row: Cell(place_words(row.model), tone="muted", tip=printable(str(row.model.path.parent))),
        130,
        stretch=1,
        sort=lambda row: row.model.place.value,
        gives_way=5,
    ),
)

DOWNLOAD_COLUMNS = (
    Column(
        lambda: translate("models", "Download"),
        lambda row: Cell(printable(row.download.title), printable(row.download.source), "strong"),
        200,
        stretch=1,
    ),
    Column(lambda: "", lambda row: progress_cell(row.progress), 300, stretch=1),
)

# drafts


def _verdict_cell(row: DraftRow) -> Cell:
    if row.verdict is None:
        return Cell("…" if not row.why else "", tone="muted")
    return Cell(verdict_words(row.verdict, "", row.name)[0], tone="good" if row.verdict.can_draft else "warn")


def _reason_cell(row: DraftRow) -> Cell:
    if row.verdict is None:
        return Cell(row.why, tone="muted")
    return Cell(verdict_words(row.verdict, "", printable(row.name))[1], tone="muted", wraps=True)


DRAFT_COLUMNS = (
    Column(lambda: translate("models", "Model"), lambda row: Cell(printable(row.name), wraps=True), 118, stretch=2),
    Column(lambda: translate("models", "Verdict"), _verdict_cell, 104),
    Column(lambda: translate("models", "Reason"), _reason_cell, 140, stretch=5),
)

# the hub

REPO_COLUMNS = (
    Column(
        lambda: translate("models", "Repository"),
        lambda row: Cell(printable(row.id.rpartition("/")[2]), printable(row.id.partition("/")[0]), "strong"),
        230,
        stretch=4,
        sort=lambda row: row.id.casefold(),
    ),
    Column(
        lambda: translate("models", "Downloads"),
        lambda row: Cell(count(row.downloads)),
        110,
        sort=lambda row: -row.downloads,
    ),
    Column(
        lambda: translate("models", "Likes"),
        lambda row: Cell(count(row.likes)),
        76,
        sort=lambda row: -row.likes,
        gives_way=3,
    ),
    Column(
        lambda: translate("models", "Licence"),
        lambda row: Cell(_repo_licence(row)),
        150,
        stretch=1,
        sort=lambda row: row.licence,
        gives_way=1,
    ),
    Column(
        lambda: translate("models", "Updated"),
        lambda row: Cell(date_words(row.updated), tone="muted"),
        104,
        sort=lambda row: date_words(row.updated),
        gives_way=2,
    ),
)


def _repo_licence(row: FoundRepo) -> str:
    licence = printable(licence_words(row.licence)) or "–"
    return translate("models", "{licence} · gated").format(licence=licence) if row.gated else licence


def _hub_cell(row: HubRow) -> Cell:
    if row.here is not None:
        return Cell(translate("models", "is here"), tone="good", acts=row.acts)
    if row.progress is not None:
        return small_progress_cell(row.progress)
    return Cell(acts=(Act.DOWNLOAD,))


HUB_COLUMNS = (
    Column(
        lambda: translate("models", "Quantisation"),
        lambda row: Cell(_hub_name(row), _hub_size(row), tip=_hub_files(row)),
        96,
        sort=lambda row: row.model.model.size_bytes or 0,
    ),
    Column(lambda: "", _hub_cell, 130, stretch=1),
)


def _hub_name(row: HubRow) -> str:
    return printable(row.model.quantisation or row.model.model.file_name)


def _hub_size(row: HubRow) -> str:
    whole = row.model.model.size_bytes
    return "" if whole is None else size(whole)


def _hub_files(row: HubRow) -> str:
    return "\n".join(printable(part.path) for part in row.model.model.parts)
