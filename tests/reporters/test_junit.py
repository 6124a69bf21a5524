from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Failure, JUnitXml
from junitparser import Skipped as SkippedCase

from tokaudit.model import Finding, Place, Report, Skipped
from tokaudit.reporters import render

# What the schema of Jenkins' xUnit plugin (junit-10.xsd) allows of what is written: attributes, and those required.
ALLOWED = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time"},
        {"name", "tests", "failures", "errors"},
        {"testcase"},
    ),
    "testcase": ({"name", "time", "classname"}, {"name"}, {"failure", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set(), set()),
    "skipped": ({"message", "type"}, set(), set()),
    "system-out": (set(), set(), set()),
}


def suite_of(report: Report):
    """The one suite, as junitparser reads it, after a look at the names in the XML."""
    text = render(report, "junit")
    root = ET.fromstring(text.encode())
    for element in root.iter():
        allowed, required, children = ALLOWED[element.tag]
        assert required <= set(element.attrib) <= allowed
        assert {child.tag for child in element} <= children
    parsed = JUnitXml.fromstring(text.encode())
    (suite,) = parsed
    cases = list(suite)
    assert suite.tests == parsed.tests == len(cases)
    assert (
        suite.failures == parsed.failures == sum(isinstance(case.result[0], Failure) for case in cases if case.result)
    )
    assert suite.skipped == sum(case.is_skipped for case in cases)
    assert suite.errors == 0
    names = [(case.classname, case.name) for case in cases]
    assert len(set(names)) == len(names)  # GitLab ignores the second of a name
    return suite


def test_files_and_failed_gates_are_cases(check_of):
    report = check_of(
        skipped=(
            Skipped("a.png", "binary file", "leave it out", code="binary"),
            Skipped("prompts/broken.md", "again", code="binary"),
        )
    )
    suite = suite_of(report)
    assert suite.name == "tokaudit.check"
    assert suite.time == 0
    outcomes = {
        case.name: case.result[0].type if case.is_failure else "skipped" if case.is_skipped else "passed"
        for case in suite
    }
    assert outcomes == {
        "prompts/a.md": "ledger",
        "prompts/b,c:d%.md": "max-growth",
        "prompts/ok.md": "passed",
        "prompts/系统/客服 规则.md": "max-tokens",
        "prompts/b,c:d%.md [max-growth]": "max-growth",
        "pyproject.toml [unmatched]": "skipped",
        "[incomparable]": "skipped",
        "prompts/broken.md": "skipped",
        "[goal]": "goal",
        "a.png": "skipped",
    }
    assert suite.failures == sum(finding.level == "error" for finding in report.findings)


def test_a_failure_tells_what_and_where(check_of):
    cases = {case.name: case for case in suite_of(check_of())}
    (failure,) = cases["prompts/b,c:d%.md"].result
    assert failure.message == "grew by 12%: {0} and [x](1)"
    where, advice = failure.text.splitlines()
    assert where == "prompts/b,c:d%.md:3:4: grew by 12%: {0} and [x](1)"
    assert "`tokaudit baseline update PATH`" in advice
    assert "warning warn-at: 95% used" in cases["prompts/a.md"].system_out
    (skipped,) = cases["[incomparable]"].result
    assert isinstance(skipped, SkippedCase)
    assert skipped.message == "incomparable: qwen3: another vocabulary"


def test_a_failed_file_that_was_not_compared_fails(check_of, finding_of):
    found = [
        finding_of("incomparable", "warning", "w", "prompts/a.md"),
        finding_of("slim", "error", "e", "prompts/a.md"),
    ]
    for order in (found, found[::-1]):
        suite = suite_of(check_of(*order))
        assert (suite.failures, suite.skipped) == (1, 0)


def test_the_same_gate_failed_thrice_is_three_cases(check_of, finding_of):
    found = [finding_of("max-tokens", "error", "m", path, n) for n in (1, 2, 3) for path in ("prompts/a.md", "group")]
    names = [case.name for case in suite_of(check_of(*found)) if case.result]
    assert names == [
        "prompts/a.md",
        "group [max-tokens]",
        "prompts/a.md [max-tokens]",
        "group [max-tokens 2]",
        "prompts/a.md [max-tokens 2]",
        "group [max-tokens 3]",
    ]


def test_a_file_has_its_figures():
    files = [{"path": "a.md", "tokens": {"gpt-4o": 1234, "qwen3": None, "x": 1}, "before": {"gpt-4o": 1200, "x": None}}]
    (case,) = suite_of(Report("check", [], {"files": files}))
    assert case.system_out == "gpt-4o: 1,234 tokens, 1,200 before\nx: 1 token"


def test_the_prefix_is_not_in_names(check_of):
    assert render(check_of(prefix="sub"), "junit") == render(check_of(), "junit")


def test_a_report_of_nothing_is_a_suite_of_nothing():
    assert len(list(suite_of(Report("check", [], {})))) == 0


def test_ascii_is_the_same_document(check_of):
    plain = render(check_of(), "junit", ascii_only=True)
    assert plain.isascii()
    wanted = ET.canonicalize(render(check_of(), "junit"))
    assert ET.canonicalize(plain) == wanted


@pytest.mark.parametrize("text", ["\0", "\x1b[31m", "\ufffe", "\ud800", "a\nb\rc", "]]>", "<&>\"'", "\x85\u2028"])
def test_what_xml_cannot_carry_is_escaped(check_of, finding_of, text):
    (case, *_) = suite_of(check_of(finding_of("max-tokens", "error", text, "prompts/a.md")))
    assert case.is_failure


@given(st.lists(st.tuples(st.text(max_size=6), st.sampled_from(["a.md", "b.md", ""]), st.booleans()), max_size=6))
def test_any_findings_are_cases(found):
    made = [Finding("new" if note else "slim", "note" if note else "error", m, p, Place()) for m, p, note in found]
    report = Report(
        "check",
        [],
        {"files": [{"path": "a.md"}]},
        made,
        [Skipped("a.md", "x", code="binary"), Skipped("c.md", "\x01", code="binary")],
    )
    assert suite_of(report).failures == sum(not note for _, _, note in found)
