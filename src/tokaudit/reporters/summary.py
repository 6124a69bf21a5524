"""One line that says how a run ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokaudit.model import Level, Report, plural
from tokaudit.model.message import Message, joined

LEVELS: Sequence[Level] = ("error", "warning", "note")
"""The worst first."""
_ENDED = {
    "passed": Message("passed"),
    "failed": Message("failed"),
    "unmeasured": Message("could not judge everything"),
}


def summary(report: Report) -> str:
    """Outcome and figures of a run, as in ``tokaudit check failed: 2 errors, 1 warning (12 files)``."""
    count = Counter(finding.level for finding in report.findings)
    figures: list[str] = [plural(count[level], level) for level in LEVELS if count[level]]
    left_out = sum(not item.is_note for item in report.skipped)
    if left_out:
        figures.append(Message("{n:,} skipped", n=left_out))
    files = report.data.get("files")
    tail = f" ({plural(len(files), 'file')})" if isinstance(files, Sequence) and files else ""
    return f"{ended(report)}: {', '.join(figures) or Message('nothing to report')}{tail}"


def ended(report: Report) -> str:
    """The outcome of a run, as in ``tokaudit check failed``; the command alone where it does not judge."""
    return joined(" ", "tokaudit", report.command, _ENDED.get(str(report.data.get("outcome")), ""))
