from __future__ import annotations

import pytest

from places import SAMPLES
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.examples import check_rule
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.store.packs import load_pack, own_rules

PACKS = ("json", "html", "code", "log", "markdown", "pdf")
RULES = [rule for name in PACKS for rule in own_rules(load_pack(name, check=True))]

LOST = [
    ("order", "shipped to warehouse"),
    ("node", "killed by the OOM killer"),
    ("worker", "killed by the OOM killer"),
    ("shop", "支付超时，已自动退款"),
    ("worker", "支付超时，已自动退款"),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_examples(rule: Rule):
    assert check_rule(rule) == []
    assert sum(one.before != one.after and not one.todo for one in rule.examples) >= 3
    assert sum(one.before == one.after for one in rule.examples) >= 3


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_examples_are_slimmed_once(rule: Rule):
    for example in rule.examples:
        kind = example.kind or (rule.kinds[0] if rule.kinds and "text" not in rule.kinds else "text")
        langs = frozenset(rule.langs) or None
        result = slim_text(example.before, [rule], kind=kind, langs=langs)
        assert result.replay() == result.text
        assert slim_text(result.text, [rule], kind=kind, langs=langs).steps == []


@pytest.mark.parametrize(
    "name", sorted(path.name for path in SAMPLES.iterdir() if path.is_file() and path.suffix != ".pdf")
)
@pytest.mark.parametrize("kind", ["text", "markdown", "json", "jsonl", "code", "log", "chat", "pdf"])
def test_samples_keep_their_facts_and_are_slimmed_once(name: str, kind: str):
    path = SAMPLES / name
    if not path.is_file():
        return
    rules = [rule for rule in RULES if rule.default]
    result = slim_text(path.read_text("utf-8"), rules, kind=kind)
    assert result.replay() == result.text
    assert result.ledger.whole, result.ledger
    again = slim_text(result.text, rules, kind=kind)
    assert again.text == result.text


def test_a_repetitive_log_keeps_its_counts():
    lines = [
        f"2025-03-02 08:{minute:02}:00.{minute:03} INFO  [worker-{minute % 4}] queue is empty" for minute in range(60)
    ]
    lines[20] = "2025-03-02 08:20:00.020 WARN  [worker-1] queue is empty"
    result = slim_text("\n".join(lines), [rule for rule in RULES if rule.id == "log.dup-run"], kind="log")
    assert result.text.split("\n") == [
        lines[0],
        "… ×20",
        *lines[19:22],
        "… ×39",
        lines[59],
    ]


@pytest.mark.parametrize(("who", "what"), LOST)
def test_lines_that_say_something_of_their_own_are_not_counted_away(who: str, what: str):
    log = "\n".join(f"2026-03-01 09:00:0{number} INFO [{who}-{number}] {what}" for number in range(1, 6))
    assert slim_text(log, [rule for rule in RULES if rule.default], kind="log").text == log
