"""What is told of the devices' memory where the top bar is pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape

from app.devices.device import Device
from app.fit.live import as_held
from app.fit.margin import missing_bytes
from app.fit_words import gigabytes, problem_sentence, unused_sentence
from app.memory_words import held_sentence, not_live_sentence, short_name, user_words
from app.translate import translate
from ui.bars import Segments
from ui.memory_control import Reading
from ui.memory_parts import MemoryPart, memory_parts, memory_segments
from ui.theme import theme

MOST_USERS = 3  # other programs that are named, those that hold most


@dataclass(frozen=True, slots=True)
class Row:
    """A name with a value, or a sentence. colour is that of the bar's part, "" for none; head: a device begins."""

    name: str
    value: str = ""
    colour: str = ""
    head: bool = False


def bar_segments(reading: Reading) -> Segments:
    """The bar of the main device: what the engine holds, as the prediction divides it, and what others hold."""
    device = reading.machine.main
    if not device.live:
        return ()
    fit = reading.fits.get(device.id)
    if fit is not None:
        return memory_segments(as_held(fit, device))
    return tuple((part.colour, part.size_bytes / max(1, device.total_bytes)) for part in _undivided(reading, device))


def hover_rows(reading: Reading) -> list[Row]:
    """Every device, and why some are missing."""
    rows = [row for device in reading.machine.memories for row in _device_rows(reading, device)]
    rows += [Row(problem_sentence(problem)) for problem in reading.machine.problems]
    return rows + [Row(unused_sentence(device)) for device in reading.machine.unused]


def rows_as_html(rows: list[Row]) -> str:
    """For a tool tip."""
    lines = []
    for row in rows:
        if row.head and lines:
            lines.append("<tr><td colspan='2' style='font-size:4px'>&nbsp;</td></tr>")
        name = f"<b>{escape(row.name)}</b>" if row.head else escape(row.name)
        if row.colour:
            name = f"<span style='color:{row.colour}'>■</span> {name}"
        if row.value:
            lines.append(f"<tr><td>{name}</td><td align='right'>&nbsp;&nbsp;&nbsp;{escape(row.value)}</td></tr>")
        else:
            lines.append(f"<tr><td colspan='2'>{name}</td></tr>")
    return f"<table cellspacing='0' cellpadding='1'>{''.join(lines)}</table>"


def rows_as_text(rows: list[Row]) -> str:
    """For a screen reader."""
    return "\n".join(f"{row.name} {row.value}".rstrip() for row in rows)


def _device_rows(reading: Reading, device: Device) -> Iterator[Row]:
    fit = reading.fits.get(device.id)
    yield Row(short_name(device), gigabytes(device.total_bytes), head=True)
    if fit is not None and fit.need_bytes:
        yield Row(held_sentence(device, fit))
        predicted = memory_parts(replace(fit, device=replace(device, free_bytes=device.total_bytes)))
        yield from (_row(part) for part in predicted)
    if not device.live:
        yield Row(not_live_sentence(device))
        return
    undivided = _undivided(reading, device)
    yield from (_row(part) for part in (undivided if fit is None else undivided[-1:]))
    if device.users:
        named = ", ".join(user_words(user) for user in device.users[:MOST_USERS])
        yield Row(translate("memory", "among them {programs}").format(programs=named))
    yield Row(translate("memory", "Free"), gigabytes(device.free_bytes))
    margin = reading.margins[device.id]
    yield Row(translate("fit", "Safety margin"), gigabytes(margin))
    if reading.loaded and (missing := missing_bytes(device, margin)):
        yield Row(translate("memory", "{size} of the safety margin are missing.").format(size=gigabytes(missing)))


def _undivided(reading: Reading, device: Device) -> tuple[MemoryPart, ...]:
    """What the engine holds as one part, and what others hold."""
    t = theme()
    colour = t.target_weights if reading.loaded else t.buffers
    engine = MemoryPart(translate("memory", "The engine"), colour, device.ours_bytes)
    others = MemoryPart(translate("memory", "Other programs"), t.other_programs, device.others_bytes)
    return (engine, others) if device.ours_bytes else (others,)


def _row(part: MemoryPart) -> Row:
    return Row(part.name, gigabytes(part.size_bytes), part.colour)
