"""Write lines of a log that say the same with other numbers by what differs."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.log_lines import ABOVE, is_alarm, without_writers
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = (
    "Keep the first of lines in a row that differ in numbers alone, and of the others only the words that are not the "
    "same in all of them."
)
PARAMETERS: Parameters = {
    "lines": Parameter("integer", "Lines in a row, at least.", default=2),
}
MARK = "… "
"""The start of a line whose other words are those of the last line without this mark."""
_number = lazy(r"\d+(?:\.\d+)*")


def prepare(parameters: Values) -> Find:
    least = max(2, parameters["lines"])

    def find(view: View) -> Edits:
        forms = _number().sub("0", without_writers(view.text)).split("\n")
        if len(forms) < least:
            return
        lines = view.text.split("\n")
        first = start = 0
        for index in range(1, len(forms) + 1):
            if index < len(forms) and forms[index] == forms[first]:
                continue
            run = lines[first:index]
            if len(run) >= least and _can_be_shortened(run[0]):
                yield from _edits(run, start)
            start += sum(map(len, run)) + len(run)
            first = index

    return find


def _can_be_shortened(line: str) -> bool:
    """True if a line is not blank, no alarm, and refers to no line before."""
    return bool(line.strip()) and not line.startswith(MARK[0]) and ABOVE not in line and not is_alarm(line)


def _edits(run: list[str], start: int) -> Edits:
    """An edit for each line of a run after the first, of which any may be left out."""
    words = [line.split() for line in run]
    if len({len(one) for one in words}) > 1:
        return  # a number with spaces in it, or without
    differs = [len(set(column)) > 1 for column in zip(*words, strict=True)]
    if not any(differs):
        return  # without a time stamp; lines that are the same are for counting
    at = start + len(run[0]) + 1
    for line, own in zip(run[1:], words[1:], strict=True):
        short = MARK + " ".join(word for word, word_differs in zip(own, differs, strict=True) if word_differs)
        body = line.rstrip("\r")
        if len(short) < len(body):
            yield Edit(at, at + len(body), short)
        at += len(line) + 1
