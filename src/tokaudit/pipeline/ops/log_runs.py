"""Count lines of a log that repeat each other instead of repeating them."""

from __future__ import annotations

from itertools import accumulate

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.log_lines import alarm_pattern, stamp_pattern, without_writers
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = (
    "Keep only the first of lines in a row that differ in time stamps and numbers of processes and threads alone, and "
    "say how many there were and when the last was."
)
PARAMETERS: Parameters = {
    "lines": Parameter("integer", "Lines in a row, at least.", default=3),
    "numbers": Parameter("boolean", "Lines may also differ in any number.", default=False),
}
MARK = "… ×"
"""The start of the line that stands for the others; the number of lines follows, the first included."""


def prepare(parameters: Values) -> Find:
    least, numbers = max(2, parameters["lines"]), parameters["numbers"]

    def find(view: View) -> Edits:
        text = view.text
        masked = without_writers(text)
        if numbers:
            import re

            masked = re.sub(r"\d+(?:\.\d+)?", "0", masked)
        forms = masked.split("\n")
        if len(forms) < least:
            return
        lines = text.split("\n")
        # Where each line begins; the sum of lengths before it, with line ends.
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        first = 0
        for index in range(1, len(forms) + 1):
            if index < len(forms) and forms[index] == forms[first]:
                continue
            if index - first >= least and _is_dull(lines[first]):
                summary = _summary(lines[first], lines[index - 1], index - first)
                end = starts[index] - 1
                if lines[index - 1].endswith("\r"):
                    end -= 1
                yield Edit(starts[first + 1], end, summary)
            first = index

    return find


def _is_dull(line: str) -> bool:
    """True if a line may be counted: not blank, no warning or worse, and no count itself."""
    return bool(line.strip()) and not line.startswith(MARK) and not alarm_pattern().search(line)


def _summary(first: str, last: str, count: int) -> str:
    begun, ended = stamp_pattern().match(first), stamp_pattern().match(last)
    if not begun or not ended:
        return f"{MARK}{count}"
    # The date, where it is the first line's, need not be said again.
    return f"{MARK}{count} until {ended[3] if ended[2] == begun[2] else ended[1]}"
