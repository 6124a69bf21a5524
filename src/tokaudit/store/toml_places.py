"""Where the keys of a TOML text stand, which the TOML parser of the standard library does not tell."""

from __future__ import annotations

import re

_BARE = r"[A-Za-z0-9_-]+"
_PART = rf"(?:{_BARE}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"\[\[?[ \t]*({_KEY})[ \t]*\]")
_ASSIGNED = re.compile(rf"({_KEY})[ \t]*=")
# What may hold line ends, brackets or signs that mean nothing outside of it; then one sign at a time.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|'
    r"'''.*?'''|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'|"
    r"#[^\n]*|"
    r"[^\"'#\[\]{}\n]+|.",
    re.DOTALL,
)

Path = tuple[str, ...]


def key_places(text: str) -> dict[Path, tuple[int, int]]:
    """Line and column (1-based, in code points) of each table header and each key of a valid TOML text.

    Args:
        text: A text that the parser accepted; of another one, the answer may miss keys.

    Returns:
        Full path of a key, such as ``("tool", "tokaudit", "models")``, to its place. Keys inside inline tables are
        not in it.
    """
    places: dict[Path, tuple[int, int]] = {}
    table: Path = ()
    depth, position, line, line_start = 0, 0, 1, 0
    begins = True  # whether a statement may begin here
    while position < len(text):
        if begins and depth == 0:
            while text.startswith((" ", "\t"), position):
                position += 1
            place = (line, position - line_start + 1)
            if header := _HEADER.match(text, position):
                table = _path(header[1])
                places.setdefault(table, place)
                # The second bracket of an array of tables, if any, must not count as nesting.
                position = text.find("\n", header.end())
                position = len(text) if position < 0 else position
            elif assigned := _ASSIGNED.match(text, position):
                places.setdefault((*table, *_path(assigned[1])), place)
                position = assigned.end()
            begins = False
            continue
        token = _TOKEN.match(text, position)
        if token is None:
            break
        depth += (token[0] in "[{") - (token[0] in "]}")
        position = token.end()
        if breaks := token[0].count("\n"):
            line += breaks
            line_start = token.start() + token[0].rindex("\n") + 1
        begins = token[0] == "\n"
    return places


def _path(key: str) -> Path:
    parts = re.findall(_PART, key)
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in parts)
