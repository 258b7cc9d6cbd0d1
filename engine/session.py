"""A loaded pair at work: two caches and the index of the text, and what one turn leaves for the next.

Runs on the engine process's main thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter
from typing import Final

from engine.adoption import Adoption
from engine.controller import Controller
from engine.costs import Costs
from engine.decoder import Interrupted, rewind
from engine.distribution import Ids, Logits
from engine.drafting import ChainedDrafter, LookupDrafter, ModelDrafter, Proposer
from engine.errors import EngineError, ErrorKind
from engine.knowledge import Knowledge
from engine.limits import check_request
from engine.llama import LlamaModel
from engine.llama_context import LlamaContext
from engine.lookup import Lookup
from engine.measuring import BEGINNINGS, measure
from engine.near_ties import chosen, gap
from engine.policy import FixedLength, Policy
from engine.prompt import PromptMaker
from engine.protocol import CostsSeen, Finished, Learned, PrefillProgress, SpeculationStopped, Started, Weigh, Weighed
from engine.reply import ReplyWriter
from engine.speculate import DraftingEnded, Speculator
from engine.types import Drafter, DraftRound, EndReason, GenerationRequest, Inactive, LoadedPair
from engine.verify import AcceptanceRule, make_rule

LEAST_MATCH: Final = 2  # tokens; shorter repetitions are mostly chance
# At a fixed length the lookup goes first wherever it has a match, so beside a draft model, whose guesses are good
# everywhere, it must be a long one. By time, the controller learns what matches of each length are worth.
LEAST_MATCH_BESIDE_MODEL: Final = 6
TELL_COSTS_S: Final = 0.25  # between two words on what passes cost

ReplyEvent = PrefillProgress | Started | DraftRound | SpeculationStopped | CostsSeen | Learned | Finished


class Session:
    """One loaded pair. Close it to free everything.

    Attributes:
        pair: what was loaded, as a value.
    """

    def __init__(
        self,
        pair: LoadedPair,
        model: LlamaModel,
        target: LlamaContext,
        draft: LlamaContext | None,
        masked: Ids,
        prompts: PromptMaker,
        resources: ExitStack,
        knowledge: Knowledge | None = None,
    ) -> None:
        """`knowledge` is what earlier sessions of this pair learned."""
        self.pair = pair
        self._before = knowledge
        self._controller: Controller | None = None
        self._adoption: Adoption | None = None
        self._model = model
        self._target = target
        self._draft = draft
        self._masked = masked
        self._lookup = Lookup(target.ctx)
        self._prompts = prompts
        self._resources = resources

    def close(self) -> None:
        self._resources.close()

    def generate(
        self, request: GenerationRequest, cancelled: Callable[[], bool]
    ) -> Generator[ReplyEvent, None, None]:
        """Write one reply: PrefillProgress…, Started; DraftRounds, perhaps SpeculationStopped and CostsSeen; Finished.

        A cancelled reply ends with Finished too. Closing the generator early leaves the caches consistent.

        Raises:
            EngineError: a setting is out of range, the prompt cannot be made or does not fit, or the target failed.
        """
        arrived = perf_counter()
        check_request(request)
        prompt = self._prompts.make(request)
        writer = ReplyWriter(
            request.job, request.stop, self._model.piece, self._model.text_of, self._model.is_end
        )
        first_at: float | None = None
        self._watch(cancelled)
        policy: Policy | None = None
        try:
            policy = self._policy(request, cancelled)
            row, reused = yield from self._read_prompt(request, prompt.tokens)
            rule = make_rule(request.rule, request.sampling.seed)
            drafter, inactive = self._drafter(request, prompt.tokens, rule)
            speculator = Speculator(
                target=self._target,
                committed=list(prompt.tokens),
                drafter=drafter,
                rule=rule,
                settings=request.sampling,
                policy=policy,
                budget=prompt.budget,
                ends=self._model.is_end,
                cancelled=cancelled,
            )
            read_at = perf_counter()
            yield Started(
                job=request.job,
                prompt_tokens=len(prompt.tokens),
                reused_tokens=reused,
                dropped_messages=prompt.dropped_messages,
                prefill_s=read_at - arrived,
                inactive=inactive if drafter is None else None,
                draft_inactive=None if drafter is None else inactive,
            )
            opening = writer.write(speculator.first(row))
            first_at = perf_counter()
            yield opening
            rounds, tell_at = speculator.rounds(), read_at
            while not writer.ended and (event := next(rounds, None)) is not None:
                if isinstance(event, DraftingEnded):
                    yield SpeculationStopped(request.job, event.inactive, event.goes_on)
                else:
                    yield writer.write(event)
                if isinstance(policy, Controller) and perf_counter() >= tell_at:
                    yield CostsSeen(request.job, policy.costs.values())
                    tell_at = perf_counter() + TELL_COSTS_S
            at_limit = EndReason.CONTEXT if request.max_tokens is None else EndReason.LENGTH
            reason = EndReason.STOP if writer.ended else at_limit
        except Interrupted:
            reason = EndReason.CANCELLED
        finally:
            if policy is not None:
                policy.end()
            self._keep(len(prompt.tokens) + writer.tokens)
        ended_at = perf_counter()
        if isinstance(policy, Controller):
            yield Learned(request.job, policy.knowledge())
        yield Finished(
            job=request.job,
            reason=reason,
            tail=writer.finish(),
            ttft_s=(first_at or ended_at) - arrived,
            decode_s=ended_at - (first_at or ended_at),
        )

    def weigh(
        self, command: Weigh, cancelled: Callable[[], bool]
    ) -> Generator[PrefillProgress | Weighed, None, None]:
        """Read the prompt and the beginning of the reply in one go, and weigh the two tokens that may follow.

        Raises:
            EngineError: as `generate`; LOAD_CANCELLED.
        """
        request = replace(command.request, job=command.job, cold=True)
        check_request(request)
        tokens = [*self._prompts.make(request).tokens, *command.reply]
        self._watch(cancelled)
        try:
            row, _ = yield from self._read_prompt(request, tokens)
        except Interrupted:
            raise EngineError(ErrorKind.LOAD_CANCELLED) from None
        off, on = command.tokens
        position = len(command.reply)
        yield Weighed(
            job=command.job,
            logits=(float(row[off]), float(row[on])),
            chosen=chosen(row, request, position, tokens),
            gap=gap(row, request, position, tokens, command.tokens),
        )

    def _watch(self, cancelled: Callable[[], bool]) -> None:
        self._target.cancelled = cancelled
        if self._draft is not None:
            self._draft.cancelled = cancelled

    def _read_prompt(
        self, request: GenerationRequest, tokens: list[int]
    ) -> Generator[PrefillProgress, None, tuple[Logits, int]]:
        """Bring `tokens` into the target's cache, what the last turn left of them excepted.

        Returns:
            The logits [vocab] after the last token, and how many tokens the cache already held.
        """
        target = self._target
        if request.cold:
            target.clear()
            if self._draft is not None:
                self._draft.clear()
            self._lookup = Lookup(target.ctx)
        rewind(target, min(_shared(target.tokens, tokens), len(tokens) - 1))
        reused = len(target.tokens)
        yield PrefillProgress(request.job, reused, len(tokens))
        while True:
            if target.cancelled():
                raise Interrupted
            held = len(target.tokens)
            part = tokens[held : held + target.chunk]
            complete = held + len(part) == len(tokens)
            rows = target.decode(part, 1 if complete else 0)
            yield PrefillProgress(request.job, held + len(part), len(tokens))
            if complete:
                return rows[0], reused

    def _policy(self, request: GenerationRequest, cancelled: Callable[[], bool]) -> Policy:
        """The length that was asked for, or by time, with what earlier replies taught; a reply without speculation asks
        nobody, so nothing is measured for it."""
        length = request.draft_length
        if not request.speculate or self.pair.inactive is Inactive.TARGET_ROLLBACK:
            length = 0
        policy = FixedLength(length, request.p_min) if length is not None else self._by_time(cancelled)
        policy.begin(request.kind)
        return policy

    def measure(self, cancelled: Callable[[], bool]) -> Knowledge | None:
        """What the pair's passes cost and how well its draft guesses, measured now unless it was before; None where
        nothing can be proposed. Empties the caches.

        Raises:
            EngineError: a pass failed; LOAD_CANCELLED.
        """
        if self.pair.inactive is Inactive.TARGET_ROLLBACK:
            return None
        self._watch(cancelled)
        try:
            return self._by_time(cancelled).knowledge()
        except Interrupted:
            raise EngineError(ErrorKind.LOAD_CANCELLED) from None

    def _by_time(self, cancelled: Callable[[], bool]) -> Controller:
        """Measures when it is first needed, which empties the caches. Raises Interrupted."""
        if self._controller is None:
            usable = self._draft if self.pair.inactive is None else None
            for decoder in (self._target, usable):
                if decoder is not None:
                    decoder.clear()
            beginnings = [self._model.tokenize(text) or [0] for text in BEGINNINGS]
            before = self._before
            costs = before.costs if before else None
            measured = measure(self._target, usable, beginnings, cancelled, before=costs)
            learned = {**measured.learned(), **(before.acceptance if before else {})}
            self._controller = Controller(Costs(measured.costs), learned)
            if measured.copy_s is not None:
                self._adoption = Adoption(self._target, measured.copy_s, self._controller.costs)
        return self._controller

    def _drafter(
        self, request: GenerationRequest, tokens: list[int], rule: AcceptanceRule
    ) -> tuple[Proposer | None, Inactive | None]:
        """The drafter for a reply, and why the draft model has no part in it although it was asked for."""
        if not request.speculate:
            return None, Inactive.SWITCHED_OFF
        if request.draft_length == 0:
            return None, Inactive.ZERO_LENGTH
        inactive = self.pair.inactive
        if inactive is Inactive.TARGET_ROLLBACK:
            return None, inactive
        model = None
        if Drafter.MODEL in request.drafters and self._draft is not None and inactive is None:
            rewind(self._draft, min(_shared(self._draft.tokens, tokens), len(tokens)))
            model = ModelDrafter(self._draft, request.sampling, rule, self._masked, self._adoption)
        if Drafter.LOOKUP not in request.drafters:
            return model, inactive
        self._lookup.truncate(_shared(self._lookup.tokens, tokens))
        by_time = request.draft_length is None
        least = LEAST_MATCH if model is None or by_time else LEAST_MATCH_BESIDE_MODEL
        lookup = LookupDrafter(self._lookup, least, self._model.is_end)
        if model is not None:
            return ChainedDrafter(lookup, model), None
        return lookup, inactive if Drafter.MODEL in request.drafters else None

    def _keep(self, length: int) -> None:
        """Forget what lies beyond the reply: tokens after a stop string, guesses of a round that did not end."""
        rewind(self._target, length)
        if self._draft is not None:
            rewind(self._draft, length)


def _shared(held: Sequence[int], wanted: Sequence[int]) -> int:
    """Length of the common prefix."""
    count = 0
    for a, b in zip(held, wanted, strict=False):
        if a != b:
            break
        count += 1
    return count
