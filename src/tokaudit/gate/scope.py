"""The scope of a run: the paths asked for, or else those of budgets and the baseline."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import cache
from typing import TYPE_CHECKING

from tokaudit.gate.folder import Folder
from tokaudit.jobs.inputs import Reading
from tokaudit.sources.discover import BASELINE

if TYPE_CHECKING:
    from tokaudit.sources.ignore import Patterns

CACHE_FOLDER = ".tokaudit_cache"
"""In the project's folder; no file in it is ever measured."""


class Scope:
    """The paths that a run is about: asked for, or else named by budgets and the baseline."""

    def __init__(
        self,
        folder: Folder,
        *,
        names: Sequence[str] = (),
        patterns: Sequence[tuple[str, ...]] = (),
        known: Sequence[str] = (),
        recorded: Sequence[str] = (),
        reading: Reading | None = None,
        own: frozenset[str] = frozenset(),
    ) -> None:
        """Resolve names and patterns.

        Args:
            folder: The project's folder.
            names: Files, folders and globs, as given in the working directory; none for all that a budget or baseline
                names.
            patterns: Of each budget, from the project's folder.
            known: Paths that a baseline has, from the project's folder.
            recorded: Files, folders and globs that a baseline was written of, from the project's folder.
            reading: Options for finding files.
            own: Files of tokaudit itself, from the project's folder: a baseline is no prompt.
        """
        self.names = names
        self.patterns = patterns
        self.known = frozenset(known)
        self.recorded = recorded
        self.reading = reading or Reading()
        self.asked = frozenset(folder.inner_of_name(name) for name in names)
        """``names`` from the project's folder; empty for the folder itself."""
        self._own = own
        self._up = max((_ups(asked) for asked in self.asked if not asked.replace("..", "").strip("/")), default=-1)
        self._globs = tuple(_glob(asked) for asked in self.asked if folder.is_glob(asked))
        self._recorded = frozenset(recorded)
        self._recorded_globs = tuple(_glob(name) for name in recorded if folder.is_glob(name))

    @property
    def is_empty(self) -> bool:
        """True where nothing is asked for or named."""
        return not (self.names or self.patterns or self.known or self.recorded)

    @property
    def reaches_out(self) -> bool:
        """True where something outside of the project's folder is asked for."""
        return any(asked.startswith("..") for asked in self.asked)

    def is_own(self, path: str) -> bool:
        """True for a file of tokaudit itself."""
        if path in self._own or path.endswith(f"/{BASELINE}"):
            return True
        return CACHE_FOLDER in path and CACHE_FOLDER in path.split("/")

    def holds(self, path: str) -> bool:
        """True for a path within what was asked for, also where there is no such file any more."""
        if not self.asked or _ups(path) <= self._up:
            return True
        return _is_in(path, self.asked) or any(pattern.fullmatch(path) for pattern in self._globs)

    def wants(self, path: str) -> bool:
        """True for a path to be measured: asked for, or named by a budget or baseline where nothing is asked for."""
        if self.is_own(path):
            return False
        if self.asked:
            return self.holds(path)
        if path in self.known or self.has_budget(path) or "." in self._recorded:
            return True
        return _is_in(path, self._recorded) or any(pattern.fullmatch(path) for pattern in self._recorded_globs)

    def leaves_out(self, path: str) -> bool:
        """True for a file that ``include`` or ``exclude`` leaves out, also one of a revision only."""
        if self.reading.exclude and matches(tuple(self.reading.exclude), path):
            return True
        return bool(self.reading.include) and not matches(tuple(self.reading.include), path)

    def has_budget(self, path: str) -> bool:
        """True for a file that the patterns of a budget match."""
        return any(matches(patterns, path) for patterns in self.patterns)


def _ups(path: str) -> int:
    """The number of folders above the project's that a path begins in; 0 for one inside of it."""
    count = 0
    while path == ".." or path.startswith("../"):
        count += 1
        path = path[3:]
    return count


def _is_in(path: str, names: Container[str]) -> bool:
    """True for a path that is one of these, or in one of them."""
    while path:
        if path in names:
            return True
        path = path.rpartition("/")[0]
    return False


def _glob(pattern: str) -> re.Pattern[str]:
    """A pattern of a glob and of all files below its matches, as ``discover`` expands it: ``**`` crosses folders."""
    parts = []
    for part in re.split(r"(\*\*/?|\*|\?|\[[^\]]+\])", pattern):
        if part.startswith("**"):
            parts.append("(?:.*/)?" if part.endswith("/") else ".*")
        elif part in {"*", "?"}:
            parts.append("[^/]*" if part == "*" else "[^/]")
        elif part.startswith("[") and part.endswith("]"):
            parts.append(f"[^{part[2:-1]}]" if part[1] == "!" else part)
        else:
            parts.append(re.escape(part))
    try:
        return re.compile(f"{''.join(parts)}(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def matches(patterns: tuple[str, ...], path: str) -> bool:
    """True where patterns as in .gitignore match a path, all from the same folder; one with ``!`` takes out again."""
    return _compiled(patterns).match(path)


@cache
def _compiled(patterns: tuple[str, ...]) -> Patterns:
    from tokaudit.sources.ignore import Patterns

    return Patterns(patterns)
