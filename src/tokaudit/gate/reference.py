"""The reference of a check: a baseline or the files of a git revision, with their texts where they are known.

A deleted and a new path count as one renamed file if git says so or their texts match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tokaudit.gate.revision import ProjectTree, Revision, prefix_of
from tokaudit.model import Document, TokauditError, TokenizerRef
from tokaudit.model.gates import Baseline, Before, MeasuredFile
from tokaudit.model.message import Message

if TYPE_CHECKING:
    from tokaudit.gate.measure import Measurer
    from tokaudit.gate.project import Project
    from tokaudit.store.git import GitFile

Columns = Sequence[TokenizerRef]
_ALIKE = 0.5
"""Share that two files must have in common to be one that was renamed, as for git."""
_MOST_PAIRS = 10_000
"""New files times gone ones that are compared with each other; beyond, a folder was replaced."""


@dataclass
class Compared:
    """The reference, and a reader of its texts."""

    before: Before
    text: Callable[[str], Document | None]
    """The document before of a path now; None where it is not known."""
    trees: list[ProjectTree] = field(default_factory=list)

    def close(self) -> None:
        """Close the trees that it is read from."""
        for tree in self.trees:
            tree.close()


def with_baseline(
    baseline: Baseline, name: str, files: Sequence[MeasuredFile], project: Project, measurer: Measurer
) -> Compared:
    """Compare with a baseline, called ``name`` in reports."""
    refs = [tokenizer.info.ref for tokenizer in measurer.tokenizers]
    incomparable: dict[int, str] = {}
    order: list[int | None] = []
    for column, ref in enumerate(refs):
        at, reason = _column_of(ref, baseline.tokenizers)
        order.append(at)
        if reason:
            incomparable[column] = reason
    same = order == list(range(len(baseline.tokenizers)))
    then = {file.path: file if same else _reordered(file, order) for file in baseline.files}
    new = [file for file in files if file.path not in then]
    here = {file.path for file in files}
    missing = {path for path in then if path not in here and project.folder.is_gone(path)}
    gone = {path for path in missing if project.scope.holds(path)}
    renamed = _same_text(new, then, missing)
    renamed |= _alike([file for file in new if file.path not in renamed], then, missing - set(renamed.values()))
    before = Before(
        name,
        _by_path_now(files, then, renamed),
        sorted(gone - set(renamed.values()), key=_order),
        incomparable=incomparable,
    )
    texts = _TextsOfBaseline(project, measurer, name, before)
    return Compared(before, texts.document, texts.trees)


def _column_of(ref: TokenizerRef, known: Columns) -> tuple[int | None, str]:
    """The column of a baseline that is of a tokenizer, or the reason that none is."""
    for at, other in enumerate(known):
        if other.name != ref.name:
            continue
        if other.sha256 == ref.sha256:
            return at, ""
        was, now = other.sha256[:12] or "unknown", ref.sha256[:12] or "unknown"
        return None, Message(
            "{name}: the baseline is of another vocabulary (sha256 {was}, now {now})", name=ref.name, was=was, now=now
        )
    return None, Message("{name}: the baseline has no counts of it", name=ref.name)


def in_order_of(known: Columns, refs: Columns, files: Sequence[MeasuredFile]) -> list[MeasuredFile] | None:
    """Files that were measured for ``refs`` with their tokens in the order of ``known``; None where these are others.

    Two models of the same tokenizer are one of a baseline.
    """
    order = [_column_of(ref, refs)[0] for ref in known]
    if None in order or any(_column_of(ref, known)[0] is None for ref in refs):
        return None
    return list(files) if order == list(range(len(refs))) else [_reordered(file, order) for file in files]


def _reordered(file: MeasuredFile, order: Sequence[int | None]) -> MeasuredFile:
    """A file of a baseline with its tokens in the order of the present tokenizers."""
    parts = tuple(replace(part, tokens=_taken(part.tokens, order)) for part in file.parts)
    roles = tuple(replace(part, tokens=_taken(part.tokens, order)) for part in file.roles)
    return replace(file, tokens=_taken(file.tokens, order), parts=parts, roles=roles)


def _taken(tokens: Sequence[int | None], order: Sequence[int | None]) -> tuple[int | None, ...]:
    return tuple(None if at is None else tokens[at] for at in order)


def _order(path: str) -> list[str]:
    return path.split("/")


def _same_text(new: Iterable[MeasuredFile], then: Mapping[str, MeasuredFile], gone: Iterable[str]) -> dict[str, str]:
    """New files whose text is that of one that is gone: path now to path before."""
    by_hash: dict[str, list[str]] = {}
    for path in sorted(gone, key=_order, reverse=True):
        if then[path].chars:  # an empty file is no other one
            by_hash.setdefault(then[path].sha256, []).append(path)
    return {file.path: found.pop() for file in new if (found := by_hash.get(file.sha256))}


def _alike(new: Sequence[MeasuredFile], then: Mapping[str, MeasuredFile], gone: Iterable[str]) -> dict[str, str]:
    """New files that share at least half of their characters, in equal parts, with one that is gone: now to before."""
    candidates = sorted(gone, key=_order)
    found: dict[str, str] = {}
    for file in new if len(new) * len(candidates) <= _MOST_PAIRS else ():
        scores = [(_shared(then[path], file), path) for path in candidates]
        score, path = max(scores, default=(0.0, ""))
        if score >= _ALIKE:
            found[file.path] = path
            candidates.remove(path)
    return found


def _shared(one: MeasuredFile, other: MeasuredFile) -> float:
    """The share of the longer of two files that is in parts of both, 0 to 1; 0 for files without parts."""
    looks = Counter((part.kind, part.label, part.chars, part.tokens) for part in one.parts)
    same = 0
    for part in other.parts:
        look = (part.kind, part.label, part.chars, part.tokens)
        if looks[look]:
            looks[look] -= 1
            same += part.chars
    return same / max(one.chars, other.chars, 1)


def _by_path_now(
    files: Iterable[MeasuredFile], then: Mapping[str, MeasuredFile], renamed: Mapping[str, str]
) -> dict[str, MeasuredFile]:
    """All files before by their paths now; those that are gone, or were not asked for, count in totals."""
    moved = set(renamed.values())
    result = {path: file for path, file in then.items() if path not in moved}
    for file in files:
        if file.path in renamed:
            old = then[renamed[file.path]]
            result[file.path] = replace(
                old,
                path=file.path,
                renamed_from=old.path,
                parts=tuple(replace(part, id=file.path + part.id[len(old.path) :]) for part in old.parts),
            )
    return result


class _TextsOfBaseline:
    """A baseline has no texts; git may have the one that it measured: in HEAD, or where the baseline was changed."""

    def __init__(self, project: Project, measurer: Measurer, name: str, before: Before) -> None:
        self._project = project
        self._measurer = measurer
        self._name = name
        self._before = before
        self._is_open = False
        self.trees: list[ProjectTree] = []

    def document(self, path: str) -> Document | None:
        file = self._before.files.get(path)
        if file is None:
            return None
        if not self._is_open:
            self._is_open = True
            with suppress(TokauditError):  # no repository, no git, no commit: then no lines are shown
                self._open()
        for tree in self.trees:
            entry = tree.entry(file.renamed_from or path)
            if entry is None:
                continue
            try:
                found = self._measurer.document(tree.read(entry), path)
            except TokauditError:
                continue
            if found.sha256 == file.sha256:
                return found
        return None

    def _open(self) -> None:
        from tokaudit.store.git import Repository

        repository = Repository(self._project.folder.root)
        commits = [repository.commit("HEAD"), repository.last_change(prefix_of(repository, self._project) + self._name)]
        for commit in dict.fromkeys(commit for commit in commits if commit):
            self.trees.append(ProjectTree(repository, commit, self._project))


def with_revision(files: Sequence[MeasuredFile], project: Project, measurer: Measurer, revision: Revision) -> Compared:
    """Compare with the files of a git revision."""
    tree, scope = revision.tree, project.scope
    paths = [path for path in tree.files if scope.wants(path) and not scope.leaves_out(path)]
    listed = {path: entry for path in paths if (entry := tree.entry(path)) is not None}
    here = {file.path: file for file in files}
    unread = {path: entry.fault for path, entry in listed.items() if entry.fault}
    for path in here:
        above = next((folder for folder in tree.submodules if path.startswith(f"{folder}/")), "")
        if above:
            unread[path] = Message("in the submodule {above}, whose revisions are not read", above=above)
        elif tree.is_outside(path):
            unread[path] = Message("outside of the git repository")
    readable = {path: entry for path, entry in listed.items() if not entry.fault}
    gone = {path for path in readable if path not in here}
    new = [path for path in here if path not in readable]
    renamed = _renamed(new, gone, project, tree) if new and (gone or scope.names) else {}

    def reader(entry: GitFile) -> Callable[[], bytes]:
        return lambda: tree.read(entry)

    wanted = [path for path in readable if path in here or path in gone]
    wanted += sorted(set(renamed.values()) - gone)
    then_list, skipped = measurer.measured((path, tree.files[path].size, reader(tree.files[path])) for path in wanted)
    then = {file.path: file for file in then_list}
    unread |= {item.what: item.reason for item in skipped}
    gone &= set(then)
    renamed = {now: old for now, old in renamed.items() if old in then}
    missing = gone - set(renamed.values())
    renamed |= _same_text((here[path] for path in new if path not in renamed), then, missing)
    renamed |= _alike([here[path] for path in new if path not in renamed], then, missing - set(renamed.values()))
    before = Before(
        revision.name,
        _by_path_now(files, then, renamed),
        sorted(gone - set(renamed.values()), key=_order),
        {path: reason for path, reason in unread.items() if path in here},
        kind="revision",
        notes=revision.notes,
    )

    def text(path: str) -> Document | None:
        file = before.files.get(path)
        if file is None:
            return None
        return measurer.document(tree.read(tree.files[file.renamed_from or path]), path)

    return Compared(before, text, [tree])


def _renamed(new: Iterable[str], gone: Container[str], project: Project, tree: ProjectTree) -> dict[str, str]:
    """Renames of new paths by git: path now to path before, also one that was not asked for and is no file now."""
    found = {}
    for now, old in tree.renames(new).items():
        entry = tree.files.get(old)
        if entry is not None and not entry.fault and (old in gone or project.folder.is_gone(old)):
            found[now] = old
    return found
