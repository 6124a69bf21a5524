"""Progress within an input: after each tokenizer, so that one large file is followed as a folder is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tokaudit.jobs.inputs import Item, Progress
from tokaudit.jobs.units import Unit
from tokaudit.model import Encoding, Tokenizer


class Steps:
    """Counts the bytes that are done: of the present unit, the share of the tokenizers that have counted it."""

    def __init__(self, units: Sequence[Unit], progress: Progress | None, tokenizers: int) -> None:
        self._sizes = [unit.size for unit in units]
        self._total = sum(self._sizes)
        self._progress = progress
        self._tokenizers = tokenizers
        self._unit = 0
        self._before = 0
        self._counted = 0

    def counted(self) -> None:
        """Report that one more tokenizer has counted the present unit."""
        self._counted = min(self._counted + 1, self._tokenizers)
        if self._progress is not None:
            self._progress(self._before + self._sizes[self._unit] * self._counted // self._tokenizers, self._total)

    def followed(self, items: Iterable[Item]) -> Iterator[Item]:
        """The results of the units, in order."""
        for item in items:
            self._before += self._sizes[self._unit]
            self._unit, self._counted = self._unit + 1, 0
            if self._progress is not None:
                self._progress(self._before, self._total)
            yield item


class Watched:
    """A tokenizer that reports each text that it has counted; in all else it is the one that it stands for."""

    def __init__(self, tokenizer: Tokenizer, steps: Steps) -> None:
        self._tokenizer = tokenizer
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        count = self._tokenizer.count(text)
        self._steps.counted()
        return count

    def encoding(self, text: str) -> Encoding:
        """The tokens of a text with their places."""
        encoding = self._tokenizer.encoding(text)
        self._steps.counted()
        return encoding
