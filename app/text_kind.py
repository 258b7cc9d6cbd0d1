"""What kind of text a reply is going to be, by plain rules over what was asked.

Guesses are kept more often in code than in talk, so what is learned of one kind begins the next reply of it. A wrong
kind costs a few tokens of learning and nothing else, so the rules are few: the first that fits counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.translate import translate
from engine.types import ChatMessage

CODE: Final = "code"
JSON: Final = "json"
EDIT: Final = "edit"
TRANSLATE: Final = "translate"
SUMMARY: Final = "summary"
CHAT: Final = "chat"
KINDS: Final = (CODE, JSON, EDIT, TRANSLATE, SUMMARY, CHAT)

_LOOKED_AT: Final = 2_000  # characters at each end of a message: what is wanted stands before or after a long text

_LANGUAGES = (
    r"(?:python|javascript|typescript|java|kotlin|swift|rust|golang|ruby|php|perl|scala|haskell|lua|bash|powershell|"
    r"html|css|c\+\+|c#|cuda|sql|go|c|r)"
)
_TONGUES = (
    "(?:english|chinese|mandarin|cantonese|german|french|spanish|italian|portuguese|russian|japanese|korean|arabic|"
    "hindi|dutch|polish|turkish|vietnamese|thai|latin|greek|czech|swedish|ukrainian|indonesian)"
)
_TONGUES_ZH = "(?:英语|英文|中文|汉语|日语|日文|韩语|韩文|法语|法文|德语|德文|俄语|俄文|西班牙语|意大利语|粤语)"
_PIECES = (
    r"(?:functions?|methods?|class(?:es)?|scripts?|programs?(?! of| for)|code|unit ?tests?|regex(?:es)?|"
    r"regular expressions?|"
    r"algorithms?|apis?|endpoints?|components?|queries|query|modules?|makefiles?|dockerfiles?|snippets?|loops?|"
    r"decorators?|macros?|parsers?)"
)
_DO = r"(?:write|implement|create|make|build|give|show|generate|complete|finish|add|need|want|draft|port|convert)"
_MEND = r"(?:fix|debug|refactor|optimi[sz]e|review|explain|test|document|rename)"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_RULES: Final = (
    (
        TRANSLATE,
        _any(
            r"\btranslat(?:e|ion|ing)\b(?! (?:this |the |my |it )?(?:code|function|script|program)\b)",
            rf"\bhow (?:do|would|can) (?:you|i|we) say\b.*\bin {_TONGUES}\b",
            rf"^\W*(?:in|into|to) {_TONGUES}\b\W*(?::|$)",
            rf"翻译|(?:译|翻)(?:成|为)|用{_TONGUES_ZH}(?:怎么|如何)说",
        ),
    ),
    (
        SUMMARY,
        _any(
            r"\bsummari[sz]e\b|\bsummary\b|\btl;?dr\b|\bkey (?:points|takeaways)\b|\bin a nutshell\b",
            r"\b(?:condense|boil down|sum up|recap)\b",
            "总结|摘要|概括|概述|归纳|要点|提炼",
        ),
    ),
    (
        JSON,
        _any(
            r"\b(?:as|in|into|to|valid|only|return|output|respond with|reply with|a|an|the) (?:a )?"
            r"(?:json|jsonl|yaml|xml|csv|toml)\b",
            r"\b(?:json|yaml|xml|toml)\b.*\b(?:object|array|schema|format|document|config)\b|\bselect\b.+\bfrom\b",
            r"\bsql (?:query|queries|statement)|\b(?:query|statement) in sql\b|\bcreate table\b",
            r"(?:json|yaml|xml|csv|sql)\s*(?:格式|数组|对象|语句|查询|输出|数据)|(?:输出|返回|转(?:换)?(?:成|为)|生成)\s*"
            r"(?:一个|一份|为)?\s*(?:json|yaml|xml|csv|sql)",
        ),
    ),
    (
        CODE,
        _any(
            r"```(?!json|ya?ml|xml|csv|text|txt|markdown|md)",
            r"^\s*(?:def \w+\(|class \w+[:({]|#include\s*[<\"]|import \w+$|from \w+ import |fn \w+\(|func \w+\(|"
            r"public (?:static|class)|function \w+\(|const \w+ = |let \w+ = )",
            rf"\b{_DO}\b.{{0,60}}\b{_PIECES}\b",
            rf"\b{_MEND}\b.{{0,40}}\b(?:{_PIECES}|bug|error|exception|traceback|stack ?trace)\b",
            rf"\b{_PIECES} (?:in|that|which|to) (?:{_LANGUAGES}|returns?|computes?|takes?|sorts?)(?!\w)",
            rf"\b{_LANGUAGES} {_PIECES}\b|\b(?:in|using|with|to|into) (?:{_LANGUAGES})(?: code)?\s*[.?!:]?$",
            r"写.{0,30}(?:函数|代码|程序|脚本|类\b|算法|正则|接口|测试|组件)|(?:实现|编写|重构|调试|优化).{0,30}"
            r"(?:函数|代码|程序|脚本|算法|接口|类|排序|链表|队列)",
            r"(?:代码|函数|脚本|程序).{0,12}(?:报错|错误|问题|bug|什么意思|怎么改)|正则表达式",
            r"用\s*(?:python|java(?:script)?|typescript|rust|go|c\+\+|c#|php|ruby|shell|c)\s*(?:语言)?\s*(?:写|实现|编写|做)",
        ),
    ),
    (
        EDIT,
        _any(
            r"\b(?:proofread|rewrite|rephrase|reword|paraphrase|copy-?edit|polish)\b",
            r"\b(?:correct|fix|improve|edit|check|shorten|simplify)\b.{0,40}\b(?:text|grammar|spelling|typos?|essay|email|"
            r"e-mail|letter|paragraph|sentences?|wording|style|tone|draft|english|punctuation|article|report)\b",
            r"\bmake (?:this|it|the (?:text|email|paragraph|sentence|letter)).{0,30}\b(?:shorter|longer|clearer|formal|"
            r"friendlier|polite|concise|professional|simpler)\b",
            "润色|改写|校对|修改.{0,20}(?:文章|句子|段落|文字|邮件|作文|语法|错别字)|改(?:得|成).{0,12}(?:正式|简洁|礼貌|口语|通顺)|"
            "(?:错别字|病句|语法错误)|缩短|扩写|重新表述",
        ),
    ),
)


def kind_of(messages: Sequence[ChatMessage]) -> str:
    """One of KINDS: by the last message of the user, and where that fits no rule by the system message."""
    asked = next((message.content for message in reversed(messages) if message.role == "user"), "")
    system = next((message.content for message in messages if message.role == "system"), "")
    return _kind(asked) or _kind(system) or CHAT


def kind_name(kind: str) -> str:
    """For a heading or the beginning of a row."""
    match kind:
        case "code":
            return translate("text_kind", "Code")
        case "json":
            return translate("text_kind", "JSON and SQL")
        case "edit":
            return translate("text_kind", "Edited text")
        case "translate":
            return translate("text_kind", "Translation")
        case "summary":
            return translate("text_kind", "Summary")
        case _:
            return translate("text_kind", "Open chat")


def _kind(text: str) -> str | None:
    if len(text) > 2 * _LOOKED_AT:
        text = f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    return next((kind for kind, pattern in _RULES if pattern.search(text)), None)
