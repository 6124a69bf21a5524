"""Characters become others, one by one."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Translate characters: each becomes another one, or a text."
PARAMETERS: Parameters = {
    "map": Parameter(
        "mapping",
        "Characters, each with what it becomes; or ranges of characters with ranges as long, such as ０-９: 0-9.",
        default={},
    ),
    "compatible": Parameter(
        "texts",
        "Ranges, such as ⼀-⿕, whose characters become what Unicode's NFKC makes of them.",
        default=(),
    ),
    "joints": Parameter(
        "mapping",
        "Characters that are translated only between a character of `map` and another, or what one becomes.",
        default={},
    ),
    **KEEP,
}


def prepare(values: Values) -> Find:
    """A finder of runs of characters that are translated: one edit a run."""
    table = _table(values.get("map") or {}, values.get("compatible") or ())
    joints: dict[str, str] = dict(values.get("joints") or {})
    if not table:
        raise RuleError("'map' or 'compatible' is needed: what is translated", keys=("map", "compatible"))
    if wrong := [joint for joint in joints if len(joint) != 1]:
        raise RuleError(Message("'joints' must be single characters, not '{wrong}'", wrong=wrong[0]), keys=("joints",))
    again = {char for new in table.values() for char in new} & table.keys()
    if again:
        raise RuleError(
            Message("'map' would translate '{again}' again, which is what a character becomes", again=min(again)),
            keys=("map",),
        )
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)
    translation = str.maketrans({**joints, **table})
    results = frozenset("".join(table.values()))
    few = tuple(table) if len(table) <= 16 else ()
    only_beyond_ascii = not any(char.isascii() for char in table)
    runs = lazy(_runs(table, joints, results))

    def find(view: View) -> Edits:
        text = view.text
        if (only_beyond_ascii and text.isascii()) or (few and not any(char in text for char in few)):
            return
        for match in runs().finditer(text):
            start, end = match.span()
            if joints and text[start - 1 : start] in joints and text[max(0, start - 2) : start - 1] in results:
                start -= 1
            if not keep_words.touches(text, start, end):
                yield Edit(start, end, text[start:end].translate(translation))

    return find


def _table(mapping: Mapping[str, str], compatible: Sequence[str]) -> dict[str, str]:
    table: dict[str, str] = {}
    for old, new in mapping.items():
        if len(old) == 1:
            table[old] = new
            continue
        olds, news = _range(old), _range(new)
        if not olds or len(olds) != len(news):
            raise RuleError(
                Message(
                    "'map' has '{old}: {new}', which are no characters and no two ranges of the same length",
                    old=old,
                    new=new,
                ),
                keys=("map",),
            )
        table.update(zip(olds, news, strict=True))
    for text in compatible:
        chars = _range(text) or text
        table.update((char, new) for char in chars if (new := unicodedata.normalize("NFKC", char)) != char)
    return table


def _range(text: str) -> str:
    """The characters of ``a-z``; none if the text is no range."""
    if len(text) != 3 or text[1] != "-" or text[0] > text[2]:
        return ""
    return "".join(map(chr, range(ord(text[0]), ord(text[2]) + 1)))


def _runs(table: Mapping[str, str], joints: Mapping[str, str], results: Collection[str]) -> str:
    """Runs of characters to translate, with the joints after them; one before them is looked for by hand.

    A pattern that begins with a plain class is searched several times as fast as any other.
    """
    one = f"[{_class(table)}]"
    if not joints:
        return f"{one}+"
    return f"{one}+(?:[{_class(joints)}](?=[{_class(table)}{_class(results)}]){one}*)*"


def _class(chars: Collection[str]) -> str:
    """Characters within a class of a pattern, as ranges where they follow one another."""
    codes = sorted({ord(char) for char in chars})
    parts: list[list[int]] = []
    for code in codes:
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in parts)
