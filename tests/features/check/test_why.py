"""Why a file has its tokens."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from rich.cells import cell_len

from measured_files import CLAUDE, MODELS, before, checked, divided, file, part
from places import ROOT
from tokaudit.features.check.types import Cause, SlimSaving
from tokaudit.features.check.why import ClassTokens, Explanation, HelpfulRule, gates_of, why_report
from tokaudit.model import Skipped
from tokaudit.model.gates import Budget, Growth
from tokaudit.reporters import render

VALIDATOR = Draft202012Validator(
    json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
)
NOW = divided(
    "中.md",
    part("总则", 300, 280, level=1, line=1, path="中.md"),
    part("Rules", 810, 760, line=12, path="中.md"),
    part("语气", 290, 270, line=40, path="中.md"),
)
WAS = divided(
    "中.md",
    part("总则", 300, 280, level=1, path="中.md"),
    part("Rules", 500, 480, path="中.md"),
    part("Gone", 250, 200, path="中.md"),
    part("语气", 200, 190, path="中.md"),
)
MORE = {
    "against": "tokaudit-baseline.json",
    "classes": [
        ClassTokens("han", (500, 480), (800, 790)),
        ClassTokens("latin", (750, 670), (600, 520)),
        ClassTokens("emoji", (0, 0), (0, 0)),
    ],
    "causes": [Cause(14, 17, "请始终使用用户所用的语言回答", (210, 200), "added")],
    "rules": [
        HelpfulRule("cn.polite", "客套话", (30, 28)),
        HelpfulRule("common.useless", "Saves nothing", (0, -1)),
        HelpfulRule("common.blank-lines", "Runs of blank lines", (40, 44)),
    ],
    "version": "0.1.0",
}
EXPLAINED = """\
中.md: 300 characters, against tokaudit-baseline.json
Model   Tokens  Tokens/char  Before      Change
───────────────────────────────────────────────
gpt-4o   1,400        4.667   1,250  +150 (12%)
qwen3    1,310        4.367   1,150  +160 (14%)

Parts by growth
Line  Part      gpt-4o  Change  qwen3  Change
─────────────────────────────────────────────
  12  ## Rules     810    +310    760    +280
  40  ## 语气      290     +90    270     +80
   -  ## Gone        0    -250      0    -200
3 of 4 parts changed; --format json has all

Tokens by class
Class  gpt-4o  Change  qwen3  Change
────────────────────────────────────
han       800    +300    790    +310
latin     600    -150    520    -150

Lines that changed
Line  To  Kind   Text                          gpt-4o  qwen3
────────────────────────────────────────────────────────────
  14  17  added  请始终使用用户所用的语言回答    +210   +200
included in the parts above

