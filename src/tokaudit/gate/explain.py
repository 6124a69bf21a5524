"""Explain one file of a check: ``tokaudit check --why PATH``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from tokaudit.gate.run import GateRun, loaded_for, project_of, read_known, settings_of
from tokaudit.gate.scope import matches
from tokaudit.model import Document, InputError, Report, Tokenizer, TokenizerError
from tokaudit.model.message import Message

if TYPE_CHECKING:
    from tokaudit.features.check.why import ClassTokens, HelpfulRule
    from tokaudit.gate.policy import Policy
    from tokaudit.gate.project import Project
    from tokaudit.jobs.inputs import Reading
    from tokaudit.model.gates import Baseline


def explain_file(
    path: str,
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    policy: Policy,
    reading: Reading,
) -> Callable[[bool], Report]:
    """Explain one file of a check: the parts that grew, tokens per character class, and rules that would help.

    Args:
        path: The file, as given in the working directory.
        paths: The other paths of the check: a renamed file is recognised among all of them.
        models: Model or tokenizer names; None for those of the baseline or the default ones.
        policy: Budgets and reference; there need not be anything to compare with.
        reading: Options for finding and reading files.

    Returns:
        A function that makes the report, for people (true) or programs (false).

    Raises:
        InputError: There is no such file, or it cannot be measured.
    """
    from tokaudit import __version__
    from tokaudit.features.check.evaluate import evaluate
    from tokaudit.features.check.why import Explanation, why_report

    baseline = read_known(policy) if policy.baseline else None
    project = _project(path, paths, policy, reading, baseline)
    loaded, tokenizers = loaded_for(models, baseline, policy, reading)
    with GateRun(project, tokenizers, policy, reading) as run:
        files, skipped = run.measure(None)
        name = project.folder.inner(os.path.abspath(path))  # noqa: PTH100
        file = next((file for file in files if file.path == name), None)
        if file is None:
            if os.path.isdir(path):  # noqa: PTH112
                raise InputError(
                    Message("{path} is a folder", path=path), code="not-a-file", hint="--why takes one file"
                )
            for item in skipped:
                if item.what == name or item.what.startswith(f"{name}:"):
                    raise item.error()
            raise InputError("not checked", what=path, hint="--why takes one file")
        before = run.compare(files, baseline)
        now, then = run.document(name), run.document_before(name)
        why = Explanation(
            file,
            None if before is None else before.files.get(name),
            loaded,
            against="" if before is None else before.name,
            classes=_class_tokens(then, now, tokenizers),
            causes=run.causes(name),
            rules=_helpful_rules(now, tokenizers),
            skipped=[item for item in skipped if item.what == name or item.what.startswith(f"{name}:")],
            result=evaluate(files, before, loaded, settings_of(policy, project, files, skipped, before, models=loaded)),
            version=__version__,
        )
    return lambda people: why_report(why, people=people)


def _project(
    path: str, paths: Sequence[str | PathLike[str]], policy: Policy, reading: Reading, baseline: Baseline | None
) -> Project:
    """The project with the file as all that is asked for; with all files where a limit is of several together."""
    whole = project_of(paths, policy, reading, baseline)
    name = whole.folder.inner(os.path.abspath(path))  # noqa: PTH100
    grouped = any(budget.total and matches(budget.paths, name) for budget in policy.budgets)
    if grouped and os.path.isfile(path) and whole.scope.wants(name):  # noqa: PTH113
        return whole
    return project_of([*paths, path], policy, reading, baseline)


def _class_tokens(then: Document | None, now: Document, tokenizers: Sequence[Tokenizer]) -> list[ClassTokens]:
    """Tokens per character class, now and before; none where a tokenizer cannot say where its tokens are."""
    from tokaudit.features.check.why import ClassTokens
    from tokaudit.features.count.types import Wanted
    from tokaudit.jobs.count import measure

    try:
        new, old = (
            {}
            if document is None
            else {part.label: part.tokens for part in measure(document, tokenizers, Wanted(by="class")).parts}
            for document in (now, then)
        )
    except TokenizerError:
        return []
    none = (0,) * len(tokenizers)
    return [
        ClassTokens(name, None if then is None else old.get(name, none), new.get(name, none))
        for name in dict.fromkeys([*new, *old])
    ]


def _helpful_rules(document: Document, tokenizers: Sequence[Tokenizer]) -> list[HelpfulRule]:
    """The rules of the packs that suit a text and would save tokens of it."""
    from tokaudit.features.check.why import HelpfulRule
    from tokaudit.jobs.slim_plan import helpful_rules_of

    _, found = helpful_rules_of(document, tokenizers)
    return [HelpfulRule(rule.id, rule.title, saved) for rule, saved in found]
