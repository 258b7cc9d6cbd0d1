"""Long replies of four shapes, token by token, each of about `count` tokens and always the same."""

from __future__ import annotations

import random

WORDS = ["the", "cache", "turns", "an", "exponential", "recursion", "into", "a", "linear", "one", "in", "memory"]


def one_paragraph(count: int) -> list[str]:
    pick = random.Random(1)
    return [f" {pick.choice(WORDS)}" for _ in range(count)]


def short_lines(count: int) -> list[str]:
    return [text for number in range(count // 4) for text in (" and", " so", f" {number}", "\n")]


def one_code_block(count: int) -> list[str]:
    lines = (("    total", " +=", " weights", "[", f"{number}", "]\n") for number in range(count // 6))
    return ["```python\n", *(text for line in lines for text in line)]


def chinese(count: int) -> list[str]:
    pick = random.Random(1)
    return [pick.choice(["中文", "写", "一个", "函数", "，", "👩‍🚀"]) for _ in range(count)]
