"""The places of keys in a TOML text, which the parser of the standard library does not give."""

from __future__ import annotations

import re
from bisect import bisect_right

_BARE = r"[A-Za-z0-9_-]+"
_PART = rf"(?:{_BARE}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"(\[\[?)[ \t]*({_KEY})[ \t]*\]")
_ASSIGNED = re.compile(rf"({_KEY})[ \t]*=")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
# A whole value that is no list or table; it may contain line ends, brackets and signs that have no meaning in it.
_SCALAR = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|'
    r"'''.*?'{3,5}|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'|"
    r"[^\"'#\[\]{},\n]+",
    re.DOTALL,
)
_SPACES = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[^\n]*")

Path = tuple[str | int, ...]


def key_places(text: str) -> dict[Path, tuple[int, int]]:
    """Line and column (1-based, in code points) of each table header, each key and each element of a valid TOML text.

    Args:
        text: A text that the parser accepted; of another one, the answer may miss keys.

    Returns:
        Full path of a key, such as ``("tool", "tokaudit", "models")``, to its place. Elements of lists have their
        index, from 0, in the path, be it a list of values or an array of tables: ``("budget", 0, "paths", 1)``.
    """
    offsets: dict[Path, int] = {}
    arrays: dict[Path, int] = {}
    table: Path = ()
    position = 0
    while (position := _blank(text, position)) < len(text):
        if header := _HEADER.match(text, position):
            table = _table(_path(header[2]), arrays, many=header[1] == "[[")
            offsets.setdefault(table[:-1] if isinstance(table[-1], int) else table, position)
            offsets.setdefault(table, position)
            position = header.end()
        elif assigned := _ASSIGNED.match(text, position):
            path = (*table, *_path(assigned[1]))
            offsets.setdefault(path, position)
            position = _value(text, assigned.end(), path, offsets)
        position = _end(_LINE_END, text, position)
    starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
    return {path: _place(starts, offset) for path, offset in offsets.items()}


def _table(parts: Path, arrays: dict[Path, int], *, many: bool) -> Path:
    """The full path of a header: in an array of tables, its last table so far is meant, or a new one where ``many``."""
    path: Path = ()
    for number, part in enumerate(parts, 1):
        path = (*path, part)
        if many and number == len(parts):
            arrays[path] = arrays.get(path, -1) + 1
        if path in arrays:
            path = (*path, arrays[path])
    return path


def _value(text: str, position: int, path: Path, offsets: dict[Path, int]) -> int:
    """Note the keys and elements in a value; returns where it ends. Without recursion: nesting has no limit."""
    open_at: list[tuple[Path, int | None]] = []  # of each list and table around: its path, and of a list the next index
    while True:
        position = _blank(text, position) if open_at else _end(_SPACES, text, position)
        sign = text[position : position + 1]
        if open_at and sign in {"]", "}"}:
            open_at.pop()
            position += 1
        elif open_at and sign == ",":
            position += 1
            continue
        elif not sign or (not open_at and sign == "\n"):
            return position
        else:
            position, inside = _begin(text, position, path, open_at, offsets)
            if inside is not None:
                open_at.append(inside)
        if not open_at:
            return position


def _begin(
    text: str, position: int, path: Path, open_at: list[tuple[Path, int | None]], offsets: dict[Path, int]
) -> tuple[int, tuple[Path, int | None] | None]:
    """Go over a scalar, or into a list or table; notes the key or element that it is the value of."""
    if open_at:
        around, index = open_at[-1]
        if index is not None:
            path = (*around, index)
            open_at[-1] = (around, index + 1)
            offsets.setdefault(path, position)
        elif assigned := _ASSIGNED.match(text, position):
            path = (*around, *_path(assigned[1]))
            offsets.setdefault(path, position)
            position = _blank(text, assigned.end())
    sign = text[position : position + 1]
    if sign in {"[", "{"}:
        return position + 1, (path, 0 if sign == "[" else None)
    end = _end(_SCALAR, text, position)
    return max(end, position + 1), None


def _blank(text: str, position: int) -> int:
    return _end(_BLANK, text, position)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _place(starts: list[int], offset: int) -> tuple[int, int]:
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def _path(key: str) -> Path:
    parts = re.findall(_PART, key)
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in parts)
