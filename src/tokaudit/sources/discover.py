"""Paths, folders and globs to the files that are to be read, in an order that is the same everywhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tokaudit.model import InputError, Skipped
from tokaudit.model.message import Message, as_message, joined
from tokaudit.model.record import record
from tokaudit.sources.globs import MAGIC, expand
from tokaudit.sources.ignore import IgnoreRules, Patterns

if TYPE_CHECKING:
    from tokaudit.sources.git_files import GitFiles

_NEVER = {".git", ".tokaudit_cache"}
"""Folders that are never entered, whether they are ignored or not."""
BASELINE = "tokaudit-baseline.json"
"""Name of a baseline, unless it is configured otherwise."""
_NO_BASELINE = (".md", ".txt", ".jsonl", ".py", ".j2", ".jinja", ".jinja2", ".prompt", ".yaml", ".yml", ".pdf")
_WRITING = ".tokaudit-"
"""Beginning of the names of files that are there while another run writes."""


@record
class SourceFile:
    """A file to be read."""

    path: str
    """As reports show it: relative to the working directory, forward slashes; as given if it is elsewhere."""
    location: str
    """Absolute, for the operating system."""
    size: int
    """Bytes, when it was found."""


@record
class Discovery:
    """The files that were found, and what was met and left out."""

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]


def discover(
    paths: Sequence[str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_file_size: int | None = None,
    use_gitignore: bool = True,
    takes_text: bool = True,
    links_within: str = "",
) -> Discovery:
    """The files that ``paths`` name: files, folders (recursively, sorted) and globs; each file once.

    Symbolic links inside folders are not followed, so that there are no loops and no text is read twice; ``.git`` and
    our own cache are never entered. A baseline of ours is no prompt: in folders, and by globs, it is left out. Whether
    a file is binary shows when it is read.

    Args:
        paths: an existing path with glob characters in its name is that path.
        include: patterns as in .gitignore; only files in folders that match one.
        exclude: patterns as in .gitignore; files that match one are left out, also files named one by one.
        max_file_size: in bytes; larger files are skipped with the reason.
        use_gitignore: folders are read as git sees them: what it tracks, and what it does not ignore. Outside of
            repositories .gitignore files count, and so they do where git cannot be asked, which is in ``skipped``.
        takes_text: the caller has a ``--text``, which the hint for a path that does not exist names.
        links_within: a folder, absolute and with links resolved. A link in a folder, to a file that is in this one, is
            that file under the name of the link, beside the file itself.

    Raises:
        InputError: a path that does not exist, a glob that matches nothing, something that is no file or folder, or
            nothing readable at all in a folder.
    """
    run = _Run(
        Patterns(include) if include else None,
        Patterns(exclude) if exclude else None,
        max_file_size,
        use_gitignore,
        links_within,
    )
    for path in paths:
        run.take(os.fsdecode(path), takes_text=takes_text)
    return Discovery(tuple(run.files), tuple(run.skipped))


def printable(path: str) -> str:
    """A path for reports: what cannot be printed (control characters, bytes that are no UTF-8) as escapes."""
    if path.isprintable():
        return path
    return "".join(char if char.isprintable() else _escape(char) for char in path)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # a byte that os.fsdecode could not decode
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    return known or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def _slashed(path: str) -> str:
    return path.replace(os.sep, "/") if os.sep != "/" else path


class _Run:
    """One run of ``discover``: the options and what was found so far."""

    def __init__(
        self,
        include: Patterns | None,
        exclude: Patterns | None,
        max_file_size: int | None,
        use_gitignore: bool,
        links_within: str,
    ) -> None:
        self.include = include
        self.exclude = exclude
        self.max_file_size = max_file_size
        self.use_gitignore = use_gitignore
        self.links_within = links_within.rstrip(os.sep) + os.sep if links_within else ""
        self.files: list[SourceFile] = []
        self.skipped: list[Skipped] = []
        self.seen: set[str] = set()
        self.cwd = os.getcwd()  # noqa: PTH109

    def display(self, path: str) -> str:
        absolute = os.path.abspath(path)  # noqa: PTH100 - pathlib is slow to import, and resolves differently
        root = self.cwd.rstrip(os.sep) + os.sep
        if absolute.startswith(root):
            path = absolute[len(root) :]
        elif absolute == self.cwd:
            path = "."
        return printable(_slashed(path))

    def take(self, path: str, *, takes_text: bool) -> None:
        """One of the paths given."""
        if os.path.lexists(path):
            self.take_existing(path)
        elif path and MAGIC.intersection(path):
            matches = [match for match in dict.fromkeys(expand(path)) if not is_own(match)]
            if not matches:
                raise InputError(
                    "no file matches this pattern",
                    what=printable(path),
                    code="missing",
                    hint="check it, or quote it less",
                )
            for match in matches:
                self.take_existing(match)
        else:
            raise _missing(path, takes_text=takes_text)

    def take_existing(self, path: str) -> None:
        shown = self.display(path)
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError as error:
            if os.path.islink(path):  # noqa: PTH114
                raise InputError("symbolic link to nothing", what=shown, code="missing") from error
            raise InputError.unreadable(error, shown) from error
        if stat.S_ISDIR(status.st_mode):
            self.take_folder(path, shown)
        elif stat.S_ISREG(status.st_mode):
            if self.exclude and self.exclude.match(shown):
                self.skipped.append(Skipped(shown, "excluded", code="excluded"))
            else:
                self.add(path, shown, status.st_size, os.path.realpath(path))
        else:
            hint = Message("write its content to a file, and name that")
            raise InputError(
                Message("is {what}, not a file", what=_what(status.st_mode)), what=shown, code="not-a-file", hint=hint
            )

    def add(self, path: str, shown: str, size: int, real: str) -> None:
        key = os.path.normcase(real)
        if key in self.seen:
            return
        self.seen.add(key)
        if self.max_file_size is not None and size > self.max_file_size:
            reason = Message("{size:,} bytes, over the maximum of {limit:,}", size=size, limit=self.max_file_size)
            self.skipped.append(Skipped(shown, reason, code="too-large"))
        else:
            self.files.append(SourceFile(shown, os.path.abspath(path), size))  # noqa: PTH100

    def take_folder(self, root: str, shown: str) -> None:
        known, skipped = len(self.seen), len(self.skipped)
        self.walk(root)
        if len(self.seen) == known:
            reasons = self.skipped[skipped:]
            why = (
                Message(" ({what}: {reason})", what=reasons[0].what, reason=as_message(reasons[0].reason))
                if reasons
                else ""
            )
            # A folder whose files were all named before is no error.
            if not self.files or reasons or not self.has_known_files(root):
                raise InputError(
                    Message("no readable files in this folder{why}", why=why),
                    what=shown,
                    code="no-input",
                    hint="check .gitignore, --include",
                )

    def has_known_files(self, root: str) -> bool:
        prefix = os.path.normcase(os.path.realpath(root)).rstrip(os.sep) + os.sep
        return any(key.startswith(prefix) for key in self.seen)

    def walk(self, root: str) -> None:
        """Add the files of a folder: as git lists them, else as they are found."""
        real_root = os.path.realpath(root)
        listed = None
        if self.use_gitignore:
            from tokaudit.sources.git_files import git_files

            listed = git_files(real_root)
        if listed is None:
            self.walk_without_git(root, real_root, "")
            return
        self.take_listed(root, real_root, listed)
        for refusal in listed.refused:
            inner = refusal.inner.rstrip("/")
            path = os.path.join(root, inner) if inner else root  # noqa: PTH118
            reason = Message("{reason}; .gitignore files are read without it", reason=refusal.reason)
            self.skipped.append(Skipped(self.display(path), reason, refusal.hint, code="gitignore"))
            self.walk_without_git(path, os.path.join(real_root, inner), inner)  # noqa: PTH118

    def take_listed(self, root: str, real_root: str, listed: GitFiles) -> None:
        """Add what git lists, in the order of ``walk_without_git``."""
        left_out: dict[str, bool] = {"": False}
        for inner in sorted({*listed.entries, *listed.unreadable}, key=lambda inner: inner.split("/")):
            path = os.path.join(root, inner)  # noqa: PTH118
            if self.is_left_out(root, inner, left_out, is_folder=False):
                continue
            status = listed.entries.get(inner)
            if status is None:
                reason = Message("cannot be read: {unreadable}", unreadable=listed.unreadable[inner])
                self.skipped.append(Skipped(self.display(path), reason, code="unreadable"))
            else:
                self.add_inner(path, os.path.join(real_root, inner), inner, status)  # noqa: PTH118

    def is_left_out(self, root: str, inner: str, known: dict[str, bool], *, is_folder: bool) -> bool:
        """True for a path that ``exclude`` matches, or a folder that it is in; folders are kept in ``known``."""
        found = known.get(inner)
        if found is None:
            above, _, name = inner.rpartition("/")
            found = name in _NEVER or self.is_left_out(root, above, known, is_folder=True)
            if not found and self.exclude:
                shown = self.display(os.path.join(root, inner))  # noqa: PTH118
                found = self.exclude.match(shown, inner, is_folder=is_folder)
            if is_folder:
                known[inner] = found
        return found

    def walk_without_git(self, root: str, real_root: str, start: str) -> None:
        """Add the files of a folder, depth first, sorted by name; a stack, so that no depth is too much.

        Args:
            root: The folder.
            real_root: The same, absolute and with links resolved.
            start: Its path from the one that was asked for; empty for that one.
        """
        ignore = IgnoreRules.above(real_root) if self.use_gitignore else None
        stack: list[tuple[str, str, str, IgnoreRules | None]] = [(root, real_root, start, ignore)]
        while stack:
            path, real, inner, ignore = stack.pop()
            entry_status = None
            if inner:
                try:
                    entry_status = os.lstat(path)
                except OSError as error:
                    self.skipped.append(self.unreadable(path, error))
                    continue
                if not stat.S_ISDIR(entry_status.st_mode):
                    self.add_inner(path, real, inner, entry_status)
                    continue
            stack.extend(reversed(list(self.children(path, real, inner, ignore))))

    def children(
        self, path: str, real: str, inner: str, ignore: IgnoreRules | None
    ) -> Iterator[tuple[str, str, str, IgnoreRules | None]]:
        """The contents of a folder that are not ignored."""
        try:
            with os.scandir(path) as entries:
                found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            if not inner:
                raise self.unreadable(path, error).error() from error
            self.skipped.append(self.unreadable(path, error))
            return
        if ignore is not None and any(name == ".gitignore" for name, _ in found):
            ignore = ignore.inside(real)
        for name, is_folder in found:
            child_inner = f"{inner}/{name}" if inner else name
            if name in _NEVER or (ignore is not None and ignore.match(real, name, is_folder=is_folder)):
                continue
            child = os.path.join(path, name)  # noqa: PTH118
            if self.exclude and self.exclude.match(self.display(child), child_inner, is_folder=is_folder):
                continue
            yield child, os.path.join(real, name), child_inner, ignore  # noqa: PTH118

    def unreadable(self, path: str, error: OSError) -> Skipped:
        return Skipped.by(InputError.unreadable(error, ""), self.display(path))

    def add_inner(self, path: str, real: str, inner: str, status: os.stat_result) -> None:
        """Something in a folder that is not a folder."""
        shown = self.display(path)
        if self.include and not self.include.match(shown, inner):
            return
        if stat.S_ISREG(status.st_mode):
            if not is_own(path):
                self.add(path, shown, status.st_size, real)
        elif stat.S_ISLNK(status.st_mode):
            self.add_link(path, shown, real)
        else:
            self.skipped.append(
                Skipped(shown, Message("{kind}, not a file", kind=_what(status.st_mode)), code="not-a-file")
            )

    def add_link(self, path: str, shown: str, real: str) -> None:
        """A symbolic link in a folder: a name of its own for a file in ``links_within``, or skipped."""
        try:
            target, status = os.path.realpath(path, strict=True), os.stat(path)  # noqa: PTH116
        except OSError:  # broken, or a loop
            target, status = "", None
        inside = target[len(self.links_within) :] if target.startswith(self.links_within) else ""
        if self.links_within and status is not None and stat.S_ISREG(status.st_mode) and inside:
            if not is_own(path) and not is_own(target) and _NEVER.isdisjoint(_slashed(inside).split("/")):
                self.add(path, shown, status.st_size, real)
            return
        self.skipped.append(Skipped(shown, "symbolic link, not followed", code="symlink"))


def is_own(path: str) -> bool:
    """Check for a baseline of ours, by its name or its beginning, or for a file that another run is writing."""
    name = os.path.basename(path)  # noqa: PTH119
    if name == BASELINE:
        return True
    if name.startswith(_WRITING):
        return name.endswith((".lock", ".tmp"))
    # Others may be called as the configuration says. Only what a baseline might be called is opened, and no pipe.
    if name.endswith(_NO_BASELINE) or not os.path.isfile(path):  # noqa: PTH113
        return False
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
            head = stream.read(48)
    except OSError:  # reading it says why
        return False
    # As ``baseline_text`` lays it out, and no other report of ours.
    return head.replace(b"\r", b"").startswith(b'{\n"schema_version": "')


def _what(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return Message("a named pipe (FIFO)")
    if stat.S_ISSOCK(mode):
        return Message("a socket")
    return Message("a device")


def _missing(path: str, *, takes_text: bool) -> InputError:
    """The error for a path that does not exist, with the nearest name that does."""
    if not path:
        hint = Message("use --text for literal text, - for standard input") if takes_text else ""
        return InputError("an empty path names no file", code="missing", hint=hint)
    import difflib

    folder, name = os.path.split(path)
    while folder and not os.path.isdir(folder) and os.path.split(folder)[0] != folder:  # noqa: PTH112
        folder, name = os.path.split(folder)
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except (OSError, ValueError):
        names = []
    near = difflib.get_close_matches(name[:255], names, n=1)
    shown = printable(path if len(path) <= 200 else path[:199] + "…")
    hints = [Message("did you mean {near}?", near=printable(_slashed(os.path.join(folder, near[0]))))] if near else []  # noqa: PTH118
    hints += [Message("use --text for literal text")] if takes_text else []
    return InputError("no such file or folder", what=shown, code="missing", hint=joined(" ", *hints))
