"""Count the tokens of a document for several tokenizers, whole and by part.

A document is encoded once, whole, and each token belongs to the part in which its first byte lies: byte-pair counts are
not additive, so that counting parts by themselves would not sum to the whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tokaudit.features.count.base64_runs import encoded_of
from tokaudit.features.count.control_text import control_text_finder
from tokaudit.features.count.divisions import byte_offsets, division_of
from tokaudit.features.count.parts import by_kind, class_parts, kind_parts, parts_of, with_base64
from tokaudit.features.count.types import SPREAD, WHOLE, Classes, Counted, Encoded, Part, Wanted
from tokaudit.model import Document, Segments, Tokenizer, TokenizerError
from tokaudit.model.request import TRANSCRIPT

if TYPE_CHECKING:
    from tokaudit.features.count.requests import RequestCounter

_Value = TypeVar("_Value")


class DocumentCounter:
    """Measures documents with the same tokenizers and for the same parts."""

    def __init__(
        self,
        tokenizers: Sequence[Tokenizer],
        wanted: Wanted,
        classes: Classes,
        lines: Callable[[str], list[int]],
        make_requests: Callable[[], RequestCounter] | None = None,
    ) -> None:
        """Prepare for any number of documents.

        Args:
            tokenizers: One for each column of the results; one that stands for several is used once a text.
            wanted: What is asked for.
            classes: Those of ``--by class``.
            lines: Gives the code-point offsets of the lines of a text.
            make_requests: Makes what counts documents of requests, when there is one; None where they are texts.
        """
        self.tokenizers = tokenizers
        distinct = {id(tokenizer): tokenizer for tokenizer in tokenizers}
        self._distinct = list(distinct.values())
        self._places = [list(distinct).index(id(tokenizer)) for tokenizer in tokenizers]
        self.wanted = wanted
        self.classes = classes
        self._lines = lines
        self.make_requests = make_requests
        self._requests: RequestCounter | None = None
        self._control_text = control_text_finder(tokenizers)

    def _all(self, values: Sequence[_Value]) -> tuple[_Value, ...]:
        """Values of the distinct tokenizers, for all columns."""
        return tuple(values[at] for at in self._places)

    def count(self, document: Document) -> Counted:
        """Measure one document.

        Raises:
            TokenizerError: A tokenizer cannot say where its tokens are, and parts are wanted.
        """
        if document.requests and self.make_requests is not None and document.requests[0].form != TRANSCRIPT:
            self._requests = self._requests or self.make_requests()
            return replace(self._requests.count(document), control=self._control_text(document.text))
        text, wanted, tokenizers = document.text, self.wanted, self._distinct
        utf8 = None if text.isascii() else text.encode()
        size = len(text if utf8 is None else utf8)
        parts: Sequence[Part] = ()
        kinds: Mapping[str, tuple[int, ...]] = {}
        parts_total = 0
        pages: Sequence[Mapping[str, int]] = ()
        if wanted.by in WHOLE:
            tokens = self._all([tokenizer.count(text) for tokenizer in tokenizers])
            if document.kind == "pdf" and tokenizers:
                offsets = byte_offsets(text, utf8, document.segments.starts)
                pages = _page_kinds(document.segments, offsets, tokenizers[0])
        elif wanted.by == "class":
            encodings = self._all([tokenizer.encoding(text) for tokenizer in tokenizers])
            tokens = tuple(map(len, encodings))
            parts = class_parts(document, encodings, tokens, self.classes)
            parts_total = len(parts)
        else:
            division = division_of(document, wanted, self._lines)
            offsets = byte_offsets(text, utf8, division.starts)
            found = []
            for tokenizer in tokenizers:  # one encoding at a time: of a large text each is as large as the text
                encoding = tokenizer.encoding(text)
                found.append((encoding.within(offsets), len(encoding)))
            columns = [within for within, _ in self._all(found)]
            tokens = tuple(count for _, count in self._all(found))
            if document.kind in {"pdf", "template"} and wanted.by in {"segment", "kind"}:
                kinds = by_kind(division, columns)
            if wanted.by in SPREAD:
                parts = kind_parts(division, [*offsets, size], columns, tokens, self.classes)
                parts_total = len(parts)
            else:
                parts = parts_of(division, [*offsets, size], columns, tokens, wanted, self.classes)
                parts_total = len(division)
        encoded = self._encoded(document)
        if encoded is not None:
            parts = with_base64(parts, encoded.spans)
        return Counted(
            path=document.path,
            kind=document.kind,
            charset=document.charset,
            sha256=document.sha256,
            chars=len(text),
            size=size,
            tokens=tokens,
            parts=parts,
            parts_total=parts_total,
            skipped=document.skipped,
            by_kind=kinds,
            pages=pages,
            control=self._control_text(text),
            decoding=document.decoding,
            words=self.classes.words_of(text),
            encoded=encoded,
        )

    def _encoded(self, document: Document) -> Encoded | None:
        """The base64 of a text; None also where a tokenizer cannot say which of its tokens are of it."""
        try:
            return encoded_of(document.text, self.tokenizers, document.first_line)
        except TokenizerError:
            return None


def _page_kinds(division: Segments, offsets: array[int], tokenizer: Tokenizer) -> list[Mapping[str, int]]:
    """Of each page the tokens of each kind of segment; nothing where the tokenizer cannot say where its tokens are."""
    try:
        counts = tokenizer.encoding(division.text).within(offsets)
    except TokenizerError:
        return []
    found: list[dict[str, int]] = [{} for _ in range(max(division.pages, default=0))]
    for at, page in enumerate(division.pages):
        kinds = found[page - 1]
        kinds[division.kind(at)] = kinds.get(division.kind(at), 0) + int(counts[at])
    return [*found]
