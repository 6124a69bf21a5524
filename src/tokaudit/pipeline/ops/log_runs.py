"""Count lines of a log that repeat each other instead of repeating them."""

from __future__ import annotations

import re
from itertools import accumulate

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.log_lines import ABOVE, is_alarm, stamp_pattern, without_writers
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = (
    "Keep only the first and the last of lines in a row that differ in time stamps, processes, threads and "
    "workers alone, and say how many there were; of a last line that differs in its time stamp alone say only that."
)
PARAMETERS: Parameters = {
    "lines": Parameter("integer", "Lines in a row, at least.", default=3),
    "numbers": Parameter("boolean", "Lines may also differ in any number.", default=False),
}
MARK = "… ×"
"""The start of the line that stands for the others; the number of lines follows, the first included."""

# What identifies something (1) is no number of its own: order-1001, user=7, 订单 1001, #42, 10.0.0.1, 13800138000.
_number = lazy(
    r"([^\W\d_][-_#]\d+|#\d+|\d+(?:\.\d+){3}|\d{8,}|(?:order|user|ticket|node|host|session|customer|client|account|tenant|payment|invoice|uid|id"
    r"|订单|用户|工单|节点|主机|会话|客户|账号|账户)s?号?[\"']?[ =:：#]{0,3}\d+)|\d+(?:\.\d+)?",
    re.IGNORECASE,
)


def prepare(parameters: Values) -> Find:
    least, numbers = max(2, parameters["lines"]), parameters["numbers"]

    def find(view: View) -> Edits:
        text = view.text
        masked = without_writers(text)
        if numbers:
            masked = _number().sub(lambda match: match[1] or "0", masked)
        forms = masked.split("\n")
        if len(forms) < least:
            return
        lines = text.split("\n")
        # Where each line begins; the sum of lengths before it, with line ends.
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        first = 0
        for index in range(1, len(forms) + 1):
            same = index < len(forms) and forms[index] == forms[first]
            # Where the lines of a run may differ in any number, some can be alarms and others not.
            if same and not (numbers and any(map(is_alarm, lines[max(first, index - 1) : index + 1]))):
                continue
            if index - first >= least and not is_alarm(lines[first]) and _can_be_counted(lines[first]):
                last = lines[index - 1].removesuffix("\r")
                end = starts[index - 1] + len(last)
                yield Edit(starts[first + 1], end, _summary(lines[first], last, index - first))
            first = index

    return find


def _can_be_counted(line: str) -> bool:
    """True if a line is not blank, no count itself, and does not refer to the line before."""
    return bool(line.strip()) and not line.startswith(MARK) and ABOVE not in line


def _summary(first: str, last: str, count: int) -> str:
    """What stands for all lines after the first, so that the last can be told from it in full."""
    line_end = "\r\n" if first.endswith("\r") else "\n"
    first = first.removesuffix("\r")
    if first == last:
        return f"{MARK}{count}"
    begun, ended = stamp_pattern().match(first), stamp_pattern().match(last)
    if begun and ended and _around(begun) == _around(ended):
        # The date, where it is the first line's, need not be said again.
        return f"{MARK}{count} until {ended[3] if ended[2] == begun[2] else ended[1]}"
    return f"{MARK}{count}{line_end}{last}"


def _around(stamp: re.Match[str]) -> tuple[str, str]:
    """What stands before and after a line's time stamp."""
    return stamp.string[: stamp.start(1)], stamp.string[stamp.end(1) :]
