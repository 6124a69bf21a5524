"""Words written twice in a row."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete what repeats the words right before it: of some words, or of any two to four ideographs."
PARAMETERS: Parameters = {
    "words": Parameter(
        "texts",
        "Words whose second and further copies are deleted; without any, every repeated unit of ideographs.",
        default=(),
    ),
    "between": Parameter(
        "text", "Marks of which one may stand between two copies of a word, and is deleted with the second.", default=""
    ),
    "alone": Parameter(
        "texts",
        "Those of `words` whose copies count only where they stand by themselves: with no letter, ideograph or digit "
        "right before the first or after the last; so do those of any word with a mark of `between`.",
        default=(),
    ),
    "least": Parameter("integer", "Without `words`: ideographs of the shortest unit.", default=2),
    "most": Parameter("integer", "Without `words`: ideographs of the longest unit.", default=4),
    **KEEP,
}
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff]"


def prepare(values: Values) -> Find:
    """A finder of copies. The first one stays where it is."""
    words, between = tuple(values.get("words") or ()), values.get("between") or ""
    least, most = values["least"], values["most"]
    alone = frozenset(values.get("alone") or ())
    if not words and not 2 <= least <= most <= 8:
        raise RuleError("'least' and 'most' must be between 2 and 8, the first the smaller one", keys=("least", "most"))
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)
    unit = (
        "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        if words
        else f"{_HAN}{{{least},{most}}}?"
    )
    mark = f"[{re.escape(between)}]?" if between else ""
    copies = lazy(f"({unit})(?:{mark}\\1)+")

    def find(view: View) -> Edits:
        text = view.text
        if words and not any(word in text for word in words):
            return
        for match in copies().finditer(text):
            one = match[1]
            parted = len(match[0]) % len(one) or match[0].count(one) * len(one) < len(match[0])
            if len(one) == 1 and not text[max(0, match.start() - 1) : match.start()].isalnum():
                continue  # 了了 is also a name; a function word that is written twice by mistake follows another word
            if (one in alone or (alone and parted)) and not _stands_alone(text, *match.span()):
                continue
            if (words or len(set(one)) > 1) and not keep_words.touches(text, *match.span()):
                yield Edit(match.end(1), match.end(), "")

    return find


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum()
