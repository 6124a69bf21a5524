"""Inputs whose placeholders are filled before they are counted (``--vars``)."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.jobs.inputs import Reading
from tokaudit.model import Skipped
from tokaudit.model.message import Message
from tokaudit.sources import decoded, is_pdf, kind_of, read_bytes
from tokaudit.sources.filled import filled
from tokaudit.sources.key_values import key_values

Texts = Sequence[tuple[str, str | bytes]]


def filled_texts(
    paths: Sequence[str], texts: Texts, variables: str, reading: Reading
) -> tuple[list[str], list[tuple[str, str | bytes]], list[Skipped]]:
    """Files and texts with the values of a file in the place of their placeholders.

    Returns:
        Files that are none of text and stay as they are, the texts, and notes on placeholders without a value.

    Raises:
        InputError: The file of values is broken, a template is refused, or an input is no text.
    """
    from tokaudit.jobs.requests import source_of

    source = source_of(variables, reading)
    values = key_values(decoded(read_bytes(source), None, variables).text, variables)
    others: list[str] = []
    inputs: list[tuple[str, str | bytes]] = []
    discovery = reading.discover(paths, takes_text=True) if paths else None
    for file in discovery.files if discovery else ():
        data = read_bytes(file)
        if is_pdf(data):
            others.append(file.location)
        else:
            inputs.append((file.path, data))
    done: list[tuple[str, str | bytes]] = []
    notes = [*(discovery.skipped if discovery else ())]
    for path, given in [*inputs, *texts]:
        text = given if isinstance(given, str) else decoded(given, reading.charset, path, errors=reading.errors).text
        found = filled(text, values, path, reading.kind or kind_of(path, ask_pygments=False))
        done.append((path, found.text))
        if found.missing:
            reason = Message("no value for {names}: counted as nothing", names=found.missing)
            notes.append(Skipped(path, reason, code="unfilled"))
    return others, done, notes
