"""Name long identifiers that a text repeats, and say the name from then on."""

from __future__ import annotations

from collections import Counter

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Write UUIDs, hashes, random identifiers and numbers of twelve digits and more that occur several times as id1, "
    "id2 and so on; the first time as id1=, with the identifier after it."
)
PARAMETERS: Parameters = {}
_id = lazy(
    r"(?<![A-Za-z0-9])(?:[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[A-Za-z0-9]{12,200})(?![A-Za-z0-9])"
)
_BASES = ("id", "ref", "key", "uid", "nr")
_used = lazy(rf"(?<![A-Za-z0-9])({'|'.join(_BASES)})\d+(?![A-Za-z0-9])")
"""Names that the text has already."""


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        text = view.text
        found = [match.span() for match in _id().finditer(text) if _is_random(match[0])]
        counts = Counter(text[start:end] for start, end in found)
        if all(count < 2 for count in counts.values()):
            return
        taken = {match[1] for match in _used().finditer(text)}
        base = next((name for name in _BASES if name not in taken), "")
        names: dict[str, str] = {}
        for start, end in found if base else ():
            identifier = text[start:end]
            if counts[identifier] < _least(identifier):
                continue
            if identifier in names:
                yield Edit(start, end, names[identifier])
            else:
                names[identifier] = f"{base}{len(names) + 1}"
                yield Edit(start, start, f"{names[identifier]}=")

    return find


def _least(identifier: str) -> int:
    """Occurrences from which on a name saves: it costs three tokens once, and two each time."""
    return 3 if identifier.isdigit() else 2


def _is_random(word: str) -> bool:
    """True for a UUID, a hexadecimal or long number, or letters of both cases with digits among them."""
    if "-" in word or word.isdigit():
        return True
    digits = sum(map(str.isdigit, word))
    if len(word) < 16 or digits < 3 or digits == len(word):
        return False
    if all(character in "0123456789abcdefABCDEF" for character in word):
        return True
    return len(word) >= 20 and not word.isupper() and not word.islower()
