"""Counts requests for models by their names, as they are billed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.count.types import Wanted
from tokaudit.features.fit.types import Measure, Measured
from tokaudit.features.media_rules import media_tokens
from tokaudit.jobs.framings import request_counter
from tokaudit.jobs.inputs import Reading, load_models
from tokaudit.model import ModelColumn
from tokaudit.model.request import Framing, Request
from tokaudit.tokenizers.catalog import find_model


class MeasuringModels:
    """Models that count requests, each loaded when it is first asked for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[str, tuple[ModelColumn, Measure]] = {}
        self._columns: dict[tuple[str, str], int] = {}

    def of(self, name: str) -> tuple[ModelColumn, Measure]:
        """The model of a name, and its count.

        Raises:
            TokenizerError: The model is unknown or cannot be used.
        """
        if name not in self._found:
            models, tokenizers = load_models([name], special=self._reading.special, download=self._reading.download)
            framing = request_counter([name], tokenizers, Wanted()).framings[0]
            ref = models[0].ref
            column = self._columns.setdefault((ref.name, ref.sha256), len(self._columns))
            if framing.error:
                ref = replace(ref, exact=False, error=framing.error)
            self._found[name] = ModelColumn(name, ref, column), _measure(name, framing)
        return self._found[name]

    @property
    def columns(self) -> Sequence[ModelColumn]:
        """The models that were asked for, in that order."""
        return [model for model, _ in self._found.values()]

    def window(self, name: str) -> int | None:
        """Tokens of the window of a model; None where the catalog does not know them."""
        model = find_model(name)
        return model.context if model is not None else None


def _measure(name: str, framing: Framing) -> Measure:
    model = find_model(name)
    provider, model_id = (model.provider, model.id) if model else ("", name.lower())

    def measure(request: Request) -> Measured:
        framed = framing.measure(request)
        media = [
            sum(media_tokens(provider, model_id, medium).tokens or 0 for medium in message.media)
            for message in request.messages
        ]
        messages = [sum(tokens) + extra for tokens, extra in zip(framed.contents, media, strict=True)]
        return Measured(messages, framed.total + sum(media))

    return measure
