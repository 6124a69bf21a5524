from __future__ import annotations

import io
import sys

import pytest

from tokaudit.cli import results
from tokaudit.model import Finding, Place, Report, UsageError
from tokaudit.reporters import GATE_FORMATS

REPORT = Report("check", [], {"outcome": "failed"}, [Finding("slim", "error", "过长…", "提示.md", Place(1))])


@pytest.mark.parametrize("name", sorted(GATE_FORMATS))
def test_a_command_that_does_not_judge_has_no_format_of_findings(name):
    with pytest.raises(UsageError, match=f"--format {name}: this command has no such format") as caught:
        results.destinations(name, False, [])
    assert caught.value.hint == f"--format {name} is for check"
    with pytest.raises(UsageError, match=f"-o {name}=r: this command"):
        results.destinations(None, False, [f"{name}=r"])
    assert results.destinations(name, False, [], gate=True) == [(name, "")]
    assert results.destinations(None, False, [f"{name}=r"], gate=True) == [(name, "r")]


def test_a_default_of_the_project_that_a_command_lacks_is_a_table_there():
    assert results.destinations(None, False, [], "github") == [("table", "")]
    assert results.destinations(None, False, [], "github", gate=True) == [("github", "")]


def test_endings_of_files_choose_the_format():
    wanted = [("sarif", "r.sarif"), ("junit", "r.xml"), ("json", "r.json")]
    assert results.destinations(None, False, ["r.sarif", "r.xml", "r.json"], gate=True) == wanted
    with pytest.raises(UsageError, match="unknown format for this file name"):
        results.destinations(None, False, ["r.sarif"])


def test_only_formats_of_the_command_are_offered():
    with pytest.raises(UsageError, match="unknown format 'sarf'") as caught:
        results.destinations("sarf", False, [])
    assert "sarif" not in caught.value.hint
    with pytest.raises(UsageError, match="unknown format 'sarf'") as caught:
        results.destinations("sarf", False, [], gate=True)
    assert "did you mean 'sarif'" in caught.value.hint
    with pytest.raises(UsageError, match="unknown format 'sarf' in -o"):
        results.destinations(None, False, ["sarf=r"], gate=True)
    with pytest.raises(UsageError, match="unknown format 'sarf' in -o") as caught:
        results.destinations(None, False, ["sarf=r"])
    assert "sarif" not in caught.value.hint
    assert results.destinations(None, False, ["./sarf=r"]) == [("table", "./sarf=r")]


@pytest.mark.parametrize("name", sorted(GATE_FORMATS))
def test_what_other_programs_read_is_utf_8_whatever_the_console(name, monkeypatch):
    written = []
    for charset in ("ascii", "gb18030", "cp1252", "utf-8"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=charset)
        monkeypatch.setattr(sys, "stdout", stream)
        results.write(lambda _: REPORT, [(name, "")], quiet=False, color=None)
        written.append(stream.buffer.getvalue())
    assert len(set(written)) == 1
    assert "过长" in written[0].decode()
