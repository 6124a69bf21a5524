"""Write escaped characters of URLs as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.view import Find, Parameter, View

SUMMARY = "Decode escapes such as %E4%BD%A0 in URLs, where they are UTF-8 of printable characters."
PARAMETERS: Mapping[str, Parameter] = {}


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(r"https?://[^\s<>\"'`|\\^{}]+"), re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def prepare(_parameters: Mapping[str, Any]) -> Find:
    """A finder for one rule."""

    def find(view: View) -> Iterator[Edit]:
        if "://" not in view.text or "%" not in view.text:
            return
        url, escapes = _patterns()
        for one in url.finditer(view.text):
            for match in escapes.finditer(view.text, *one.span()):
                try:
                    decoded = bytes.fromhex(match[0].replace("%", "")).decode()
                except UnicodeDecodeError:
                    continue  # another charset, or bytes of no text
                # Punctuation of other scripts would end the URL for a reader.
                if decoded.isprintable() and all(character.isalnum() for character in decoded):
                    yield Edit(*match.span(), decoded)

    return find
