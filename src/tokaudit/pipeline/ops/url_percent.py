"""Write escaped characters of URLs as they are."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Decode escapes such as %E4%BD%A0 in URLs, where they are UTF-8 of printable characters."
PARAMETERS: Parameters = {}
_url = lazy(r"https?://[^\s<>\"'`|\\^{}]+")
_escapes = lazy(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        if "://" not in view.text or "%" not in view.text:
            return
        for one in _url().finditer(view.text):
            for match in _escapes().finditer(view.text, *one.span()):
                try:
                    decoded = bytes.fromhex(match[0].replace("%", "")).decode()
                except UnicodeDecodeError:
                    continue  # another charset, or bytes of no text
                # Punctuation of other scripts would end the URL for a reader.
                if decoded.isprintable() and all(character.isalnum() for character in decoded):
                    yield Edit(*match.span(), decoded)

    return find
