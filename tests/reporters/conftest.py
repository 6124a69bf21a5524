from __future__ import annotations

import pytest

from tokaudit.model import Column, Finding, Place, Report, Skipped, Table

MODELS = ("gpt-4o", "qwen3", "deepseek-v3", "glm-4.5", "kimi-k2", "≈claude-sonnet-4.5")
LABELS = (
    "samples/客服对话.md",
    "samples/很长的目录名称用于测试/一个特别长的中文文件名称需要在中间缩短显示.md",
    "a.json",
)


def made(models: int, *, skipped: int = 0) -> Report:
    columns = [Column("path", "File"), Column("chars", "Chars", "right")]
    columns += [Column(name, name, "right", ",") for name in MODELS[:models]]
    rows = [
        [label, 1_234_567 // (i * 999 + 1), *range(700_000, 700_000 + 7 * models, 7)] for i, label in enumerate(LABELS)
    ]
    marks = {(0, 2): "cheap", (0, 1 + models): "dear", (2, 0): "total", (1, 0): "dim", (1, 1): "high"}
    return Report(
        "count",
        [Table("Tokens by file", columns, rows, marks, ["≈ approximate: 该模型的分词器并未公开。"])],
        {"schema_version": "1.0", "label": "中文"},
        [Finding("density", "warning", "too dense", "a.md", Place(line=3, column=2), 0.9, 0.8, "f1")],
        [Skipped(f"图/{number}.png", "binary file", code="binary") for number in range(skipped)],
    )


@pytest.fixture
def report_of():
    return made


CHECKED = ("prompts/a.md", "prompts/b,c:d%.md", "prompts/ok.md", "prompts/系统/客服 规则.md")


def finding(rule: str, level: str, message: str, path: str, line: int | None = None, **more) -> Finding:
    return Finding(rule, level, message, path, Place(line, more.pop("column", None)), **more)


def checked(*findings: Finding, prefix: str = "", outcome: str = "failed", skipped: tuple[Skipped, ...] = ()) -> Report:
    """What a check of four files found; with all kinds of findings where none are given."""
    found = findings or (
        finding("max-tokens", "error", "1,205 tokens (gpt-4o), 5 too many", CHECKED[3], 12, measured=1205, limit=1200),
        finding("max-growth", "error", "grew by 12%: {0} and [x](1)", CHECKED[1], 3, column=4, fingerprint="b" * 32),
        finding("max-growth", "error", "grew by 13% (qwen3)", CHECKED[1], 3, fingerprint="c" * 32),
        finding("warn-at", "warning", "95% used, @alice and #12", CHECKED[0]),
        finding("unmatched", "warning", "budget 2: prompts/*.txt matches no files", "pyproject.toml", 7),
        finding("incomparable", "warning", "qwen3: another vocabulary", ""),
        finding("unmeasured", "warning", "not in the charset named", "prompts/broken.md"),
        finding("new", "note", "a new file", CHECKED[0]),
        finding("cn.final-particle", "warning", "took longer than it may", CHECKED[0], fingerprint="cn.x#prompts/a.md"),
        finding("ledger", "error", "facts before and after differ", CHECKED[0], fingerprint="ledger#prompts/a.md"),
        finding("goal", "error", "not met", "", fingerprint="goal#"),
    )
    data = {
        "tool": {"name": "tokaudit", "version": "0.1.0"},
        "outcome": outcome,
        "prefix": prefix,
        "files": [{"path": path} for path in CHECKED],
    }
    return Report("check", [], data, found, skipped)


@pytest.fixture
def check_of():
    return checked


@pytest.fixture
def finding_of():
    return finding
