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


# What may tell of a failure: hints, and words of languages whose words of failures we do not know.
_doubtful = lazy(
    r"[^\W\d_a-zA-Zµμ\u3400-\u9fff\uf900-\ufaff]"
    r"|[不未没沒误誤错錯败敗崩死坏壞满滿缺断斷拒冻凍警险險急慢乱亂损損毁毀漏泄裂伤傷亡逾欠滞滯堵异異禁封锁鎖停撤赔賠投骗騙罚罰]"
    r"|\b(?:9\d|100)(?:\.\d+)?\s?%|\bno (?!new\b|changes?\b|updates?\b|work\b|jobs?\b|tasks?\b|messages?\b|op\b)"
    r"|(?<![\d.:])[45]\d\d(?: (?-i:[A-Z])|\r?$)"
    r"|\b(?:full|low|high|none|quota|limit|capacity|left|stop\w*|rebalanc\w+|shrink\w*|promot\w+|surg\w+|spik\w+|smoke"
    r"|fire|flood\w*|collision|tripp?ed|trip|parity|nmi|mce|ecc|rst|watchdog|refund\w*|revers\w+|undo|hotfix|captcha|quorum"
    r"|swap|overhead|reallocat\w+|corrected|grow\w*|increas\w+|rising|leader|half|ttl|partitioned|blacklist\w*|denylist|locked"
    r"|but)\b",
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
        matter: dict[str, bool] = {}
        # Where each line begins; the sum of lengths before it, with line ends.
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        first = 0
        for index in range(1, len(forms) + 1):
            same = index < len(forms) and forms[index] == forms[first]
            # Where the lines of a run may differ in any number, some can be alarms and others not.
            if same and not (numbers and any(map(_matters, lines[max(first, index - 1) : index + 1]))):
                continue
            if index - first < least or not _can_be_counted(lines[first]):
                first = index
                continue
            form = forms[first]
            if form not in matter:
                matter[form] = _matters(lines[first])
            if not matter[form]:
                last = lines[index - 1].removesuffix("\r")
                end = starts[index - 1] + len(last)
                yield Edit(starts[first + 1], end, _summary(lines[first], last, index - first))
            first = index

    return find


def _matters(line: str) -> bool:
    """True for a line that tells of a failure, or may do so."""
    return is_alarm(line) or _doubtful().search(line) is not None


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
