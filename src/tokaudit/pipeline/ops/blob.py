"""Name long stretches of base64 or hex instead of printing them."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Replace long stretches of base64 or hex by their kind, size and the beginning of their SHA-256."
PARAMETERS: Parameters = {
    "characters": Parameter("integer", "Characters, at least.", default=80),
}
# Stretches are met whole and measured after: each character is looked at once.
_stretch = lazy(r"[A-Za-z0-9+/_-]{24,}={0,2}")


def prepare(parameters: Values) -> Find:
    least = max(24, parameters["characters"])

    def find(view: View) -> Edits:
        for match in _stretch().finditer(view.text):
            name = _name(match[0]) if len(match[0]) >= least else ""
            if name:
                yield Edit(*match.span(), name)

    return find


def _name(stretch: str) -> str:
    """The replacement of a stretch; empty for one that may be words, a path or a rule."""
    from hashlib import sha256

    body = stretch.rstrip("=")
    digits = sum(map(str.isdigit, body))
    if not re.search(r"[^0-9A-Fa-f]", body):
        letters = len(body) - digits
        if not letters or not digits or len(set(body)) < 8:
            return ""
        kind, size = "hex", len(body) // 2
    else:
        upper, lower = sum(map(str.isupper, body)), sum(map(str.islower, body))
        marks = len(body) - digits - upper - lower
        # Random characters are a sixth digits and four tenths each kind of letter; words have few digits or capitals.
        if min(upper, lower) * 8 < len(body) or digits * 25 < len(body) or marks * 8 > len(body):
            return ""
        kind, size = "base64", len(body) * 3 // 4
    return f"[{kind} {size} B sha256:{sha256(stretch.encode()).hexdigest()[:8]}]"
