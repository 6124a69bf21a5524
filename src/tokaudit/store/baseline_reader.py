"""Reads a baseline, and says what is wrong in one and where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tokaudit.model import ConfigError, Skipped, TokenizerRef
from tokaudit.model.errors import CODES
from tokaudit.model.gates import Baseline, MeasuredFile, MeasuredPart
from tokaudit.model.message import Message, reason_of
from tokaudit.store.baseline import HINT, SCHEMA_VERSION, entry_names, fault_of

_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_HEX = re.compile(r"[0-9a-f]{64}")


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
        raise ConfigError("not a baseline of tokaudit: it has no schema_version", hint=HINT, path=shown)
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        reader.fail(
            "schema_version",
            None,
            Message(
                "the baseline has schema version {version}; this tokaudit reads {readable}",
                version=version,
                readable=SCHEMA_VERSION,
            ),
            Message("use the tokaudit that wrote it, or rebuild it: {hint}", hint=HINT),
        )
    tokenizers = [reader.tokenizer(number, entry) for number, entry in enumerate(reader.items(content, "tokenizers"))]
    names = entry_names(tokenizers)
    for number, name in enumerate(names):
        if name in names[:number]:
            reader.fail("tokenizers", number, Message("the tokenizer {name} is there twice", name=name))
    files = reader.files(reader.items(content, "entries"), names)
    skipped = reader.items(content, "skipped") if "skipped" in content else []
    unmeasured = tuple(reader.skipped(number, entry) for number, entry in enumerate(skipped))
    paths, models = reader.texts(content, "paths"), reader.texts(content, "models")
    for number, name in enumerate(paths):
        if reason := fault_of(name):
            reader.fail("paths", number, Message("'paths' has '{name}', which {reason}", name=name, reason=reason))
    return Baseline(tuple(tokenizers), files, unmeasured, paths, models)


def _text(path: Path, shown: str) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise ConfigError("there is no baseline", hint="`tokaudit baseline write` makes one", path=shown) from error
    except IsADirectoryError as error:
        raise ConfigError("the baseline is a folder", hint="name a file", path=shown) from error
    except OSError as error:
        raise ConfigError(Message("cannot read the baseline: {reason}", reason=reason_of(error)), path=shown) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError("the baseline is not UTF-8", hint=HINT, path=shown, line=line) from error


def _content(text: str, shown: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number with thousands of digits, too
        if conflict := _CONFLICT.search(text):
            line = text.count("\n", 0, conflict.start()) + 1
            message = Message("the baseline has a merge conflict ('{conflict}')", conflict=conflict[0])
            hint = Message("keep either side, or none: {hint}", hint=HINT)
            raise ConfigError(message, hint=hint, path=shown, line=line, column=1) from error
        if isinstance(error, json.JSONDecodeError):
            raise ConfigError(
                Message("the baseline is not JSON: {reason}", reason=error.msg),
                hint=HINT,
                path=shown,
                line=error.lineno,
                column=error.colno,
            ) from error
        raise ConfigError(
            Message("the baseline cannot be read: {error}", error=error), hint=HINT, path=shown
        ) from error
    if not isinstance(content, dict):
        raise ConfigError("not a baseline of tokaudit", hint=HINT, path=shown, line=1, column=1)
    return content


class _Reader:
    """Makes objects of entries. The parser gives no places: they are searched for only where an entry is wrong."""

    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown

    def fail(self, name: str, number: int | None, message: str, hint: str = HINT) -> NoReturn:
        """Raise the error for an entry of the list called ``name``, or for that field itself."""
        line, column = _place(self._text, name, number)
        raise ConfigError(message, hint=hint, path=self._shown, line=line, column=column)

    def items(self, content: dict[str, Any], name: str) -> list[Any]:
        """The list called ``name``."""
        items = content.get(name)
        if not isinstance(items, list):
            self.fail(name, None, Message("the baseline has no list '{name}'", name=name))
        return items

    def texts(self, content: dict[str, Any], name: str) -> tuple[str, ...]:
        """The list of texts called ``name``; empty where there is none."""
        items = content.get(name, [])
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.fail(name, None, Message("'{name}' must be a list of texts", name=name))
        return tuple(items)

    def tokenizer(self, number: int, entry: Any) -> TokenizerRef:
        """One of ``tokenizers``."""
        fields = entry if isinstance(entry, dict) else {}
        name, backend, error = fields.get("name"), fields.get("backend"), fields.get("error") or ""
        sha256, exact = fields.get("sha256") or "", fields.get("exact")
        if not (isinstance(name, str) and name and isinstance(backend, str) and isinstance(error, str)):
            self.fail("tokenizers", number, "a tokenizer needs a name and a backend")
        if not isinstance(sha256, str) or (sha256 and not _HEX.fullmatch(sha256)) or not isinstance(exact, bool):
            self.fail("tokenizers", number, Message("the tokenizer {name} needs 'sha256' and 'exact'", name=name))
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
                    self.fail("entries", number, Message("'{path}' {reason}", path=path, reason=reason))
                if path in files:
                    self.fail("entries", number, Message("{path} is there twice", path=path))
                parts, ids, prefix = [], set(), path + "#"
                files[path] = (sha256, chars, counts, parts)
                continue
            part = entry.get("id")
            kind, label, level = entry.get("kind"), entry.get("label", ""), entry.get("level", 0)
            if not isinstance(part, str) or not isinstance(kind, str):
                self.fail("entries", number, "an entry needs 'path', or 'id' and 'kind'")
            if not isinstance(label, str) or type(level) is not int or not 0 <= level <= 6:
                self.fail("entries", number, Message("'label' or 'level' of {part} is malformed", part=part))
            if parts is None or not part.startswith(prefix):
                self.fail("entries", number, Message("{part} is not below the entry of its file", part=part))
            if part in ids:
                self.fail("entries", number, Message("{part} is there twice", part=part))
            ids.add(part)
            parts.append(MeasuredPart(part, kind, label, None, chars, counts, level))
        found = ((path, *files[path]) for path in sorted(files))
        return tuple(
            MeasuredFile(path, sha, size, counts, *_divided(inside)) for path, sha, size, counts, inside in found
        )

    def _wrong_counts(self, number: int, entry: dict[str, Any], known: set[str]) -> NoReturn:
        name = entry.get("path") or entry.get("id") or Message("an entry")
        tokens = entry.get("tokens")
        unknown = sorted(set(tokens) - known) if isinstance(tokens, dict) else []
        if unknown:
            self.fail(
                "entries",
                number,
                Message(
                    "{name} has tokens of {unknown}, which is not among 'tokenizers'", name=name, unknown=unknown[0]
                ),
            )
        self.fail(
            "entries", number, Message("{name} needs 'chars' and 'tokens' that are whole numbers from 0 on", name=name)
        )


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
