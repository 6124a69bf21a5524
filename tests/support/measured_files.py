"""Measured files, as `check` is given them, in few words."""

from __future__ import annotations

import hashlib
from fnmatch import fnmatch

from tokaudit.features.check.evaluate import evaluate
from tokaudit.features.check.types import CheckResult, Settings
from tokaudit.model import ModelColumn, TokenizerRef
from tokaudit.model.gates import Before, MeasuredFile, MeasuredPart

SHA = "ab" * 32
GPT = ModelColumn("gpt-4o", TokenizerRef("o200k_base", "byte-bpe", SHA, True), 0)
QWEN = ModelColumn("qwen3", TokenizerRef("qwen3", "byte-bpe", SHA, True), 1)
MODELS = (GPT, QWEN)
CLAUDE = ModelColumn("claude", TokenizerRef("claude", "ctok", "", False, "about 3 %"), 0)


def file(path: str, *tokens: int | None, chars: int = 1000, text: str = "", parts=(), **more) -> MeasuredFile:
    """A file; its hash is of `text`, or else of its tokens."""
    sha256 = hashlib.sha256((text or f"{tokens} {chars}").encode()).hexdigest()
    return MeasuredFile(path, sha256, chars, tokens, tuple(parts), **more)


def part(name: str, *tokens: int | None, level: int = 2, line: int | None = None, kind: str = "section", path="a.md"):
    return MeasuredPart(f"{path}#{name.lower()}", kind, name, line, 100, tokens, level if kind == "section" else 0)


def divided(path: str, *parts: MeasuredPart, **more) -> MeasuredFile:
    """A file of these parts, to which it sums."""
    tokens = [sum(column) for column in zip(*(one.tokens for one in parts), strict=True)]
    return file(path, *tokens, chars=sum(one.chars for one in parts), parts=parts, **more)


def before(*files: MeasuredFile, **more) -> Before:
    name = more.pop("name", "tokaudit-baseline.json")
    return Before(name, {one.path: one for one in files}, **more)


def _matches(patterns, path):
    """As in .gitignore: the last pattern that matches decides."""
    found = False
    for pattern in patterns:
        if fnmatch(path, pattern.removeprefix("!")):
            found = not pattern.startswith("!")
    return found


def checked(files, was: Before | None = None, *budgets, models=MODELS, **more) -> CheckResult:
    settings = Settings(_matches, budgets, version="0.1.0", **more)
    return evaluate(files, was, models, settings)


def told(result: CheckResult) -> list[tuple[str, str]]:
    return [(finding.rule, finding.path) for finding in result.findings]


def messages(result: CheckResult, rule: str = "") -> list[str]:
    return [finding.message for finding in result.findings if rule in {"", finding.rule}]
