"""A progress bar on stderr, for work over a second, only on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import time
from types import TracebackType

from tokaudit import leftovers
from tokaudit.cli import language
from tokaudit.model.message import Message

_PATIENCE = 1.0
"""Seconds before the bar appears."""


class Bar:
    """Call it with what is done and what is to do; it draws when that has lasted a while."""

    def __init__(self, *, quiet: bool) -> None:
        # A dumb terminal cannot take back what was drawn.
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._began = time.monotonic()
        self._drawn = 0.0

    def __call__(self, done: int, total: int) -> None:
        """``done`` of ``total`` bytes."""
        now = time.monotonic()
        if not self._shown or now - self._began < _PATIENCE or (now - self._drawn < 0.1 and done < total):
            return
        self._drawn = now
        sys.stderr.write(f"\r{bar_line(done, total, now - self._began, shutil.get_terminal_size().columns)}\x1b[K")
        sys.stderr.flush()

    def __enter__(self) -> Bar:  # noqa: PYI034 - Self is of Python 3.11
        leftovers.note(self, self._erase)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        leftovers.forget(self)
        self._erase()

    def _erase(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def bar_line(done: int, total: int, seconds: float, columns: int) -> str:
    """The bar with bytes done and bytes a second, in fewer than ``columns`` cells: a line that wraps stays behind."""
    part = done / total if total else 1.0
    unit, size, places = ("MB", 1e6, 1) if total >= 1e6 else ("kB", 1e3, 0)
    counted = Message("{done:,.0f} of {total:,.0f} {unit}", done=done / size, total=total / size, unit=unit)
    figures = f"{part:4.0%}  {language.said(counted, sys.stderr)}"
    speed = f", {done / seconds / size:,.{places}f} {unit}/s"
    figures += speed if len(figures + speed) < columns else ""
    cells = min(30, columns - len(figures) - 4)
    if cells < 5:
        return figures[: columns - 1]
    full = int(cells * part)
    return f"[{'#' * full}{'.' * (cells - full)}] {figures}"
