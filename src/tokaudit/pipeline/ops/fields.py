"""Structured fields, such as an order's number with its name."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.ops.replace import trimmed
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Shorten what stands between the name of a field and its value, for fields of a list."
PARAMETERS: Parameters = {
    "keys": Parameter("texts", "Names of fields.", required=True),
    "form": Parameter(
        "choice",
        "plain: 订单号：#A1 becomes 订单号A1; bracket: 您的订单号是：#A1 becomes 【订单号】A1, from sentences only.",
        default="plain",
        choices=("plain", "bracket"),
    ),
    "lead": Parameter("texts", "For bracket: what such a sentence begins with.", default=("您的", "你的", "您本次的")),
    "verbs": Parameter("texts", "For bracket: what joins name and value.", default=("是", "为")),
}
_VALUE = (
    r"(?=[A-Za-z]{0,8}[-_]?\d[A-Za-z0-9]*|[A-Z]{2,}[-_A-Z0-9]*\d)"
    r"(?![-_A-Za-z0-9 ]{1,60}(?:还是|或者?|抑或|吗|么|对吗|[?？]|or\b))"
)
"""A value with a digit in it: a number or an identifier; not one of two that are asked about."""


def prepare(values: Values) -> Find:
    """A finder of fields whose value is a number or an identifier."""
    keys = values["keys"]
    if not keys:
        raise RuleError("'keys' is empty", keys=("keys",))
    names = "|".join(re.escape(key) for key in sorted(keys, key=len, reverse=True))
    bracket = values["form"] == "bracket"
    if bracket:
        lead = "|".join(re.escape(text) for text in sorted(values["lead"], key=len, reverse=True))
        verbs = "|".join(re.escape(text) for text in values["verbs"])
        if not lead or not verbs:
            raise RuleError("'lead' and 'verbs' are needed for 'form: bracket'", keys=("form", "lead", "verbs"))
        pattern = f"(?:{lead})(?P<key>{names})(?:{verbs})[:：]? ?#?{_VALUE}"
    else:
        pattern = f"(?P<key>{names})(?P<mark>[:：] {{0,2}}#?|#){_VALUE}"
    fields = lazy(pattern, re.ASCII)

    def find(view: View) -> Edits:
        text = view.text
        if not any(key in text for key in keys):
            return
        for match in fields().finditer(text):
            if bracket:
                yield trimmed(match.start(), match[0], f"【{match['key']}】")
            else:
                yield Edit(*match.span("mark"), "")

    return find
