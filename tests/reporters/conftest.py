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
        [Skipped(f"图/{number}.png", "binary file") for number in range(skipped)],
    )


@pytest.fixture
def report_of():
    return made
