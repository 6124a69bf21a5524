"""Write of server-sent events only what is not as in the event before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.server_events import events_of, written
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Write of the JSON of a server-sent event only those values that are others than in the event before, by their "
    "paths. The first time it is said what that means."
)
PARAMETERS: Parameters = {}
MARK = "…"
_LEGEND = f" ({MARK}: all else as in the event above)"


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        if f"data: {MARK}" in view.text or f"data:{MARK}" in view.text:
            return
        legend = _LEGEND
        before: dict[str, Any] | None = None
        for event in events_of(view.text):
            if before is not None and list(before) == list(event.value):
                short = f"{MARK} {written(dict(_changed(before, event.value, '')))}"
                if len(short) < len(event.raw):
                    yield Edit(event.start, event.end, f"{MARK}{legend}{short[len(MARK) :]}")
                    legend = ""
            before = event.value

    return find


def _changed(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Paths and values by which one value becomes another; what is not of the same shape is one value."""
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new) and all(map(_is_plain, new)):
        pairs = [(key, old[key], item) for key, item in new.items()]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(str(number), one, other) for number, (one, other) in enumerate(zip(old, new, strict=True))]
    else:
        if written(old) != written(new):
            yield path, new
        return
    for key, one, other in pairs:
        yield from _changed(one, other, f"{path}.{key}" if path else key)


def _is_plain(key: str) -> bool:
    """True for a key that can be part of a path."""
    return bool(key) and "." not in key and not key.isdigit()
