"""The targets of a budget: its files, the part of each that it names, or all of them as a group."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from tokaudit.features.check.figures import files_of, quoted
from tokaudit.features.check.parts import measured, part_labels, segment_key, selected, totals
from tokaudit.features.check.types import BudgetScope, FileRow, Settings, Target
from tokaudit.model.gates import Before, Budget, MeasuredFile, MeasuredPart
from tokaudit.model.message import Message, joined

_Sized = tuple[tuple[int | None, ...], int]
"""Tokens for each tokenizer, and characters."""


def targets_of(budget: Budget, row: FileRow) -> Iterator[Target]:
    """The target of a budget in one file; none where the file has no such part."""
    file, was = row.file, row.before
    if not budget.segment and not budget.role:
        before = None if was is None else was.tokens
        yield Target(file.path, "", "", file.tokens, file.chars, before, row)
        return
    parts = selected(file, budget)
    if not parts:
        return
    counted = measured(file, budget)
    old = [] if was is None else measured(was, budget)
    key = f"role:{budget.role.casefold()}" if budget.role else segment_key(budget.segment)
    what = Message("role {role}", role=budget.role) if budget.role else part_labels(parts[:1])[0]
    if not budget.role and parts[0].kind == "field":
        what = budget.segment.strip()
    width = len(file.tokens)
    before = totals([part.tokens for part in old], width) if old else None
    if was is not None and budget.role and not old and selected(was, budget):
        before = (None,) * width  # a baseline of before roles were measured
    yield Target(
        path=file.path,
        what=what,
        key=key,
        tokens=totals([part.tokens for part in counted], width),
        chars=sum(part.chars for part in counted),
        before=before,
        row=row,
        line=parts[0].line,
        subject=Message("role {role}", role=quoted(budget.role)) if budget.role else quoted(what),
        parts=parts,
    )


def group_of(
    budget: Budget,
    scope: BudgetScope,
    targets: Sequence[Target],
    known: Container[str],
    before: Before | None,
    settings: Settings,
    first: int,
) -> Target:
    """All targets of a budget as one; files that were not asked for this time count as they were.

    Args:
        budget: One with ``total``.
        scope: Its paths.
        targets: Of its files, at least one.
        known: Paths of all files that were measured.
        before: The reference.
        settings: For what was asked for.
        first: Column of the first model, by whose growth the file is chosen that the group's findings stand at.
    """
    patterns = ", ".join(budget.paths)
    gone: list[_Sized] = []
    unasked: list[_Sized] = []
    for path, was in sorted(before.files.items()) if before is not None else ():
        if path in scope.paths and path not in known and (selected_tokens := sized(was, budget)) is not None:
            (unasked if path in settings.unasked else gone).append(selected_tokens)
    width = len(targets[0].tokens)
    zero = (0,) * width
    now = [*(target.tokens for target in targets), *(tokens for tokens, _ in unasked)]
    was_tokens = [target.before or zero for target in targets] + [tokens for tokens, _ in (*unasked, *gone)]
    compared = before is not None and any((gone, unasked, *(target.before for target in targets)))
    # A file that could not be read before has a finding of its own.
    compared &= before is None or not any(target.path in before.unread for target in targets)
    largest = max(targets, key=lambda target: (_growth(target, first), target.tokens[first] or 0))
    name = joined(" ", patterns, targets[0].what)
    files = len(targets) + len(unasked)
    assumed = (
        Message(", {n:,} of them as in {name}", n=len(unasked), name=before.name)
        if unasked and before is not None
        else ""
    )
    return Target(
        path=largest.path,
        what=name,
        key=f"total:{targets[0].key}",
        tokens=totals(now, width),
        chars=sum(target.chars for target in targets) + sum(chars for _, chars in unasked),
        before=totals(was_tokens, width) if compared else None,
        row=largest.row,
        files=files,
        group=patterns,
        subject=Message("{files} ({name}{assumed})", files=files_of(files), name=name, assumed=assumed),
    )


def sized(file: MeasuredFile, budget: Budget) -> _Sized | None:
    """Tokens and characters of what a budget selects of a file; None where it has no such part."""
    parts: Sequence[MeasuredFile | MeasuredPart] = measured(file, budget) if budget.segment or budget.role else [file]
    if not parts:
        return None
    return totals([part.tokens for part in parts], len(file.tokens)), sum(part.chars for part in parts)


def _growth(target: Target, column: int) -> int:
    now, was = target.tokens[column], None if target.before is None else target.before[column]
    return (now or 0) - (was or 0)
