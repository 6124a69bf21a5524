"""The requests of a document: one, a list of them, or one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokaudit.model import Document
from tokaudit.model.message import Message
from tokaudit.model.request import RECORD, Content, Problem, Request, RequestMessage
from tokaudit.sources.columns import LineNumbers
from tokaudit.sources.json_reader import Invalid
from tokaudit.sources.requests.chat_form import bare_request, messages_request, responses_request
from tokaudit.sources.requests.other_forms import (
    alpaca_request,
    gemini_request,
    preference_request,
    prompt_request,
    sharegpt_request,
)
from tokaudit.sources.requests.places import places_of

_WRAPPERS = {"body": "custom_id", "params": "custom_id", "request": ""}
"""The key of the request in a line of a batch of OpenAI, Anthropic and Gemini, and what must stand beside it."""
_LISTS = ("messages", "conversations", "contents", "input")
_SPOKEN = frozenset(("system", "developer", "user", "assistant", "tool", "function", "model", "human", "gpt"))


def request_of(value: Any, path: str = "$") -> Request | None:
    """The request that a JSON value is; None where it is none.

    Known are ``messages`` (OpenAI, Anthropic, data for fine-tuning), a bare list of messages, ``input`` (OpenAI's
    Responses), ``contents`` (Gemini), ``conversations`` (ShareGPT), ``instruction`` with ``output`` (Alpaca),
    ``prompt`` with ``completion`` or with ``chosen`` and ``rejected``; each may be the request of a line of a batch.
    What is wrong with a request is in its ``problems``; it never raises for what a record holds.
    """
    if isinstance(value, list):
        return bare_request(value, path) if value and all(map(_is_message, value)) else None
    if not isinstance(value, dict):
        return None
    for key, beside in _WRAPPERS.items():
        inner = value.get(key)
        if isinstance(inner, dict) and (not beside or beside in value):
            found = request_of(inner, f"{path}.{key}")
            if found is not None:
                return found
    found = _by_keys(value, path)
    others = [key for key in _LISTS if isinstance(value.get(key), list)]
    if found is not None and len(others) > 1:
        problem = Problem(path, Message("several lists of messages, the first counted: {keys}", keys=tuple(others)))
        return replace(found, problems=[*found.problems, problem])
    return found


def _by_keys(value: dict[str, Any], path: str) -> Request | None:
    if isinstance(value.get("messages"), list) and any(map(_is_message, value["messages"])):
        return messages_request(value, path)
    conversations = value.get("conversations")
    if isinstance(conversations, list) and any(map(_is_message, conversations)):
        return sharegpt_request(value, path)
    contents = value.get("contents")
    if isinstance(contents, list | str | dict) and _is_contents(contents, value):
        return gemini_request(value, path)
    given = value.get("input")
    if isinstance(given, dict) and isinstance(given.get("messages"), list):
        return preference_request(value, path)
    if isinstance(value.get("instruction"), str) and isinstance(value.get("output"), str):
        return alpaca_request(value, path)
    if isinstance(given, list) and any(map(_is_item, given)):
        return responses_request(value, path)
    if isinstance(given, str) and isinstance(value.get("model"), str) and "output" not in value:
        return responses_request(value, path)
    if "prompt" in value and any(key in value for key in ("completion", "chosen", "rejected")):
        return prompt_request(value, path)
    if isinstance(value.get("prompt"), str) and (isinstance(value.get("model"), str) or "system" in value):
        return prompt_request(value, path)
    if isinstance(value.get("chosen"), list) and any(map(_is_message, value["chosen"])):
        return prompt_request(value, path)
    return None


def _is_message(value: Any) -> bool:
    """True for an object that says who speaks, and has something said."""
    if not isinstance(value, dict):
        return False
    role = value.get("role", value.get("from"))
    if not isinstance(role, str):
        return False
    said = any(key in value for key in ("content", "value", "parts", "tool_calls", "function_call"))
    return said or role in _SPOKEN


def _is_item(value: Any) -> bool:
    return _is_message(value) or (
        isinstance(value, dict) and value.get("type") in {"message", "function_call", "function_call_output"}
    )


def _is_contents(value: Any, record: Mapping[str, Any]) -> bool:
    if isinstance(value, str):
        return "config" in record or "generationConfig" in record
    found = value if isinstance(value, list) else [value]
    return bool(found) and all(isinstance(one, dict) and isinstance(one.get("parts"), list | dict) for one in found)


def with_records(document: Document, *, sure: bool = False) -> Document:
    """The document of JSON with its requests, as in ``with_requests``."""
    text = document.text
    if document.kind == "jsonl":
        found = _of_lines(document)
    else:
        try:
            value = json.loads(text, parse_int=as_number, parse_constant=str)
        except (ValueError, RecursionError):
            return document
        found = _of_value(value)
    others = sum(request.form == RECORD for request in found)
    if not found or (others * 2 > len(found) and not sure):
        return document
    if document.kind != "jsonl":
        found = _with_lines(found, document)
    return replace(document, requests=found, kind="json" if document.kind == "text" else document.kind)


def _with_lines(requests: Sequence[Request], document: Document) -> list[Request]:
    """The requests of one JSON text with the lines at which their messages begin."""
    text = document.text
    paths = {message.path for request in requests for message in request.messages}
    paths |= {problem.path for request in requests for problem in request.problems}
    try:
        places = places_of(text, paths)
    except (Invalid, RecursionError):  # deeper than can be walked
        return list(requests)
    starts = sorted({start for start, _ in places.values()})
    lines = dict(zip(starts, LineNumbers(text, starts, document.first_line), strict=True))

    def line(path: str) -> int | None:
        return lines[places[path][0]] if path in places else None

    return [
        replace(
            request,
            messages=[replace(message, line=line(message.path)) for message in request.messages],
            problems=[replace(problem, line=line(problem.path)) for problem in request.problems],
            line=next(filter(None, (line(message.path) for message in request.messages)), 1),
        )
        for request in requests
    ]


def as_number(digits: str) -> int | str:
    """An integer; one of more digits than Python reads stays text."""
    return int(digits) if len(digits) < 4300 else digits


def _of_value(value: Any) -> list[Request]:
    """The requests of a document of JSON, and other elements of a list of some."""
    one = request_of(value)
    if one is not None:
        return [one]
    found = []
    for at, item in enumerate(value if isinstance(value, list) else ()):
        path = f"$[{at}]"
        request = request_of(item, path) or _record(json.dumps(item, ensure_ascii=False), path)
        found.append(replace(request, id=f"request-{at + 1}"))
    return found


def _record(text: str, path: str = "$") -> Request:
    """A record that is no request, as the text that it is."""
    return Request(RECORD, [RequestMessage(RECORD, [Content("text", text, path)], path)])


def _of_lines(document: Document) -> list[Request]:
    """The requests of JSON Lines, and the other lines. Broken lines are not in the text."""
    found = []
    for number, line in _lines(document):
        try:
            request = request_of(json.loads(line, parse_int=as_number, parse_constant=str)) or _record(line)
        except (ValueError, RecursionError):
            request = _record(line)
        found.append(replace(request, line=number, id=f"L{number}"))
    return found


def _lines(document: Document) -> Iterator[tuple[int, str]]:
    """Each line that is not blank with its number in the file; lines that are not in the text count for it."""
    gaps: Sequence[tuple[int, int]] = [*document.gaps, (len(document.text) + 1, 0)]
    following = iter(gaps)
    gap, gone = next(following)
    number, at = document.first_line, 0
    for line in document.text.split("\n"):
        while gap <= at:
            number += gone
            gap, gone = next(following)
        if line and not line.isspace():
            yield number, line
        number += 1
        at += len(line) + 1
