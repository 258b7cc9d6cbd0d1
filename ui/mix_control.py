"""Remembers what each reply brought, and knows what the loaded pair has brought in the last days."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversation import ReplyTurn
from app.mix import Mix, MixRow, mix_key, mixed_reply
from engine.types import LoadRequest
from ui.models_pool import Pool
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl


class MixControl(QObject):
    """Main thread; the file is read and written in a thread of its own.

    Attributes:
        rows: of the loaded pair, most tokens first; empty while none is loaded or nothing is known.

    Signals:
        changed(): `rows` are others.
    """

    changed = Signal()

    def __init__(self, file: Path, pairs: PairControl, replies: ReplyControl) -> None:
        super().__init__()
        self.rows: tuple[MixRow, ...] = ()
        self._mix = Mix(file)
        self._pairs = pairs
        self._pair = ""  # whose rows they are
        self._pool = Pool(threads=1)
        pairs.changed.connect(self._on_pair_changed)
        replies.ended.connect(self._on_reply_ended)

    def close(self) -> None:
        """Write what is not written yet, and let go of the file."""
        self._pool.close(finish=True)
        self._mix.close()

    def _on_pair_changed(self) -> None:
        request = self._pairs.request
        pair = mix_key(request) if request is not None else ""
        if pair != self._pair:
            self._pair = pair
            self._show(())
            if pair:
                self._read()

    def _on_reply_ended(self, turn: ReplyTurn, load: LoadRequest) -> None:
        costs = self._pairs.costs if load == self._pairs.request else None
        reply = mixed_reply(turn.request.kind, turn.fold.stats, costs)
        if reply is not None:
            pair = mix_key(load)
            self._pool.run(lambda _task: self._mix.add(pair, reply), lambda _: self._read())

    def _read(self) -> None:
        """Ask for the rows of the loaded pair; those of one that is gone meanwhile are dropped."""
        pair = self._pair
        self._pool.run(
            lambda _task: self._mix.own_mix(pair), lambda rows: self._show(rows) if pair == self._pair else None
        )

    def _show(self, rows: tuple[MixRow, ...]) -> None:
        if rows != self.rows:
            self.rows = rows
            self.changed.emit()
