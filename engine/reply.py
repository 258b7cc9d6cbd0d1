"""Turns the loop's rounds into what a reader gets: text, token events, and the one reason why a reply ended."""

from __future__ import annotations

from collections.abc import Callable

from engine.speculate import Emitted, Round
from engine.text import TextStream
from engine.types import DraftRound, Rejected, Source, TokenEvent


class ReplyWriter:
    """One reply. `piece` gives the bytes of a token for reading, `label` its text for showing it alone.

    Attributes:
        ended: an end-of-generation token or a stop string came. Limits of length are the caller's to know.
        tokens: how many tokens the reply has.
    """

    def __init__(
        self,
        job: int,
        stop: tuple[str, ...],
        piece: Callable[[int], bytes],
        label: Callable[[int], str],
        is_end: Callable[[int], bool],
    ) -> None:
        self.ended = False
        self.tokens = 0
        self._job = job
        self._text = TextStream(stop)
        self._piece = piece
        self._label = label
        self._is_end = is_end
        self._rounds = 0

    def write(self, round_: Round) -> DraftRound:
        """The event for a round. Tokens after a completed stop string are dropped from it, their verdicts too."""
        events: list[TokenEvent] = []
        for position, emitted in enumerate(round_.emitted):
            events.append(self._event(emitted, position))
            if self._text.stopped or self._is_end(emitted.token):
                self.ended = True
                break
        number, self._rounds = self._rounds, self._rounds + 1
        return DraftRound(
            job=self._job,
            number=number,
            drafted=round_.drafted,
            verified=min(round_.verified, len(events)),
            accepted=sum(event.source is Source.ACCEPTED for event in events),
            tokens=tuple(events),
            draft_s=round_.draft_s,
            verify_s=round_.verify_s,
            sample_s=round_.sample_s,
            wall_s=round_.wall_s,
            drafter=round_.drafter,
            choice=round_.choice,
        )

    def finish(self) -> str:
        """Text held back as a possible stop string; an incomplete character at the very end is dropped."""
        return self._text.finish()

    def _event(self, emitted: Emitted, position: int) -> TokenEvent:
        token, p, guess = emitted.token, emitted.p, emitted.guess
        rejected = None
        if guess is not None and guess.token != token:
            wrong = guess.token
            rejected = Rejected(wrong, self._label(wrong), p.probability(wrong), guess.q.probability(wrong))
        index, self.tokens = self.tokens, self.tokens + 1
        return TokenEvent(
            index=index,
            token_id=token,
            text=self._text.feed(self._piece(token)),
            source=emitted.source,
            drafter=None if guess is None else guess.drafter,
            p=p.probability(token),
            q=None if guess is None else guess.q.probability(token),
            rejected=rejected,
            round=self._rounds,
            position=position,
            match=0 if guess is None else guess.match,
        )
