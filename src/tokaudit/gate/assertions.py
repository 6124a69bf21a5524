"""The explanations of the assertions of the pytest plugin that fail."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from tokaudit.features.check.parts import part_labels
from tokaudit.features.check.types import CheckResult
from tokaudit.features.count.types import Wanted
from tokaudit.gate.measure import measured_document
from tokaudit.jobs.count import measure
from tokaudit.jobs.slim_plan import helpful_rules_of
from tokaudit.model import Document, ModelColumn, TokauditError, Tokenizer, plural
from tokaudit.model.rules import RULE_CLASSES

_SHOWN = 5
"""Most segments, lines and rules of an explanation."""
_SHORT = 20
"""Characters below which a line says little about density."""


def _tokens(number: int) -> str:
    return plural(number, "token")


def explained(document: Document, model: ModelColumn, tokenizers: Sequence[Tokenizer]) -> list[str]:
    """The parts of a document with the most tokens for a model, and the rules that would help."""
    tokenizer = tokenizers[model.column]
    lines: list[str] = []
    try:
        found = measured_document(document, [tokenizer]).parts
        parts = [
            _part(label, part.line, None, part.tokens[0]) for part, label in zip(found, part_labels(found), strict=True)
        ]
        if len(parts) < 2:
            segments = measure(document, [tokenizer], Wanted(by="segment")).parts
            parts = [_part(part.label, part.line, part.page, part.tokens[0]) for part in segments]
        if len(parts) > 1:
            parts.sort(key=lambda part: -part[0])
            lines += [f"largest parts (of {len(parts):,}):", *(line for _, line in parts[:_SHOWN])]
        rows = [row for row in measure(document, [tokenizer], Wanted(by="line")).parts if row.chars >= _SHORT]
        rows.sort(key=lambda row: -row.tokens[0] / row.chars)
        if rows:
            lines.append("densest lines:")
        for row in rows[:_SHOWN]:
            _, line = _part(row.label, row.line, row.page, row.tokens[0])
            lines.append(f"{line}, {row.tokens[0] / row.chars:.2f} a character")
    except TokauditError as error:  # a tokenizer that cannot say where its tokens are
        lines.append(f"no parts: {error.message}")
    try:
        lines += _rule_lines(document, tokenizer, model.name)
    except TokauditError as error:
        lines.append(f"no rules: {error.message}")
    return lines


def _part(label: str, line: int | None, page: int | None, tokens: int | None) -> tuple[int, str]:
    place = f"line {line}: " if line is not None else f"page {page}: " if page is not None else ""
    return tokens or 0, f"  {place}{_cut(label)}: {_tokens(tokens or 0)}"


def _cut(text: str) -> str:
    return text if len(text) <= 48 else text[:47] + "…"


def _rule_lines(document: Document, tokenizer: Tokenizer, model: str) -> list[str]:
    """The rules of ``slim`` that would save tokens."""
    slimmed, found = helpful_rules_of(document, [tokenizer], RULE_CLASSES)
    if not found:
        return []
    lossy = any(rule.rule_class == "lossy" for rule, _ in found)
    command = f"tokaudit slim --diff -m {quote(model)}" + (" --lossy" if lossy else "")
    if not document.path.startswith("<"):
        command += f" {quote(document.path)}"
    lines = [f"rules that would help, {_tokens(slimmed.saved[0])} in all: {command}"]
    for rule, saved in sorted(found, key=lambda item: -item.saved[0])[:_SHOWN]:
        lines.append(f"  {rule.id} ({rule.rule_class}): {_tokens(saved[0])}: {rule.title}")
    return lines


def growth_lines(result: CheckResult, *, alone: bool) -> list[str]:
    """The findings of ``check`` on growth, also on growth that it could not judge; and the lines that caused it."""
    rules = {"max-growth", "incomparable", "unmatched", "unmeasured", *(["new"] if alone else [])}
    lines = []
    for finding in result.findings:
        if finding.rule in rules:
            line = "" if finding.place.line is None else f":{finding.place.line}"
            lines.append(f"{finding.path}{line}: {finding.message}")
    grown = {finding.path for finding in result.findings if finding.rule == "max-growth"}
    first = result.models[0]
    for row in result.files:
        causes = [cause for cause in row.causes if cause.deltas[first.column] > 0][:_SHOWN]
        if row.file.path in grown and causes:
            lines.append(f"lines that made {row.file.path} grow, for {first.name}:")
            lines += [f"  line {cause.line}: {_cut(cause.text)}: +{cause.deltas[first.column]:,}" for cause in causes]
    return lines
