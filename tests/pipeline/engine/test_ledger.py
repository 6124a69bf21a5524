"""The ledger: values of many lines, and names that a machine reads."""

from __future__ import annotations

import pytest

from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.facts.find import find_facts, names
from work import assert_linear


def replacing(pattern, by, *, enters=(), removes=()):
    return Rule(
        "test.rule",
        "title",
        "why",
        "near",
        "lexical",
        "replace",
        {"pattern": pattern, "with": by},
        guard="never",
        enters=frozenset(enters),
        removes=frozenset(removes),
    )


FLIP = replacing("true", "false", enters=("json", "quote", "fence", "table", "inline-code"))
INLINE = 'Send {"a": 1, "b": true} to it.\n'
PRETTY = 'Send this\n\n{\n  "a": [1,\n    true],\n  "b": "x"\n}\n\nThen wait.\n'
FENCED = 'Send this:\n\n```json\n{\n  "a": true\n}\n```\n\nThen wait.\n'
CODE = "Run this:\n\n```sh\nset -e\nif true; then ls; fi\n```\n\nThen wait.\n"


@pytest.mark.parametrize("kind", ["text", "markdown", "chat"])
@pytest.mark.parametrize("text", [INLINE, PRETTY, FENCED, CODE], ids=["inline", "pretty", "fenced", "code"])
def test_a_value_within_a_text_is_held(text, kind):
    result = slim_text(text + "It is true.\n", [FLIP], kind=kind)
    assert result.text == text + "It is false.\n"  # what is no JSON changes all the same
    assert result.ledger.whole
    (lost,) = result.ledger.lost
    assert lost.kind == ("code" if text is CODE else "json")
    assert [(delta.applied, delta.undone) for delta in result.deltas] == [(1, 1)]


@pytest.mark.parametrize("text", [INLINE, PRETTY, FENCED])
def test_a_rule_may_say_that_it_changes_values(text):
    declared = replacing("true", "false", enters=("json", "quote", "fence"), removes=("json", "code"))
    assert "true" not in slim_text(text, [declared], kind="markdown").text


@pytest.mark.parametrize("pattern", [r"\{[^{}]*\}", "[^\n]*true[^\n]*\n", '"a"', "(?<=1,)", ', (?="b)'])
def test_a_value_may_not_go_either(pattern):
    taking = replacing(pattern, "" if pattern[0] != "(" else " 7,", enters=("json", "quote", "placeholder"))
    for text in (INLINE, PRETTY):
        assert slim_text(text, [taking]).text == text


def test_blanks_of_a_value_are_no_part_of_it():
    tight = replacing(r"(?<=[:,])[ \n]+|(?<=[\[{])\s+|\s+(?=[\]}])", "", enters=("json", "quote"))
    assert slim_text(PRETTY, [tight]).text == 'Send this\n\n{"a":[1,true],"b":"x"}\n\nThen wait.\n'


def test_many_values_take_no_square_of_the_work():
    line = 'x {"a": true} y\n'
    assert slim_text(line * 200, [FLIP]).text == line * 200
    assert_linear(lambda text: slim_text(text, [FLIP]), lambda lines: line * lines, 100)


@pytest.mark.parametrize(
    ("before", "pattern", "by"),
    [
        ("Call foo_bar of it.", "_(?=b)", ""),
        ("Call fooBar of it.", "fooBar", "foobar"),
        ("Call FOO_BAR of it.", "FOO_BAR", "foo_bar"),
        ("Use os.path.join here.", r"os[.]path", "path"),
        ("Give --no-cache to it.", "no-", ""),
        ("Give --no-cache to it.", "--no-cache", "-no-cache"),
        ("把 userName 传给它。", "userName", "username"),
        ("Open config.yaml now.", "config[.]", ""),
        ("调用ｆｏｏ＿ｂａｒ即可。", "＿", ""),
        ("A JavaScript file.", "JavaScript", "Java Script"),
        ("Join them: foo bar_baz", " (?=bar)", "_"),
    ],
)
def test_names_are_held(before, pattern, by):
    result = slim_text(before, [replacing(pattern, by, enters=("path", "url"))])
    assert result.text == before
    assert {lost.kind for lost in result.ledger.lost} >= {"identifier"}


def test_a_name_may_stand_elsewhere_and_in_full_width():
    assert slim_text("the foo_bar", [replacing("the ", "")]).text == "foo_bar"
    assert slim_text("ｆｏｏ＿ｂａｒ", [replacing("ｆｏｏ＿ｂａｒ", "foo_bar")]).text == "foo_bar"


@pytest.mark.parametrize(
    "text", ["e.g. this", "in the U.S. of", "_word_", "**word**", "well-known", "x -- y", "end. Next", "A.B", "3.5"]
)
def test_what_is_no_name(text):
    assert names(text) == []


def test_where_names_are():
    text = "foo_bar, fooBar2; np.array. --dry-run __all__ a_b"
    assert [text[start:end] for start, end in names(text)] == ["foo_bar", "fooBar2", "np.array", "--dry-run", "a_b"]
    assert [fact.kind for fact in find_facts(text)] == ["identifier"] * 5


@pytest.mark.parametrize("unit", ["a.", "a_", "aB", "-", ".", "__", "--a", "a-", "foo_bar "])
def test_names_take_no_square_of_the_work(unit):
    assert_linear(names, lambda units: unit * units, 1_000)
