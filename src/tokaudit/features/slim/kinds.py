"""What kind each text is, and what speaks for it: the answer to ``slim --explain-kind``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model import Skipped
from tokaudit.model.evidence import Evidence
from tokaudit.model.message import Message, translated


def kinds_text(found: Sequence[tuple[str, Sequence[Evidence]]], words: Mapping[str, str]) -> str:
    """For each path its kind and the evidence, that of the kind that it is first, in the language of a catalogue."""
    lines: list[str] = []
    for path, evidence in found:
        lines.append(f"{path}: {evidence[0].kind}\n")
        width = max(len(one.kind) for one in evidence)
        lines += [f"  {one.kind:{width}}  {translated(_said(one), words)}\n" for one in evidence]
    return "".join(lines)


def kinds_document(found: Sequence[tuple[str, Sequence[Evidence]]], skipped: Sequence[Skipped]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "documents": [
            {
                "path": path,
                "kind": evidence[0].kind,
                "evidence": [
                    {
                        "kind": one.kind,
                        "what": str(one.what),
                        "lines": one.lines,
                        "of": one.of,
                        "first": [*one.examples],
                    }
                    for one in evidence
                ],
            }
            for path, evidence in found
        ],
        "skipped": [{"what": item.what, "code": item.code, "reason": str(item.reason)} for item in skipped],
    }


def _said(one: Evidence) -> str:
    if not one.of:
        return one.what
    return Message(
        "{n:,} of {all:,} {what} ({examples})", n=one.lines, all=one.of, what=one.what, examples=_examples(one)
    )


def _examples(one: Evidence) -> Message:
    numbers = tuple(str(number) for number in one.examples)
    if len(numbers) == 1:
        return Message("line {numbers}", numbers=numbers)
    return (
        Message("lines {numbers}", numbers=numbers)
        if one.lines == len(numbers)
        else Message("lines {numbers}, ...", numbers=numbers)
    )
