"""Diffs among text: every blank of them counts, for a patch applies only as it was written."""

from __future__ import annotations

import re

# What begins a diff of a file or one of its hunks, in a padded text.
OPENING = re.compile(
    r"\n(?:diff --[a-z]+ [^\n]*|(?:Index: |Only in )[^\n]*(?=\n[=-]{3})|--- [^\n]+\n\+\+\+ [^\n]+(?=\n@@)"
    r"|\*\*\* [^\n]+\n--- [^\n]+(?=\n\*{15})|@@ -\d+(?:,\d+)? \+\d+)"
)
_HUNK = re.compile(r"\n@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@[^\n]*")
# Lines between the name of a file and its hunks, and those of a diff without counts.
_HEAD = re.compile(
    r"(?:\n(?:diff --[a-z]+ |index [0-9a-f]|Index: |={10,}|(?:old|new|deleted|new file|deleted file) mode \d"
    r"|similarity |dissimilarity |rename |copy |--- |\+\+\+ |Binary files |GIT binary patch|Only in )[^\n]*)+"
)
_LOOSE = re.compile(r"(?:\n(?:[ +\-\\!]|@@|\*{3}|\d+(?:,\d+)?[acd]\d)[^\n]*|\n(?=\n[ +\-]))+")
_LINE = re.compile(r"\n([^\n]?)[^\n]*")


def diff_end(source: str, opening: re.Match[str]) -> int:
    """The end of the diff that an opening begins: behind all hunks of all files that follow at once."""
    at = opening.start()
    while True:
        head = _HEAD.match(source, at)
        if head:
            at = head.end()
        hunk = _HUNK.match(source, at)
        if hunk:
            at = _hunk_end(source, hunk)
            continue
        loose = _LOOSE.match(source, at) if at > opening.start() or source.startswith("\n***", at) else None
        if loose and ("\n@@" in source[at : at + 3] or source.startswith("\n***", at)):
            at = loose.end()
            continue
        if not head:
            return max(at, opening.end())


def _hunk_end(source: str, hunk: re.Match[str]) -> int:
    """Behind as many lines as the head of a hunk promises, or fewer where something else follows."""
    old, new = (int(count) if count is not None and len(count) < 9 else 1 for count in hunk.groups())
    at = hunk.end()
    while (old > 0 or new > 0) or source.startswith("\n\\", at):
        line = _LINE.match(source, at)
        if line is None or line[1] not in {"", " ", "+", "-", "\\", "\t"}:
            break
        if line[1] != "\\":
            old -= line[1] != "+"
            new -= line[1] != "-"
        at = line.end()
    return at
