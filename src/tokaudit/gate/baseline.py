"""Write, update and show the baseline."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from tokaudit.gate.policy import Policy
from tokaudit.gate.project import Project
from tokaudit.gate.run import (
    GateRun,
    loaded_for,
    project_of,
    read_known,
)
from tokaudit.jobs.inputs import Reading
from tokaudit.model import ConfigError, InputError, Report, Skipped, UsageError
from tokaudit.model.gates import Baseline, MeasuredFile
from tokaudit.model.message import Message
from tokaudit.model.record import record

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Progress
    from tokaudit.model import ModelColumn

_NO_TEXT = {"binary", "symlink"}
"""Codes of files that are no prompts, and no errors, where they are met in a folder."""
_WAIT = 10.0
"""Seconds to wait for another run that writes the baseline."""


@record
class Recorded:
    """A baseline that was written."""

    baseline: Baseline
    models: Sequence[ModelColumn]
    """Those that were measured."""
    before: Baseline | None
    """The baseline that was replaced; None where there was none that can be read."""
    changed: bool
    """True where the content of the file changed."""
    remarks: Sequence[Skipped] = ()
    """On how the files were found; they are no part of the baseline."""


def record_baseline(
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    policy: Policy,
    reading: Reading,
    *,
    update: bool = False,
    progress: Progress | None = None,
) -> Recorded:
    """Measure the files of a baseline, and write it.

    Args:
        paths: Files, folders and globs; none for all that the budgets and the present baseline name.
        models: Model or tokenizer names.
        policy: For the place of the baseline.
        reading: Options for finding and reading files.
        update: Leave the entries of other files as they are, for which the tokenizers must be those of the baseline.
        progress: Called after every file.

    Raises:
        InputError: A file cannot be measured.
        UsageError: There is nothing to measure, the baseline to update is of other tokenizers, or another run is
            writing it.
    """
    from tokaudit.store.file_lock import BusyError, locked

    known = _known(policy, needed=update or not paths, broken=not update)
    project = project_of(paths, policy, reading, known)
    if project.scope.is_empty:
        raise UsageError("nothing to measure", hint="name files or folders, as in: tokaudit baseline write prompts/")
    loaded, tokenizers = loaded_for(models, known, policy, reading)
    # Always measured anew: nothing that somebody put into a cache may get into a baseline.
    with GateRun(project, tokenizers, replace(policy, cache=False), reading) as run:
        files, skipped = run.measure(progress)
    remarks = [item for item in skipped if item.code == "gitignore"]
    skipped = [item for item in skipped if item.code != "gitignore"]
    harmless = [item for item in skipped if item.code in _NO_TEXT and item.what not in project.scope.asked]
    if len(harmless) < len(skipped):
        wrong = [item for item in skipped if item not in harmless]
        more = Message(", and {n} more", n=len(wrong) - 1) if len(wrong) > 1 else ""
        hint = wrong[0].hint or Message("exclude it, as in exclude = [...] of the configuration")
        reason = Message("{reason}{more}: a baseline must have every file", reason=wrong[0].reason, more=more)
        raise InputError(reason, what=wrong[0].what, code=wrong[0].code, hint=hint)
    scope: Sequence[str] = (
        sorted(asked or "." for asked in project.scope.asked) if paths else known.paths if known is not None else ()
    )
    _refuse_paths([*(file.path for file in files), *scope])
    refs = [tokenizer.info.ref for tokenizer in tokenizers]
    entries = [replace(file, renamed_from="") for file in files]
    measured = Baseline(refs, entries, harmless, scope, _names(loaded))
    path = os.path.join(policy.root, policy.baseline)  # noqa: PTH118
    special = os.path.exists(path) and not os.path.isfile(path)  # noqa: PTH110, PTH113 - /dev/stdout
    try:
        # Between reading and writing nobody else may write; measuring, which takes long, is done.
        with nullcontext() if special else locked(path, wait=_WAIT):
            old = _known(policy, needed=True) if update else _previous_baseline(policy)
            baseline = _updated(old, measured, project, policy) if update and old is not None else measured
            return Recorded(baseline, loaded, old, _saved(baseline, policy), remarks)
    except BusyError as error:
        raise UsageError(
            Message(
                "{shown_baseline}: another tokaudit has been writing it for {wait:.0f} seconds",
                shown_baseline=policy.shown_baseline,
                wait=_WAIT,
            ),
            hint="try again",
        ) from error


def _names(models: Sequence[ModelColumn]) -> Sequence[str]:
    """The names of models as they were typed; none where they are those of tokenizers, or of files on this machine."""
    from tokaudit.tokenizers.catalog import find_model

    names = [model.name if find_model(model.name) is not None else model.ref.name for model in models]
    return () if names == [model.ref.name for model in models] else names


def _refuse_paths(paths: Sequence[str]) -> None:
    """Refuse paths that a baseline cannot have, since they are not the same file everywhere."""
    from tokaudit.store.baseline import fault_of

    for path in paths:
        if reason := fault_of(path):
            raise InputError(
                Message("a baseline cannot have {path}, which {reason}", path=path, reason=reason),
                hint="leave it out, or rename it",
            )


def _updated(old: Baseline, measured: Baseline, project: Project, policy: Policy) -> Baseline:
    """The old baseline with new entries for the files of the project, and without those that are gone."""
    from tokaudit.gate.reference import in_order_of

    files = in_order_of(old.tokenizers, measured.tokenizers, measured.files)
    if files is None:
        raise UsageError(
            Message(
                "{shown_baseline} was written with other tokenizers or vocabularies",
                shown_baseline=policy.shown_baseline,
            ),
            hint="write a new one: tokaudit baseline write",
        )
    new = {file.path for file in files}
    others = [
        file
        for file in old.files
        if file.path not in new and not (project.scope.holds(file.path) and project.folder.is_gone(file.path))
    ]
    skipped = [*measured.skipped, *(item for item in old.skipped if not project.scope.holds(item.what))]
    together = sorted([*others, *files], key=lambda file: file.path.split("/"))
    return Baseline(list(old.tokenizers), together, skipped, old.paths, old.models)


def _known(policy: Policy, *, needed: bool, broken: bool = False) -> Baseline | None:
    """The present baseline; None where there is none, or where it is not needed.

    Args:
        policy: For its place.
        needed: True where its content matters.
        broken: True where a broken one will do, of which only the paths are known: it is about to be replaced.
    """
    path = os.path.join(policy.root, policy.baseline)  # noqa: PTH118
    if not os.path.isfile(path) or not needed:  # noqa: PTH113
        return None
    try:
        return read_known(policy)
    except ConfigError as error:
        if not broken:
            raise
        from tokaudit.store.baseline import paths_in

        files, scope = paths_in(Path(path))
        if not (files or scope or policy.budgets):
            hint = Message("name its files: tokaudit baseline write prompts/")
            raise ConfigError(error.message, hint=hint) from error
        return Baseline((), [MeasuredFile(name, "", 0, ()) for name in files], paths=scope)


def _previous_baseline(policy: Policy) -> Baseline | None:
    """The baseline that is about to be replaced; None where there is none that can be read."""
    try:
        return _known(policy, needed=True)
    except ConfigError:
        return None


def baseline_changes(old: Baseline, new: Baseline) -> list[str]:
    """The changes that a new baseline accepts, in a few lines; tokens are of the first tokenizer that both have."""
    was = {file.path: file for file in old.files}
    now = {file.path: file for file in new.files}
    both = [path for path in now if path in was]
    changed = [path for path in both if now[path].sha256 != was[path].sha256]
    columns = [
        (column, other, ref.name)
        for column, ref in enumerate(new.tokenizers)
        for other, before in enumerate(old.tokenizers)
        if (ref.name, ref.sha256) == (before.name, before.sha256)
    ]
    delta = ""
    if columns:
        column, other, name = columns[0]
        tokens = sum((now[path].tokens[column] or 0) - (was[path].tokens[other] or 0) for path in both)
        delta = Message(" ({tokens:+,} tokens of {name})", tokens=tokens, name=name) if tokens else ""
    lines: list[str] = []
    lines += [Message("changed: {paths}{delta}", paths=_listed(changed), delta=delta)] if changed else []
    lines += (
        [Message("new: {paths}", paths=_listed([path for path in now if path not in was]))]
        if len(both) < len(now)
        else []
    )
    lines += (
        [Message("removed: {paths}", paths=_listed([path for path in was if path not in now]))]
        if len(both) < len(was)
        else []
    )
    return lines


def _listed(paths: Sequence[str], most: int = 5) -> str:
    return ", ".join(paths[:most]) + (Message(" and {n:,} more", n=len(paths) - most) if len(paths) > most else "")


def _saved(baseline: Baseline, policy: Policy) -> bool:
    """Write a baseline; returns true where that changed the file."""
    from tokaudit import __version__
    from tokaudit.store.baseline import baseline_text, may_replace
    from tokaudit.store.output import write_atomic

    path = policy.shown_baseline
    data = baseline_text(baseline, __version__).encode()
    try:
        old = b""
        if os.path.isfile(path):  # noqa: PTH113 - /dev/zero has no end
            with open(path, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
                old = stream.read()
    except OSError:  # writing says why
        pass
    if old == data:
        return False
    if not may_replace(old):
        raise UsageError(
            Message("{path} is not a baseline, and is not overwritten", path=path),
            hint=Message("name another file, or remove this one: rm {path}", path=shlex.quote(path)),
        )
    write_atomic(path, data)
    return True


def shown_baseline(paths: Sequence[str | PathLike[str]], policy: Policy) -> tuple[Baseline, Sequence[ModelColumn]]:
    """The entries of a baseline, of some paths or all, and its tokenizers.

    Raises:
        ConfigError: Something is wrong in the file.
        InputError: No entry is of the paths.
        UsageError: There is no such file.
    """
    from tokaudit.model import ModelColumn

    known = _known(policy, needed=True)
    if known is None:
        raise UsageError(
            Message("{shown_baseline}: there is no such baseline", shown_baseline=policy.shown_baseline),
            hint="tokaudit baseline write records one",
        )
    if paths:
        project = project_of(paths, policy, Reading(), known)
        files = [file for file in known.files if project.scope.holds(file.path)]
        if not files:
            names = ", ".join(os.fsdecode(path) for path in paths)
            raise InputError(
                Message("{names}: not in {shown_baseline}", names=names, shown_baseline=policy.shown_baseline),
                hint="tokaudit baseline show lists all",
            )
        known = replace(known, files=files)
    return known, [ModelColumn(ref.name, ref, column) for column, ref in enumerate(known.tokenizers)]


def baseline_report(baseline: Baseline, models: Sequence[ModelColumn], policy: Policy, *, people: bool) -> Report:
    """The report of a baseline."""
    from tokaudit import __version__
    from tokaudit.features.check.baseline import baseline_report as build

    return build(baseline, models, people=people, name=policy.baseline, version=__version__)
