"""Counts requests for models by their names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.fit.types import Measure, Measured
from tokaudit.jobs.inputs import Reading, load_models
from tokaudit.model import ModelColumn, Tokenizer
from tokaudit.model.request import Request
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
            ref = models[0].ref
            column = self._columns.setdefault((ref.name, ref.sha256), len(self._columns))
            self._found[name] = replace(models[0], column=column), _measure(tokenizers[0])
        return self._found[name]

    @property
    def columns(self) -> Sequence[ModelColumn]:
        """The models that were asked for, in that order."""
        return [model for model, _ in self._found.values()]

    def window(self, name: str) -> int | None:
        """Tokens of the window of a model; None where the catalog does not know them."""
        model = find_model(name)
        return model.context if model is not None else None


def _measure(tokenizer: Tokenizer) -> Measure:
    def measure(request: Request) -> Measured:
        messages = [
            sum(tokenizer.count(f"{content.name}{content.text}") for content in message.contents)
            for message in request.messages
        ]
        tools = tokenizer.count(json.dumps(request.tools, ensure_ascii=False)) if request.tools else 0
        return Measured(messages, sum(messages) + tools)

    return measure
