from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tokaudit.model import Report, UsageError
from tokaudit.reporters import FORMATS, render, require_format


def test_every_format_renders_and_ends_with_one_newline(report_of):
    for name in FORMATS:
        text = render(report_of(4), name)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert "\r" not in text


@pytest.mark.parametrize(("name", "near"), [("jason", "json"), ("JSON", "json"), ("mardown", "markdown")])
def test_an_unknown_format_offers_the_nearest(name, near):
    with pytest.raises(UsageError, match=f"did you mean '{near}'"):
        require_format(name)


def test_an_unknown_format_without_a_near_one_lists_all():
    with pytest.raises(UsageError, match="the formats are table, json, jsonl, csv, markdown"):
        require_format("zzzzzz")


def test_only_the_table_imports_rich():
    code = (
        "import sys\nfrom tokaudit.model import Report\nfrom tokaudit.reporters import FORMATS, render\n"
        "[render(Report('count', [], {}), name) for name in FORMATS if name != 'table']\n"
        "assert not [m for m in sys.modules if m.split('.')[0] == 'rich']\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_empty_report_renders(report_of):
    said = {name: render(Report("count", [], {}), name) for name in FORMATS}
    assert said.pop("junit").startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tokaudit" tests="0"')
    assert json.loads(said.pop("sarif"))["runs"][0]["results"] == []
    assert said == {
        "table": "\n",
        "json": "{}\n",
        "jsonl": "",
        "csv": "table\n",
        "markdown": "",
        "github": "tokaudit count: nothing to report\n",
        "gitlab": "[]\n",
    }


def test_json_is_the_data_as_it_stands(report_of):
    report = report_of(1)
    text = render(report, "json")
    assert json.loads(text) == report.data
    assert "中文" in text
    assert text.startswith('{\n  "schema_version"')
    assert json.loads(render(report, "json", ascii_only=True)) == report.data
    assert render(report, "json", ascii_only=True).isascii()


def test_json_of_a_path_that_is_not_unicode_can_be_written():
    report = Report("count", [], {"path": "a\udcff.md", "emoji": "😀"})
    text = render(report, "json")
    text.encode("utf-8")
    assert json.loads(text) == report.data


def test_json_refuses_what_json_cannot_carry():
    with pytest.raises(ValueError, match="JSON"):
        render(Report("count", [], {"density": float("nan")}), "json")


def test_jsonl_has_a_line_for_every_row_finding_and_skipped_input(report_of):
    rows = [json.loads(line) for line in render(report_of(2, skipped=1), "jsonl").splitlines()]
    assert rows[0] == {
        "table": "Tokens by file",
        "path": "samples/客服对话.md",
        "chars": 1234567,
        "gpt-4o": 700000,
        "qwen3": 700007,
    }
    assert [row["table"] for row in rows] == [*["Tokens by file"] * 3, "findings", "skipped"]
    assert rows[-1] == {
        "table": "skipped",
        "what": "图/0.png",
        "code": "binary",
        "reason": "binary file",
        "counted": False,
    }
    assert rows[-2]["line"] == 3
