"""Files that tools own."""

from __future__ import annotations

import pytest

from tokaudit.sources.tool_files import is_tool_file


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "web/Package.json",
        "tsconfig.json",
        "tsconfig.build.json",
        "composer.json",
        "uv.lock",
        "pnpm-lock.yaml",
        "Cargo.toml",
        "pyproject.toml",
        "a/b.ipynb",
        ".vscode/settings.json",
        ".eslintrc.json",
        ".github/workflows/ci.yml",
        "vite.config.json",
        "App.csproj",
    ],
)
def test_owned(path):
    assert is_tool_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "data.json",
        "prompts/tools.json",
        "packages.json",
        "config.yaml",
        ".github/copilot-instructions.md",
        ".github/prompts/review.prompt.yml",
        ".claude/commands/fix.md",
        ".claude/agents/tools.json",
        "../prompts/a.json",
        "notes.md",
        "block.md",
    ],
)
def test_not_owned(path):
    assert not is_tool_file(path)
