from __future__ import annotations

import pytest

import tokaudit
from tokaudit.features.slim.choose import check_names, chosen_rules, pack_names
from tokaudit.features.slim.document import SlimRun
from tokaudit.features.slim.evaluate import evaluate, helpful_rules
from tokaudit.features.slim.left_alone import left_alone
from tokaudit.features.slim.report import slim_report
from tokaudit.features.slim.types import Choice, Goal, SlimText
from tokaudit.jobs.inputs import load_models
from tokaudit.model import UsageError
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine import search
from tokaudit.store.packs import load_packs


def rule(name, rule_class="near", *, default=True, pattern="x", **more):
    return Rule(
        id=name, title="t", why="w", rule_class=rule_class, stage="final", op="delete", guard="never", default=default,
        values={"pattern": pattern, "keep": (), "needs": (), **more},
    )  # fmt: skip


RULES = [rule("a.one", "lossless"), rule("a.two"), rule("b.three", "lossy"), rule("b.four", default=False)]


@pytest.mark.parametrize(
    ("choice", "ids"),
    [
        (Choice(), ["a.one", "a.two"]),
        (Choice(("lossless",)), ["a.one"]),
        (Choice(("lossless", "near", "lossy")), ["a.one", "a.two", "b.three"]),
        (Choice((), ("b.three",)), ["b.three"]),
        (Choice(("lossless",), ("b",)), ["a.one", "b.three", "b.four"]),
        (Choice(("lossless",), ("b.*",), ("b.four",)), ["a.one", "b.three"]),
        (Choice(("near",), (), ("a",)), []),
    ],
)
def test_which_rules(choice, ids):
    assert [item.id for item in chosen_rules(RULES, choice)] == ids


def test_names_that_there_are_not():
    check_names(RULES, Choice(select=("a.one", "b", "b.*", "other")), ["other"])
    with pytest.raises(UsageError, match=r"--select a\.ome: there is no such rule") as caught:
        check_names(RULES, Choice(select=("a.ome",)))
    assert caught.value.hint == "did you mean a.one, a.two?"
    with pytest.raises(UsageError) as caught:
        check_names(RULES, Choice(ignore=("xyz",)))
    assert caught.value.hint == "`tokaudit rules list` lists them"


@pytest.mark.parametrize(
    ("kind", "langs", "packs"),
    [
        ("text", [], ["common"]),
        ("text", ["zh"], ["cn"]),
        ("text", ["zh", "ja", "en"], ["cn", "en"]),
        ("markdown", ["en"], ["markdown", "en"]),
        ("chat", ["zh"], ["chat", "cn"]),
        ("log", [], ["log", "common"]),
        ("json", ["zh"], ["json"]),
        ("jsonl", [], ["json"]),
        ("code", ["en"], ["code"]),
    ],
)
def test_packs_for_a_text(kind, langs, packs):
    assert pack_names(kind, langs) == packs


@pytest.mark.parametrize("kind", ["text", "chat", "log", "markdown", "pdf", "code"])
def test_packs_for_a_text_with_json(kind):
    with_json = pack_names(kind, ["en"], 'It said { "ok": true }.')
    assert with_json == pack_names(kind, ["en"], "It said {name}.") + ["json"] * (kind not in {"pdf", "code"})


@pytest.mark.parametrize(
    "head", ["<!DOCTYPE html>\n<html>", "\ufeff<?xml version='1.0'?>\n<html lang='zh'>", " <HTML>"]
)
def test_packs_for_a_page(head):
    assert pack_names("code", ["en"], f"{head}<p>a</p></html>") == ["code", "html"]
    assert pack_names("text", ["en"], f"Summarize:\n{head}<p>a</p></html>") == ["en", "html"]
    assert pack_names("code", ["en"], f"page = '{head}</html>'") == ["code"]
    assert pack_names("json", [], f'{{"text": "{head}"}}') == ["json", "html"]
    assert pack_names("pdf", ["en"], head) == ["pdf", "en"]


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        ('{"a": 1}', "json", []),
        ("", "json", []),
        ('{"a": 1, "a": 2}', "json", [("p", "the key 'a' stands twice")]),
        ('{"a": NaN}', "json", [("p", "NaN is no value of JSON")]),
        ('{"a": 1}\n{"a": 2}', "json", [("p", "a second value at 2:1")]),
        ('{\n  "a" 1}', "json", [("p", "not valid JSON at 2:7")]),
        ("[" * 200_000, "json", [("p", "nested too deeply")]),
        ('{"a": 1}\n\n{"a": 2}\n', "jsonl", []),
        ('{"a": 1}\n{"a" 2}\n', "jsonl", [("p:2", "not valid JSON at 2:6")]),
        ("{\n{\n{\n", "jsonl", [("p:1", "not valid JSON at 1:2; and 2 more lines")]),
    ],
)
def test_why_json_is_left_alone(text, kind, told):
    found = [(item.what, item.reason) for item in left_alone("p", text, kind)]
    assert found == [(what, f"left as it is: {reason}") for what, reason in told]


def slim_text(text, path="t", kind="text", packs=("a",)):
    return SlimText(path=path, text=text, kind=kind, langs=frozenset({"en"}), packs=packs)


