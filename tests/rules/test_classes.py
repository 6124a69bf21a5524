"""The class of a rule is that of what it deletes."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter

import pytest

from tokaudit.model.rules import Rule
from tokaudit.store.packs import load_pack

RULES = {
    rule.id: rule
    for pack in ("common", "cn", "en", "markdown", "json", "log", "chat", "pdf", "code")
    for rule in load_pack(pack).rules
    if rule.rule_class != "lossy"
}
WRITTEN_ANEW = {"cn.date-iso", "cn.field-bracket", "cn.amount"}
"""Off by default; they say the same in fewer characters, which their examples show."""
TEXTS = {
    id_: rule for id_, rule in RULES.items() if id_.startswith(("common.", "cn.", "en.")) and id_ not in WRITTEN_ANEW
}
OBLIGATIONS = re.compile(
    r"必须|务必|不得|不要|禁止|严禁|应当|需要|仅限|\b(?:must|shall|should|never|do not|don't|required|only)\b",
    re.IGNORECASE,
)


def letters(text: str) -> Counter[str]:
    return Counter(char for char in unicodedata.normalize("NFKC", html.unescape(text)) if char.isalnum())


@pytest.mark.parametrize("rule", TEXTS.values(), ids=TEXTS)
def test_rules_for_texts_that_are_not_lossy_keep_every_letter_and_digit(rule: Rule) -> None:
    changing = [example for example in rule.examples if example.before != example.after]
    assert changing
    assert [example.before for example in changing if letters(example.before) - letters(example.after)] == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_no_obligation_goes_but_by_a_lossy_rule(rule: Rule) -> None:
    for example in rule.examples:
        said = {word.lower() for word in OBLIGATIONS.findall(example.before)}
        assert said == {word.lower() for word in OBLIGATIONS.findall(example.after)}, example.before
