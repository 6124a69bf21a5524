"""Turns of a conversation, the places where it may be cut, and the slots after the system prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tokaudit.model.request import TRANSCRIPT, Content, Request, RequestMessage

SLOTS = ("summary", "facts")
"""Names of the slots, in their order after the system prompt."""
_TAGS = {"summary": "conversation_summary", "facts": "known_facts"}
_SLOT = re.compile(rf"\s*<({'|'.join(_TAGS.values())})>\n.*\n</\1>\s*", re.DOTALL)
_ELEMENT = re.compile(r"\$(?:\[[0-9]+\])?(?:\.[^.\[\]]+)+\[[0-9]+\]|L[0-9]+")
_BARE_ELEMENT = re.compile(r"\$(?:\[[0-9]+\]){1,2}")
_SLOT_ROLES = {"anthropic": "user", "gemini": "user"}
"""Roles of slots in forms whose messages have no system role; all others have one."""


def slot_text(name: str, text: str) -> str:
    """The text of a slot: tags by which a later run finds it again, and which tell a model what it is."""
    return f"<{_TAGS[name]}>\n{text.strip()}\n</{_TAGS[name]}>"


def slot_of(message: RequestMessage) -> str:
    """The name of the slot that a message is; empty for any other message."""
    if not message.contents or any(content.kind != "text" for content in message.contents):
        return ""
    found = _SLOT.fullmatch(message.text)
    return next(name for name, tag in _TAGS.items() if tag == found[1]) if found else ""


def slot_role(form: str) -> str:
    """The role that a slot has in a form."""
    return _SLOT_ROLES.get(form, "system")


def turns_of(request: Request) -> list[int]:
    """The turn of each message, 1-based; 0 for the prompt: what stands before the first turn, examples and slots."""
    asked = {message.turn for message in request.messages if message.role == "user" and not slot_of(message)}
    numbers: dict[int, int] = {}
    turns = []
    for message in request.messages:
        stays = message.is_example or message.role in {"system", "developer"} or bool(slot_of(message))
        is_prompt = stays or message.turn not in asked  # without a question: a greeting after a slot
        turns.append(0 if is_prompt else numbers.setdefault(message.turn, len(numbers) + 1))
    return turns


def element_of(path: str, form: str) -> str:
    """The path of the element of the list of messages that a message is in, or its line; empty where it is in none."""
    found = (_BARE_ELEMENT if form == "messages" else _ELEMENT).match(path)
    return found[0] if found else ""


def cuts_of(request: Request, turns: Sequence[int]) -> list[int]:
    """Numbers of oldest turns that may be dropped together, ascending, beginning with 0.

    None of them parts a tool's result from its call, or two turns that stand in one element of the file; of a
    transcript an answer stays.
    """
    possible = [True] * (max(turns, default=0) + 1)
    elements: dict[str, int] = {}
    calls: dict[str, int] = {}
    for turn, message in zip(turns, request.messages, strict=True):
        element = element_of(message.path, request.form)
        if turn and not element:
            _tie(possible, 0, turn)
        _tie(possible, *sorted((elements.setdefault(element, turn) if element else turn, turn)))
        for content in message.contents:
            if content.kind == "call":
                calls[content.call_id] = turn  # ids may be used again: a result answers the latest call
            elif content.kind == "result" and content.call_id in calls:
                _tie(possible, *sorted((calls[content.call_id], turn)))
    if request.form == TRANSCRIPT:  # without an answer it would be read as a text
        answered = [turn for turn, one in zip(turns, request.messages, strict=True) if one.role == "assistant"]
        _tie(possible, 0, max(answered, default=0))
    return [cut for cut, is_possible in enumerate(possible) if is_possible]


def _tie(possible: list[bool], low: int, high: int) -> None:
    """Two turns stay or go together; what is tied to the prompt, turn 0, stays."""
    parted = slice(low, high) if low else slice(high or len(possible), None)
    possible[parted] = [False] * len(possible[parted])


def with_slots(request: Request, slots: Mapping[str, str], role: str = "") -> Request:
    """The request with its slots filled: a message for each after the system prompt, or the one that there is.

    A new message has no path, and the role that the form has for it, or ``role``.
    """
    messages = list(request.messages)
    role = role or slot_role(request.form)
    at = _after_prompt(messages)
    for name in SLOTS:
        there = next((index for index, message in enumerate(messages) if slot_of(message) == name), None)
        if there is not None:
            at = there + 1
        if name not in slots:
            continue
        text = slot_text(name, slots[name])
        if there is not None:
            old = messages[there]
            messages[there] = replace(old, contents=(replace(old.contents[0], text=text),))
        else:
            messages.insert(at, RequestMessage(role, (Content("text", text, ""),), ""))
            at += 1
    return replace(request, messages=messages)


def _after_prompt(messages: Sequence[RequestMessage]) -> int:
    """Index after the system prompts with which a request begins."""
    return next(
        (index for index, message in enumerate(messages) if message.role not in {"system", "developer"}), len(messages)
    )
