"""The findings of a check: broken limits, entries without a file, unmeasured, incomparable, new and gone files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from tokaudit.features.check.figures import by_path, counted, files_of, quoted, shell, unit
from tokaudit.features.check.parts import is_chat, part_labels, segment_key, selected
from tokaudit.features.check.types import BudgetScope, FileRow, Gate, Settings
from tokaudit.model import Finding, Level, ModelColumn, Place, Skipped
from tokaudit.model.errors import COUNTED
from tokaudit.model.gates import ANY_MODEL, Before, Budget
from tokaudit.model.message import Message
from tokaudit.model.record import record

Order = tuple[list[str], str, str, int]
_PLACE = re.compile(r"([0-9]+)(?::[0-9]+)?")
_ROLES = 8
"""Roles that are named where that of a budget is none of them."""


@record
class PlacedFinding:
    """A finding, and where it stands among the others."""

    order: Order
    finding: Finding


def order_of(path: str, segment: str, rule: str, model: int) -> Order:
    """Findings stand by path, segment, rule, and the order of the models."""
    return by_path(path), segment, rule, model


def fingerprint(rule: str, path: str, segment: str, model: str) -> str:
    """Stays the same while the finding is the same, whatever its figures and its line."""
    name = f"{rule}\0{path}\0{segment}\0{model}"
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def other_findings(
    rows: Sequence[FileRow],
    matched: Sequence[Sequence[FileRow]],
    before: Before | None,
    models: Sequence[ModelColumn],
    settings: Settings,
    unjudged: Mapping[str, set[str]],
) -> list[PlacedFinding]:
    """All findings that no gate has, each fingerprint once.

    Args:
        rows: The files.
        matched: For each budget those that its patterns match.
        before: The reference.
        models: The models asked for.
        settings: Limits and skipped inputs.
        unjudged: Model to the files whose growth could not be judged.
    """
    skipped = _skipped(rows, before, settings)
    found = [
        *_unmatched_budgets(matched, models, settings, skipped),
        *_unmeasured(before, settings, skipped),
        *_files(rows, before, models),
    ]
    if before is not None:
        found += [*_gone(before, models, settings, skipped), *_incomparable(before, models, unjudged)]
        found += _unread(rows, before)
    elif not settings.without_growth:
        found += _nothing_before(matched, settings)
    return list({item.finding.fingerprint: item for item in reversed(found)}.values())


def finding_of_gate(gate: Gate) -> Finding:
    """The finding of a gate that did not pass."""
    rule, (_, place, part, model) = gate.finding_rule, gate.key
    return Finding(
        rule=rule,
        level="warning" if gate.level == "warning" else "error",
        message=gate.message,
        path=gate.path,
        place=Place(line=gate.line),
        measured=gate.measured,
        limit=gate.limit,
        fingerprint=fingerprint(rule, place, part, model),
        group=fingerprint(rule, place, part, ""),
    )


def finding_of(
    rule: str, level: Level, path: str, message: str, segment: str = "", line: int | None = None
) -> PlacedFinding:
    """A finding that is of all models."""
    finding = Finding(rule, level, message, path, Place(line=line), fingerprint=fingerprint(rule, path, segment, ""))
    return PlacedFinding(order_of(path, segment, rule, 0), finding)


def _skipped(rows: Sequence[FileRow], before: Before | None, settings: Settings) -> dict[str, list[Skipped]]:
    """Skipped inputs and parts of files, by file."""
    measured = {row.file.path for row in rows}
    known = measured | (set(before.files) | set(before.gone) if before is not None else set())
    found: dict[str, list[Skipped]] = {}
    for item in settings.skipped:
        path = file_of(item.what, known)
        if item.code == "gitignore":  # a remark on the way that files were found, not a file
            continue
        if path not in measured or item.code not in COUNTED:
            found.setdefault(path, []).append(item)
    return found


def file_of(what: str, known: Container[str]) -> str:
    """The file of ``path:line:column`` or ``path:page 3``, where there is one of this name."""
    head = what
    while head not in known:
        head, colon, _ = head.rpartition(":")
        if not colon:
            return what
    return head


def _unmeasured(
    before: Before | None, settings: Settings, skipped: Mapping[str, Sequence[Skipped]]
) -> Iterator[PlacedFinding]:
    """Files under a gate that could not be measured: they never pass."""
    for path, items in skipped.items():
        budget = any(path in scope.paths for scope in settings.scopes)
        compared = before is not None and (path in before.files or path in before.gone)
        if not budget and not compared and path not in settings.named:
            continue
        item = items[0]
        part = item.what.removeprefix(path).lstrip(":")
        place = _PLACE.fullmatch(part)
        where = Message("line {line}", line=place[1]) if place else part
        what = Message("{where} could not be measured", where=where) if part else Message("could not be measured")
        more = Message(", and {n:,} more", n=len(items) - 1) if len(items) > 1 else ""
        why = Message("a budget covers it") if budget else Message("it was asked for")
        if before is not None and compared and not budget:
            why = Message("it is compared with {reference}", reference=before.name)
        message = Message(
            "{what}, but {why}: {reason}{more}{hint}",
            what=what,
            why=why,
            reason=item.reason,
            more=more,
            hint=Message("; {hint}", hint=item.hint) if item.hint else "",
        )
        yield finding_of("unmeasured", "warning", path, message, line=int(place[1]) if place else None)


def without_part(
    budget: Budget, rows: Sequence[FileRow], before: Before | None, settings: Settings
) -> Iterator[PlacedFinding]:
    """Files of a budget whose segment or messages are gone, or unknown: the file is broken, or no chat that we know."""
    part = _part_of(budget)
    segment = f"{segment_key(budget.segment)}\0{budget.role.casefold()}"
    paths = {row.file.path for row in rows}
    broken = {file_of(item.what, paths): item.reason for item in settings.skipped if item.code in COUNTED}
    for row in rows:
        path = row.file.path
        if selected(row.file, budget):
            continue
        if path in broken:
            message = Message("cannot look for {part}: {broken}", part=part, broken=broken[path])
            yield finding_of("unmeasured", "warning", path, message, segment)
        elif budget.role and row.file.chars and not is_chat(row.file):
            message = Message(
                '{part} not judged: no chat is recognised in it; if it is none, add "!{path}" to paths',
                part=part,
                path=path,
            )
            yield finding_of("unmeasured", "warning", path, message, segment)
        elif before is not None and row.before is not None and selected(row.before, budget):
            message = Message(
                "a budget covers {part}, which was there in {name} and is gone", part=part, name=before.name
            )
            yield finding_of("unmatched", "warning", path, message, segment)


def _unmatched_budgets(
    matched: Sequence[Sequence[FileRow]],
    models: Sequence[ModelColumn],
    settings: Settings,
    skipped: Mapping[str, Sequence[Skipped]],
) -> Iterator[PlacedFinding]:
    names = {ANY_MODEL} | {name for model in models for name in (model.name, model.ref.name)}
    for budget, scope, covered in zip(settings.budgets, settings.scopes, matched, strict=True):
        for what in _unmatched(budget, scope, covered, skipped):
            yield _of_budget(budget, settings, what)
        for key in dict.fromkeys([*budget.max_tokens, *budget.max_growth]):
            if key not in names:
                checked = ", ".join(dict.fromkeys(model.name for model in models))
                yield _of_budget(
                    budget,
                    settings,
                    Message(
                        "has a limit for {key}, which is not measured; checked: {checked}", key=key, checked=checked
                    ),
                )


def _unmatched(
    budget: Budget, scope: BudgetScope, covered: Sequence[FileRow], skipped: Mapping[str, Sequence[Skipped]]
) -> Iterator[str]:
    """The parts of a budget that match nothing, as far as they were asked for."""
    is_unread = any(path in scope.paths for path in skipped)
    if not covered and not is_unread:
        if scope.asked:
            yield Message("matches no files")
        return
    for pattern in scope.unmatched:
        yield Message("matches no files by {pattern}", pattern=pattern)
    judged = scope.asked and not is_unread and bool(budget.segment or budget.role)
    judged = judged and not (budget.role and any(row.file.chars and not is_chat(row.file) for row in covered))
    if judged and not any(selected(row.file, budget) for row in covered):
        yield Message(
            "matches {files}, but none has {part}{nearest}",
            files=files_of(len(covered)),
            part=_part_of(budget),
            nearest=_nearest(budget, covered),
        )


def _nearest(budget: Budget, files: Sequence[FileRow]) -> str:
    """The roles that there are, or the part whose name is nearest to that of the budget."""
    if budget.role:
        roles = dict.fromkeys(part.label for row in files for part in row.file.roles)
        return Message("; there are {roles}", roles=tuple(list(roles)[:_ROLES])) if roles else ""
    from difflib import get_close_matches

    labels = {segment_key(label): label for row in files for label in part_labels(row.file.parts)}
    near = get_close_matches(segment_key(budget.segment), labels, n=1)
    return Message("; did you mean {near}?", near=quoted(labels[near[0]])) if near else ""


def _part_of(budget: Budget) -> str:
    return (
        Message("messages of the role {role}", role=budget.role)
        if budget.role
        else Message("a part {segment}", segment=quoted(budget.segment))
    )


def _of_budget(budget: Budget, settings: Settings, what: str) -> PlacedFinding:
    patterns = ", ".join(budget.paths)
    segment = "\0".join(
        (patterns, segment_key(budget.segment), budget.role.casefold(), what.partition("; ")[0])
    )  # a suggestion may change
    path = settings.config or budget.paths[0]
    return finding_of(
        "unmatched",
        "warning",
        path,
        Message("the budget for {paths} {what}", paths=patterns, what=what),
        segment,
        budget.line if settings.config else None,
    )


def _files(rows: Sequence[FileRow], before: Before | None, models: Sequence[ModelColumn]) -> Iterator[PlacedFinding]:
    for row in rows:
        path = row.file.path
        if row.status == "new" and before is not None:
            message = Message("new: {counts}, not in {name}", counts=_counts(row.file.tokens, models), name=before.name)
            if before.kind == "baseline":
                message += Message(" yet; `tokaudit baseline update {path}` records it", path=shell(path))
            yield finding_of("new", "note", path, message)
        elif row.status == "renamed":
            yield finding_of(
                "renamed", "note", path, Message("renamed from {renamed_from}", renamed_from=row.renamed_from)
            )


def _gone(
    before: Before, models: Sequence[ModelColumn], settings: Settings, skipped: Mapping[str, Sequence[Skipped]]
) -> Iterator[PlacedFinding]:
    for path in before.gone:
        if path in skipped or path in settings.unasked:
            continue
        if before.kind == "baseline":
            remedy = Message("`tokaudit baseline update {path}` removes it", path=shell(path))
            message = Message("in {name}, but there is no such file; {remedy}", name=before.name, remedy=remedy)
            yield finding_of("unmatched", "warning", path, message)
            continue
        was = before.files.get(path)
        counts = Message(", where it has {counts}", counts=_counts(was.tokens, models)) if was is not None else ""
        yield finding_of(
            "removed", "note", path, Message("removed since {name}{counts}", name=before.name, counts=counts)
        )


def _counts(tokens: Sequence[int | None], models: Sequence[ModelColumn]) -> str:
    texts: list[str] = []
    for model in models:
        count = tokens[model.column]
        if count is not None:
            if texts:
                texts.append(Message("{count} for {model}", count=counted(count, model), model=model.name))
            else:
                texts.append(
                    Message(
                        "{count} {unit} for {model}", count=counted(count, model), unit=unit(count), model=model.name
                    )
                )
    return Message("{counts}", counts=tuple(texts)) if texts else Message("not measured")


def _incomparable(
    before: Before, models: Sequence[ModelColumn], unjudged: Mapping[str, set[str]]
) -> Iterator[PlacedFinding]:
    rebuild = Message("; run `tokaudit baseline write`") if before.kind == "baseline" else ""
    for at, model in enumerate(models):
        files = unjudged.get(model.name)
        if not files:
            continue
        why = before.incomparable.get(model.column)
        if why is not None:
            message = Message(
                "growth for {model} not judged against {reference}: {why}{rebuild}",
                model=model.name,
                reference=before.name,
                why=why,
                rebuild=rebuild,
            )
        else:
            first = min(files, key=by_path)
            more = Message(" and {n:,} more", n=len(files) - 1) if len(files) > 1 else ""
            message = Message(
                "{reference} has no count for {model} of {path}{more}{rebuild}",
                reference=before.name,
                model=model.name,
                path=first,
                more=more,
                rebuild=rebuild,
            )
        mark = fingerprint("incomparable", before.name, "", model.name)
        group = fingerprint("incomparable", before.name, "", "")
        finding = Finding("incomparable", "warning", message, before.name, Place(), fingerprint=mark, group=group)
        yield PlacedFinding(order_of(before.name, "", "incomparable", at), finding)


def _unread(rows: Sequence[FileRow], before: Before) -> Iterator[PlacedFinding]:
    """Files that were there, but whose growth nobody knows."""
    for row in rows:
        reason = before.unread.get(row.file.path)
        if reason is not None:
            message = Message(
                "growth not judged: the file in {name} cannot be measured: {reason}", name=before.name, reason=reason
            )
            yield finding_of("unmeasured", "warning", row.file.path, message)


def _nothing_before(matched: Sequence[Sequence[FileRow]], settings: Settings) -> Iterator[PlacedFinding]:
    """Budgets of growth where there is nothing to compare with."""
    advice = Message("run `tokaudit baseline write`, or compare with a revision: --against REV")
    if settings.growth_limited:
        message = Message("growth not judged: nothing to compare with; {advice}", advice=advice)
        yield finding_of("unmeasured", "warning", settings.config or "max_growth", message, "max_growth")
    for budget, covered in zip(settings.budgets, matched, strict=True):
        if budget.max_growth and covered:
            patterns = ", ".join(budget.paths)
            message = Message(
                "growth of {paths} not judged: nothing to compare with; {advice}", paths=patterns, advice=advice
            )
            line = budget.line if settings.config else None
            yield finding_of("unmeasured", "warning", settings.config or budget.paths[0], message, patterns, line)
