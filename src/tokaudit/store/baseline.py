"""``tokaudit-baseline.json``: the measurements that ``tokaudit check`` compares with.

It is made for reviews: one file or part of a file a line, in a fixed order, without times, lines or names of machines,
so that a difference between two of them is a difference between the files.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokaudit.model import Skipped, TokenizerRef
from tokaudit.model.gates import Baseline, MeasuredFile
from tokaudit.model.message import Message

DEFAULT_NAME = "tokaudit-baseline.json"
"""Of the file, in the folder of the project."""
SCHEMA_VERSION = "1.1"
"""1.1: entries of the kind ``role``. Minor versions only add fields."""

HINT = "`tokaudit baseline write` rebuilds it"
# Characters that break a line, or turn text around, in an editor; and halves of characters, which UTF-8 cannot have.
_ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_PATH = re.compile(r'"path": ("(?:[^"\\\n]|\\.)+")')
_PATHS = re.compile(r'^"paths": (\[.*\]),?\s*$', re.MULTILINE)
# The form in which reports show a byte of a name that is no UTF-8, and the like. On Windows no name has a line end
# in it: ``prompts\\reply.md`` is another file there.
_SHOWN = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}" + (")" if os.sep == "\\" else "|[nrt])"))
_DRIVE = re.compile(r"[A-Za-z]:")


def find_baseline(start: Path) -> Path | None:
    """The nearest file of the default name, from a folder upwards."""
    origin = Path(start).resolve()
    for folder in (origin, *origin.parents):
        path = folder / DEFAULT_NAME
        try:
            if path.is_file():
                return path
        except OSError:  # a folder above that we may not look into
            continue
    return None


def baseline_text(baseline: Baseline, version: str) -> str:
    """The file's text, the same for the same measurements, in whatever order the files come; parts keep theirs."""
    # Two models may have the same tokenizer.
    first = {(ref.name, ref.sha256): column for column, ref in reversed(list(enumerate(baseline.tokenizers)))}
    names = entry_names([baseline.tokenizers[column] for column in first.values()])
    columns = sorted(zip(names, first.values(), strict=True), key=lambda item: item[1])
    lines = ["{", f'"schema_version": "{SCHEMA_VERSION}",']
    lines.append(f'"tool": {_line({"name": "tokaudit", "version": version})},')
    lines += _list("tokenizers", [_tokenizer(baseline.tokenizers[column]) for _, column in columns], last=False)
    if baseline.models:
        lines.append(f'"models": {json.dumps(list(baseline.models), ensure_ascii=True)},')
    if baseline.paths:
        lines.append(f'"paths": {json.dumps(sorted(set(baseline.paths)), ensure_ascii=True)},')
    files = sorted(baseline.files, key=lambda file: file.path)
    entries = [entry for file in files for entry in _entries(file, columns)]
    lines += _list("entries", entries, last=not baseline.skipped)
    if baseline.skipped:
        skipped = sorted(baseline.skipped, key=lambda item: (item.what, item.reason, item.hint))
        lines += _list("skipped", [_skipped(item) for item in skipped], last=True)
    return "\n".join([*lines, "}", ""])


def _list(name: str, items: Sequence[dict[str, Any]], *, last: bool) -> list[str]:
    rows = [_line(item) for item in items]
    return [f'"{name}": [', *(f"{row}," for row in rows[:-1]), *rows[-1:], "]" if last else "],"]


def _line(item: dict[str, Any]) -> str:
    text = json.dumps(item, ensure_ascii=False)
    return text if text.isascii() and "\x7f" not in text else _ESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _tokenizer(ref: TokenizerRef) -> dict[str, Any]:
    known = {"name": ref.name, "backend": ref.backend, "sha256": ref.sha256 or None, "exact": ref.exact}
    return {**known, "error": ref.error} if ref.error else known


def _skipped(item: Skipped) -> dict[str, Any]:
    known = {"what": item.what, "code": item.code, "reason": item.reason}
    return {**known, "hint": item.hint} if item.hint else known


def _entries(file: MeasuredFile, columns: Sequence[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    tokens = {name: file.tokens[column] for name, column in columns if file.tokens[column] is not None}
    yield {"path": file.path, "sha256": file.sha256, "chars": file.chars, "tokens": tokens}
    for part in (*file.parts, *file.roles):
        entry: dict[str, Any] = {"id": part.id, "kind": part.kind}
        if part.label:
            entry["label"] = part.label
        if part.level:
            entry["level"] = part.level
        entry["chars"] = part.chars
        entry["tokens"] = {name: part.tokens[column] for name, column in columns if part.tokens[column] is not None}
        yield entry


def entry_names(tokenizers: Sequence[TokenizerRef]) -> list[str]:
    """The name of each tokenizer in the entries, with its hash where another one has the same name."""
    names = [ref.name for ref in tokenizers]
    return [
        ref.name if names.count(ref.name) == 1 else f"{ref.name}@{ref.sha256[:12] or ref.backend}" for ref in tokenizers
    ]


def may_replace(content: bytes) -> bool:
    """True for a baseline, even a broken one, and for an empty file: a baseline may be written in its place."""
    text = content.decode("utf-8", "replace")
    marks = ('"schema_version"', '"tokenizers"', '"sha256"')
    report = '"command"' in text[:200]  # of tokaudit, which has some of the same fields
    return not text.strip() or (any(mark in text for mark in marks) and not report)


def fault_of(path: str) -> str:
    """The reason that a path can be of no file of the project, on any system; empty where it can."""
    bare = _SHOWN.sub("", path) if "\\" in path else path
    if bare.startswith(("/", "\\")) or _DRIVE.match(bare):
        return Message("is absolute, and paths are from the project's folder")
    if ".." in path and ".." in re.split(r"[/\\]", path):
        return Message("leaves the project's folder")
    if "\\" in bare:
        return Message("has a backslash; folders are parted by '/'")
    if "\0" in path:
        return Message("has a null character")
    return ""


def paths_in(path: Path) -> tuple[list[str], list[str]]:
    """The paths in a baseline, also in one that is no JSON, as after a merge; sorted.

    Returns:
        The paths of its files, and those that it was written of; of a merge both sides'.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return [], []
    files: set[str] = set()
    scope: set[str] = set()
    for match in _PATH.finditer(text):
        with suppress(ValueError):
            files.add(str(json.loads(match[1])))
    for match in _PATHS.finditer(text):
        with suppress(ValueError):
            scope.update(map(str, json.loads(match[1])))
    inside, asked = ([path for path in sorted(paths) if not fault_of(path)] for paths in (files, scope))
    return inside, asked
