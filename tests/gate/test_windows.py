"""Budgets of windows: the largest request of a file, and what it reserves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tokaudit import check, count_paths


def request(words: int, **fields: Any) -> str:
    return json.dumps({"messages": [{"role": "user", "content": "word " * words}], **fields})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome(project: Path, window: object, models: list[str], text: str) -> dict[str, Any]:
    (project / "tokaudit.toml").write_text(f'[[budget]]\npaths = ["a.*"]\nwindow = {json.dumps(window)}\n')
    (project / "a.jsonl").write_text(text)
    return dict(check(models=models))


def test_the_largest_request_with_its_answer_is_held_against_the_window(project: Path) -> None:
    text = f"{request(10)}\n{request(300, max_tokens=1000)}\n{request(900)}\n"
    (project / "b.json").write_text(request(300, max_tokens=1000))
    alone = count_paths([project / "b.json"], ["gpt-4o"])["documents"][0]["counts"]["gpt-4o"]["tokens"]
    share = (alone + 1000) / 128_000
    found = outcome(project, share, ["gpt-4o"], text)
    assert (found["outcome"], found["gates"][0]["measured"]) == ("passed", alone + 1000)
    found = outcome(project, share - 1 / 128_000, ["gpt-4o"], text)
    assert found["outcome"] == "failed"
    assert [(one["rule"], one["place"]["line"], one["limit"]) for one in found["findings"]] == [
        ("window", 2, alone + 999)
    ]
    assert "1,000 of them for the answer" in found["findings"][0]["message"]


def test_a_text_is_held_against_the_window_as_well(project: Path) -> None:
    (project / "a.txt").write_text("word " * 200)
    found = outcome(project, 0.001, ["gpt-4o"], "{}\n")
    assert [(one["rule"], one["path"]) for one in found["findings"]] == [("window", "a.txt")]


def test_a_window_that_is_not_known_does_not_pass(project: Path) -> None:
    found = outcome(project, "80%", ["gpt-4o", "o200k_base"], request(10))
    assert (found["outcome"], [one["rule"] for one in found["findings"]]) == ("unmeasured", ["unmeasured"])
