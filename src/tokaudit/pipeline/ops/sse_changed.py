"""Write of server-sent events only what is not as in the event before."""

from __future__ import annotations

from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.server_events import events_of, written
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Write of the JSON of a server-sent event only those keys whose values are others than in the event before, which "
    "has the same keys. The first time it is said what that means."
)
PARAMETERS: Parameters = {}
MARK = "…"
_LEGEND = f" ({MARK}: other keys as in the event above)"


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        if f"data: {MARK}" in view.text or f"data:{MARK}" in view.text:
            return
        legend = _LEGEND
        before: dict[str, Any] | None = None
        for event in events_of(view.text):
            value = event.value
            if before is not None and list(before) == list(value):
                changed = {key: item for key, item in value.items() if written(before[key]) != written(item)}
                short = f"{MARK} {written(changed)}"
                if len(short) < len(event.raw):
                    yield Edit(event.start, event.end, f"{MARK}{legend}{short[len(MARK) :]}")
                    legend = ""
            before = value

    return find
