"""What requests take of the windows of models, for budgets with ``window``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from tokaudit.features.check.types import Settings, WindowUse
from tokaudit.jobs.request_tokens import MeasuringModels, RequestMeter
from tokaudit.jobs.requests import requests_of
from tokaudit.model.request import TRANSCRIPT
from tokaudit.sources.requests import with_requests

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Reading
    from tokaudit.model import Document, ModelColumn
    from tokaudit.model.gates import MeasuredFile


class Documents(Protocol):
    """Reads the files of a run again."""

    def document(self, path: str) -> Document:
        """The document of a file now."""
        ...


def window_uses(
    settings: Settings,
    files: Sequence[MeasuredFile],
    documents: Documents,
    models: Sequence[ModelColumn],
    reading: Reading,
) -> list[WindowUse]:
    """For each budget with ``window``, file and model what the file's largest request takes.

    Raises:
        InputError: A file cannot be read any more.
        TokenizerError: A chat template refuses a request.
    """
    meters = MeasuringModels(reading)
    uses: list[WindowUse] = []
    for number, (budget, scope) in enumerate(zip(settings.budgets, settings.scopes, strict=True)):
        if budget.window is None:
            continue
        for file in files:
            if file.path in scope.paths:
                document = with_requests(documents.document(file.path))
                for model in models:
                    use = _largest(document, meters.meter(model.name))
                    ref = meters.meter(model.name).model.ref
                    tokens, reserve, line = use
                    own = replace(model, ref=ref)
                    window = meters.window(model.name)
                    uses.append(WindowUse(number, file.path, own, tokens, reserve, window, line))
    return uses


def _largest(document: Document, meter: RequestMeter) -> tuple[int, int, int | None]:
    """Tokens, reserve and line of the request that takes most; of a document without any its text."""
    return max(_each(document, meter), key=lambda use: use[0] + use[1])


def _each(document: Document, meter: RequestMeter) -> Iterator[tuple[int, int, int | None]]:
    requests = [request for request in requests_of(document) if request.form != TRANSCRIPT]
    for request in requests:
        yield meter.measure(request).total, request.max_output or 0, request.line
    if not requests:
        yield meter.count(document.text), 0, None
