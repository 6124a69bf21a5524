"""Slim a text: the function behind ``tokaudit slim``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokaudit.features.slim.document import SlimRun
from tokaudit.features.slim.report import slim_report
from tokaudit.features.slim.types import Goal
from tokaudit.jobs.inputs import Reading, load_models
from tokaudit.jobs.slim_plan import SlimPlan, choice_of
from tokaudit.model import Report, Skipped
from tokaudit.model.edits import SlimResult
from tokaudit.model.evidence import Evidence
from tokaudit.model.rules import RuleClass


def slim(
    text: str,
    rules: str | Sequence[str] | None = None,
    models: str | Sequence[str] | None = None,
    *,
    kind: str | None = None,
    classes: RuleClass | Sequence[RuleClass] = ("lossless", "near"),
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    budget: int | None = None,
    target: float | None = None,
    system: bool = False,
) -> SlimResult:
    """Slim a text: the function behind ``tokaudit slim``.

    Args:
        text: The text to slim.
        rules: Packs: names of built-in ones, or paths; None to choose by the text's kind and language;
            ``+my.yaml`` is used besides those.
        models: The guard's models: an edit is made only if it saves tokens. Names as in ``count``; None for the
            default models.
        kind: text, markdown, json, jsonl, yaml, toml, code, template, log or chat; detected from the text if not given.
        classes: The classes of rules to apply: lossless, near, lossy.
        select: Ids of rules to apply too, whatever their class and default; ``cn`` for all of a pack.
        ignore: Ids of rules not to apply.
        budget: Apply the classes from the safest on until the text has at most so many tokens for each model, whatever
            ``classes`` says. ``tokens_after`` shows whether it was reached.
        target: The same, until this share (0 to 1) of the tokens is saved. If the text is short enough as it is,
            no rule is applied.
        system: Of requests, which are slimmed as such unless ``kind`` says json: apply all rules to system prompts
            too, not the lossless ones alone.

    Returns:
        The slimmed text, the steps that lead to it, what each rule saved (``deltas``, in the order of the models'
        tokenizers), and the ledger of facts.

    Raises:
        InputError: The text has lone surrogates, which no tokenizer takes.
        RuleError: A pack does not exist or something is wrong in it.
        TokenizerError: A model is unknown or cannot be used.
        UsageError: An unknown class, kind or rule, a negative budget, or a target that is not between 0 and 1.
    """
    names = [rules] if isinstance(rules, str) else rules
    choice = choice_of(_listed(classes), _listed(select), _listed(ignore), system=system)
    goal = None if budget is None and target is None else Goal(budget, target)
    plan = SlimPlan.of(names, choice, goal).checked()
    _, tokenizers = load_models([models] if isinstance(models, str) else models)
    return plan.slimmed(plan.text_of_data("<text>", text, Reading(kind=kind)), tokenizers).result


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def kinds_found(
    paths: Sequence[str], texts: Sequence[tuple[str, str | bytes]], reading: Reading
) -> tuple[list[tuple[str, Sequence[Evidence]]], list[Skipped]]:
    """The kind of each text, with what speaks for it, and what was left out.

    Raises:
        InputError: A path does not exist, or an input named by itself cannot be read.
        UsageError: An unknown kind.
    """
    from tokaudit.jobs.slim_kinds import kinds_of

    found = list(kinds_of(paths, texts, reading))
    skipped = [item for item in found if isinstance(item, Skipped)]
    return [item for item in found if not isinstance(item, Skipped)], skipped


def kinds_page(
    found: Sequence[tuple[str, Sequence[Evidence]]], skipped: Sequence[Skipped], words: Mapping[str, str] | None
) -> str:
    """The kinds as people read them in the language of a catalogue, or as JSON where there is none."""
    import json

    from tokaudit.features.slim.kinds import kinds_document, kinds_text

    if words is None:
        return json.dumps(kinds_document(found, skipped), ensure_ascii=False, indent=2) + "\n"
    return kinds_text(found, words)


def report_of(run: SlimRun, *, people: bool) -> Report:
    """The report of a run, with tables to be read by people or parsed by programs."""
    return slim_report(run, people=people)


def verdict_of(
    run: SlimRun, *, check: bool, write: bool, output: str, command: str, paths: Sequence[str]
) -> Report | None:
    """The last lines of a run that wrote files, or checked whether it could; None for others.

    Args:
        run: The run.
        check: Nothing was written, and the exit code tells.
        write: Files were written in place.
        output: The file or folder that was written to; empty for none.
        command: The command that makes the files shorter, without their paths.
        paths: Of what can be written back, as a shell takes them.
    """
    from tokaudit.features.slim import verdict

    if check:
        return verdict.checked(run, command, paths)
    if write:
        return verdict.rewritten(run)
    return verdict.written(run, output) if output else None
