"""What files take of a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from tokaudit.features.budget.evaluate import request_parts, rows_of
from tokaudit.features.budget.types import ASSIGNED, BANDS, PARTS, BudgetRun, InputPart, PartName
from tokaudit.jobs.inputs import Reading, TextInput, nothing
from tokaudit.jobs.request_tokens import MeasuringModels, RequestMeter
from tokaudit.jobs.requests import document_of, requests_of
from tokaudit.model import UsageError
from tokaudit.model.message import Message
from tokaudit.model.request import TRANSCRIPT, Request
from tokaudit.sources import SourceFile, read_bytes
from tokaudit.store.config import DEFAULT_MODELS


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """What ``budget`` is asked for."""

    model: str | None = None
    window: int | None = None
    roles: Sequence[tuple[str, str]] = ()
    """Part and path of each file that ``--role`` assigns."""
    patterns: Mapping[str, str] | None = None
    """Pattern and part of files, by the configuration."""
    bands: Mapping[str, tuple[float, float]] | None = None


def budget_run(
    paths: Sequence[str], texts: Sequence[tuple[str, str | bytes]], options: BudgetOptions, reading: Reading
) -> BudgetRun:
    """Divide a window among files and texts.

    Raises:
        InputError: One of them cannot be read, or there is nothing to read.
        TokenizerError: The model is unknown or cannot be used.
        UsageError: An unknown role, a file without one, or a window that is not known.
    """
    from tokaudit import __version__

    assigned = _assigned(options.roles)
    discovery = reading.discover([*paths, *(path for path in assigned if path not in paths)])
    skipped = list(discovery.skipped)
    sources: list[SourceFile | TextInput] = [*discovery.files, *(TextInput(*text) for text in texts)]
    if not sources:
        raise nothing("counted", skipped)
    models = MeasuringModels(reading)
    name = options.model or DEFAULT_MODELS[0]
    meter = models.meter(name)
    inputs: list[InputPart] = []
    notes: list[str] = []
    asked: list[int] = []
    for source in sources:
        data = source.data if isinstance(source, TextInput) else read_bytes(source)
        data = data.encode() if isinstance(data, str) else data
        document = document_of(data, source.path, reading)
        skipped += document.skipped
        part = assigned.get(source.path) or _by_pattern(source.path, options.patterns or {})
        requests = [request for request in requests_of(document) if request.form != TRANSCRIPT or part is None]
        if part is not None:
            inputs.append(InputPart(source.path, cast("PartName", part), meter.count(document.text)))
            continue
        if not requests:
            raise UsageError(
                Message("{path} is no request, and has no role", path=source.path),
                hint=Message("say which part it is: --role user={path}", path=source.path),
            )
        inputs += _largest(requests, source.path, meter, notes)
        asked += [request.max_output for request in requests if request.max_output]
    window = options.window or models.window(name)
    if window is None:
        raise UsageError(
            Message("the window of {model} is not known", model=name), hint="give its tokens: --window 8000"
        )
    bands = {**BANDS, **(options.bands or {})}
    return BudgetRun(
        window=window,
        window_known=options.window is None,
        model=meter.model,
        inputs=inputs,
        rows=rows_of(inputs, window, bands),
        asked=max(asked, default=None),
        version=__version__,
        notes=notes,
        skipped=skipped,
    )


def _assigned(roles: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Path to part. Raises ``UsageError`` for an unknown part."""
    from tokaudit.tokenizers.catalog import nearest

    for role, path in roles:
        if role not in ASSIGNED:
            near = nearest(role, ASSIGNED, 1)
            hint = (
                Message("did you mean --role {near}={path}?", near=near[0], path=path)
                if near
                else Message("roles: {choices}", choices=ASSIGNED)
            )
            raise UsageError(Message("unknown role '{role}'", role=role), hint=hint)
    return {path: role for role, path in roles}


def _by_pattern(path: str, patterns: Mapping[str, str]) -> str | None:
    if not patterns:
        return None
    from pathspec import GitIgnoreSpec

    return next(
        (part for pattern, part in patterns.items() if GitIgnoreSpec.from_lines([pattern]).match_file(path)), None
    )


def _largest(requests: Sequence[Request], path: str, meter: RequestMeter, notes: list[str]) -> list[InputPart]:
    """The parts of the request that takes most of the window."""
    best: dict[PartName, int] = {}
    line = 0
    for request in requests:
        found = meter.framed(request)
        parts = request_parts(
            request,
            found.contents,
            meter.media(request),
            meter.count,
            tools=found.tools + found.schema,
            framing=found.framing,
        )
        if sum(parts.values()) > sum(best.values()) or not best:
            best, line = parts, request.line
    if len(requests) > 1:
        notes.append(
            Message("{path}: the largest of {n:,} requests, line {line}", path=path, n=len(requests), line=line)
        )
    return [InputPart(path, part, best[part]) for part in PARTS if best.get(part)]
