"""Amounts of money in fewer characters, with the same value."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Take out of amounts of money what does not change their value: .00, separators of thousands, a second unit."
PARAMETERS: Parameters = {
    "signs": Parameter("texts", "Signs before an amount.", default=("￥", "¥")),
    "units": Parameter("texts", "Units after an amount.", default=("元",)),
    "drop": Parameter(
        "texts",
        "Parts to delete: zeros is .00 right before the end; separators are the commas of thousands; unit that of an "
        "amount that has a sign before it.",
        default=("zeros", "separators", "unit"),
    ),
}
_PARTS = ("zeros", "separators", "unit")
_RANGE = re.compile(r"\s*[-~－–—～〜至到/]")
_RANGE_BEFORE = re.compile(r"\d\s*[-~－–—～〜至到/]\s*\Z", re.ASCII)


def prepare(values: Values) -> Find:
    """A finder of amounts that have a sign or a unit, are no end of a range, and have no other decimals."""
    signs, units, drop = values["signs"], values["units"], frozenset(values["drop"])
    if wrong := sorted(drop.difference(_PARTS)):
        raise RuleError(
            Message("'drop' must be some of {parts}, not '{wrong}'", parts=tuple(_PARTS), wrong=wrong[0]),
            keys=("drop",),
        )
    if not signs and not units:
        raise RuleError("'signs' or 'units' is needed: what an amount is known by", keys=("signs", "units"))
    number = r"(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?P<zeros>\.00)?(?![\d.,]\d|\d)"
    amounts = lazy(f"(?P<sign>{_any_of(signs)})? ?(?<![\\d.,]){number}(?P<unit>{_any_of(units)})?", re.ASCII)

    def find(view: View) -> Edits:
        text = view.text
        if not any(mark in text for mark in (*signs, *units)):
            return
        for match in amounts().finditer(text):
            if match["sign"] or match["unit"]:
                yield from _edits(text, match, drop)

    return find


def _any_of(texts: tuple[str, ...]) -> str:
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True)) or r"\b\B"


def _edits(text: str, match: re.Match[str], drop: frozenset[str]) -> Edits:
    before = text[max(0, match.start() - 4) : match.start()]
    if _RANGE.match(text, match.end()) or _RANGE_BEFORE.search(before):
        return
    if "separators" in drop:
        start = match.start("whole")
        yield from (Edit(start + at, start + at + 1, "") for at, char in enumerate(match["whole"]) if char == ",")
    if match["zeros"] and "zeros" in drop:
        yield Edit(*match.span("zeros"), "")
    if match["sign"] and match["unit"] and "unit" in drop:
        yield Edit(*match.span("unit"), "")
