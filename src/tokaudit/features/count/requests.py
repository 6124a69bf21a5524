"""Count requests as they are billed: contents by role, tools, framing, media."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import NamedTuple

from tokaudit.features.count.base64_runs import LEAST_IN_URL as LEAST_ENCODED
from tokaudit.features.count.base64_runs import base64_runs
from tokaudit.features.count.contents import ContentsAlone, Measure, Measured, as_json
from tokaudit.features.count.conversations import BEFORE, MOST_MESSAGES, conversation_of
from tokaudit.features.count.divisions import turn_label
from tokaudit.features.count.parts import is_large, shares
from tokaudit.features.count.request_parts import each_reason_a_few_times, in_order, request_flags
from tokaudit.features.count.types import (
    BilledRequest,
    Conversation,
    Counted,
    Encoded,
    MediaRow,
    Part,
    RequestSums,
    Wanted,
)
from tokaudit.features.media_rules import MediaCount
from tokaudit.model import Document, Skipped, TokenizerError
from tokaudit.model.message import Message
from tokaudit.model.request import RECORD, Media, Request, RequestMessage

Words = Callable[[str], Sequence[int]]


class _Row(NamedTuple):
    """What one part of a request is, before it is summed."""

    key: str
    kind: str
    label: str
    line: int | None
    texts: Sequence[str]
    tokens: Sequence[int]


@dataclass(slots=True)
class _Sum:
    """Rows of the same key together."""

    row: _Row
    chars: int = 0
    size: int = 0
    tokens: list[int] = field(default_factory=list)
    words: int = 0
    encoded: int = 0

    def add(self, row: _Row, words: Words | None = None) -> None:
        for text in row.texts:
            self.encoded += sum(end - start for start, end in base64_runs(text)) if len(text) >= LEAST_ENCODED else 0
            self.words += sum(words(text)) if words is not None else 0
            self.chars += len(text)
            self.size += len(text) if text.isascii() else len(text.encode())
        self.tokens = list(map(add, self.tokens, row.tokens)) if self.tokens else list(row.tokens)


class RequestCounter:
    """Counts documents of requests for several models."""

    def __init__(
        self,
        measures: Sequence[Measure],
        plain: Sequence[ContentsAlone],
        media: Sequence[Callable[[Media], MediaCount]],
        windows: Sequence[int | None],
        wanted: Wanted,
        words: Words | None = None,
    ) -> None:
        """Prepare for any number of documents.

        Args:
            measures: One for each column of the results.
            plain: For each column what counts records that are no requests.
            media: For each column the rule by which its provider prices media.
            windows: For each column the tokens of its model's window; None where they are not known.
            wanted: Options; ``hidden`` tokens are added to each request.
            words: Words of a text by class; None where they are not counted.
        """
        self.measures = measures
        self._plain = plain
        self._media = media
        self._windows = windows
        self._wanted = wanted
        self._words = words

    def count(self, document: Document) -> Counted:
        """Count the requests of one document."""
        columns = len(self.measures)
        totals = [0] * columns
        sums: dict[str, _Sum] = {}
        rows: list[MediaRow] = []
        problems = list(_problems(document))
        unpriced = [0] * columns
        notes: dict[str, None] = {}
        errors = [""] * columns
        each: list[BilledRequest] = []
        several = document.kind == "jsonl" or len(document.requests) > 1
        for request in document.requests:
            hidden = 0 if request.form == RECORD else self._wanted.hidden
            framed = self._framed(request, document, problems)
            errors = [before or one.error for before, one in zip(errors, framed, strict=True)]
            notes |= dict.fromkeys(note for one in framed for note in one.notes)
            found = list(self._media_of(request, document))
            rows += found
            priced = [[row.tokens[column] for row in found] for column in range(columns)]
            tokens = tuple(
                one.total + sum(filter(None, media)) + hidden for one, media in zip(framed, priced, strict=True)
            )
            totals = list(map(add, totals, tokens))
            unpriced = [before + column.count(None) for before, column in zip(unpriced, priced, strict=True)]
            each.append(BilledRequest(request.line, tokens, request.max_output))
            for row in self._rows(request, framed, several=several):
                if row.key not in sums:
                    sums[row.key] = _Sum(row)
                sums[row.key].add(row, self._words)
        self._add_media(rows, sums)
        parts = self._parts(sums, totals)
        return Counted(
            path=document.path,
            kind=document.kind,
            charset=document.charset,
            sha256=document.sha256,
            chars=sum(one.chars for one in sums.values()),
            size=sum(one.size for one in sums.values()),
            tokens=tuple(totals),
            parts=parts if self._wanted.by not in {"file", "folder"} else (),
            parts_total=len(parts) if self._wanted.by not in {"file", "folder"} else 0,
            skipped=[*document.skipped, *each_reason_a_few_times(document.path, problems)],
            decoding=document.decoding,
            encoded=self._encoded(document),
            words=sum(one.words for one in sums.values()) if self._words is not None else None,
            request=replace(
                self._sums(document, sums, rows, unpriced, errors),
                notes=tuple(notes),
                each=each,
                question=_question(document.requests[0], framed) if len(document.requests) == 1 else (),
                conversation=self._conversation(document, parts),
            ),
        )

    def _framed(self, request: Request, document: Document, problems: list[Skipped]) -> list[Measured]:
        """What each model is sent; of a request that its template refuses the contents alone, as an estimate."""
        if request.form == RECORD:
            return [plain.measure(request) for plain in self._plain]
        framed = []
        for measure, plain in zip(self.measures, self._plain, strict=True):
            try:
                framed.append(measure.measure(request))
            except TokenizerError as error:
                what = f"{document.path}:{request.line}"
                problems.append(Skipped(what, error.message, error.hint, code="framing"))
                why = Message("the chat template refuses a request, of which the contents alone are counted")
                framed.append(replace(plain.measure(request), error=why))
        return framed

    def _encoded(self, document: Document) -> Encoded | None:
        """Base64 in texts of the requests, which is billed as text; its tokens by itself."""
        found: list[Encoded] = []
        for request in document.requests:
            for message in request.messages:
                for content in message.contents:
                    runs = base64_runs(content.text) if len(content.text) >= LEAST_ENCODED else []
                    texts = [content.text[start:end] for start, end in runs]
                    if texts:
                        tokens = tuple(sum(map(plain.count, texts)) for plain in self._plain)
                        line = message.line or request.line
                        found.append(Encoded(len(texts), sum(map(len, texts)), tokens, (line,)))
        return reduce(Encoded.plus, found) if found else None

    def _media_of(self, request: Request, document: Document) -> Iterator[MediaRow]:
        """The media of a request with their tokens for each column."""
        for message in request.messages:
            for media in message.media:
                found = [rule(media) for rule in self._media]
                place = f"{document.path}:{message.line or request.line}"
                yield MediaRow(media, message.role, place, [one.tokens for one in found], [one.note for one in found])

    def _rows(self, request: Request, framed: Sequence[Measured], *, several: bool) -> Iterator[_Row]:
        by, before = self._wanted.by, f"{request.id}." if several else ""
        for at, message in enumerate(request.messages):
            contents = [one.contents[at] for one in framed]
            if by == "kind":
                for index, content in enumerate(message.contents):
                    if content.kind != "media":
                        tokens = [column[index] for column in contents]
                        label = Message(content.kind)
                        yield _Row(content.kind, content.kind, label, None, (content.name, content.text), tokens)
                continue
            said = [text for content in message.contents for text in (content.name, content.text)]
            tokens = [sum(column) for column in contents]
            yield self._row(message, request, said, tokens, f"{before}message-{at + 1}", at)
        fixed = {
            "tools": [one.tools for one in framed],
            "schema": [one.schema for one in framed],
            "framing": [one.framing for one in framed],
            "hidden": [0 if request.form == RECORD else self._wanted.hidden] * len(framed),
        }
        texts = {"tools": [as_json(tool["function"]) for tool in request.tools]}
        if request.schema is not None and any(fixed["schema"]):
            texts["schema"] = [as_json(request.schema)]
        for name, tokens in fixed.items():
            if any(tokens):
                key = f"{before}{name}" if by == "segment" else name
                line = request.line if by == "segment" and several else None
                yield _Row(key, name, Message(name), line, texts.get(name, ()), tokens)

    def _row(
        self, message: RequestMessage, request: Request, texts: Sequence[str], tokens: Sequence[int], key: str, at: int
    ) -> _Row:
        line = message.line or request.line
        role = Message("example") if message.is_example else message.role
        if self._wanted.by == "segment":
            label = Message("{label} (message {number})", label=role, number=at + 1)
            return _Row(key, "message", label, line, texts, tokens)
        if self._wanted.by == "turn":
            name = f"turn-{message.turn}" if message.turn else BEFORE
            return _Row(name, "turn", turn_label(message.turn), None, texts, tokens)
        return _Row(role, "role", role, None, texts, tokens)

    def _add_media(self, rows: Sequence[MediaRow], sums: dict[str, _Sum]) -> None:
        """The media as parts of their own: one row each by segment, else together by what they are."""
        for number, media in enumerate(rows, 1):
            one_each = self._wanted.by == "segment"
            key = f"{media.media.kind}-{number}" if one_each else media.media.kind
            label = media.label if one_each else Message(media.media.kind)
            tokens = [found or 0 for found in media.tokens]
            row = _Row(key, media.media.kind, label, None, (), tokens)
            sums.setdefault(key, _Sum(row)).add(row)

    def _parts(self, sums: dict[str, _Sum], totals: Sequence[int]) -> list[Part]:
        parts = []
        for key, one in sums.items():
            tokens = tuple(one.tokens)
            share = shares(tokens, totals)
            flags = request_flags(one.chars, tokens, self._wanted, encoded=bool(one.encoded))
            if self._wanted.by == "segment" and is_large(max(share, default=0.0), len(sums)):
                flags = (*flags, "large")
            parts.append(
                Part(
                    id=key,
                    kind=one.row.kind,
                    label=one.row.label,
                    start=None,
                    end=None,
                    line=one.row.line,
                    chars=one.chars,
                    size=one.size,
                    tokens=tokens,
                    share=share,
                    flags=flags,
                    words=one.words if self._words is not None else None,
                )
            )
        return in_order(parts) if self._wanted.by in {"role", "kind"} else parts

    def _conversation(self, document: Document, parts: Sequence[Part]) -> Conversation | None:
        """The bill of a conversation by turn, where that is asked for and the document is one."""
        if self._wanted.by != "turn" or len(document.requests) != 1:
            return None
        request = document.requests[0]
        added = [part.tokens for part in parts if part.kind == "turn" and part.id != BEFORE]
        if not 0 < len(request.messages) <= MOST_MESSAGES or not added:
            return None
        try:
            return conversation_of(request, added, self._sent, self._windows, self._wanted.hidden)
        except TokenizerError:  # said where the whole is counted
            return None

    def _sent(self, request: Request) -> tuple[int, ...]:
        """Tokens of a request as each model is sent it, media included."""
        media = [media for message in request.messages for media in message.media]
        return tuple(
            measure.measure(request).total + sum(rule(one).tokens or 0 for one in media)
            for measure, rule in zip(self.measures, self._media, strict=True)
        )

    def _sums(
        self,
        document: Document,
        sums: dict[str, _Sum],
        rows: Sequence[MediaRow],
        unpriced: Sequence[int],
        errors: Sequence[str],
    ) -> RequestSums:
        def tokens(kind: str) -> tuple[int, ...]:
            found = [one.tokens for one in sums.values() if one.row.kind == kind]
            return tuple(map(sum, zip(*found, strict=True))) if found else (0,) * len(self.measures)

        requests = [request for request in document.requests if request.form != RECORD]
        return RequestSums(
            requests=len(requests),
            messages=sum(len(request.messages) for request in requests),
            forms=tuple(dict.fromkeys(request.form for request in requests)),
            framing=tokens("framing"),
            tools=tokens("tools"),
            schema=tokens("schema"),
            hidden=self._wanted.hidden * len(requests),
            media=rows,
            unpriced=tuple(unpriced),
            templates=tuple(measure.template for measure in self.measures),
            turns=max((request.turns for request in requests), default=0),
            errors=tuple(errors),
            max_output=max((request.max_output or 0 for request in requests), default=0) or None,
        )


def _problems(document: Document) -> Iterator[Skipped]:
    """What is wrong with the requests, each with its line and path."""
    for request in document.requests:
        for problem in request.problems:
            what = f"{document.path}:{problem.line or request.line}: {problem.path}"
            yield Skipped(what, problem.reason, code="request")


def _question(request: Request, framed: Sequence[Measured]) -> tuple[int, ...]:
    """Tokens of what the last user asks, for each model, where passages were retrieved for it."""
    asking = [at for at, message in enumerate(request.messages) if message.role == "user"]
    if not asking or not any(one.kind == "passage" for message in request.messages for one in message.contents):
        return ()
    own = [at for at, one in enumerate(request.messages[asking[-1]].contents) if one.kind == "text"]
    return tuple(sum(one.contents[asking[-1]][at] for at in own) for one in framed)
