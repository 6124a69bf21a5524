from __future__ import annotations

import subprocess
import sys

import pytest

import tokaudit
from tokaudit.jobs.slim_plan import SlimPlan, choice_of
from tokaudit.model.rules import RULE_CLASSES

TEXT = "用户：您好，订单ＡＢＣ１２３到了吗？？？！！！\n客服：好的好的，１２３４５已发出。\n用户：谢谢啊！！！\n"


def test_a_result_has_all_that_led_to_it():
    result = tokaudit.slim(TEXT, models=["gpt-4o", "qwen3"])
    assert isinstance(result, tokaudit.SlimResult)
    assert result.before == TEXT
    assert "订单ABC123" in result.text
    assert result.replay() == result.text
    assert result.ledger.whole
    for column in range(2):
        saved = result.tokens_before[column] - result.tokens_after[column]
        assert sum(delta.saved[column] for delta in result.deltas) == saved > 0
    assert tokaudit.slim(result.text, models=["gpt-4o", "qwen3"]).text == result.text


def test_names_alone_or_in_lists():
    one = tokaudit.slim(TEXT, "cn", "gpt-4o", classes="near", select="cn.final-particle", ignore="cn.fw-alnum")
    several = tokaudit.slim(
        TEXT, ["cn"], ["gpt-4o"], classes=["near"], select=["cn.final-particle"], ignore=["cn.fw-alnum"]
    )
    assert one.text == several.text
    assert "ＡＢＣ" in one.text
    assert "谢谢！" in one.text


def test_a_goal_takes_the_classes_that_it_needs():
    plain = tokaudit.slim(TEXT, models="gpt-4o")
    assert tokaudit.slim(TEXT, models="gpt-4o", target=0.01).text == plain.text
    assert tokaudit.slim(TEXT, models="gpt-4o", budget=10**6).text == TEXT
    least = tokaudit.slim(TEXT, models="gpt-4o", budget=0)
    assert least.text == tokaudit.slim(TEXT, models="gpt-4o", classes=RULE_CLASSES).text
    assert least.tokens_after < plain.tokens_after


def test_a_pack_of_ones_own(tmp_path):
    path = tmp_path / "mine.yaml"
    head = "schema: tokaudit.rules/1\npack: mine\nversion: 1.0.0\ntitle: Mine\nrules:\n"
    rule = "- id: mine.x\n  title: x\n  why: y\n  class: near\n  stage: final\n  guard: never\n  default: true\n"
    path.write_text(f"{head}{rule}  op: delete\n  pattern: 客服\n", encoding="utf-8")
    result = tokaudit.slim(TEXT, str(path), "gpt-4o")
    assert result.text == TEXT.replace("客服", "")
    assert [delta.rule for delta in result.deltas] == ["mine.x"]
    assert (
        tokaudit.slim(TEXT, [str(path), "cn"], "gpt-4o", ignore="mine").text == tokaudit.slim(TEXT, "cn", "gpt-4o").text
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"rules": "none"}, tokaudit.RuleError),
        ({"select": "cn.none"}, tokaudit.UsageError),
        ({"ignore": ["none"]}, tokaudit.UsageError),
        ({"classes": ["dangerous"]}, tokaudit.UsageError),
        ({"kind": "html"}, tokaudit.UsageError),
        ({"models": "gpt-4oo"}, tokaudit.TokenizerError),
    ],
)
def test_names_that_there_are_not(arguments, error):
    with pytest.raises(error):
        tokaudit.slim(TEXT, **arguments)


def test_half_a_character_is_an_error_of_the_input():
    with pytest.raises(tokaudit.InputError):
        tokaudit.slim("a\ud800b", models="gpt-4o")


def test_importing_tokaudit_imports_neither_slim_nor_diff():
    program = (
        "import sys, tokaudit; before = {*sys.modules};"
        "assert not {'tokaudit.api.slim', 'tokaudit.api.diff', 'tokaudit.model.edits'} & before;"
        "assert {'slim', 'diff', 'SlimResult'} <= {*dir(tokaudit)} & {*tokaudit.__all__};"
        "assert tokaudit.slim is tokaudit.slim and tokaudit.diff; from tokaudit import slim, diff_git"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'slimm'"):
        tokaudit.slimm  # noqa: B018


def test_packs_by_other_names_than_their_rules():
    plan = SlimPlan(None, choice_of(["near"], ["markdown"], ["cn"])).checked()
    assert plan.choice.select
    assert all(rule.startswith("md.") for rule in plan.choice.select)
    assert plan.choice.ignore == ("cn",)
