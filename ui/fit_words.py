"""The window's own words about memory, beside those of `app.fit_words`."""

from __future__ import annotations

from functools import reduce

from app.devices.device import Device
from app.fit.values import FitReport
from app.fit_words import device_name, method_sentence, not_here_sentence
from app.messages import message_for
from app.model_values import Here
from app.translate import join_sentences
from engine.errors import ErrorReport

_MAKERS = ("NVIDIA ", "GeForce ", "AMD ", "Radeon ", "Intel(R) ", "Intel ")


def device_in_short(device: Device) -> str:
    """ "RTX 4070": without its maker where there is little room."""
    return reduce(str.removeprefix, _MAKERS, device_name(device))


def problem_words(report: ErrorReport) -> str:
    """What is wrong, and below it why, and what can be done."""
    message = message_for(report)
    return f"{message.title}\n{message.text}"


def figures_words(report: FitReport, here: Here) -> str:
    """Where the figures come from, and what is not on this computer yet."""
    return join_sentences([method_sentence(report), not_here_sentence(here)])
