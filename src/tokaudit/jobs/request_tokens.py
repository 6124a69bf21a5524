"""Counts requests for models by their names, as they are billed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.count.contents import ContentsAlone, Measure
from tokaudit.features.count.contents import Measured as Counted
from tokaudit.features.count.types import Wanted
from tokaudit.features.fit.types import Measured
from tokaudit.features.media_rules import media_tokens
from tokaudit.jobs.framings import request_counter
from tokaudit.jobs.inputs import Reading, load_models
from tokaudit.model import ModelColumn, Tokenizer
from tokaudit.model.message import as_message, joined
from tokaudit.model.request import TRANSCRIPT, Request
from tokaudit.tokenizers.catalog import find_model


class RequestMeter:
    """Counts requests for one model."""

    def __init__(self, model: ModelColumn, tokenizer: Tokenizer, framing: Measure) -> None:
        self._model = model
        self._framing = framing
        self._error = ""
        self.count = tokenizer.count
        self._alone = ContentsAlone(tokenizer)
        known = find_model(model.name)
        self._media = (known.provider, known.id) if known else ("", model.name.lower())

    @property
    def model(self) -> ModelColumn:
        """The model; approximate where a request that was counted is."""
        if not self._error:
            return self._model
        ref = self._model.ref
        known = joined("; ", as_message(ref.error), self._error) if ref.error else self._error
        return replace(self._model, ref=replace(ref, exact=False, error=known))

    def framed(self, request: Request) -> Counted:
        """The tokens of each content, of tools and of framing, of which a transcript has none."""
        found = (self._alone if request.form == TRANSCRIPT else self._framing).measure(request)
        self._error = self._error or found.error
        return found

    def media(self, request: Request) -> list[int]:
        """For each message the tokens of its media by the provider's rule; 0 where none is known."""
        return [
            sum(media_tokens(*self._media, medium).tokens or 0 for medium in message.media)
            for message in request.messages
        ]

    def measure(self, request: Request) -> Measured:
        """The tokens of each message, and of the whole."""
        framed, media = self.framed(request), self.media(request)
        messages = [sum(tokens) + extra for tokens, extra in zip(framed.contents, media, strict=True)]
        return Measured(messages, framed.total + sum(media))


class MeasuringModels:
    """Models that count requests, each loaded when it is first asked for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[str, RequestMeter] = {}
        self._columns: dict[tuple[str, str], int] = {}

    def meter(self, name: str) -> RequestMeter:
        """The counter of a model.

        Raises:
            TokenizerError: The model is unknown or cannot be used.
        """
        if name not in self._found:
            models, tokenizers = load_models([name], special=self._reading.special, download=self._reading.download)
            framing = request_counter([name], tokenizers, Wanted()).measures[0]
            ref = models[0].ref
            column = self._columns.setdefault((ref.name, ref.sha256), len(self._columns))
            self._found[name] = RequestMeter(ModelColumn(name, ref, column), tokenizers[0], framing)
        return self._found[name]

    @property
    def columns(self) -> Sequence[ModelColumn]:
        """The models that were asked for, in that order."""
        return [meter.model for meter in self._found.values()]

    def window(self, name: str) -> int | None:
        """Tokens of the window of a model; None where the catalog does not know them."""
        model = find_model(name)
        return model.context if model is not None else None
