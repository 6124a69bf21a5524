"""The public Python API of ``fit``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from tokaudit.features.fit.report import report
from tokaudit.jobs.fit import FitOptions, fit_run
from tokaudit.jobs.inputs import Reading, TextInput
from tokaudit.sources.key_values import fact_lines

__all__ = ["fit", "fit_path"]


def fit(
    text: str,
    model: str | None = None,
    *,
    kind: str = "json",
    budget: int | None = None,
    keep_last: int = 3,
    reserve_output: int | None = None,
    top_k: int | None = None,
    summary: str = "",
    facts: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Make the requests of a text fit.

    Args:
        text: A request, a list of them, JSON Lines of requests, or a transcript.
        model: The model that counts; None for the one that each request names.
        kind: json, jsonl or text.
        budget: Most tokens of a request; None for the model's window less what is reserved for the answer.
        keep_last: Turns that stay whole.
        reserve_output: Tokens for the answer; None for the request's ``max_tokens``, or 4,096 at most.
        top_k: Most retrieved passages of a message.
        summary: A summary of older turns, put after the system prompt.
        facts: Facts, put after the summary.

    Returns:
        The document that ``tokaudit fit --format json`` prints, with the fitted request as ``text`` and the dropped
        turns as ``dropped_text``.

    Raises:
        InputError: The text is no request, or one of its requests cannot fit; the hint says what would have to go.
        TokenizerError: An unknown model, or one that cannot be used.
        UsageError: No model is named, its window is not known, or the options contradict each other.
    """
    options = FitOptions(model, budget, keep_last, reserve_output, top_k, _slots(summary, facts))
    run = fit_run(TextInput("<text>", text), options, Reading(kind=kind))
    return report(run, people=False, with_text=True).data


def fit_path(
    path: str | PathLike[str],
    model: str | None = None,
    *,
    budget: int | None = None,
    keep_last: int = 3,
    reserve_output: int | None = None,
    top_k: int | None = None,
    summary: str = "",
    facts: Mapping[str, Any] | None = None,
    kind: str | None = None,
    charset: str | None = None,
) -> Mapping[str, Any]:
    """Make the requests of a file fit; nothing is written.

    Args:
        path: The file.
        model: As in ``fit``.
        budget: As in ``fit``.
        keep_last: As in ``fit``.
        reserve_output: As in ``fit``.
        top_k: As in ``fit``.
        summary: As in ``fit``.
        facts: As in ``fit``.
        kind: As in ``fit``; None to decide by the name.
        charset: Of the file; None to detect it.

    Returns:
        As in ``fit``.

    Raises:
        InputError: As in ``fit``, or the file cannot be read.
        TokenizerError: As in ``fit``.
        UsageError: As in ``fit``.
    """
    options = FitOptions(model, budget, keep_last, reserve_output, top_k, _slots(summary, facts))
    run = fit_run(fspath(path), options, Reading(kind=kind, charset=charset))
    return report(run, people=False, with_text=True).data


def _slots(summary: str, facts: Mapping[str, Any] | None) -> Mapping[str, str]:
    return {"summary": summary, "facts": fact_lines(facts or {})}
