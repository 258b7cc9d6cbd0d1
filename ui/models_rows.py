"""The rows of the Models page, worked out from the catalogue, the local models and the downloads. Plain values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from app.downloads.state import Download, DownloadState
from app.drafts import DraftVerdict
from app.hub.listing import HubModel
from app.model_values import CataloguePair, LocalModel, Proof, RemoteModel
from engine.errors import ErrorReport
from ui.fit_values import Fit
from ui.models_cells import Act

# Of the downloads that belong together the one to be told of: what moves before what stands.
ORDER = (
    DownloadState.RUNNING,
    DownloadState.VERIFYING,
    DownloadState.FAILED,
    DownloadState.PAUSED,
    DownloadState.WAITING,
    DownloadState.DONE,
    DownloadState.CANCELLED,
)
ENDED = (DownloadState.DONE, DownloadState.CANCELLED)
MOVING = (DownloadState.WAITING, DownloadState.RUNNING, DownloadState.VERIFYING)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one or more downloads are.

    Attributes:
        ids: of those that have not ended and may be paused and cancelled here.
        total_bytes: 0 where nobody said so yet.
        speed: bytes per second. place: in the queue, from 1; 0 for what does not wait.
    """

    state: DownloadState
    ids: tuple[str, ...]
    done_bytes: int
    total_bytes: int
    speed: float | None = None
    seconds_left: float | None = None
    place: int = 0
    source: str = ""
    error: ErrorReport | None = None

    @property
    def acts(self) -> tuple[Act, ...]:
        if not self.ids:
            return ()
        match self.state:
            case DownloadState.WAITING:
                return Act.UP, Act.DOWN, Act.PAUSE, Act.CANCEL
            case DownloadState.RUNNING:
                return Act.PAUSE, Act.CANCEL
            case DownloadState.PAUSED:
                return Act.RESUME, Act.CANCEL
            case DownloadState.FAILED:
                return Act.TRY_AGAIN, Act.CANCEL
            case DownloadState.VERIFYING:
                return (Act.CANCEL,)
            case _:
                return ()


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair of the catalogue, what of it is on this computer or on its way, and whether it would fit."""

    pair: CataloguePair
    target: LocalModel | None = None
    draft: LocalModel | None = None
    progress: Progress | None = None
    fit: Fit | None = None

    @property
    def ready(self) -> bool:
        return self.target is not None and self.draft is not None

    @property
    def acts(self) -> tuple[Act, ...]:
        if self.ready:
            return Act.OPEN, Act.SHOW
        return self.progress.acts if self.progress else (Act.DOWNLOAD,)


@dataclass(frozen=True, slots=True)
class Check:
    """A verification: `share` is how far it is, None once it ended; then `error` is what it found, None for good.
    `proof` is what showed then that it is whole."""

    share: float | None = None
    error: ErrorReport | None = None
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class LocalRow:
    model: LocalModel
    check: Check | None = None

    @property
    def acts(self) -> tuple[Act, ...]:
        checking = self.check is not None and self.check.share is not None
        use = () if self.model.problem else (Act.USE_AS_TARGET, Act.USE_AS_DRAFT)
        verify = Act.STOP if checking else Act.VERIFY
        return (*use, verify, Act.SHOW, *((Act.REMOVE,) if self.model.removable else ()))


@dataclass(frozen=True, slots=True)
class DownloadRow:
    download: Download
    progress: Progress

    @property
    def acts(self) -> tuple[Act, ...]:
        return self.progress.acts


@dataclass(frozen=True, slots=True)
class HubRow:
    """A model in a repository of the hub."""

    model: HubModel
    here: LocalModel | None = None
    progress: Progress | None = None

    @property
    def acts(self) -> tuple[Act, ...]:
        if self.here is not None:
            return (Act.USE_AS_TARGET,)
        return self.progress.acts if self.progress else (Act.DOWNLOAD,)


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A model that could draft for the target at hand: one of this computer, or one of the catalogue.

    Attributes:
        verdict: None while nobody looked.
        why: where there is no verdict, a sentence instead of one.
    """

    name: str
    path: str = ""
    verdict: DraftVerdict | None = None
    why: str = ""


