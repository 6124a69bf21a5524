"""The project's folder: paths from it, as reports have them, and where they are on this system."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

from tokaudit.sources.discover import printable
from tokaudit.sources.git_files import repository_of

_ESCAPED = re.compile(r"\\(?:([nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
"""The form that ``printable`` gives characters and bytes that cannot be printed."""
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}
_UTF_8 = sys.getfilesystemencoding().lower() == "utf-8"
_MAGIC = frozenset("*?[!\\")


class Folder:
    """A project's folder."""

    def __init__(self, root: str) -> None:
        self.root = root
        """Absolute, links resolved."""
        self._here = os.path.realpath(os.getcwd())  # noqa: PTH109
        self._real: dict[str, str] = {}

    def inner(self, location: str) -> str:
        """The path of a file from the project's folder, with forward slashes; empty for the folder itself."""
        folder, name = os.path.split(location)
        real = self._real.get(folder)
        if real is None:
            real = self._real[folder] = os.path.realpath(folder)
        path = os.path.join(real, name)  # noqa: PTH118 - a link is a file of its own here
        head = self.root.rstrip(os.sep) + os.sep
        if path.startswith(head):
            path = path[len(head) :]
        elif path == self.root:
            return ""
        else:
            with suppress(ValueError):  # on another drive
                path = os.path.relpath(path, self.root)
        return portable(path.replace(os.sep, "/") if os.sep != "/" else path)

    def inner_of_name(self, name: str) -> str:
        """The path from the project's folder of a name that was given in the working directory."""
        location = os.path.abspath(name)  # noqa: PTH100
        if os.path.islink(location) and os.path.isdir(location):  # noqa: PTH112, PTH114 - its files are those there
            location = os.path.realpath(location)
        return self.inner(location)

    def inner_of_shown(self, path: str) -> str:
        """The path from the project's folder of one that a report shows from the working directory."""
        return self.inner(_located(self._here, path))

    def location(self, path: str) -> str:
        """The location of a path from the project's folder."""
        return _located(self.root, path)

    def from_here(self, path: str) -> str:
        """A path as it is given in the working directory."""
        if self._here == self.root:
            return path
        try:
            return os.path.relpath(self.location(path), self._here).replace(os.sep, "/")
        except ValueError:  # on another drive
            return path

    def is_gone(self, path: str) -> bool:
        """True where nothing is at a path."""
        return not os.path.lexists(self.location(path))

    def is_glob(self, path: str) -> bool:
        """True for a pattern; a name with such characters that is a file's is none."""
        return is_pattern(path) and not os.path.lexists(self.location(path))

    def git_prefix(self) -> str:
        """The path from the root of the git repository to the project's folder; empty where they are the same."""
        at = repository_of(self.root)
        if at is None:
            return ""
        path = os.path.relpath(self.root, at).replace(os.sep, "/")
        return "" if path == "." else path


def _located(folder: str, path: str) -> str:
    """The location of a path that reports show; one with escapes may be of a name that cannot be printed."""
    found = os.path.join(folder, *_native(path).split("/"))  # noqa: PTH118
    if "\\" not in path or os.path.lexists(found):
        return found
    for low in (0xDC00, 0):  # a byte that is no UTF-8, or a control character
        plain = _native(_ESCAPED.sub(lambda match, low=low: _unescaped(match, low), path))  # type: ignore[misc]
        location = os.path.join(folder, *plain.split("/"))  # noqa: PTH118
        if os.path.lexists(location):
            return location
    return found


def portable(path: str) -> str:
    """A path as reports have it, the same whatever charset this system thinks that its names are in."""
    if not _UTF_8 and not path.isascii():
        path = os.fsencode(path).decode("utf-8", "surrogateescape")
    return printable(path)


def _native(path: str) -> str:
    """A path as this system takes it."""
    if _UTF_8 or path.isascii():
        return path
    try:
        return os.fsdecode(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # half a character: no such name
        return path


def _unescaped(match: re.Match[str], low: int) -> str:
    if match[1]:
        return _SHORT[match[1]]
    if match[2]:
        code = int(match[2], 16)
        return chr(code + low if code >= 0x80 else code)
    code = int(match[3] or match[4], 16)
    return chr(code) if code <= sys.maxunicode else match[0]


def is_pattern(path: str) -> bool:
    """True for a path with characters that stand for others."""
    return not _MAGIC.isdisjoint(path)
