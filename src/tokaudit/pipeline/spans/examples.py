"""Examples in a text: what is shown as the input and output of a task, or as the form in which something is written.

What the model is to do with a text is told by such pairs, so that either half is data to the last mark: an input that
is made like its output no longer shows anything. As in ``blocks``, texts are padded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.spans.blocks import Stretch

_INPUTS = (
    "(?:用户|原始|示例|样例|测试)?输入(?:文本|内容|数据)?|原文|原句|源文|源文本|原始(?:文本|数据)|文本|句子[A-Za-z甲乙]?|语句|评论|段落|题目|问题?|提问|修改前|改前|改写前|错误|病句"
    "|入力|質問|問|原文例"
    r"|(?:user |sample |raw )?inputs?|q|question|texts?|source(?: text)?|original|before|sentence|review|tweet|query"
    "|passage|comment|ticket|utterance|post|premise|hypothesis|email|wrong|incorrect|bad|raw|problem"
)
_OUTPUTS = (
    "(?:期望|预期|示例|样例|目标)?输出(?:文本|内容|结果)?|答案?|回答|译文|翻译|改写后?|改后|修改后|结果|标签|类别|分类|情感(?:倾向|极性)?|情绪|语气|极性"
    "|摘要|总结|正确|规范化?后?|标准化?后?|关键词|意图|实体|出力|訳"
    r"|(?:expected |sample )?outputs?|a|answer|translations?|rewrit(?:e|ten)|after|target|summary|sentiment|emotion"
    "|tone|category|class|label|intent|results?|response|expected|completion|corrected|correct|fixed|right|good|entities"
)
_QUESTIONS = frozenset(("q", "question", "问", "问题", "提问", "題目", "题目", "質問", "問"))
"""Labels of questions, whose answers are prose like any other."""
_NUMBER = r"[ \t]*(?:[#no.]{0,3}[ \t]*[\d一二三四五六七八九十]{1,3})?"
_PREFIX = rf"(?:(?:示例|例子?|样例|案例|第.{{1,3}}[条个]|example|sample|shot){_NUMBER}[ \t]*(?:的|[-:：.、])?[ \t]*)?"
_label = lazy(
    rf"[ \t>#*_\-•(（]{{0,12}}(?:\d{{1,3}}[.、)）][ \t]*)?[*_\[【]{{0,3}}{_PREFIX}(?:({_INPUTS})|({_OUTPUTS})){_NUMBER}"
    r"[ \t]?[\])）】*_]{0,4}[ \t]?",
    re.IGNORECASE,
)
"""A label, from the beginning of its line to its colon, bracket or line end."""
_LONGEST_LABEL = 39
_place = lazy(
    r"\n(?:[ \t]{0,8}(?:[\[【][^\]】\n]{1,30}[\]】]|[#*][^\n:：]{1,38}(?=\n))"
    rf"|[^\n:：]{{0,{_LONGEST_LABEL}}}+([:：]))"
)
"""The beginning of a line up to where a label may end: a bracket, the end of a heading, or the first colon (1)."""
_colon = lazy("[:：\n]")
_numbered = lazy("例|第|example|sample|shot", re.IGNORECASE)
"""One of these is in each label that has a colon in it."""
_inline_output = lazy(rf"[ \t\u3000，,；;。|/](?:{_OUTPUTS})[:：]", re.IGNORECASE)
"""An output on the line of its input."""
_CLASSES = frozenset(
    (
        "标签",
        "类别",
        "分类",
        "情感",
        "情感倾向",
        "情感极性",
        "情绪",
        "语气",
        "极性",
        "意图",
        "label",
        "class",
        "category",
        "sentiment",
        "emotion",
        "tone",
        "intent",
    )
)
"""Labels of what is said about the line above, whatever it is called."""
_FARTHEST = 4_000
"""Characters of an input, at most."""
_element = lazy(r"<(example|examples|input|sample_input|source_text)>", re.IGNORECASE)
_LONGEST_ELEMENT = 20_000
_shown = lazy(
    r"[（(](?:例|記入例|入力例|書式例|例えば|例如|如|比如|譬如|示例|样例|e\.g\.|for example|ex\.)[:：、,，)）]?"
    r"[^\n（()）]{1,200}[)）]"
)
_shown_on_line = lazy(r"例[)）:：](?<=[\n \t\u3000入力式]..)[^\n]{1,200}")
"""An example of how something is written: （例：０３－１２３４－５６７８）."""


def examples(source: str, start: int, end: int, *, of_task: bool = True) -> Iterator[Stretch]:
    """Spans of examples in a stretch of a padded text; ``of_task``: also of inputs and outputs."""
    if of_task:
        yield from _pairs(source, start, end)
        yield from _elements(source, start, end)
    for pattern in (_shown(), _shown_on_line()):
        for match in pattern.finditer(source, start, end):
            yield (match.start(), match.end(), "example")


def _pairs(source: str, start: int, end: int) -> Iterator[Stretch]:
    """Inputs with an output that follows, and the outputs; an input like those before that waits for its output."""
    first, name, last = -1, "", -1  # the input: where it begins, its label, and where its last label ends
    seen: set[str] = set()
    wanted: tuple[int, str] | None = None  # the output that goes on
    for low, high, asked, told in _labels(source, start, end):
        if wanted:
            yield from _output(source, wanted[0], low, wanted[1])
            wanted = None
        if asked:
            if first < 0 or low - first > _FARTHEST or _parted(source, last, low):
                first, name = high, asked
            last = high
            line_end = _line_end(source, high, end)
            if _inline_output().search(source, high, line_end):
                yield (first, line_end, "example")
                first = -1
        elif first >= 0:
            if low - first <= _FARTHEST:
                yield (first, low, "example")
                seen.add(name)
                wanted = high, name
            first = -1
        elif told in _CLASSES:
            yield (source.rfind("\n", start, max(start, low - 1)) + 1, low, "example")
    if wanted:
        yield from _output(source, wanted[0], end, wanted[1])
    if first >= 0 and name in seen:
        yield (first, _paragraph_end(source, first, end), "example")


def _labels(source: str, start: int, end: int) -> Iterator[tuple[int, int, str, str]]:
    """The labels at the beginning of lines: start, end, and the name as one of an input or of an output."""
    for place in _place().finditer(source, start, end):
        low, last = place.start() + 1, place.end()
        high = place.start(1) if place[1] else last
        while high >= 0:
            asked, told = _named(source[low:high])
            if asked or told:
                yield low, last, asked, told
                break
            high = _next_colon(source, low, last, end)
            last = high + 1


def _next_colon(source: str, low: int, at: int, end: int) -> int:
    """The next colon of a line that begins at ``low``, if a label may reach up to there; -1 for none."""
    if not _numbered().search(source, low, at):
        return -1
    colon = _colon().search(source, at, min(end, low + _LONGEST_LABEL + 1))
    return colon.start() if colon and colon[0] != "\n" else -1


@lru_cache(maxsize=4096)
def _named(label: str) -> tuple[str, str]:
    """The name of an input or of an output that a label is; the same few stand in thousands of lines."""
    match = _label().fullmatch(label)
    return ((match[1] or "").lower(), (match[2] or "").lower()) if match else ("", "")


def _line_end(source: str, start: int, end: int) -> int:
    newline = source.find("\n", start, end)
    return end if newline < 0 else newline


def _parted(source: str, start: int, end: int) -> bool:
    return source.find("\n\n", start, end) >= 0


def _output(source: str, start: int, end: int, asked: str) -> Iterator[Stretch]:
    if asked not in _QUESTIONS:
        end = _paragraph_end(source, start, end)
        if start < end:
            yield (start, end, "example")


def _paragraph_end(source: str, start: int, end: int) -> int:
    """The end of the first paragraph that stands between two places."""
    body = start
    while body < end and source[body] == "\n":
        body += 1
    blank = source.find("\n\n", body, end)
    return end if blank < 0 else blank


def _elements(source: str, start: int, end: int) -> Iterator[Stretch]:
    open_ends: set[str] = set()
    at = start
    while match := _element().search(source, at, end):
        at = match.end()
        close = f"</{match[1]}>"
        last = -1 if close in open_ends else source.find(close, at, min(end, at + _LONGEST_ELEMENT))
        if last < 0:
            open_ends.add(close)
        else:
            yield (at, last, "example")
            at = last
