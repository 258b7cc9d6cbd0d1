"""How the user wants replies written, and the request that follows from it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace

from app.prompts import whole_characters
from app.text_kind import kind_of
from engine.types import ChatFormat, ChatMessage, GenerationRequest, Rule, SamplingSettings

SEED_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """Attributes:
    sampling: its seed counts only while `random_seed` is False.
    max_tokens: None means up to the end of the context.
    draft_length: None chooses by time, round by round.
    """

    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    random_seed: bool = True
    max_tokens: int | None = None
    draft_length: int | None = None
    p_min: float = 0.0
    rule: Rule = Rule.COUPLED

    def request(
        self, messages: tuple[ChatMessage, ...], *, speculate: bool, chat_format: ChatFormat
    ) -> GenerationRequest:
        """A request for one reply. A random seed is drawn here, so that the reply can name it; what was typed or pasted
        comes in here, so half a character is replaced here."""
        messages = tuple(replace(message, content=whole_characters(message.content)) for message in messages)
        sampling = self.sampling
        if self.random_seed:
            sampling = replace(sampling, seed=secrets.randbelow(SEED_LIMIT))
        return GenerationRequest(
            job=0,  # the client numbers its jobs
            messages=messages,
            chat_format=chat_format,
            sampling=sampling,
            max_tokens=self.max_tokens,
            speculate=speculate,
            draft_length=self.draft_length,
            p_min=self.p_min,
            rule=self.rule,
            kind=kind_of(messages),
            trim_oldest=True,
        )
