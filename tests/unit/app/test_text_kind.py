"""The kind of a reply follows from what was asked, in English and Chinese."""

from __future__ import annotations

import pytest

from app.text_kind import KINDS, kind_name, kind_of
from engine.types import ChatMessage

EXAMPLES = {
    "code": (
        "Write a Python function that returns the n-th Fibonacci number, using memoisation, and explain it.",
        "implement a thread-safe LRU cache in Rust",
        "Fix the bug in this code:\n```python\ndef f(x): retrun x\n```",
        "Refactor this class so that it has no globals",
        "How do I reverse a linked list in C++?",
        "Explain this function\n\nfn main() { println!(\"hi\"); }",
        "Write unit tests for the parser module",
        "a regular expression that matches dates: write the regex",
        "I get this error: fix the traceback please",
        "def merge(a, b):\n    ...\nfinish it",
        "Translate this function to Java",
        "make me a dockerfile for a flask app",
        "写一个快速排序的函数",
        "用Python实现二分查找",
        "帮我重构这段代码",
        "这段代码报错了，怎么改？",
        "用 C++ 写一个链表",
    ),
    "json": (
        "Give me the three largest cities of France as JSON",
        "Return only valid JSON with the keys name and age.",
        "Convert this table to CSV",
        "Write a SQL query that counts orders per customer",
        "What is wrong with SELECT name FROM users WHERE id = ?",
        "Make a YAML config for two services",
        "把下面的内容转换成JSON",
        "请以 JSON 格式输出结果",
        "写一个SQL查询，统计每个部门的人数",
    ),
    "edit": (
        "Proofread this letter: Dear sirs, i am writting to you",
        "Rewrite the following paragraph in a friendlier tone",
        "Please correct the grammar: He go to school yesterday.",
        "make this email more formal\n\nhey bob, gimme the numbers",
        "Rephrase: the results were not that good",
        "fix the spelling in this text: teh cat",
        "润色下面这段话：我们公司很好",
        "请修改这篇作文里的错别字",
        "把这封邮件改得更正式一些",
    ),
    "translate": (
        "Translate into German: The rain fell on the town.",
        "How do you say “good morning” in Japanese?",
        "Translation of the following sentence to English, please: Guten Morgen",
        "Into French: where is the station",
        "把下面的句子翻译成英文：今天天气很好",
        "请将这段话译为日语",
        "“再见”用法语怎么说？",
    ),
    "summary": (
        "Summarize this article in three sentences.",
        "tl;dr of the text below",
        "What are the key points of this contract?",
        "Give me a short summary: the board met on Monday and decided to build the bridge",
        "总结一下这篇文章",
        "请概括下面的内容要点",
    ),
    "chat": (
        "Hello, how are you?",
        "Tell me a story about a lighthouse",
        "What is the capital of Mongolia?",
        "Why is the sky blue?",
        "Write a poem about autumn",
        "Should I go to the gym today or rest?",
        "I want to create a program of exercises for older people, where do I start with stretching?",
        "What does the class structure of Victorian society tell us?",
        "你好，今天过得怎么样？",
        "给我讲一个关于灯塔的故事",
        "北京有哪些好吃的？",
        "写一首关于秋天的诗",
        "",
    ),
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in EXAMPLES.items() for text in texts])
def test_examples(kind: str, text: str) -> None:
    """What people ask is told apart without a model."""
    assert kind_of((ChatMessage("user", text),)) == kind


def test_the_last_message_counts() -> None:
    """What was asked before does not matter, nor what the model said."""
    earlier = ChatMessage("user", "Translate into German: good morning")
    answer = ChatMessage("assistant", "Here is a Python function:\n```python\nprint()\n```")
    assert kind_of((earlier, answer, ChatMessage("user", "And how was your day?"))) == "chat"


def test_the_system_message_decides_where_the_user_leaves_it_open() -> None:
    """A translator's prompt is text to translate; a clear wish of the user goes before."""
    system = ChatMessage("system", "You translate everything into Chinese.")
    assert kind_of((system, ChatMessage("user", "The rain fell on the town."))) == "translate"
    assert kind_of((system, ChatMessage("user", "Summarize what I sent you."))) == "summary"


def test_the_wish_stands_before_or_after_a_long_text() -> None:
    """Both ends are looked at, and little else of a very long text."""
    text = "The board met on Monday. " * 40_000
    assert kind_of((ChatMessage("user", f"Summarize this:\n{text}"),)) == "summary"
    assert kind_of((ChatMessage("user", f"{text}\nTranslate that into French."),)) == "translate"
    assert kind_of((ChatMessage("user", "x" * 1_000_000),)) == "chat"


def test_a_raw_prompt_has_no_messages() -> None:
    """Without any message it is talk."""
    assert kind_of(()) == "chat"


def test_every_kind_has_a_name() -> None:
    """No two kinds are called the same."""
    assert len({kind_name(kind) for kind in KINDS}) == len(KINDS)
