"""Runs the chat template that a model file brings, as an untrusted program.

jinja2's immutable sandbox keeps a template away from Python. What it does not do is stop one: a loop in a loop
runs for hours, and thirty doublings make a text of a gigabyte. So every loop, call, filter, test and comparison
looks at the clock, and whatever makes text or lists pays for their size from one account, beforehand where one step
could make much from little. Only the template's own operations are watched, so this works on every thread and system
and leaves debuggers and coverage alone.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, wraps
from types import CodeType
from typing import Any, NoReturn

from jinja2 import Template, TemplateError, nodes, pass_environment
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.filters import FILTERS, make_attrgetter
from jinja2.parser import Parser
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter
from jinja2.tests import TESTS
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

TIME_LIMIT_S = 2.0
TEMPLATE_LIMIT = 128 << 10  # characters; the longest known template has some 30,000
SIZE_LIMIT = 32 << 20  # characters that one rendering may make, counting those it throws away again
ITEM_SIZE = 64  # characters that an item of a list counts as

_COPIES = 256  # how often a template may copy its input beyond that
_RANGE_LIMIT = 100_000
_DIGITS_LIMIT = 10_000  # binary ones
_LONG_FIELD = re.compile(r"%(\([^)]*\))?[^a-zA-Z%]*?(\*|\d{4})")  # as in "%9999d" and "%*d"

# Methods of plain values that make much from little in ways not worth foreseeing
_REFUSED_METHODS = frozenset({"encode", "expandtabs", "maketrans", "to_bytes", "translate"})


_LISTING_FILTERS = frozenset({"groupby", "join", "list", "sort"})  # a text becomes the list of its characters


class EndlessError(Exception):
    """The template ran into a limit of `limit_s` seconds or `limit_bytes` characters."""

    def __init__(self, *, limit_s: float = 0.0, limit_bytes: int = 0) -> None:
        super().__init__()
        self.limit_s = limit_s
        self.limit_bytes = limit_bytes


class RefusedError(TemplateError):
    """The template itself refused the messages, through raise_exception."""


class Sandbox(ImmutableSandboxedEnvironment):
    """One rendering, with the names, filters and settings that Hugging Face's transformers gives templates."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, now: datetime, input_size: int) -> None:
        """`input_size` is the number of characters in the messages; the clock starts here."""
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,  # nothing is computed before the clock runs
            finalize=self.shown,
            extensions=["jinja2.ext.loopcontrols", _GenerationBlock],
        )
        self._limit = self._left = SIZE_LIMIT + _COPIES * input_size
        self._deadline = time.monotonic() + TIME_LIMIT_S
        self.filters = self._watched(_FILTERS)
        self.tests = self._watched(TESTS)
        self.globals = {
            "range": _limited_range,
            "dict": dict,
            "namespace": _Namespace,
            "raise_exception": _refuse,
            "strftime_now": now.strftime,
        }

    def run(self, template: str, variables: Mapping[str, object]) -> str:
        """Render a template, once.

        Raises:
            EndlessError, RefusedError: see there.
            SecurityError: it reached for something outside the sandbox.
            TemplateError, or any exception that a wrong operation raises.
        """
        if len(template) > TEMPLATE_LIMIT:
            raise EndlessError(limit_bytes=TEMPLATE_LIMIT)
        compiled = Template.from_code(self, _compiled(template), self.globals)
        try:
            return compiled.render(variables)
        except RecursionError as error:
            raise EndlessError(limit_s=TIME_LIMIT_S) from error
        except MemoryError as error:
            raise EndlessError(limit_bytes=self._limit) from error

    # The clock and the account

    def look_at_clock(self) -> None:
        if time.monotonic() > self._deadline:
            raise EndlessError(limit_s=TIME_LIMIT_S)

    def pay(self, size: int) -> None:
        self._left -= max(0, size)  # a negative width must not fill the account
        if self._left < 0:
            raise EndlessError(limit_bytes=self._limit)

    def paid(self, value: Any) -> Any:
        """`value`, after paying for its texts and items, those inside its items included."""
        stack = [value]
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                self.pay(len(part))
            elif isinstance(part, list | tuple | dict):
                self.pay(ITEM_SIZE * len(part))
                stack.extend(part)
                if isinstance(part, dict):
                    stack.extend(part.values())
        return value

    def pay_items(self, text: str) -> None:
        """For a list of the characters of `text`."""
        self.pay(ITEM_SIZE * len(text))

    def pay_replaced(self, text: str, old: str, new: str) -> None:
        self.pay(len(text) + text.count(old) * len(new))

    def pay_joined(self, separator: str, parts: list[Any]) -> None:
        self.pay(sum(len(str(part)) + len(separator) for part in parts))

    def _watched(self, functions: Mapping[str, Any]) -> dict[str, Any]:
        def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def call(*args: Any, **kwargs: Any) -> Any:
                self.look_at_clock()
                if name in _LISTING_FILTERS:
                    for value in args[:2]:  # the sandbox may come first
                        if isinstance(value, str):
                            self.pay_items(value)
                return self.paid(function(*args, **kwargs))

            return call

        return {name: watched(name, function) for name, function in functions.items()}

    # What compiled templates call

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.look_at_clock()
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, str | int | float | list | tuple | dict):
            args = self._checked_arguments(owner, obj.__name__, args)
        return self.paid(super().call(context, obj, *args, **kwargs))

    def _checked_arguments(self, owner: object, method: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if method in _REFUSED_METHODS:
            raise SecurityError(f"the method {method}")
        if isinstance(owner, str):
            match method, args:
                case ("center" | "ljust" | "rjust" | "zfill", (int() as width, *_)):
                    self.pay(width)
                case ("replace", (str() as old, str() as new, *_)):
                    self.pay_replaced(owner, old, new)
                case ("split" | "rsplit", (str() as separator, *_)) if separator:
                    self.pay(ITEM_SIZE * owner.count(separator))
                case ("split" | "rsplit" | "splitlines", _):
                    self.pay(ITEM_SIZE * len(owner) // 2)
                case ("join", (iterable,)):
                    if isinstance(iterable, str):
                        self.pay_items(iterable)
                    parts = list(iterable)
                    self.pay_joined(owner, parts)
                    return (parts,)
        return args

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        self.look_at_clock()
        match operator, left, right:
            case ("*", str() as text, int() as times) | ("*", int() as times, str() as text):
                self.pay(len(text) * times)
            case ("*", list() | tuple() as items, int() as times) | ("*", int() as times, list() | tuple() as items):
                self.pay(ITEM_SIZE * len(items) * times)
            case ("*", int(), int()):
                self._check_digits(left.bit_length() + right.bit_length())
            case ("**", int(), int()):
                self._check_digits(left.bit_length() * right)
            case ("%", str(), _):
                if _LONG_FIELD.search(left):
                    raise EndlessError(limit_bytes=self._limit)
                self.pay(left.count("%") * len(str(right)))
        return self.paid(super().call_binop(context, operator, left, right))

    def _check_digits(self, digits: int) -> None:
        if digits > _DIGITS_LIMIT:
            raise EndlessError(limit_bytes=self._limit)

    def concat(self, pieces: Iterable[str]) -> str:
        """Join pieces of output."""
        pieces = list(pieces)
        self.pay(sum(map(len, pieces)))
        return "".join(pieces)

    def concatenated(self, *values: object) -> str:
        """What the operator ~ makes."""
        return self.concat(map(str, values))

    def shown(self, value: object) -> str:
        """What is put into the output for an expression."""
        return str(self.paid(str(value)))

    def same(self, value: Any) -> Any:
        """Put around an expression, this makes it a call, which is watched."""
        return value

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        if super().wrap_str_format(value) is None:
            return None
        if value.__name__ == "format_map":
            raise SecurityError("the method format_map")

        def formatted(*args: Any, **kwargs: Any) -> str:
            return _Formatter(self).vformat(value.__self__, args, kwargs)

        return formatted

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        raise SecurityError(f"the attribute {attribute} of a {type(obj).__name__}")

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        _Watch().visit(template)
        return template


@lru_cache(maxsize=16)
def _compiled(template: str) -> CodeType:
    return Sandbox(datetime.min, 0).compile(template, filename="<template>")


class _Watch(NodeTransformer):
    """Turns what `Sandbox` would not see into calls."""

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        self.generic_visit(node)
        match node:
            case nodes.For():
                tick = _watched_call("same", [nodes.Const(None)], node.lineno)
                node.body.insert(0, nodes.ExprStmt(tick, lineno=node.lineno))
                if node.test is not None:
                    node.test = _watched_call("same", [node.test], node.lineno)
            case nodes.Concat():
                return _watched_call("concatenated", node.nodes, node.lineno)
            case nodes.Tuple() if node.ctx != "load":
                pass  # the names that a loop or an assignment gives
            case nodes.Getitem() if not isinstance(node.arg, nodes.Slice):
                pass
            case nodes.Getitem() | nodes.List() | nodes.Tuple() | nodes.Dict() | nodes.Compare():
                return _watched_call("same", [node], node.lineno)
        return node


def _watched_call(method: str, args: Sequence[nodes.Node], lineno: int) -> nodes.Call:
    return nodes.Call(nodes.EnvironmentAttribute(method, lineno=lineno), list(args), [], None, None, lineno=lineno)


class _GenerationBlock(Extension):
    """{% generation %} marks what an assistant said, for training. Here its content is all that matters."""

    tags = frozenset({"generation"})  # type: ignore[assignment]  # jinja2 only reads it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _Namespace(Namespace):
    """Not shown with its contents, in which it could stand again and again."""

    def __repr__(self) -> str:
        return "<namespace>"


class _Formatter(SandboxedFormatter):
    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self._sandbox = sandbox

    def format_field(self, value: Any, format_spec: str) -> Any:
        if re.search(r"\d{4}", format_spec):
            raise EndlessError(limit_bytes=SIZE_LIMIT)
        return self._sandbox.paid(super().format_field(value, format_spec))


def _limited_range(*args: int) -> range:
    numbers = range(*args)
    if len(numbers) > _RANGE_LIMIT:
        raise EndlessError(limit_bytes=SIZE_LIMIT)
    return numbers


def _refuse(message: object = "") -> NoReturn:
    raise RefusedError(str(message))


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Unlike jinja2's own filter this leaves <, > and & as they are: the text goes to a model, not into a page."""
    if indent is not None and not 0 <= indent < 100:
        raise EndlessError(limit_bytes=SIZE_LIMIT)
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


@pass_environment
def _center(sandbox: Sandbox, value: object, width: int = 80) -> str:
    sandbox.pay(width)
    return str(value).center(width)


@pass_environment
def _indent(sandbox: Sandbox, value: object, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text = str(value)
    sandbox.pay((text.count("\n") + 1) * (len(width) if isinstance(width, str) else width))
    indented: str = FILTERS["indent"](text, width, first, blank)
    return indented


@pass_environment
def _join(sandbox: Sandbox, value: Iterable[Any], separator: object = "", attribute: str | int | None = None) -> str:
    parts = list(value if attribute is None else map(make_attrgetter(sandbox, attribute), value))
    sandbox.pay_joined(str(separator), parts)
    return str(separator).join(map(str, parts))


@pass_environment
def _replace(sandbox: Sandbox, value: object, old: object, new: object, count: int | None = None) -> str:
    text = str(value)
    sandbox.pay_replaced(text, str(old), str(new))
    return text.replace(str(old), str(new), -1 if count is None else count)


# jinja2's filters without those that templates for chats do not use and that would need guards of their own
# fmt: off
_FILTERS: Mapping[str, Any] = {
    **{
        name: FILTERS[name]
        for name in (
            "abs", "attr", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "first", "float",
            "forceescape", "groupby", "int", "items", "last", "length", "list", "lower", "map", "max", "min", "reject",
            "rejectattr", "reverse", "safe", "select", "selectattr", "sort", "string", "title", "trim", "truncate",
            "unique", "upper", "wordcount",
        )
    },
    "center": _center, "indent": _indent, "join": _join, "replace": _replace, "tojson": _tojson,
}
# fmt: on
