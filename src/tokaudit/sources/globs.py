"""Globs to the paths that they match."""

from __future__ import annotations

import os
from collections.abc import Iterator

MAGIC = frozenset("*?[")
"""Characters of which a glob has some."""


def expand(pattern: str) -> Iterator[str]:
    """Paths that a glob matches, sorted; ``**`` is any number of folders. Hidden names only if the pattern says so."""
    drive, rest = os.path.splitdrive(pattern)
    parts = rest.replace(os.sep, "/").split("/")
    base = drive
    if parts[0] == "":
        base += os.sep
    clean: list[str] = []
    for part in parts:
        # Repeated stars in a row would try the same folders again and again.
        if part and not (part == "**" and clean and clean[-1] == "**"):
            clean.append(part)
    return _match(base, clean)


def _match(base: str, parts: list[str]) -> Iterator[str]:
    if not parts:
        yield base
        return
    part, rest = parts[0], parts[1:]
    if not MAGIC.intersection(part):
        path = os.path.join(base, part)  # noqa: PTH118
        if os.path.lexists(path):
            yield from _match(path, rest)
        return
    if part == "**" and not rest:
        if base:
            yield base
            return
        part = "*"
    try:
        with os.scandir(base or ".") as entries:
            found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    except OSError:
        return
    if part == "**":
        yield from _match(base, rest)
        for name, is_folder in found:
            if is_folder and not name.startswith("."):
                yield from _match(os.path.join(base, name), parts)  # noqa: PTH118
        return
    import fnmatch

    for name, is_folder in found:
        hidden = name.startswith(".") and not part.startswith(".")
        if not hidden and name != ".git" and fnmatch.fnmatch(name, part) and (is_folder or not rest):
            yield from _match(os.path.join(base, name), rest)  # noqa: PTH118
