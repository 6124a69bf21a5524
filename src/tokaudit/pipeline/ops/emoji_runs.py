"""Emoji: runs of the same one, or all of them."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.model.text import line_end
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Shorten runs of the same emoji, each taken whole with its skin tone, joiners and variation selectors."
PARAMETERS: Parameters = {
    "leave": Parameter("integer", "Emoji of a run that stay; 0 deletes every emoji.", default=1),
    **KEEP,
}
_MAYBE = re.compile("[\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_LINE = 200
"""Characters of a line on either side of a run that are looked at."""
_ONE = (
    r"(?:\p{Regional_Indicator}{2}"
    r"|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)\p{Emoji_Modifier}?\uFE0F?"
    r"(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)*+)"
)


def prepare(values: Values) -> Find:
    """A finder of emoji. Digits and keycaps, arrows and signs such as ★ or ™ are none."""
    leave = values["leave"]
    if not 0 <= leave <= 9:
        raise RuleError("'leave' must be between 0 and 9", keys=("leave",))
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)

    def find(view: View) -> Edits:
        text = view.text
        if text.isascii() or not _MAYBE.search(text):
            return
        import regex

        run = regex.compile(f"(?P<one>{_ONE})(?P=one)*+" if leave else f"{_ONE}++")
        done = 0
        for place in _MAYBE.finditer(text):
            match = run.match(text, place.start()) if place.start() >= done else None
            if not match:
                continue
            start, done = match.span()
            edit = Edit(start + leave * len(match["one"]), done, "") if leave else _whole(text, start, done)
            if (
                edit.start < edit.end
                and not keep_words.touches(text, start, done)
                and not (leave and _counts(text, start, done, match["one"]))
            ):
                yield edit

    return find


def _whole(text: str, start: int, end: int) -> Edit:
    """The edit that deletes emoji, with the space before them where one follows or the line ends."""
    spaced = text[start - 1 : start] == " " and text[end : end + 1] in {"", " ", "\n"}
    return Edit(start - 1 if spaced else start, end, "")


def _counts(text: str, start: int, end: int, one: str) -> bool:
    """True if the same emoji stands beside a run another number of times: a scale, or what is compared."""
    low = max(text.rfind("\n", 0, start) + 1, start - _LINE)
    runs = re.findall(f"(?:{re.escape(one)})+", text[low : line_end(text, end, end + _LINE)])
    return len({len(run) for run in runs}) > 1
