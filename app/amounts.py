"""Numbers in words: sizes, counts, times. The same in every language but for their digits' grouping."""

from __future__ import annotations


def gigabytes(size: int) -> str:
    """Bytes as "0.9": billions, one digit."""
    return f"{size / 1e9:.1f}"


def size(amount: float) -> str:
    """Bytes as "98 MB" or "5.4 GB"."""
    if amount >= 995_000_000:
        return f"{amount / 1e9:,.1f} GB"
    if amount >= 995_000:
        return f"{amount / 1e6:.0f} MB"
    return f"{amount / 1e3:.0f} kB" if amount >= 995 else f"{amount:.0f} bytes"


def count(number: float) -> str:
    """8192 as "8,192", 0.25 as "0.25"."""
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"
