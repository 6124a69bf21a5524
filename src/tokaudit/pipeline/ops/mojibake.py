"""Text that was decoded by the wrong charset."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Repair UTF-8 that was read as Windows-1252: the characters become those that the bytes stand for."
PARAMETERS: Parameters = {
    "least": Parameter("integer", "Characters that a damaged run has at least.", default=2),
}
_SPECIALS = bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
_BYTES = {**{chr(code): code for code in range(0x80, 0x100)}, **{char: char.encode("cp1252")[0] for char in _SPECIALS}}
_RUN = re.compile(f"[{re.escape(''.join(_BYTES))}]+")


def prepare(values: Values) -> Find:
    """A finder of runs whose characters, taken as bytes, are UTF-8 to the last one.

    Rarely is a text such by chance: a lead byte (Ã, â, ä) would have to be followed by just the right number of signs.
    """
    least = max(2, values["least"])

    def find(view: View) -> Edits:
        if view.text.isascii():
            return
        for match in _RUN.finditer(view.text):
            if match.end() - match.start() < least:
                continue
            try:
                repaired = bytes(_BYTES[char] for char in match[0]).decode()
            except UnicodeDecodeError:
                continue
            if not _RUN.fullmatch(repaired) or len(repaired) == 1:
                yield Edit(*match.span(), repaired)

    return find
