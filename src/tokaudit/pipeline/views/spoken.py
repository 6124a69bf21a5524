"""JSON of whose form nobody speaks: the sentences beside it in a text, or the questions of a chat that it is in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_places import QUESTIONS, Places, Text
from tokaudit.pipeline.views.view import Parameter, Parameters, View

NOT_BY: Parameters = {
    "not_by": Parameter(
        "texts",
        "Words, in small letters, that say of JSON that its form matters; of Latin letters, they are where a word "
        "begins. In a text it stays where they stand before or after it, or where the text begins or ends, and so do "
        "templates and what a label (Answer:) says is an answer. In JSON it stays where a question has them. Those in "
        "JSON itself do not count.",
        default=(),
    ),
}
_QUESTION = 2000
"""Characters of a text of JSON up to which all of it may be a question."""
_ENDS = 300
"""Characters at either end of a text in which a question may stand."""
_NEAR, _AFTER = 600, 200
"""Characters of the sentences before and after JSON, and of those at the ends of the text, that may speak of it."""
_ASKERS = frozenset(("user", "human", "system", "developer"))
_TELLING = 120
"""Characters before JSON in which it is told what it is."""
_template = lazy(
    r'\{\{|\$\{|"(?:\.\.\.|…|<[^<>"]{1,60}>|\[[^\]"]{1,60}\]|yyyy[^"]{0,30}'
    r'|string|number|int|integer|float|bool|boolean|str|xxx+)"|…"|\.\.\."'
)
"""Values that are to be replaced by others, in small letters."""
_answer = lazy(
    r"(?:^|\n)[ \t>*#-]*(?:a|answer|json|assistant|ai|bot|model|expected|答|答案|回答|助手|模型|实体)"
    r"[ \t*]*[\d.]{0,4}[:：][ \t*]*\n?[ \t]*\Z"
)
"""A label of an answer before JSON."""
_label = lazy(r"(?:^|\n)([^\s:：，。,.][^\n:：，。,.]{0,20}[:：])\s*\Z")
"""A label at an end; of a text, after which the answer is to follow."""


@lru_cache(maxsize=16)
def says(words: tuple[str, ...]) -> Callable[[str], bool]:
    """Tell whether a text in small letters has one of some words; what begins with a Latin letter begins a word."""
    if not words:
        return lambda _: False
    latin = [re.escape(word) for word in words if word[:1].isascii() and word[:1].isalpha()]
    others = [re.escape(word) for word in words if not (word[:1].isascii() and word[:1].isalpha())]
    pattern = re.compile("|".join([rf"(?<![a-z])(?:{'|'.join(latin)})"] * bool(latin) + others))
    return lambda text: pattern.search(text) is not None


def ends_of(text: str) -> str:
    """Both ends of a text, where it may ask for something."""
    return f"{text[:_ENDS]}\n{text[-_ENDS:]}"


def asks(one: Text, content: str, has: Callable[[str], bool]) -> bool:
    """True if somebody who asks says some words: a user or the rules of a chat, or a text under a key of questions.

    Long texts say them at their ends.
    """
    if one.is_result or not (one.place.role in _ASKERS or one.key in QUESTIONS):
        return False
    return has((content if len(content) <= _QUESTION else ends_of(content)).lower())


def asked_traces(found: Places, contents: Sequence[str], traces: Sequence[int], words: tuple[str, ...]) -> set[int]:
    """The traces, one for each text, in which a question has one of some words."""
    has = says(words)
    return {trace for trace, one, content in zip(traces, found.texts, contents, strict=True) if asks(one, content, has)}


def traces_of(found: Places) -> list[int]:
    """What each text is read with: a request by itself, and so a record that nobody says; 0 for all others."""
    return [one.record if one.record in found.requests or not one.place.role else 0 for one in found.texts]


def not_spoken_of(view: View, places: Iterable[tuple[int, int]], words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The places of JSON of whose form nobody speaks; all of them where there are no words to do it by."""
    if not words:
        yield from places
    elif view.kind in {"json", "jsonl"}:
        yield from _not_asked_of(view.text, [*places], words)
    else:
        yield from _in_text(view.text, [*places], says(words))


def _not_asked_of(text: str, places: Sequence[tuple[int, int]], words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The documents or lines without such a question; of lines that are messages of a chat, all or none."""
    has, speakers = says(words), False
    asked: set[int] = set()
    for number, (start, end) in enumerate(places):
        found = Places()
        found.add(text, start, end, (), len(text), number + 1 if len(places) > 1 else 0)
        speakers = speakers or (not found.requests and any(one.place.role for one in found.texts))
        for one in found.texts:
            content = json.loads(text[one.start : one.end])
            if asks(one, content, has):
                asked.add(number)
    if not (asked and speakers):
        yield from (place for number, place in enumerate(places) if number not in asked)


def told(text: str, places: Iterable[tuple[int, int]], words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The places that the words before them tell to be what some words say; all of them where there are none."""
    has = says(words)
    for start, end in places:
        if not words or has(text[max(0, start - _TELLING) : start].lower()):
            yield start, end


def unspoken(text: str, places: Sequence[tuple[int, int]], has: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The places of which no sentence before or after them, or at the ends of the text, speaks."""
    starts, ends = [start for start, _ in places], [end for _, end in places]
    between = [(end, start) for end, start in zip([0, *ends], [*starts, len(text)], strict=True)]
    if (
        not places
        or has(text[: min(_NEAR, starts[0])].lower())
        or has(text[max(ends[-1], len(text) - _NEAR) :].lower())
    ):
        return
    for place, (low, high), (first, last) in zip(places, between, between[1:], strict=False):
        near, after = text[max(low, high - _NEAR) : high], text[first : min(last, first + _AFTER)]
        if not has(near.lower()) and not has(after.lower()):
            yield place


def _in_text(text: str, places: Sequence[tuple[int, int]], has: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    wanted = _label().search(text, max(0, len(text) - _NEAR))
    for start, end in unspoken(text, places, has):
        near = text[max(0, start - _NEAR) : start]
        if _answer().search(near.lower()) or _is_template(text[start:end]):
            continue
        if not wanted or not near.rstrip().endswith(wanted[1]):
            yield start, end


def _is_template(content: str) -> bool:
    return _template().search(content.lower()) is not None
