"""Measured files, as `check` is given them, in few words."""

from __future__ import annotations

import hashlib
from fnmatch import fnmatch

from tokaudit.features.check.evaluate import evaluate, explained, unexplained
from tokaudit.features.check.types import BudgetScope, CheckResult, Settings
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


def checked(
    files, was: Before | None = None, *budgets, models=MODELS, checked=lambda _: True, causes=None, named=(), **more
) -> CheckResult:
    """A result, with the causes of what failed; `checked` says of paths and patterns what was asked for."""
    skipped = [item.what for item in more.get("skipped", ())]
    before_paths = [] if was is None else [*was.files, *was.gone]
    present = [*(one.path for one in files), *(what.partition(":")[0] for what in skipped)]
    scopes = []
    for budget in budgets:
        wanted = [pattern for pattern in budget.paths if not pattern.startswith("!")]
        asked = [pattern for pattern in wanted if checked(pattern)]
        single = [pattern for pattern in asked if not set("*?[") & set(pattern)]
        scopes.append(
            BudgetScope(
                frozenset(path for path in [*present, *before_paths] if _matches(budget.paths, path)),
                len(asked) == len(wanted),
                [pattern for pattern in single if not any(_matches((pattern,), path) for path in present)],
            )
        )
    settings = Settings(
        budgets,
        scopes,
        named=frozenset(named),
        unasked=frozenset(path for path in before_paths if not checked(path)),
        version="0.1.0",
        **more,
    )
    result = evaluate(files, was, models, settings)
    return result if causes is None else explained(result, {path: causes(path) for path in unexplained(result)})


def told(result: CheckResult) -> list[tuple[str, str]]:
    return [(finding.rule, finding.path) for finding in result.findings]


def messages(result: CheckResult, rule: str = "") -> list[str]:
    return [finding.message for finding in result.findings if rule in {"", finding.rule}]