def same_model(one: RemoteModel, other: RemoteModel) -> bool:
    """Whether both are the same file of the same repository; hubs do not mind upper and lower case."""
    return (one.repo.casefold(), one.file_name.casefold()) == (other.repo.casefold(), other.file_name.casefold())


def same_problem(one: ErrorReport, other: ErrorReport) -> bool:
    """Whether both tell the same, however it came to be."""
    return (one.kind, one.facts) == (other.kind, other.facts)


def places(downloads: Iterable[Download]) -> dict[str, int]:
    """The place of each waiting download in the queue, from 1."""
    numbers = count(1)
    return {download.id: next(numbers) for download in downloads if download.state is DownloadState.WAITING}


def progress_of(
    downloads: Sequence[Download], queue: dict[str, int], here_bytes: int = 0, about_bytes: int = 0
) -> Progress | None:
    """Downloads that belong together as one; None where none is under way. `here_bytes` were there before,
    `about_bytes` is the whole where the hub did not say it yet."""
    live = [download for download in downloads if download.state not in ENDED]
    if not live:
        return None
    told = min(live, key=lambda download: ORDER.index(download.state))
    counted = [download for download in downloads if download.state is not DownloadState.CANCELLED]
    totals = [download.total_bytes or download.model.size_bytes for download in counted]
    total = here_bytes + sum(size or 0 for size in totals) if all(totals) else about_bytes
    done = here_bytes + sum(download.done_bytes for download in counted)
    speeds = [download.speed for download in live if download.speed is not None]
    speed = sum(speeds) if speeds else None
    return Progress(
        told.state,
        tuple(download.id for download in live),
        done,
        total,
        speed,
        (total - done) / speed if speed and total else None,
        min((queue[download.id] for download in live if download.id in queue), default=0),
        told.source,
        told.error,
    )


def pair_row(
    pair: CataloguePair,
    files: tuple[LocalModel | None, LocalModel | None],
    downloads: Sequence[Download],
    queue: dict[str, int],
    *,
    shared: bool = False,
) -> PairRow:
    """A draft that serves several pairs may be on its way for another one; a download is this pair's where its target
    is here or was asked for. `shared`: the draft comes for another one too; the target then tells of the pair."""
    target, draft = files
    if target is None and not any(
        same_model(download.model, pair.target.model) and download.state is not DownloadState.CANCELLED
        for download in downloads
    ):
        return PairRow(pair, target, draft)
    ours = [
        download
        for download in downloads
        if any(same_model(download.model, half.model) for half in (pair.target, pair.draft))
    ]
    fetched = [download.model for download in ours]
    here = sum(
        local.size_bytes
        for local, half in ((target, pair.target), (draft, pair.draft))
        if local is not None and not any(same_model(model, half.model) for model in fetched)
    )
    about = pair.target.about_bytes + pair.draft.about_bytes
    progress = progress_of(ours, queue, here, about)
    if shared and progress is not None:
        progress = _without_draft(progress, pair, ours, queue)
    return PairRow(pair, target, draft, progress)


def _without_draft(
    progress: Progress, pair: CataloguePair, ours: Sequence[Download], queue: dict[str, int]
) -> Progress:
    """The progress of a pair while its draft comes for another one."""
    if not any(same_model(one.model, pair.draft.model) and one.state in MOVING for one in ours):
        return progress
    for one in ours:
        if same_model(one.model, pair.target.model) and one.state not in ENDED:
            return replace(progress, state=one.state, place=queue.get(one.id, 0), source=one.source, error=one.error)
    return replace(progress, ids=())


def draft_is_needed(
    pair: CataloguePair,
    pairs: Iterable[CataloguePair],
    downloads: Sequence[Download],
    here: Collection[str],
    *,
    moving: bool,
) -> bool:
    """Whether the draft of a pair is another one's too that was asked for, or whose target is `here`, by its id.
    `moving`: only of one that was not stopped."""
    for other in pairs:
        if other.id == pair.id or not same_model(other.draft.model, pair.draft.model):
            continue
        states = [one.state for one in downloads if same_model(one.model, other.target.model)]
        stopped = (DownloadState.CANCELLED, *((DownloadState.PAUSED, DownloadState.FAILED) if moving else ()))
        if any(state not in stopped for state in states) or (other.id in here and not moving):
            return True
    return False
