"""The framing of each model's requests, and the rule by which its provider prices media."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tokaudit.features.count.contents import AsFramed, ContentsAlone, Measure
from tokaudit.features.count.requests import RequestCounter, Words
from tokaudit.features.count.types import Wanted
from tokaudit.features.media_rules import MediaCount, media_tokens
from tokaudit.model import Tokenizer
from tokaudit.model.request import Media
from tokaudit.tokenizers.catalog import find_model
from tokaudit.tokenizers.templates import framing_of


def request_counter(names: Sequence[str], tokenizers: Sequence[Tokenizer], wanted: Wanted) -> RequestCounter:
    """A counter of requests; ``names`` are those of the models, one for each tokenizer."""
    measures: list[Measure] = []
    media: list[Callable[[Media], MediaCount]] = []
    windows: list[int | None] = []
    for name, tokenizer in zip(names, tokenizers, strict=True):
        alone = ContentsAlone(tokenizer)
        measures.append(AsFramed(framing_of(name), tokenizer) if wanted.template else alone)
        model = find_model(name)
        media.append(partial(media_tokens, model.provider if model else "", model.id if model else name.lower()))
        windows.append(model.context if model else None)
    words: Words | None = None
    if wanted.words:
        from tokaudit.tokenizers.words import words_by_class

        words = words_by_class
    return RequestCounter(measures, list(map(ContentsAlone, tokenizers)), media, windows, wanted, words)
