"""The lines below the tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from tokaudit.features.conversation import expansion
from tokaudit.features.count.figures import extremes
from tokaudit.features.count.types import SPREAD, CountResult, Part, RequestSums
from tokaudit.features.model_columns import approximations
from tokaudit.model.message import Message, counted, joined

_GUESSES = 3
"""Files whose guessed charset is named one by one."""


def document_notes(result: CountResult, totals: Sequence[int]) -> list[str]:
    notes: list[str] = []
    cheapest, dearest, ratio = extremes(result, totals)
    if cheapest == dearest and cheapest is not None:
        notes.append("all models: the same number of tokens")
    elif cheapest is not None and ratio is not None:
        more = Message("{ratio:.2f}x", ratio=ratio) if ratio >= 1.01 else Message("less than 1% more")
        notes.append(
            Message(
                "fewest tokens: {cheapest}; most: {dearest} ({more})", cheapest=cheapest, dearest=dearest, more=more
            )
        )
    notes += approximations(result.models)
    if result.special:
        notes.append("control tokens in the text are counted as control tokens (--special)")
    elif control := next(filter(None, (document.control for document in result.documents)), ""):
        notes.append(
            Message(
                "control tokens in the text, such as {control}, are counted as ordinary text; see --special",
                control=control,
            )
        )
    notes += _guesses(result)
    notes += _base64_notes(result)
    listed = [*result.skipped, *(item for document in result.documents for item in document.skipped)]
    skipped = sum(not item.is_note for item in listed)
    if skipped:
        notes.append(Message("skipped: {skipped:,}, see below", skipped=skipped))
    return notes


def _base64_notes(result: CountResult) -> list[str]:
    """Base64 that is sent as text, by file, the files with most first; tokens and their share for the first model."""
    column = result.models[0].column
    found = [(document, one) for document in result.documents if (one := document.encoded) is not None]
    found.sort(key=lambda pair: -pair[1].tokens[column])
    notes: list[str] = [
        Message(
            "base64: {chars:,} characters, {tokens:,} tokens ({share:.0%}), sent as text: {path}:{line}",
            chars=one.chars,
            tokens=one.tokens[column],
            share=one.tokens[column] / (document.tokens[column] or 1),
            path=document.path,
            line=one.lines[0],
        )
        for document, one in found[:_GUESSES]
    ]
    if len(found) > _GUESSES:
        notes.append(Message("base64 in {n:,} more files", n=len(found) - _GUESSES))
    return notes


def _guesses(result: CountResult) -> list[str]:
    """The files whose charset is a guess, the first of them by name; that of one file stands in its title."""
    guessed = [document for document in result.documents if document.decoding.decided == "guessed"]
    if not guessed or len(result.documents) == 1:
        return []
    named = [
        Message("{path}: {v1}", path=document.path, v1=document.decoding.guess(document.charset))
        for document in guessed[:_GUESSES]
    ]
    more = [Message("{n:,} more files", n=len(guessed) - _GUESSES)] if len(guessed) > _GUESSES else []
    return [Message("guessed charsets (--charset names one): {v0}", v0=joined("; ", *named, *more))]


def part_notes(result: CountResult, parts: Sequence[Part]) -> list[str]:
    notes: list[str] = []
    if len(result.models) > 1:
        whole = (
            Message("of all") if result.wanted.by in SPREAD and len(result.documents) > 1 else Message("of the file's")
        )
        notes.append(
            Message(
                "Tok/char: highest of the models. Share: {whole} {name} tokens", whole=whole, name=result.models[0].name
            )
        )
    flags = {flag for part in parts for flag in part.flags}
    if "dense" in flags:
        notes.append(
            Message(
                "! after Tok/char: above {density_threshold:g} tokens a character",
                density_threshold=result.wanted.density_threshold,
            )
        )
    if "large" in flags:
        notes.append("! after Share: at least 10%, and four times the average of the other parts")
    return notes


_FURNITURE = {"running": Message("running lines"), "number": Message("page numbers"), "watermark": Message("watermark")}
_OTHER = {
    "body": Message("body"),
    "table": Message("tables"),
    "footnote": Message("footnotes"),
    "vertical": Message("vertical text"),
}


def furniture_notes(result: CountResult, totals: Sequence[int]) -> list[str]:
    """Tokens of the parts of PDF files by kind, for the first model."""
    if result.wanted.by == "kind":
        return []  # the table says so
    column = result.models[0].column
    sums: dict[str, int] = {}
    for document in result.documents:
        if document.kind != "pdf":
            continue
        for kind, tokens in document.by_kind.items():
            sums[kind] = sums.get(kind, 0) + tokens[column]
    if not sums:
        return []
    total = totals[column]

    def listed(names: Mapping[str, str]) -> list[str]:
        return [
            Message(
                "{name} {tokens:,}{share}",
                name=name,
                tokens=sums[kind],
                share=f" ({sums[kind] / total:.1%})" if total else "",
            )
            for kind, name in names.items()
            if kind in sums
        ]

    furniture, other = listed(_FURNITURE), listed(_OTHER)
    of_model = _of_model(result)
    notes: list[str] = [
        Message("furniture{of_model}: {kinds}", of_model=of_model, kinds=tuple(furniture) or Message("none found"))
    ]
    return [*notes, Message("content{of_model}: {kinds}", of_model=of_model, kinds=tuple(other))] if other else notes


def comment_notes(result: CountResult, totals: Sequence[int]) -> list[str]:
    """Tokens of the comments of templates, for the first model."""
    first = result.models[0]
    templates = [document for document in result.documents if document.kind == "template" and document.by_kind]
    if not templates:
        return []
    comments = sum(document.by_kind.get("comment", (0,) * (first.column + 1))[first.column] for document in templates)
    if not comments:
        return []
    of_model = _of_model(result)
    return [
        Message(
            "template comments{of_model}: {comments:,} ({share:.1%}), never sent to a model",
            of_model=of_model,
            comments=comments,
            share=comments / totals[first.column],
        )
    ]


def _of_model(result: CountResult) -> str:
    return Message(" (tokens of {name})", name=result.models[0].name) if len(result.models) > 1 else ""


def request_notes(result: CountResult) -> list[str]:
    """What the requests are, what their framing and tools take for the first model, and media without a price."""
    found = [document.request for document in result.documents if document.request is not None]
    if not found:
        return []
    sums = reduce(RequestSums.plus, found)
    first = result.models[0]
    total = sum(document.tokens[first.column] for document in result.documents if document.request is not None)
    notes = [
        Message(
            "{requests} ({forms}), {messages}",
            requests=counted(sums.requests, "1 request", "{n:,} requests"),
            forms=sums.forms,
            messages=counted(sums.messages, "1 message", "{n:,} messages"),
        )
    ]
    if result.wanted.by in {"file", "folder"}:
        around = {"framing": sums.framing, "tools": sums.tools, "schema": sums.schema}
        named = [
            Message("{name} {tokens:,} ({share:.1%})", name=Message(name), tokens=tokens[first.column], share=share)
            for name, tokens in around.items()
            if (share := tokens[first.column] / (total or 1))
        ]
        if named:
            notes.append(Message("of it{of_model}: {kinds}", of_model=_of_model(result), kinds=tuple(named)))
    if sums.question and sums.question[first.column]:
        times = expansion(total, sums.question[first.column])
        notes.append(Message("retrieval: the input is {times:.1f} times the question", times=times))
    if not result.wanted.template:
        notes.append(Message("contents alone: without --no-template, what chat templates add is counted"))
    unpriced: dict[int, list[str]] = {}
    for model in result.models:
        unpriced.setdefault(sums.unpriced[model.column], []).append(model.name)
    for many, names in unpriced.items():
        if many:
            number = counted(many, "1 image or file", "{n:,} images or files")
            notes.append(
                Message("{number} in no total of {models}: no rule is published", number=number, models=tuple(names))
            )
    return [*notes, *sums.notes, *_media_notes(sums, result)]


def _media_notes(sums: RequestSums, result: CountResult) -> list[str]:
    """What was assumed of media, and what their base64 would be as text."""
    encoded = sum(row.media.encoded for row in sums.media)
    notes = dict.fromkeys(row.notes[model.column] for row in sums.media for model in result.models)
    said = [note for note in notes if note and not note.startswith("no published rule")]
    if encoded:
        said.insert(0, Message("{chars:,} characters of base64 are not counted as text", chars=encoded))
    return said
