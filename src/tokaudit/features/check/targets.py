"""What a limit is of: a file, a part of one, or a group of files."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from tokaudit.features.check.notes import covers
from tokaudit.features.check.parts import part_labels, segment_key, selected, totals
from tokaudit.features.check.types import FileRow, Settings
from tokaudit.features.check.words import files_of, quoted
from tokaudit.model.gates import Before, Budget, MeasuredFile, MeasuredPart

_Sized = tuple[tuple[int | None, ...], int]
"""Tokens for each tokenizer, and characters."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a limit is of: a file, a part of one, or a group of files."""

    path: str
    what: str
    """As in ``Gate``."""
    key: str
    """What it is called in fingerprints, together with ``group``: stable, and without line."""
    tokens: tuple[int | None, ...]
    chars: int
    before: tuple[int | None, ...] | None
    row: FileRow | None
    line: int | None = None
    files: int = 1
    group: str = ""
    """Of a group what stands for its path."""
    subject: str = ""
    """How the sentences of its findings begin."""
    parts: Sequence[MeasuredPart] = ()
    """Of a segment or role."""
    share: int = 0
    """Tokens of the file, of slim."""


def targets_of(budget: Budget, row: FileRow) -> Iterator[Target]:
    """What a budget limits of one file; nothing where the file has no such part."""
    file, was = row.file, row.before
    if not budget.segment and not budget.role:
        before = None if was is None else was.tokens
        yield Target(file.path, "", "", file.tokens, file.chars, before, row)
        return
    parts = selected(file, budget)
    if not parts:
        return
    old = [] if was is None else selected(was, budget)
    key = f"role:{budget.role.casefold()}" if budget.role else segment_key(budget.segment)
    what = f"role {budget.role}" if budget.role else part_labels(parts[:1])[0]
    if not budget.role and parts[0].kind == "field":
        what = budget.segment.strip()
    width = len(file.tokens)
    yield Target(
        file.path,
        what,
        key,
        totals([part.tokens for part in parts], width),
        sum(part.chars for part in parts),
        totals([part.tokens for part in old], width) if old else None,
        row,
        parts[0].line,
        subject=quoted(what),
        parts=parts,
    )


def group_of(
    budget: Budget,
    targets: Sequence[Target],
    known: Container[str],
    before: Before | None,
    settings: Settings,
    first: int,
) -> Target:
    """All targets of a budget as one; what was not asked for this time counts as it was.

    Args:
        budget: One with ``total``.
        targets: Of its files, at least one.
        known: Paths of all files that were measured.
        before: What is compared with.
        settings: What was asked for.
        first: Column of the first model, by whose growth the file is chosen that the group's findings stand at.
    """
    patterns = ", ".join(budget.paths)
    gone, still = _others(budget, known, before, settings)
    width = len(targets[0].tokens)
    zero = (0,) * width
    now = [*(target.tokens for target in targets), *(tokens for tokens, _ in still)]
    was = [target.before or zero for target in targets] + [tokens for tokens, _ in (*still, *gone)]
    compared = before is not None and any((gone, still, *(target.before for target in targets)))
    compared &= before is None or not any(target.path in before.unread for target in targets)  # that is told by itself
    largest = max(targets, key=lambda target: (_growth(target, first), target.tokens[first] or 0))
    name = f"{patterns} {targets[0].what}".rstrip()
    files = len(targets) + len(still)
    assumed = f", {len(still):,} of them as in {before.name}" if still and before is not None else ""
    return Target(
        largest.path,
        name,
        f"total:{targets[0].key}",
        totals(now, width),
        sum(target.chars for target in targets) + sum(chars for _, chars in still),
        totals(was, width) if compared else None,
        largest.row,
        None,
        files,
        group=patterns,
        subject=f"{files_of(files)} ({name}{assumed})",
    )


def _others(
    budget: Budget, known: Container[str], before: Before | None, settings: Settings
) -> tuple[list[_Sized], list[_Sized]]:
    """Tokens and characters of a group's files that are gone, and of those that were not asked for this time."""
    gone: list[_Sized] = []
    still: list[_Sized] = []
    for path, was in sorted(before.files.items()) if before is not None else ():
        if path in known or not covers(budget, path, settings):
            continue
        parts: Sequence[MeasuredFile | MeasuredPart] = [was]
        if budget.segment or budget.role:
            parts = selected(was, budget)
        if parts:
            sized = totals([part.tokens for part in parts], len(was.tokens)), sum(part.chars for part in parts)
            (gone if settings.checked(path) else still).append(sized)
    return gone, still


def _growth(target: Target, column: int) -> int:
    now, was = target.tokens[column], None if target.before is None else target.before[column]
    return (now or 0) - (was or 0)
