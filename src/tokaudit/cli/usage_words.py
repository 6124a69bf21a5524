"""What click says of a wrong command line, as messages."""

from __future__ import annotations

import re

from tokaudit.model.message import Message, joined

_SAID: tuple[tuple[str, str], ...] = (
    (r"Option '(?P<option>[^']*)' requires an argument\.", "Option '{option}' requires an argument."),
    (r"Option '(?P<option>[^']*)' does not take a value\.", "Option '{option}' does not take a value."),
    (r"Missing argument '(?P<argument>[^']*)'\.", "Missing argument '{argument}'."),
    (r"Missing option '(?P<option>[^']*)'\.", "Missing option '{option}'."),
    (r"Missing command\.", "Missing command."),
    (r"No such option: (?P<option>\S+)", "No such option: {option}"),
    (r"No such command '(?P<command>[^']*)'\.", "No such command '{command}'."),
    (r"Got unexpected extra arguments? \((?P<arguments>.*)\)", "Got unexpected extra arguments ({arguments})"),
    (r"Invalid value for '(?P<option>[^']*)': ", "Invalid value for '{option}': "),
    (r"'(?P<value>.*)' is not a whole number\.", "'{value}' is not a whole number."),
    (r"'(?P<value>.*)' is not a number\.", "'{value}' is not a number."),
    (r" ?\(Possible options: (?P<near>.*)\)", " (Possible options: {near})"),
    (r" ?Did you mean (?P<near>.*)\?", " Did you mean {near}?"),
)


def usage_message(text: str) -> Message:
    """The text in parts that a catalogue has; a part that is not among them stays as it is."""
    parts: list[str] = []
    while text:
        for pattern, template in _SAID:
            if match := re.match(pattern, text, re.DOTALL):
                parts.append(Message(template, **match.groupdict()))
                text = text[match.end() :]
                break
        else:
            parts.append(text)
            text = ""
    return joined("", *parts)
