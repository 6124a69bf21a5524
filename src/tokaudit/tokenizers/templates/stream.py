"""From the stream of a program to the parts of a request: whose each piece of the rendered text is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model.framing import PartKind
from tokaudit.tokenizers.templates.program import NOWHERE, PROMPT, RESUME, TOOL, TOOLS, Event

Key = tuple[PartKind, int | None, int | None]
"""Kind, message and tool of a part."""
FRAMING: Key = ("framing", None, None)


class Owners:
    """Tells what a value that a template writes is of a message."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._messages = messages
        self._ids: dict[int, int] = {}
        for at, message in enumerate(messages):
            content = message.get("content")
            if type(content) is str and len(content) > 1:  # one character is one object, whoever has it
                self._ids.setdefault(id(content), at)

    def of_message(self, at: int, value: str) -> Key:
        """The part of a message that a value is; what the message does not say is framing."""
        message = self._messages[at]
        content = message.get("content")
        if value is content:
            return "content", at, None
        if value == message.get("role"):
            return "framing", at, None
        thought = message.get("reasoning_content")
        if type(thought) is str and value in thought:
            return "thinking", at, None
        if type(content) is str:
            if value in content:
                return "content", at, None
        elif isinstance(content, Sequence):
            for part in content:
                text = part.get("text") if isinstance(part, Mapping) else part
                if isinstance(text, str) and value in text:
                    return "content", at, None
        return ("call" if message.get("tool_calls") else "framing"), at, None

    def outside(self, value: str) -> list[tuple[str, Key]]:
        """Values that are written outside of every message's turn: system prompts, one or several at once."""
        at = self._ids.get(id(value))
        if at is not None:
            return [(value, ("content", at, None))]
        found: list[tuple[str, Key]] = []
        done = 0
        for at, message in enumerate(self._messages):
            content = message.get("content")
            if message.get("role") not in {"system", "developer"} or type(content) is not str:
                continue
            text = content if content in value else content.strip()
            start = value.find(text, done) if text else -1
            if start >= 0:
                found += [(value[done:start], FRAMING)] if start > done else []
                found.append((text, ("content", at, None)))
                done = start + len(text)
        return [*found, (value[done:], FRAMING)] if done < len(value) else found


def placed(events: Sequence[Event], messages: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Key]]:
    """The texts of a stream with the part that each is of. Neighbours may be of one part."""
    owners = Owners(messages)
    texts: list[str] = []
    keys: list[Key] = []
    literal: Key = FRAMING
    message: int | None = None
    before: Key = FRAMING
    for event in events:
        if isinstance(event, str):
            texts.append(event)
            keys.append(literal)
        elif isinstance(event, tuple):
            value = event[0]
            if literal[0] == "tools" and (literal[2] is not None or message is None):
                found = owners.outside(value) if literal[2] is None else [(value, literal)]
                for text, key in found:
                    texts.append(text)
                    keys.append(literal if key is FRAMING else key)
            elif message is not None:
                texts.append(value)
                keys.append(owners.of_message(message, value))
            else:
                for text, key in owners.outside(value):
                    literal = _with_prompt(keys, literal, key)
                    texts.append(text)
                    keys.append(key)
        elif event >= TOOL:
            literal = ("tools", None, event - TOOL)
        elif event >= 0:
            message = event
            literal = before = ("framing", event, None)
        elif event == TOOLS:
            before, literal = (literal if literal[0] == "framing" else before), ("tools", None, None)
        elif event == PROMPT:
            before, literal = (literal if literal[0] == "framing" else before), ("prompt", None, None)
        elif event == NOWHERE:
            message = None
            literal = before = FRAMING
        elif event == RESUME:
            literal = before
    return texts, keys


def _with_prompt(keys: list[Key], literal: Key, key: Key) -> Key:
    """Give what stands around a system prompt that is written before the messages to that prompt."""
    if key[0] != "content" or literal[0] != "framing":
        return literal
    own: Key = ("framing", key[1], None)
    if keys and keys[-1] == FRAMING:
        keys[-1] = own
    return own
