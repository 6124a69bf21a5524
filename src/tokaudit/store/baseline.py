"""``tokaudit-baseline.json``: the measurements that ``tokaudit check`` compares with.

It is made for reviews: one file or part of a file a line, in a fixed order, without times, lines or names of machines,
so that a difference between two of them is a difference between the files.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from tokaudit.model import ConfigError, Skipped, TokenizerRef
from tokaudit.model.errors import CODES
from tokaudit.model.gates import Baseline, MeasuredFile, MeasuredPart

DEFAULT_NAME = "tokaudit-baseline.json"
"""Of the file, in the folder of the project."""
SCHEMA_VERSION = "1.1"
"""1.1: entries of the kind ``role``. Minor versions only add fields."""

_HINT = "`tokaudit baseline write` rebuilds it"
# Characters that break a line, or turn text around, in an editor; and halves of characters, which UTF-8 cannot have.
_ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_PATH = re.compile(r'"path": ("(?:[^"\\\n]|\\.)+")')
_PATHS = re.compile(r'^"paths": (\[.*\]),?\s*$', re.MULTILINE)
# The form in which reports show a byte of a name that is no UTF-8, and the like. On Windows no name has a line end
# in it: ``prompts\\reply.md`` is another file there.
_SHOWN = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}" + (")" if os.sep == "\\" else "|[nrt])"))
_DRIVE = re.compile(r"[A-Za-z]:")
_HEX = re.compile(r"[0-9a-f]{64}")


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
    names = _names([baseline.tokenizers[column] for column in first.values()])
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


def _names(tokenizers: Sequence[TokenizerRef]) -> list[str]:
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
        return "is absolute, and paths are from the project's folder"
    if ".." in path and ".." in re.split(r"[/\\]", path):
        return "leaves the project's folder"
    if "\\" in bare:
        return "has a backslash; folders are parted by '/'"
    if "\0" in path:
        return "has a null character"
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


def read_baseline(path: Path, shown: str) -> Baseline:
    """Read a baseline.

    Args:
        path: The file.
        shown: Its name in messages.

    Returns:
        Files sorted by path, and parts in the order of the file; parts have no lines.

    Raises:
        ConfigError: The file is missing, unreadable, has merge conflicts, is no JSON or no baseline, is of another
            major version, or has malformed entries or two of the same name. It has the place and a hint.
    """
    text = _text(path, shown)
    content = _content(text, shown)
    reader = _Reader(text, shown)
    version = content.get("schema_version")
    if not isinstance(version, str) or not re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9}", version):
        raise ConfigError("not a baseline of tokaudit: it has no schema_version", hint=_HINT, path=shown)
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        reader.fail(
            "schema_version",
            None,
            f"the baseline has schema version {version}; this tokaudit reads {SCHEMA_VERSION}",
            f"use the tokaudit that wrote it, or rebuild it: {_HINT}",
        )
    tokenizers = [reader.tokenizer(number, entry) for number, entry in enumerate(reader.items(content, "tokenizers"))]
    names = _names(tokenizers)
    for number, name in enumerate(names):
        if name in names[:number]:
            reader.fail("tokenizers", number, f"the tokenizer {name} is there twice")
    files = reader.files(reader.items(content, "entries"), names)
    skipped = reader.items(content, "skipped") if "skipped" in content else []
    unmeasured = tuple(reader.skipped(number, entry) for number, entry in enumerate(skipped))
    paths, models = reader.texts(content, "paths"), reader.texts(content, "models")
    for number, name in enumerate(paths):
        if reason := fault_of(name):
            reader.fail("paths", number, f"'paths' has '{name}', which {reason}")
    return Baseline(tuple(tokenizers), files, unmeasured, paths, models)


def _text(path: Path, shown: str) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise ConfigError("there is no baseline", hint="`tokaudit baseline write` makes one", path=shown) from error
    except IsADirectoryError as error:
        raise ConfigError("the baseline is a folder", hint="name a file", path=shown) from error
    except OSError as error:
        raise ConfigError(f"cannot read the baseline: {error.strerror or error}", path=shown) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError("the baseline is not UTF-8", hint=_HINT, path=shown, line=line) from error


def _content(text: str, shown: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number with thousands of digits, too
        if conflict := _CONFLICT.search(text):
            line = text.count("\n", 0, conflict.start()) + 1
            message = f"the baseline has a merge conflict ('{conflict[0]}')"
            hint = f"keep either side, or none: {_HINT}"
            raise ConfigError(message, hint=hint, path=shown, line=line, column=1) from error
        if isinstance(error, json.JSONDecodeError):
            raise ConfigError(
                f"the baseline is not JSON: {error.msg}", hint=_HINT, path=shown, line=error.lineno, column=error.colno
            ) from error
        raise ConfigError(f"the baseline cannot be read: {error}", hint=_HINT, path=shown) from error
    if not isinstance(content, dict):
        raise ConfigError("not a baseline of tokaudit", hint=_HINT, path=shown, line=1, column=1)
    return content


class _Reader:
    """Makes objects of entries. The parser gives no places: they are searched for only where an entry is wrong."""

    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown

    def fail(self, name: str, number: int | None, message: str, hint: str = _HINT) -> NoReturn:
        """Raise the error for an entry of the list called ``name``, or for that field itself."""
        line, column = _place(self._text, name, number)
        raise ConfigError(message, hint=hint, path=self._shown, line=line, column=column)

    def items(self, content: dict[str, Any], name: str) -> list[Any]:
        """The list called ``name``."""
        items = content.get(name)
        if not isinstance(items, list):
            self.fail(name, None, f"the baseline has no list '{name}'")
        return items

    def texts(self, content: dict[str, Any], name: str) -> tuple[str, ...]:
        """The list of texts called ``name``; empty where there is none."""
        items = content.get(name, [])
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.fail(name, None, f"'{name}' must be a list of texts")
        return tuple(items)

    def tokenizer(self, number: int, entry: Any) -> TokenizerRef:
        """One of ``tokenizers``."""
        fields = entry if isinstance(entry, dict) else {}
        name, backend, error = fields.get("name"), fields.get("backend"), fields.get("error") or ""
        sha256, exact = fields.get("sha256") or "", fields.get("exact")
        if not (isinstance(name, str) and name and isinstance(backend, str) and isinstance(error, str)):
            self.fail("tokenizers", number, "a tokenizer needs a name and a backend")
        if not isinstance(sha256, str) or (sha256 and not _HEX.fullmatch(sha256)) or not isinstance(exact, bool):
            self.fail("tokenizers", number, f"the tokenizer {name} needs 'sha256' and 'exact'")
        return TokenizerRef(name, backend, sha256, exact, error)

    def skipped(self, number: int, entry: Any) -> Skipped:
        """One of ``skipped``."""
        fields = entry if isinstance(entry, dict) else {}
        texts = [fields.get("what"), fields.get("reason"), fields.get("hint", "")]
        if not all(isinstance(text, str) for text in texts):
            self.fail("skipped", number, "an entry of 'skipped' needs 'what' and 'reason'")
        # A baseline of an earlier release has none.
        code: Any = fields.get("code", "unreadable")
        return Skipped(*texts, code=code if code in CODES else "unreadable")

    def files(self, entries: Iterable[Any], names: Sequence[str]) -> tuple[MeasuredFile, ...]:
        """The files of ``entries``, each with the parts that follow it."""
        known = set(names)
        files: dict[str, tuple[str, int, tuple[int | None, ...], list[MeasuredPart]]] = {}
        parts: list[MeasuredPart] | None = None
        ids: set[str] = set()
        prefix = ""
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                self.fail("entries", number, "an entry must be an object")
            chars, tokens = entry.get("chars"), entry.get("tokens")
            # type() rather than isinstance: true is no number here, and this is done for every line.
            if type(chars) is not int or chars < 0 or not isinstance(tokens, dict) or not _are_counts(tokens, known):
                self._wrong_counts(number, entry, known)
            counts = tuple(map(tokens.get, names))
            if "path" in entry:
                path, sha256 = entry["path"], entry.get("sha256")
                if not isinstance(path, str) or not path or not isinstance(sha256, str) or not _HEX.fullmatch(sha256):
                    self.fail("entries", number, "the entry of a file needs 'path' and 'sha256'")
                if reason := fault_of(path):
                    self.fail("entries", number, f"'{path}' {reason}")
                if path in files:
                    self.fail("entries", number, f"{path} is there twice")
                parts, ids, prefix = [], set(), path + "#"
                files[path] = (sha256, chars, counts, parts)
                continue
            part = entry.get("id")
            kind, label, level = entry.get("kind"), entry.get("label", ""), entry.get("level", 0)
            if not isinstance(part, str) or not isinstance(kind, str):
                self.fail("entries", number, "an entry needs 'path', or 'id' and 'kind'")
            if not isinstance(label, str) or type(level) is not int or not 0 <= level <= 6:
                self.fail("entries", number, f"'label' or 'level' of {part} is malformed")
            if parts is None or not part.startswith(prefix):
                self.fail("entries", number, f"{part} is not below the entry of its file")
            if part in ids:
                self.fail("entries", number, f"{part} is there twice")
            ids.add(part)
            parts.append(MeasuredPart(part, kind, label, None, chars, counts, level))
        found = ((path, *files[path]) for path in sorted(files))
        return tuple(
            MeasuredFile(path, sha, size, counts, *_divided(inside)) for path, sha, size, counts, inside in found
        )

    def _wrong_counts(self, number: int, entry: dict[str, Any], known: set[str]) -> NoReturn:
        name = entry.get("path") or entry.get("id") or "an entry"
        tokens = entry.get("tokens")
        unknown = sorted(set(tokens) - known) if isinstance(tokens, dict) else []
        if unknown:
            self.fail("entries", number, f"{name} has tokens of {unknown[0]}, which is not among 'tokenizers'")
        self.fail("entries", number, f"{name} needs 'chars' and 'tokens' that are whole numbers from 0 on")


def _divided(entries: Sequence[MeasuredPart]) -> tuple[tuple[MeasuredPart, ...], tuple[MeasuredPart, ...]]:
    """The parts of a file, and its roles."""
    if not any(entry.kind == "role" for entry in entries):
        return tuple(entries), ()
    parts = tuple(entry for entry in entries if entry.kind != "role")
    return parts, tuple(entry for entry in entries if entry.kind == "role")


def _are_counts(tokens: dict[str, Any], known: set[str]) -> bool:
    for name, count in tokens.items():  # noqa: SIM110 - a generator takes twice the time, for each of many lines
        if type(count) is not int or count < 0 or name not in known:
            return False
    return True


def _place(text: str, name: str, number: int | None) -> tuple[int, int]:
    """Line and column of the top-level field ``name`` of a JSON object, or of an element of that list."""
    decode, blank = json.JSONDecoder().raw_decode, re.compile(r"[\s,:]*")

    def over(position: int) -> int:
        match = blank.match(text, position)
        return match.end() if match else position

    at = over(text.find("{") + 1)
    begin = at
    while text[at : at + 1] == '"':
        key, end = decode(text, at)
        value = over(end)
        if key == name:
            begin = at if number is None else over(value + 1)
            for _ in range(number or 0):
                begin = over(decode(text, begin)[1])
        at = over(decode(text, value)[1])
    return text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
