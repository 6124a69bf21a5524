"""The document of ``--format json`` (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokaudit.features.count.figures import density, extremes, fertility, selected
from tokaudit.features.count.merge import added_words
from tokaudit.features.count.parts import part_key
from tokaudit.features.count.types import SPREAD, Conversation, Counted, CountResult, Encoded, Part, RequestSums
from tokaudit.features.documents import by_model, charset_data, json_document
from tokaudit.model import ModelColumn, Skipped

if TYPE_CHECKING:
    from tokaudit.features.count.folders import Folder


def _counts(
    tokens: Sequence[int],
    chars: int,
    size: int,
    models: Sequence[ModelColumn],
    words: int | None = None,
    text: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Tokens by model, and what they are to characters, bytes and words; ``text`` are those without media."""
    text = tokens if text is None else text
    return {
        model.name: {
            "tokens": tokens[model.column],
            "tokens_per_char": round(density(text[model.column], chars), 4),
            "bytes_per_token": round(size / text[model.column], 4) if text[model.column] else 0.0,
            **({} if words is None else {"fertility": fertility(text[model.column], words)}),
        }
        for model in models
    }


def data_of(
    result: CountResult, documents: Sequence[Counted], totals: Sequence[int], skipped: Sequence[Skipped]
) -> Mapping[str, Any]:
    """The document of ``--format json``."""
    models = result.models
    cheapest, dearest, ratio = extremes(result, totals)
    chosen = _chosen_parts(result)
    chars = sum(document.chars for document in result.documents)
    size = sum(document.size for document in result.documents)
    words = added_words(document.words for document in result.documents)
    by_folder = result.wanted.by == "folder"
    options = {
        "special_tokens": "control" if result.special else "text",
        "by": result.wanted.by,
        "density_threshold": result.wanted.density_threshold,
    }
    fields = {
        "documents": [
            {
                "path": document.path,
                "kind": document.kind,
                **charset_data(document.charset, document.decoding),
                "sha256": document.sha256,
                "chars": document.chars,
                "bytes": document.size,
                **_words(document.words),
                "counts": _counts(
                    document.tokens, document.chars, document.size, models, document.words, document.of_text
                ),
                "segments_total": document.parts_total,
                "segments": [_part_data(part, models) for part in chosen[at]],
                **({} if document.encoded is None else {"base64": _base64_data(document.encoded, models)}),
                **({} if document.request is None else {"request": _request_data(document.request, models)}),
            }
            for at, document in enumerate(documents)
        ],
        **(
            {"folders": [_folder_data(folder, result, totals) for folder in _chosen_folders(result)]}
            if by_folder
            else {}
        ),
        "totals": {
            "documents": len(result.documents),
            "chars": chars,
            "bytes": size,
            **_words(words),
            "counts": _counts(totals, chars, size, models, words),
        },
        "cheapest": cheapest,
        "dearest": dearest,
        "ratio": ratio,
    }
    return json_document("count", result.version, fields, options=options, models=models, skipped=skipped)


def _words(words: int | None) -> dict[str, int]:
    return {} if words is None else {"words": words}


def _base64_data(encoded: Encoded, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "runs": encoded.runs,
        "chars": encoded.chars,
        "tokens": by_model(encoded.tokens, models),
        "lines": list(encoded.lines),
    }


def _request_data(request: RequestSums, models: Sequence[ModelColumn]) -> dict[str, Any]:
    """What is known of the requests of a document; tokens by model."""
    return {
        "requests": request.requests,
        "messages": request.messages,
        "turns": request.turns,
        "forms": list(request.forms),
        "max_output_tokens": request.max_output,
        "hidden": request.hidden,
        "framing": {
            model.name: {
                "template": request.templates[model.column],
                "exact": not request.errors[model.column],
                "error": request.errors[model.column] or None,
                "tokens": request.framing[model.column],
            }
            for model in models
        },
        "tools": by_model(request.tools, models),
        "schema": by_model(request.schema, models),
        "media": [
            {
                "kind": row.media.kind,
                "mime": row.media.mime or None,
                "width": row.media.width or None,
                "height": row.media.height or None,
                "role": row.role,
                "place": row.place,
                "base64_chars": row.media.encoded,
                "tokens": by_model(row.tokens, models),
                "notes": by_model([note or None for note in row.notes], models),
            }
            for row in request.media
        ],
        **({} if request.conversation is None else {"conversation": _conversation_data(request.conversation, models)}),
    }


def _conversation_data(conversation: Conversation, models: Sequence[ModelColumn]) -> dict[str, Any]:
    """The input tokens that each turn has sent, by model."""
    billed = [sum(bill.sent[column] for bill in conversation.turns) for column in range(len(conversation.windows))]
    return {
        "turns": [
            {"turn": bill.turn, "requests": bill.requests, "sent": by_model(bill.sent, models)}
            for bill in conversation.turns
        ],
        "billed": by_model(billed, models),
        "reserved_for_output": conversation.reserve,
        "windows": by_model(conversation.windows, models),
        "overflows_at_turn": by_model(conversation.overflow, models),
    }


def _chosen_folders(result: CountResult) -> Sequence[Folder]:
    from tokaudit.features.count.folders import folders_of

    return folders_of(result, most=result.wanted.top or 0)


def _folder_data(folder: Folder, result: CountResult, totals: Sequence[int]) -> dict[str, Any]:
    share = {model.name: folder.tokens[model.column] / (totals[model.column] or 1) for model in result.models}
    return {
        "path": folder.path,
        "depth": folder.depth,
        "files": folder.files,
        "chars": folder.chars,
        "bytes": folder.size,
        **_words(folder.words),
        "counts": _counts(folder.tokens, folder.chars, folder.size, result.models, folder.words),
        "share": {name: round(part, 4) for name, part in share.items()},
    }


def _chosen_parts(result: CountResult) -> list[Sequence[Part]]:
    """The parts of each document that are reported, in the order asked for."""
    if result.wanted.by in SPREAD:  # each document's own, since those of all documents together are no document's
        sort, top = result.wanted.sort, result.wanted.top or None
        return [sorted(document.parts, key=lambda part: part_key(part, sort))[:top] for document in result.documents]
    if not result.wanted.top and result.wanted.sort == "order":
        return [document.parts for document in result.documents]
    kept = {id(part) for part in selected(result, result.wanted.top or 0)}
    chosen = []
    for document in result.documents:
        parts = [part for part in document.parts if id(part) in kept]
        parts.sort(key=lambda part: part_key(part, result.wanted.sort))
        chosen.append(parts)
    return [list(parts) for parts in chosen]


def _part_data(part: Part, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "id": part.id,
        "kind": part.kind,
        "label": part.label,
        "start": part.start,
        "end": part.end,
        "line": part.line,
        "page": part.page,
        "chars": part.chars,
        "bytes": part.size,
        **_words(part.words),
        "counts": _counts(part.tokens, part.chars, part.size, models, part.words),
        "share": {name: round(share, 4) for name, share in by_model(part.share, models).items()},
        "flags": list(part.flags),
        **({} if part.box is None else {"box": [round(side, 2) for side in part.box], "sha256": part.sha256}),
    }
