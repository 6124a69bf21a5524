"""The report of a command: the only thing that reporters see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from tokaudit.model.message import Message, counted
from tokaudit.model.record import record
from tokaudit.model.text import Place, Skipped

Level = Literal["note", "warning", "error"]
Align = Literal["left", "right"]
Cell = str | int | float | None


def plural(number: int, what: str) -> Message:
    """``1 error``, ``2,000 errors``."""
    return counted(number, f"1 {what}", f"{{n:,}} {what}s")


@record
class Finding:
    """A result that needs attention; maps one to one to a SARIF result."""

    rule: str
    level: Level
    message: str
    path: str
    place: Place
    measured: float | None = None
    limit: float | None = None
    fingerprint: str = ""
    group: str = ""
    """The same for findings that say the same of several models; empty where there is one only."""


@record
class Column:
    """One column of a table. ``key`` names it in CSV and JSON lines, ``title`` in tables for people."""

    key: str
    title: str
    align: Align = "left"
    format: str = ""
    """A format specification for numbers, such as ``,`` or ``.3f``; used in tables for people only."""
    wide: int = 0
    """Columns that a terminal must have for this one to be in its table; other formats always have it."""
    cut: int = 0
    """Most characters of a text in a terminal's table; 0 for all. Other formats have it whole."""
    firm: bool = False
    """A terminal cuts its text only after that of all other columns."""


@record
class Advice:
    """A next step, and the command for it."""

    text: str
    """Without a full stop: ``to accept what grew``."""
    command: str
    """Without its last arguments: ``tokaudit baseline update``."""
    arguments: Sequence[str]
    """As a shell takes them; at least one."""


@record
class Table:
    """Rows of cells for people; ``marks`` says how a cell is to be emphasised (cheap, dear, high, dim, total)."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """(row, column), 0-based, to a style name."""
    notes: Sequence[str] = ()
    """Lines below the table."""
    key: str = ""
    """Stable name of the table for programs; the title where empty."""
    advice: Sequence[Advice] = ()
    """Below the notes; a command is never broken into lines."""
    narrower: Sequence[Table] = ()
    """The same in fewer cells, the widest first, for terminals where this one does not fit. Only their columns, rows
    and marks count."""


@record
class Report:
    """The whole answer of one command."""

    command: str
    tables: Sequence[Table]
    data: Mapping[str, Any]
    """The versioned document that ``--format json`` prints (docs/formats.md); JSON types only."""
    findings: Sequence[Finding] = ()
    skipped: Sequence[Skipped] = ()
    bare: str = ""
    """The output of ``--quiet``."""
    verdict: str = ""
    """For people, how a run ended; below everything else at a terminal, below the heading in Markdown."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Catalogue of the language that people are shown, for what formats say themselves; empty for English."""
    rows: Table | None = None
    """The one table of ``--format csv``; None where ``tables`` has only one."""

    @property
    def noted(self) -> Sequence[tuple[Message, Sequence[Skipped]]]:
        """What people are told of inputs: what was skipped, and notes on what was counted; each with its title."""
        left_out = [item for item in self.skipped if not item.is_note]
        notes = [item for item in self.skipped if item.is_note]
        titles = Message("Skipped ({n:,})", n=len(left_out)), Message("Notes ({n:,})", n=len(notes))
        return [(title, items) for title, items in zip(titles, (left_out, notes), strict=True) if items]
