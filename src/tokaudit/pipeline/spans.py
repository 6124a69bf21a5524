"""Protected and structural spans of a text, found in one linear scan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Found(NamedTuple):
    """One span: half-open, in code points."""

    start: int
    end: int
    kind: str
    """Of ``model.PROTECTED`` or ``model.STRUCTURE``."""


class Spans:
    """All spans of one text, by start; they may overlap (a URL within quotes)."""

    __slots__ = ("_merged", "all")

    def __init__(self, spans: Iterable[Found]) -> None:
        self.all: Sequence[Found] = sorted(spans)
        self._merged: dict[frozenset[str], tuple[list[int], list[int]]] = {}

    def of(self, *kinds: str) -> list[Found]:
        """The spans of some kinds, in order."""
        return [span for span in self.all if span.kind in kinds]

    def merged(self, kinds: frozenset[str]) -> tuple[list[int], list[int]]:
        """Starts and ends of the stretches that spans of some kinds cover together: ascending and apart."""
        if kinds not in self._merged:
            starts: list[int] = []
            ends: list[int] = []
            for start, end, kind in self.all:
                if kind not in kinds or start == end:
                    continue
                if ends and start <= ends[-1]:
                    ends[-1] = max(ends[-1], end)
                else:
                    starts.append(start)
                    ends.append(end)
            self._merged[kinds] = (starts, ends)
        return self._merged[kinds]


def find_spans(text: str, kind: str) -> Spans:
    """The protected and structural spans of a text of some kind (text, markdown, json, jsonl, code, log, chat, pdf)."""
    raise NotImplementedError
