"""The gate: what fails, what passes, and what is neither."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measured_files import CLAUDE, GPT, MODELS, before, checked, divided, file, messages, part, told
from tokaudit.features.check.causes import causes as causes_of
from tokaudit.features.check.evaluate import limit_for
from tokaudit.features.check.figures import apart, exact, percent
from tokaudit.features.check.parts import growth_of, part_labels, selected
from tokaudit.features.check.types import Cause, SlimSaving
from tokaudit.features.costs.money import money
from tokaudit.features.diff.evaluate import compare
from tokaudit.features.diff.types import Wanted
from tokaudit.model import ModelColumn, Skipped, TokenizerRef
from tokaudit.model.gates import Budget, Growth
from tokaudit.model.prices import PLACES, decimal_of
from tokaudit.sources import load

FIVE = Growth(millionths=50_000)
ALL = ("*",)


def test_nothing_to_hold_passes():
    result = checked([file("a.md", 10, 12)])
    assert (result.outcome, result.exit_code, result.findings, result.gates) == ("passed", 0, [], [])


@pytest.mark.parametrize(
    ("tokens", "level", "rule"),
    [(899, None, None), (900, "warning", "warn-at"), (1000, "warning", "warn-at"), (1001, "error", "max-tokens")],
)
def test_a_budget_and_its_tolerance(tokens, level, rule):
    result = checked([file("a.md", tokens, 1)], None, Budget(ALL, {"gpt-4o": 1000}, warn_at=0.9))
    assert [finding.level for finding in result.findings] == ([level] if level else [])
    assert result.exit_code == (1 if level == "error" else 0)
    assert [finding.rule for finding in result.findings] == ([rule] if rule else [])


def test_a_tolerance_is_exact():
    # 0.07 * 100 is 7.000000000000001 in binary
    result = checked([file("a.md", 7, 1)], None, Budget(ALL, {"gpt-4o": 100}, warn_at=0.07))
    assert messages(result) == ["7 tokens for gpt-4o, 7% of the budget of 100, 93 tokens left"]
    result = checked([file("a.md", 999, 1)], None, Budget(ALL, {"gpt-4o": 1000}, warn_at=0.9))
    assert messages(result) == ["999 tokens for gpt-4o, 99.9% of the budget of 1,000, 1 token left"]


def test_the_sentence_of_a_budget_stands_alone():
    budget = Budget(ALL, {"*": 1200}, note="sent with every request")
    assert messages(checked([file("a.md", 1412, 1)], None, budget)) == [
        "1,412 tokens for gpt-4o, over the budget of 1,200 by 212 (sent with every request)"
    ]
    result = checked([file("a.md", 1412)], None, budget, models=[CLAUDE])
    assert messages(result)[0].startswith("≈1,412 tokens for claude")


def test_whose_limit_holds():
    assert limit_for({"gpt-4o": 1, "o200k_base": 2, "*": 3}, GPT) == 1
    assert limit_for({"o200k_base": 2, "*": 3}, GPT) == 2
    assert limit_for({"*": 0}, GPT) == 0
    assert limit_for({"qwen3": 1}, GPT) is None


def test_the_strictest_of_several_budgets_is_told_once():
    budgets = [Budget(ALL, {"*": limit}) for limit in (100, 50, 70)]
    result = checked([file("a.md", 200, 60)], None, *budgets)
    assert [(finding.measured, finding.limit) for finding in result.findings] == [(200, 50), (60, 50)]
    assert len({finding.fingerprint for finding in result.findings}) == 2


def test_a_pattern_that_takes_out():
    budget = Budget(("*.md", "!b.md", "b.md.md"), {"*": 1})
    result = checked([file("a.md", 5, 1), file("b.md", 5, 1)], None, budget)
    assert told(result) == [("unmatched", "*.md"), ("max-tokens", "a.md")]
    assert result.matched == [1]


def test_density_shows_as_many_digits_as_it_takes():
    budget = Budget(ALL, max_density=0.9)
    assert messages(checked([file("a.md", 90_001, 1, chars=100_000)], None, budget)) == [
        "0.90001 tokens a character for gpt-4o, over the density of 0.9"
    ]
    assert checked([file("a.md", 900, 900)], None, budget).outcome == "passed"
    assert checked([file("a.md", 0, 0, chars=0)], None, budget).outcome == "passed"


def test_figures_that_would_print_alike():
    assert apart(exact(0.125), exact(0.125), 2) == ("0.12", "0.12")
    assert apart(exact(0.9004), exact(0.9), 2) == ("0.9004", "0.9")
    assert percent(5004, 100_000, FIVE) == "5.004%"
    assert percent(404, 1000, Growth(millionths=400_000)) == "40.4%"
    assert percent(404, 1000) == "40%"


def test_growth_of_a_file():
    was = before(file("a.md", 1000, 1000))
    result = checked([file("a.md", 1050, 1051)], was, max_growth=FIVE)
    assert messages(result) == ["grew from 1,000 to 1,051 tokens for qwen3: +51 (5.1%), allowed 5%"]
    assert checked([file("a.md", 1000, 900)], was).outcome == "passed"
    assert messages(checked([file("a.md", 1001, 1)], was)) == [
        "grew from 1,000 to 1,001 tokens for gpt-4o: +1 (0.1%), allowed 0%"
    ]
    assert messages(checked([file("a.md", 1002, 1)], was, max_growth=Growth(tokens=1)))[0].endswith("allowed 1 token")


def test_growth_from_nothing_has_no_share():
    result = checked([file("a.md", 5, 5)], before(file("a.md", 0, 0)), max_growth=FIVE)
    assert messages(result)[0] == "grew from 0 to 5 tokens for gpt-4o: +5, allowed 5%"


def test_a_file_that_shrank_hides_no_other():
    was = before(file("a.md", 100, 100), file("b.md", 100, 100))
    now = [file("a.md", 10, 10), file("b.md", 110, 110)]
    assert told(checked(now, was)) == [("max-growth", "b.md")] * 2
    total = Budget(("*.md",), max_growth={"*": Growth(millionths=0)}, total=True)
    assert checked(now, was, total).outcome == "passed"


def test_which_limit_of_growth_holds():
    was, now = before(file("a.md", 100, 100)), [file("a.md", 104, 104)]
    budget = Budget(ALL, max_growth={"gpt-4o": FIVE})
    assert messages(checked(now, was, budget)) == ["grew from 100 to 104 tokens for qwen3: +4 (4%), allowed 0%"]
    assert checked(now, was, budget, max_growth=FIVE).outcome == "passed"
    part_only = Budget(ALL, max_growth={"*": FIVE}, segment="Rules")
    assert ("max-growth", "a.md") in told(checked(now, was, part_only))


def test_totals():
    budget = Budget(("p/*.md",), {"*": 250}, total=True, note="all are sent")
    files = [file("p/a.md", 100, 1), file("p/b.md", 200, 1), file("c.md", 900, 1)]
    result = checked(files, None, budget)
    assert messages(result) == [
        "2 files (p/*.md) have 300 tokens for gpt-4o, over the budget of 250 by 50 (all are sent)"
    ]
    assert told(result) == [("max-tokens", "p/b.md")]
    assert (result.gates[0].files, result.gates[0].what) == (2, "p/*.md")


def test_the_growth_of_a_total_counts_what_is_gone_and_what_is_new():
    budget = Budget(("*.md",), max_growth={"*": Growth(millionths=0)}, total=True)
    was = before(file("a.md", 100, 100), file("b.md", 50, 50), gone=["b.md"], kind="revision")
    assert checked([file("a.md", 100, 100), file("c.md", 50, 50)], was, budget).outcome == "passed"
    result = checked([file("a.md", 100, 100), file("c.md", 60, 60)], was, budget)
    assert messages(result, "max-growth")[0] == (
        "2 files (*.md) grew from 150 to 160 tokens for gpt-4o: +10 (6.7%), allowed 0%"
    )


def test_what_of_a_total_was_not_asked_for_counts_as_it_was():
    budget = Budget(("*.md",), {"*": 120}, total=True)
    was = before(file("a.md", 50, 50), file("b.md", 60, 60))
    result = checked([file("a.md", 70, 10)], was, budget, checked=lambda path: path == "a.md", max_growth=FIVE)
    assert messages(result, "max-tokens")[0] == (
        "2 files (*.md, 1 of them as in tokaudit-baseline.json) have 130 tokens for gpt-4o, over the budget of 120 by "
        "10; +20 tokens since tokaudit-baseline.json; most in a.md (+20)"
    )


RULES = [
    part("preamble", 1, 1, level=0),
    part("Intro", 2, 2, level=1, line=3),
    part("Rules", 4, 4, line=5),
    part("Inner", 8, 8, level=3, line=7),
    part("rules", 16, 16, level=3, line=9),
    part("End", 32, 32, line=11),
]


@pytest.mark.parametrize(
    ("segment", "tokens"),
    [
        ("## Rules", 28),
        ("##   RULES  ##", 28),
        ("Rules", 28),
        ("### rules", 16),
        ("# Intro", 62),
        ("preamble", 1),
        ("# Rules", None),
        ("Rule", None),
        ("$.tools", None),
    ],
)
def test_a_section_has_those_under_it(segment, tokens):
    parts = selected(divided("a.md", *RULES), Budget(ALL, segment=segment))
    assert (sum(one.tokens[0] for one in parts) if parts else None) == tokens


def test_a_field_and_a_role():
    fields = [
        part(name, 1, 1, kind="field", path="a.json") for name in ("$.tools", "$.tools.x", "$.tools[0]", "$.toolsy")
    ]
    assert len(selected(divided("a.json", *fields), Budget(ALL, segment="$.tools"))) == 3
    chat = [part(role, 1, 1, kind="message", path="a.json") for role in ("system", "user", "assistant", "User")]
    assert len(selected(divided("a.json", *chat), Budget(ALL, role="user"))) == 2
    assert part_labels([*chat[:2], RULES[0], RULES[2], fields[0]]) == [
        "system (message 1)", "user (message 2)", "preamble", "## Rules", "$.tools",
    ]  # fmt: skip


def test_budgets_of_parts():
    now = divided("a.md", *RULES)
    result = checked(
        [now], None, Budget(ALL, {"gpt-4o": 20}, segment="## Rules"), Budget(ALL, {"gpt-4o": 9}, role="user")
    )
    assert messages(result) == [
        'messages of the role user not judged: no chat is recognised in it; if it is none, add "!a.md" to paths',
        '"## Rules" has 28 tokens for gpt-4o, over the budget of 20 by 8',
    ]
    assert [finding.place.line for finding in result.findings] == [None, 5]
    was = before(divided("a.md", *RULES[:2], part("Rules", 3, 3), *RULES[3:]))
    result = checked([now], was, Budget(ALL, max_growth={"*": Growth(tokens=0)}, segment="## Rules"))
    assert '"## Rules" grew from 27 to 28 tokens for gpt-4o: +1 (3.7%), allowed 0 tokens' in messages(result)


def test_a_part_that_is_new_has_grown_from_nothing_that_is_known():
    was = before(divided("a.md", RULES[0]))
    result = checked([divided("a.md", *RULES)], was, Budget(ALL, max_growth={"*": FIVE}, segment="Rules"))
    assert {gate.what for gate in result.gates} == {""}


def test_the_parts_and_lines_that_grew_are_named():
    was = before(divided("a.md", part("Intro", 10, 10), part("Rules", 20, 20)))
    now = divided("a.md", part("Intro", 15, 10, line=1), part("Rules", 50, 20, line=5))
    asked = []

    def causes(path):
        asked.append(path)
        return [Cause(7, 8, "Answer briefly.", (25, 0), "added"), Cause(2, 2, "x", (5, 0), "changed")]

    result = checked([now, file("b.md", 1, 1)], was, causes=causes)
    assert asked == ["a.md"]
    assert [finding.place.line for finding in result.findings if finding.level == "error"] == [7]
    assert messages(result, "max-growth") == [
        'grew from 30 to 65 tokens for gpt-4o: +35 (117%), allowed 0%; most in "## Rules" (+30) at line 7'
    ]
    row = result.files[0]
    assert [(one.label, one.delta(0)) for one in row.parts] == [("## Rules", 30), ("## Intro", 5)]
    assert [cause.line for cause in row.causes] == [7, 2]
    assert messages(checked([now], was), "max-growth")[0].endswith('most in "## Rules" (+30) at line 5')


def test_lines_of_a_file_that_is_not_divided():
    result = checked(
        [file("a.txt", 30, 10)], before(file("a.txt", 10, 10)), causes=lambda _: [Cause(3, 3, "more", (20, 0), "added")]
    )
    assert messages(result) == ["grew from 10 to 30 tokens for gpt-4o: +20 (200%), allowed 0%; all at line 3: more"]


def test_new_renamed_and_removed_files_are_notes():
    was = before(file("old.md", 5, 5, text="x"), gone=["gone.md"], kind="revision", name="main")
    was = replace(was, files={"b.md": replace(was.files["old.md"], renamed_from="old.md")})
    result = checked([file("a.md", 900, 1), file("b.md", 5, 5, text="x")], was)
    assert [(finding.rule, finding.level, finding.message) for finding in result.findings] == [
        ("new", "note", "new: 900 tokens for gpt-4o, 1 for qwen3, not in main"),
        ("renamed", "note", "renamed from old.md"),
        ("removed", "note", "removed since main"),
    ]
    assert result.outcome == "passed"
    assert [row.status for row in result.files] == ["new", "renamed"]


def test_a_new_file_is_held_to_its_budget():
    result = checked([file("a.md", 900, 1)], before(), Budget(ALL, {"*": 100}))
    assert told(result) == [("max-tokens", "a.md"), ("new", "a.md")]


def test_a_baseline_entry_without_a_file_is_no_pass():
    result = checked([file("a.md", 5, 5)], before(file("a.md", 5, 5), gone=["b.md"]))
    assert (told(result), result.exit_code) == ([("unmatched", "b.md")], 3)
    assert "`tokaudit baseline update b.md` removes it" in messages(result)[0]
    result = checked(
        [file("a.md", 5, 5)], before(file("a.md", 5, 5), gone=["b.md"]), checked=lambda path: path == "a.md"
    )
    assert result.exit_code == 0


def test_a_budget_that_matches_nothing_is_no_pass():
    budget = Budget(("p/*.md",), {"*": 5}, line=7)
    result = checked([file("a.md", 5, 5)], None, budget, config="pyproject.toml")
    assert (told(result), result.exit_code) == ([("unmatched", "pyproject.toml")], 3)
    assert result.findings[0].place.line == 7
    assert checked([file("a.md", 5, 5)], None, budget, checked=lambda path: path == "a.md").exit_code == 0


def test_a_file_that_is_named_and_not_there_is_no_pass():
    result = checked([file("a.md", 5, 5)], None, Budget(("a.md", "b.md", "*.txt"), {"*": 5}))
    assert messages(result) == ["the budget for a.md, b.md, *.txt matches no files by b.md"]


def test_a_limit_for_a_model_that_is_not_measured_is_no_pass():
    result = checked([file("a.md", 5, 5)], None, Budget(ALL, {"gpt4o": 5, "o200k_base": 9}))
    assert messages(result) == ["the budget for * has a limit for gpt4o, which is not measured; checked: gpt-4o, qwen3"]
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("prices", "price"),
    [({"gpt-4o": 1.0, "*": 3.0}, 1), ({"o200k_base": 2.0, "*": 3.0}, 2), ({"*": 3.0}, 3), ({"gpt-4": 5.0}, None)],
)
def test_prices_are_by_model_or_tokenizer_or_for_all_as_limits_are(prices, price):
    result = checked([file("a.md", 5, 5)], None, requests_per_month=1, prices=prices)
    assert _decimal(result.monthly["gpt-4o"].price) == price


@pytest.mark.parametrize(
    ("what", "reason", "code", "line", "message"),
    [
        ("b.md", "binary file", "binary", None, "could not be measured, but a budget covers it: binary file"),
        (
            "a.md:3:1",
            "not valid JSON",
            "invalid-json",
            3,
            "line 3 could not be measured, but a budget covers it: not valid JSON",
        ),
        ("a.md:page 7", "no text", "no-text", None, "page 7 could not be measured, but a budget covers it: no text"),
    ],
)
def test_what_could_not_be_measured_never_passes(what, reason, code, line, message):
    result = checked(
        [file("a.md", 5, 5)], None, Budget(("*.md",), {"*": 5}), skipped=[Skipped(what, reason, code=code)]
    )
    assert (messages(result), result.exit_code) == ([message], 3)
    assert result.findings[0].place.line == line


def test_what_is_under_no_gate_or_was_counted_after_all_may_be_skipped():
    skipped = [
        Skipped("b.png", "binary file", code="binary"),
        Skipped("a.md:1:1", "not valid JSON: x; counted as text", code="json-as-text"),
    ]
    assert checked([file("a.md", 5, 5)], None, Budget(("*.md",), {"*": 5}), skipped=skipped).exit_code == 0
    was = before(file("a.md", 5, 5), file("b.png", 5, 5), gone=["b.png"])
    result = checked([file("a.md", 5, 5)], was, skipped=skipped)
    assert (told(result), result.exit_code) == ([("unmeasured", "b.png")], 3)


def test_counts_of_another_vocabulary_are_no_regression_and_no_pass():
    was = before(file("a.md", 1, None), incomparable={1: "another vocabulary"})
    result = checked([file("a.md", 1, 900)], was)
    assert messages(result)[0] == (
        "growth for qwen3 not judged against tokaudit-baseline.json: another vocabulary; run `tokaudit baseline write`"
    )
    assert result.exit_code == 3
    assert checked([file("a.md", 2, 900)], was).exit_code == 1
    result = checked([file("a.md", 1, 900)], before(file("a.md", 1, None)))
    assert messages(result) == ["tokaudit-baseline.json has no count for qwen3 of a.md; run `tokaudit baseline write`"]


def test_packs_that_would_save_too_much():
    slim = [SlimSaving("a.md", "cn", FIVE, (60, 50)), SlimSaving("a.md", "en", Growth(tokens=60), (60, 50))]
    result = checked([file("a.md", 1000, 1000)], None, slim=slim)
    assert messages(result)[0] == (
        "the pack cn would save 60 of 1,000 tokens for gpt-4o (6%), allowed 5%; `tokaudit slim --rules cn --write "
        "a.md` does it"
    )
    assert [(gate.what, gate.level) for gate in result.gates] == [
        ("cn", "error"), ("cn", "passed"), ("en", "passed"), ("en", "passed"),
    ]  # fmt: skip


def _decimal(cost):
    return None if cost is None else decimal_of(cost.total)


def test_costs_are_exact():
    was, now = before(file("a.md", 1000, 1000)), [file("a.md", 1400, 1400)]
    result = checked(now, was, requests_per_month=1_000_000, prices={"gpt-4o": 2.5})
    assert messages(result)[0].endswith("; +400 tokens = about +1,000.00 USD a month at 1,000,000 requests")
    assert messages(result)[1].endswith("; +400 tokens = +400,000,000 tokens a month at 1,000,000 requests")
    month = result.monthly["gpt-4o"]
    assert (month.now, month.delta, _decimal(month.more)) == (1_400_000_000, 400_000_000, 1000)
    assert checked(now, was).monthly == {}
    budget = Budget(ALL, requests_per_month=3)
    result = checked(now, was, budget, requests_per_month=7, prices={"gpt-4o": 0.1})
    assert str(_decimal(result.monthly["gpt-4o"].more).normalize()) == "0.00012"
    assert "about +0.00012 USD a month at 3 requests" in messages(result)[0]


def test_amounts_of_money():
    from decimal import Decimal

    amounts = {"0": "0.00 EUR", "1234.565": "+1,234.56 EUR", "-0.005": "-0.0050 EUR", "0.0000123": "+0.000012 EUR"}
    assert {text: money(int(Decimal(text).scaleb(PLACES)), "EUR") for text in amounts} == amounts


def test_new_and_removed_files_cost_too():
    was = before(file("a.md", 10, 10), file("b.md", 30, 30), gone=["b.md"], kind="revision")
    result = checked([file("a.md", 10, 10), file("c.md", 5, 5)], was, requests_per_month=2)
    assert (result.monthly["gpt-4o"].now, result.monthly["gpt-4o"].delta) == (30, -50)


def test_fingerprints_have_no_figures_in_them():
    def prints(tokens, limit, line):
        now = divided("a.md", part("Rules", tokens, tokens, line=line))
        return [
            one.fingerprint
            for one in checked(
                [now], None, Budget(ALL, {"*": limit}), Budget(ALL, {"*": limit}, segment="rules")
            ).findings
        ]

    first, second = prints(100, 50, 3), prints(90, 60, 30)
    assert first == second
    assert len(set(first)) == 4
    assert all(len(one) == 32 and int(one, 16) >= 0 for one in first)


CHAT = ("system", "user", "assistant")


def chat(*tokens: int):
    return divided(
        "c.json", *(part(CHAT[at % 3], count, count, kind="message", path="c.json") for at, count in enumerate(tokens))
    )


def test_parts_are_paired_by_what_they_are():
    labels = {one.label: one.delta(0) for one in growth_of(chat(5, 6, 7), chat(5, 6, 7, 9))}
    assert labels == {
        "system (message 1)": 0,
        "user (message 2)": 0,
        "assistant (message 3)": 0,
        "system (message 4)": 9,
    }
    old = divided("a.md", part("A", 5, 5), part("Old name", 9, 9), part("B", 7, 7), part("Gone", 3, 3))
    new = divided("a.md", part("A", 5, 5), part("New name", 12, 12), part("B", 8, 8))
    assert [(one.label, one.delta(0)) for one in growth_of(old, new)] == [
        ("## A", 0), ("## New name", 3), ("## B", 1), ("## Gone", -3),
    ]  # fmt: skip
    moved = replace(new, path="b.md", renamed_from="a.md")
    assert [one.delta(0) for one in growth_of(old, moved)] == [0, 3, 1, -3]


COUNTS = st.integers(0, 40)
PARTS = st.lists(
    st.tuples(st.sampled_from("ABCDEF"), COUNTS, COUNTS, st.sampled_from(["section", "message"])), max_size=7
)


def some(path: str, parts) -> object:
    made = [part(name, one, two, kind=kind, path=path) for name, one, two, kind in parts]
    return divided(path, *made) if made else file(path, 0, 0, chars=0)


@settings(max_examples=200)
@given(PARTS, PARTS)
def test_the_growth_of_parts_sums(old, new):
    was, now = some("a.md", old), some("a.md", new)
    grown = growth_of(was, now)
    if grown:
        for column in (0, 1):
            assert sum(one.delta(column) for one in grown) == now.tokens[column] - was.tokens[column]
        assert len(grown) >= max(len(old), len(new))
        assert sum(any(one.now) or one.line is not None for one in grown) <= len(new)


FILES = st.dictionaries(
    st.sampled_from(["a.md", "p/a.md", "p/b.md", "p.md", "中/文.md"]), st.tuples(COUNTS, COUNTS), max_size=5
)
BUDGETS = st.lists(
    st.builds(
        Budget,
        st.lists(st.sampled_from(["*", "p/*", "*.txt", "!p/b.md", "a.md"]), min_size=1, max_size=2)
        .map(tuple)
        .filter(lambda paths: not all(path.startswith("!") for path in paths)),
        st.dictionaries(st.sampled_from(["*", "gpt-4o", "other"]), COUNTS, max_size=2),
        st.dictionaries(
            st.sampled_from(["*", "qwen3"]), st.sampled_from([FIVE, Growth(tokens=3), Growth(millionths=0)]), max_size=1
        ),
        st.sampled_from([None, 0.01, 0.9]),
        st.booleans(),
        warn_at=st.sampled_from([None, 0.5]),
        requests_per_month=st.sampled_from([None, 10]),
    ),
    max_size=3,
)


@settings(max_examples=200)
@given(
    FILES,
    st.none() | FILES,
    BUDGETS,
    st.sampled_from([(), (Skipped("p/c.md", "binary file", code="binary"),)]),
    st.randoms(),
)
def test_the_order_of_files_does_not_matter_and_the_outcome_is_consistent(now, was, budgets, skipped, random):
    files = [file(path, *tokens) for path, tokens in now.items()]
    old = None
    if was is not None:
        old = before(*(file(path, *tokens) for path, tokens in was.items()), gone=sorted(set(was) - set(now)))
    result = checked(files, old, *budgets, skipped=skipped)
    random.shuffle(files)
    if old is not None:
        old = replace(old, files=dict(reversed(old.files.items())))
    again = checked(files, old, *budgets, skipped=skipped)
    for name in ("files", "gates", "findings", "outcome", "matched", "monthly"):
        assert getattr(result, name) == getattr(again, name)
    errors = [finding for finding in result.findings if finding.level == "error"]
    doubts = [one for one in result.findings if one.rule in {"unmatched", "unmeasured", "incomparable"}]
    assert result.exit_code == (1 if errors else 3 if doubts else 0)
    assert len(errors) == sum(gate.level == "error" for gate in result.gates)
    assert all((gate.measured > gate.limit) == (gate.level == "error") for gate in result.gates)
    prints = [finding.fingerprint for finding in result.findings]
    assert len(prints) == len(set(prints))
    paths = [finding.path.split("/") for finding in result.findings]
    assert paths == sorted(paths)
    for path, tokens in now.items():
        if was is not None and path in was and not budgets and any(map(int.__gt__, tokens, was[path])):
            assert ("max-growth", path) in told(result)


class Characters:
    """A tokenizer whose tokens are code points."""

    info = None

    def count(self, text):
        return len(text)

    def encoding(self, text):
        return Places(text)


class Places:
    def __init__(self, text):
        self.starts = [len(text[:at].encode()) for at in range(len(text))]

    def __len__(self):
        return len(self.starts)

    def within(self, offsets):
        ends = [*offsets[1:], float("inf")][: len(offsets)]
        return [sum(low <= start < high for start in self.starts) for low, high in zip(offsets, ends, strict=True)]


def causes_between(old: str, new: str, name: str = "a.md"):
    documents = [load(text, name) for text in (old, new)]
    return causes_of(compare(name, *documents, [Characters()], Wanted(by="section")))


def test_causes():
    old = "# One\n\nabc def ghi.\n\n# Two\n\nlast line here\n"
    new = "# One\n\nabc xyz def ghi.\n\n# Two\n\nlast line here\n\nA whole new paragraph\nof two lines.\n"
    assert [(one.line, one.end_line, one.text, one.deltas, one.kind) for one in causes_between(old, new)] == [
        (9, 10, "A whole new paragraph of two lines.", (37,), "added"),
        (3, 3, "abc xyz def ghi.", (4,), "added"),
    ]
    assert [(one.line, one.kind, one.deltas) for one in causes_between(new, old)] == [
        (3, "changed", (-4,)),
        (7, "changed", (-37,)),
    ]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("a" * 60 + " end.\n", "a" * 60 + " new end.\n", "…" + "a" * 23 + " new end."),
        ("a" * 20 + " end.\n", "a" * 20 + " new end.\n", "a" * 20 + " new end."),
        ("One.\n\nTwo is gone.\n\nThree.\n", "One.\n\nThree.\n", 'removed: "Two is gone."'),
        ("One.\nTwo.\n", "One.\n\n\nTwo.\n", "white space"),
        ("One.\n" + "word " * 30 + "\nTwo.\n", "One.\nTwo.\n", f'removed: "{"word " * 7}w…"'),
    ],
)
def test_excerpts(old, new, text):
    assert [one.text for one in causes_between(old, new)] == [text]


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["一段话。", "some words here", "# T", "x", ""]), max_size=8),
    st.lists(st.sampled_from(["一段话。", "more words", "# T", "y", ""]), max_size=8),
)
def test_causes_sum(old, new):
    before_, after = "\n".join(old), "\n".join(new)
    causes = causes_between(before_, after)
    assert sum(one.deltas[0] for one in causes) == len(after) - len(before_)
    assert [one.deltas for one in causes] == sorted((one.deltas for one in causes), reverse=True)
    for one in causes:
        assert 1 <= one.line <= one.end_line
        assert one.end_line <= after.count("\n") + 1
        assert one.text


def test_models_that_share_a_tokenizer_are_judged_each():
    twin = ModelColumn("gpt-4o-mini", TokenizerRef("o200k_base", "byte-bpe", "ab" * 32, True), 0)
    result = checked([file("a.md", 9, 9)], None, Budget(ALL, {"o200k_base": 5}), models=[GPT, twin, MODELS[1]])
    assert [message.split(",")[0] for message in messages(result)] == [
        "9 tokens for gpt-4o",
        "9 tokens for gpt-4o-mini",
    ]


def test_a_part_that_a_budget_is_of_and_that_is_gone_is_no_pass():
    budget = Budget(ALL, {"*": 100}, segment="## Rules")
    was = before(*(divided(path, part("Rules", 5, 5, path=path)) for path in ("a.md", "b.md")))
    now = [divided("a.md", part("Rules", 5, 5)), divided("b.md", part("More", 5, 5, path="b.md"))]
    result = checked(now, was, budget)
    assert result.exit_code == 3
    assert messages(result, "unmatched") == [
        'a budget covers a part "## Rules", which was there in tokaudit-baseline.json and is gone'
    ]


def test_a_broken_file_under_a_budget_of_a_part_is_no_pass():
    budget = Budget(ALL, {"*": 100}, segment="$.tools")
    good = divided("a.json", part("$.tools", 5, 5, kind="field", path="a.json"))
    skipped = [Skipped("b.json:3:1", "not valid JSON; counted as text", code="json-as-text")]
    result = checked([good, file("b.json", 5, 1)], None, budget, skipped=skipped)
    assert result.exit_code == 3
    assert ["cannot look for" in message for message in messages(result)] == [True]


def test_a_part_that_no_tokenizer_places_is_no_pass():
    budget = Budget(ALL, {"*": 100}, segment="## Rules")
    result = checked([file("a.md", 5, 5, parts=[part("Rules", None, 5)])], None, budget)
    assert (result.exit_code, told(result)) == (3, [("unmeasured", "a.md")])


def test_marks_in_a_heading_do_not_hide_it():
    budget = Budget(ALL, {"*": 4}, segment="## Rules")
    assert checked([divided("a.md", part("**Rules**", 5, 5))], None, budget).exit_code == 1
