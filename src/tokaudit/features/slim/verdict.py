"""The last lines of a run of ``slim``: what was written, or could be, and the command that does it."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.features.slim.document import SlimRun
from tokaudit.features.slim.report import NOTHING
from tokaudit.model import Advice, Report, Table
from tokaudit.model.message import Message, counted


def checked(run: SlimRun, command: str, paths: Sequence[str]) -> Report | None:
    """The verdict of ``--check``; None where the report says already that there is nothing to shorten.

    Args:
        run: The run.
        command: The command that makes the files shorter, without their paths.
        paths: As a shell takes them; none where there is nothing that can be written back.
    """
    if not run.saves:
        return _report(NOTHING) if any(document.result.deltas for document in run.documents) else None
    texts = counted(run.shorter, "1 text could be shorter", "{n:,} texts could be shorter")
    if not paths:
        return _report(texts)
    files = counted(run.shorter, "1 file could be shorter", "{n:,} files could be shorter")
    return _report(advice=[Advice(files, command, paths)])


def rewritten(run: SlimRun) -> Report:
    """The verdict of ``--write``."""
    done = sum(document.met is not False and document.result.text != document.result.before
               for document in run.documents)  # fmt: skip
    if not done:
        return _report(Message("no file rewritten"))
    return _report(counted(done, "1 file rewritten", "{n:,} files rewritten"))


def written(run: SlimRun, to: str) -> Report:
    """The verdict of ``-o``."""
    done = sum(document.met is not False for document in run.documents)
    if not done:
        return _report(Message("nothing written"))
    files = counted(done, "1 file", "{n:,} files")
    return _report(Message("{files} written to {to}", files=files, to=to))


def _report(note: str = "", advice: Sequence[Advice] = ()) -> Report:
    return Report("slim", [Table("", [], [], notes=[note] if note else [], advice=advice)], {})
