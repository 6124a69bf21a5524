"""The text of a comparison with its changes marked, for a terminal: in colour, or in brackets."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from tokaudit.cli import language
from tokaudit.features.diff.marked_text import Hunk, Piece, hunks
from tokaudit.features.diff.types import DiffResult
from tokaudit.model import ModelColumn
from tokaudit.model.signs import visible
from tokaudit.reporters.cells import one_line

_RED, _GREEN, _DIM, _BOLD, _OFF = "\x1b[9;31m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m"


def marked(result: DiffResult, context: int, *, color: bool) -> str:
    """All changes of all documents, each hunk under a line with its place and its tokens.

    In colour what goes is red and struck through, and what comes is green; otherwise they stand in ``[-…-]`` and
    ``{+…+}``.
    The comparison kept its texts; ``context`` is lines of unchanged text around a change.
    """
    lines = []
    for document in result.documents:
        if not document.changes:
            continue
        lines += ["", f"{_BOLD}{document.path}{_OFF}" if color else document.path]
        for hunk in hunks(document.texts[0], document.changes, context):
            head = _head(hunk, result.models)
            lines.append(f"{_DIM}{head}{_OFF}" if color else head)
            lines += "".join(_painted(hunk.pieces, color=color)).removesuffix("\n").split("\n")
    return "\n".join([*lines, ""]) if lines else ""


def _head(hunk: Hunk, models: Sequence[ModelColumn]) -> str:
    deltas = [f"{model.name} {model.signed(hunk.delta[model.column])}" for model in models]
    return f"@@ {language.said(hunk.place, sys.stdout)}: {', '.join(deltas)} @@"


def _painted(pieces: Sequence[Piece], *, color: bool) -> Iterator[str]:
    for mark, text in pieces:
        if mark == "…":
            yield f"{_DIM}…{_OFF}" if color else "…"
            continue
        lines = text.split("\n")
        for number, line in enumerate(lines):
            ended = number < len(lines) - 1
            if not mark:
                yield one_line(line)
            elif line or ended:
                shown = one_line(visible(line + "\n" * ended))
                yield _sign(mark, shown, color=color)
            yield "\n" * ended


def _sign(mark: str, text: str, *, color: bool) -> str:
    if color:
        return f"{_RED if mark == '-' else _GREEN}{text}{_OFF}"
    return f"[-{text}-]" if mark == "-" else f"{{+{text}+}}"