class Chars:
    """Counts characters."""

    divisible = True

    def count(self, text):
        return len(text)


@pytest.mark.parametrize(
    ("goal", "after", "classes", "met"),
    [
        (Goal(budget=6), "xyzxyz", (), True),  # nothing is needed, and nothing is done
        (Goal(budget=4), "yzyz", ("lossless",), True),
        (Goal(target=0.5), "zz", ("lossless", "near"), True),
        (Goal(budget=2, target=0.6), "zz", ("lossless", "near"), True),
        (Goal(budget=0), "zz", ("lossless", "near", "lossy"), False),
    ],
)
def test_goals(goal, after, classes, met):
    rules = [rule("a.x", "lossless", pattern="x"), rule("a.y", "near", pattern="y"), rule("a.q", "lossy", pattern="q")]
    done = evaluate(slim_text("xyzxyz"), rules, Choice(), [Chars()], goal)
    assert (done.result.text, done.classes, done.met) == (after, classes, met)
    assert done.saved == (6 - len(after),)


def test_without_a_goal_nothing_is_met_or_missed():
    done = evaluate(slim_text("xyz"), RULES, Choice(), [Chars()])
    assert (done.result.text, done.met) == ("yz", None)


def test_helpful_rules_are_those_that_save():
    rules = [rule("a.x", pattern="x"), rule("a.none", pattern="q"), rule("a.z", pattern="z")]
    found = helpful_rules(evaluate(slim_text("xyzx"), rules, Choice(), [Chars()]), rules)
    assert [(item.rule.id, item.saved) for item in found] == [("a.x", (2,)), ("a.z", (1,))]


@pytest.mark.parametrize("goal", [{"budget": -1}, {"target": 0.0}, {"target": 2.0}, {"target": float("nan")}])
def test_goals_that_cannot_be(goal):
    with pytest.raises(UsageError):
        Goal(**goal)
    with pytest.raises(UsageError):
        tokaudit.slim("a text", models="gpt-4o", **goal)


def slow_run(monkeypatch, budget):
    """A run with two rules whose patterns take long, and one that is fast."""
    monkeypatch.setattr(search, "BUDGET_SECONDS", budget)
    monkeypatch.setattr(search, "BUDGET_PER_MB", 0.0)
    rules = [rule(f"my.{name}", "near", pattern=r"(a|b|ab)*(?=z)") for name in ("one", "two")]
    rules.append(rule("my.fast", "near", pattern="q"))
    done = evaluate(slim_text("q " + "ab" * 60 + "c\n", "slow.txt"), rules, Choice(), [Chars()])
    models, _ = load_models(["gpt-4o"])
    return done, SlimRun(models=models, documents=[done], packs=[], skipped=[], choice=Choice(), goal=None, version="0")


@pytest.mark.parametrize("people", [True, False])
def test_rules_that_run_out_of_time_are_named(monkeypatch, people):
    done, found = slow_run(monkeypatch, 60.0)
    assert done.result.text.startswith(" abab")
    told = [finding.message for finding in slim_report(found, people=people).findings]
    assert [message.split(" so ")[0] for message in told] == [
        "the rule my.one ran out of time,",
        "the rule my.two ran out of time,",
    ]
    assert all("the text is whole" in message and "--ignore" in message for message in told)


def test_all_rules_that_a_spent_budget_left_out_are_named(monkeypatch):
    done, found = slow_run(monkeypatch, 0.0)
    assert done.result.text == done.result.before
    (told,) = slim_report(found, people=True).findings
    assert "my.one, my.two, my.fast" in told.message
    assert "the text is whole" in told.message
    every = slim_report(found, people=False).findings
    assert [finding.rule for finding in every] == ["my.one", "my.two", "my.fast"]


PAGES = "Title\n(cid:3)(cid:4) and words\n\f" + "(cid:3)" * 30 + " few\n\f" + "锟斤拷" * 9 + "\n"


@pytest.mark.parametrize("lossy", [True, False])
def test_what_cannot_be_read_of_a_pdf_is_told(lossy):
    rules = [item for item in load_packs(["pdf"])[0].rules if item.id in {"pdf.cid", "pdf.garbled-para"}]
    classes = ("lossless", "near", "lossy") if lossy else ("lossless", "near")
    done = evaluate(slim_text(PAGES, "p.txt", "pdf"), rules, Choice(classes), [Chars()])
    told = [(remark.rule, remark.level, remark.place.page, remark.place.line) for remark in done.remarks]
    assert told == [
        ("pdf.cid", "note", 1, 2 - 1),
        ("pdf.cid", "warning", 2, 3),
        ("pdf.garbled-para", "note", 2, 3),
        ("pdf.garbled-para", "note", 3, 4),
    ]
    assert "32 glyphs have no character" in done.remarks[0].message
    assert ("--lossy takes them out" in done.remarks[0].message) is not lossy
    assert ("(cid:3)(cid:4)" in done.result.text) is not lossy
    assert "(cid:3)" * 30 in done.result.text  # of a page that needs OCR nothing goes
    assert "锟斤拷" * 9 in done.result.text  # it is off: told, not deleted