Rules that would help
Rule                Title                gpt-4o  qwen3
──────────────────────────────────────────────────────
common.blank-lines  Runs of blank lines      40     44
cn.polite           客套话                   30     28
tokens that each rule would save
to see where: tokaudit slim --diff '中.md'
"""


def test_what_grew():
    assert render(why_report(Explanation(NOW, WAS, MODELS, **MORE), people=True), "table", width=80) == EXPLAINED


LIMITS = """\
Limits in tokaudit.toml
Limit       Line  Of              Model          Now  Allowed  Status
─────────────────────────────────────────────────────────────────────
max_growth     -  the file        gpt-4o  +150 (12%)       0%  over
max_growth     -  the file        qwen3   +160 (14%)       0%  over
max_tokens     3  the file        gpt-4o       1,400    1,400  close
max_tokens     5  ## Rules        qwen3          760      500  over
slim_check     -  pack cn         gpt-4o   9 to save       1%  ok
slim_check     -  pack cn         qwen3    0 to save       1%  ok
max_tokens     8  *.md (2 files)  gpt-4o       1,405    1,300  over
"""


def test_limits_of_the_file():
    budgets = (
        Budget(("*.md",), {"gpt-4o": 1400}, warn_at=0.5, line=3),
        Budget(("*.md",), {"qwen3": 500}, segment="## Rules", line=5),
        Budget(("*.md",), {"gpt-4o": 1300}, total=True, line=8),
        Budget(("other.md",), {"gpt-4o": 1}, line=9),
    )
    slim = [SlimSaving("中.md", "cn", Growth(millionths=10_000), (9, 0))]
    result = checked([NOW, file("other.md", 5, 5)], before(WAS), *budgets, slim=slim, config="tokaudit.toml")
    shown = why_report(Explanation(NOW, WAS, MODELS, result=result, **MORE), people=True)
    programs = why_report(Explanation(NOW, WAS, MODELS, result=result, **MORE), people=False)
    assert render(replace(shown, tables=shown.tables[1:2]), "table") == LIMITS
    assert [(gate["rule"], gate["budget"]) for gate in programs.data["gates"]][:2] == [("max-growth", None)] * 2
    VALIDATOR.validate(json.loads(render(programs, "json")))


def test_a_total_of_which_not_all_is_known_is_no_limit():
    budget = Budget(("*.md",), {"*": 1}, total=True)
    some = checked([NOW], None, budget, checked=lambda path: path == "中.md")
    assert (gates_of(some, "中.md"), len(gates_of(checked([NOW], None, budget), "中.md"))) == ([], 2)


def test_nothing_to_compare_with():
    report = why_report(Explanation(NOW, None, MODELS, version="0.1.0"), people=True)
    assert [table.key for table in report.tables] == ["totals", "parts"]
    assert [(row[1], row[-1]) for row in report.tables[1].rows] == [
        ("## Rules", "58%"), ("# 总则", "21%"), ("## 语气", "21%"),
    ]  # fmt: skip
    new = why_report(Explanation(NOW, None, MODELS, against="origin/main", version="0.1.0"), people=True)
    assert new.tables[0].notes == ["new: it is not in origin/main"]


def test_a_file_that_is_not_divided_and_empty():
    report = why_report(Explanation(file("a.txt", 0, 0, chars=0), None, MODELS, version="0.1.0"), people=True)
    assert [table.key for table in report.tables] == ["totals"]


def test_a_model_that_was_not_measured_before():
    report = why_report(
        Explanation(file("a.txt", 5, 7), file("a.txt", 4, None), MODELS, against="b", version="1"), people=True
    )
    assert [row[3:] for row in report.tables[0].rows] == [["4", "+1 (25%)"], [None, None]]


CASES = [(NOW, WAS, MODELS), (NOW, None, MODELS), (NOW, WAS, [CLAUDE]), (file("a.txt", 0, 0, chars=0), None, MODELS)]


@pytest.mark.parametrize("case", CASES)
def test_documents_and_formats(case):
    now, was, models = case
    skipped = [Skipped("中.md:page 3", "no text", code="needs-ocr")]
    people = why_report(Explanation(now, was, models, skipped=skipped, **MORE), people=True)
    programs = why_report(Explanation(now, was, models, skipped=skipped, **MORE), people=False)
    VALIDATOR.validate(json.loads(render(programs, "json")))
    assert [table.key for table in programs.tables] == ["parts", "classes", "lines", "rules", "gates"]
    for width in (40, 80, 120):
        assert max(map(cell_len, render(people, "table", width=width).splitlines())) <= width
    for name in ("csv", "jsonl"):
        assert render(programs, name)
    assert render(people, "markdown")
    assert people.bare == ""


def test_the_deltas_of_the_parts_sum():
    data = why_report(Explanation(NOW, WAS, MODELS, **MORE), people=False).data
    assert sum(one["delta"]["gpt-4o"] for one in data["parts"]) == data["tokens"]["gpt-4o"] - data["before"]["gpt-4o"]
    assert [rule["rule"] for rule in data["rules"]] == ["common.blank-lines", "cn.polite"]


def test_every_field_is_documented():
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    data = why_report(Explanation(NOW, WAS, MODELS, **MORE), people=False).data
    fields = [*data, *data["classes"][0], *data["rules"][0], *data["causes"][0], *data["parts"][0]]
    assert [name for name in fields if f"`{name}`" not in text] == []
