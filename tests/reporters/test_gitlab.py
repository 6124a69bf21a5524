from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tokaudit.model import Finding, Place, Report
from tokaudit.reporters import render

# From GitLab's documentation of the format: it knows no other severities, and takes what has one fingerprint for one.
SCHEMA = {
    "type": "array",
    "uniqueItems": True,
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "minLength": 1, "not": {"pattern": r"^(/|\./|\.\./)"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
VALIDATOR = Draft202012Validator(SCHEMA)


def issues(report: Report) -> list[dict]:
    found = json.loads(render(report, "gitlab"))
    VALIDATOR.validate(found)
    assert len({item["fingerprint"] for item in found}) == len(found)
    return found


def test_each_finding_is_an_issue(check_of):
    found = issues(check_of())
    assert [item["severity"] for item in found].count("major") == 5
    assert found[1] == {
        "description": "grew by 12%: {0} and [x](1)",
        "check_name": "tokaudit/max-growth",
        "fingerprint": "b" * 32,
        "severity": "major",
        "location": {"path": "prompts/b,c:d%.md", "lines": {"begin": 3}},
    }


def test_what_is_in_no_file_has_a_path_all_the_same(check_of):
    (found,) = (item for item in issues(check_of()) if item["check_name"] == "tokaudit/goal")
    assert found["location"] == {"path": ".", "lines": {"begin": 1}}


def test_nothing_found_is_an_empty_array():
    assert render(Report("check", [], {}), "gitlab") == "[]\n"


def test_a_fingerprint_stays_while_figures_and_lines_change(check_of, finding_of):
    before = finding_of("max-tokens", "error", "5 tokens", "a.md", 3, measured=5)
    after = finding_of("max-tokens", "error", "6 tokens", "a.md", 4, measured=6)
    marks = [issues(check_of(found))[0]["fingerprint"] for found in (before, after)]
    assert marks[0] == marks[1]


def test_projects_of_one_repository_have_different_fingerprints(check_of):
    first, second = (issues(check_of(prefix=prefix)) for prefix in ("one", "two"))
    assert first[0]["location"]["path"].startswith("one/prompts/")
    assert not {item["fingerprint"] for item in first} & {item["fingerprint"] for item in second}


def test_ascii_is_the_same_document(check_of):
    plain = render(check_of(), "gitlab", ascii_only=True)
    assert plain.isascii()
    assert json.loads(plain) == json.loads(render(check_of(), "gitlab"))


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5), st.text("ab", max_size=1)), max_size=5))
def test_any_findings_are_valid(found):
    made = [Finding("max-tokens", "error", message, path, Place(), fingerprint=mark) for message, path, mark in found]
    issues(Report("check", [], {}, made))
