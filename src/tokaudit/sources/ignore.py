"""Patterns as in .gitignore, of --include, --exclude and budgets, and of .gitignore files where git cannot be asked.

Matching of options and budgets is pathspec's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from tokaudit.sources.gitignore import IgnoreFile


class Patterns:
    """Patterns as in .gitignore, for paths relative to one folder."""

    def __init__(self, lines: Sequence[str]) -> None:
        from pathspec import GitIgnoreSpec

        self._spec: GitIgnoreSpec = GitIgnoreSpec.from_lines(lines)

    def decide(self, path: str, *, is_folder: bool = False) -> bool | None:
        """True where the path matches, False where a ``!`` pattern takes it out again, None for no match."""
        return self._spec.check_file(path + "/" if is_folder else path).include

    def match(self, *paths: str, is_folder: bool = False) -> bool:
        """Check whether one of these paths, which name the same file from different folders, matches."""
        return any(bool(self.decide(path, is_folder=is_folder)) for path in paths)


class IgnoreRules:
    """The .gitignore files that rule in a folder: its own before those of its parents."""

    __slots__ = ("_levels",)

    def __init__(self, levels: tuple[tuple[str, IgnoreFile], ...] = ()) -> None:
        self._levels = levels

    @classmethod
    def above(cls, folder: str) -> IgnoreRules:
        """The rules of the parents of ``folder`` (absolute, links resolved) up to the root of its repository."""
        from tokaudit.sources.git_files import repository_of

        root = repository_of(folder)
        if root is None:
            return cls()  # no repository: the folder's own files only
        chain: list[str] = []
        at = folder
        while at != root:
            at = os.path.dirname(at)  # noqa: PTH120
            chain.append(at)
        rules = cls()
        # The repository's own list ranks below its .gitignore files.
        rules = rules._with(root, os.path.join(root, ".git", "info", "exclude"))  # noqa: PTH118
        for parent in reversed(chain):
            rules = rules.inside(parent)
        return rules

    def inside(self, folder: str) -> IgnoreRules:
        """These rules and those of the .gitignore in ``folder``."""
        return self._with(folder, os.path.join(folder, ".gitignore"))  # noqa: PTH118

    def _with(self, folder: str, path: str) -> IgnoreRules:
        from tokaudit.sources.gitignore import IgnoreFile

        try:
            with open(path, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
                content = stream.read()
        except OSError:
            return self
        return IgnoreRules(((folder.rstrip(os.sep) + os.sep, IgnoreFile(content)), *self._levels))

    def match(self, folder: str, name: str, *, is_folder: bool) -> bool:
        """Check whether the file or folder ``name`` in ``folder`` is ignored."""
        path = os.path.join(folder, name)  # noqa: PTH118
        for base, patterns in self._levels:
            decided = patterns.decide(path[len(base) :].replace(os.sep, "/"), is_folder=is_folder)
            if decided is not None:
                return decided
        return False
