"""The changes of slimming, line by line: text deleted, text added, and the rules."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from tokaudit.model.edits import SlimResult
from tokaudit.model.pages import Mark
from tokaudit.model.signs import visible, visible_unchanged
from tokaudit.pipeline.engine.changes import Change, changes

_RED, _GREEN, _DIM, _BOLD, _OFF = "\x1b[9;31m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
_RED_PLAIN = "\x1b[31m"
_BLANK = "\x1b[41m"
"""Blanks that go: a stroke through them would hardly be seen."""
_BLANKS = re.compile(r"^\s+|\s{2,}|[^\S ]+|\s+$")
_CONTEXT = 30
"""Characters of an unchanged stretch that are shown on either side of a change."""
_FAMILY = 24
"""Characters of a family of lines that are shown."""
_LONG = 200
"""Characters of a text that goes or comes from which on its middle is not shown, and of changes that share a line."""


def render_changes(
    path: str,
    result: SlimResult,
    *,
    color: bool,
    pages: bool = False,
    marks: Sequence[Mark] | None = None,
    kind: str = "",
) -> str:
    """The changes of one document, each line of it that changes with the rules that did it.

    In colour what goes is red and struck through (blanks on red), what comes green; otherwise they stand in ``[-…-]``
    and ``{+…+}``. A value of JSON that only loses its blanks is shown whole, before and after.

    Args:
        path: The document's.
        result: What came of it.
        color: Whether ANSI colours may be used.
        pages: Number places by pages, which form feeds end, not by lines.
        marks: Parts of the text before that are not body; named beside the rule that removed them.
        kind: The document's kind.
    """
    lines = [f"{_BOLD}{_visible(path)}{_OFF}" if color else _visible(path)]
    before = result.before
    structured = kind in {"json", "jsonl"}
    groups = list(_groups(before, changes(before, result.steps), structured=structured))
    number, counted, done = 1, 0, 0
    unit = "\f" if pages else "\n"
    for at, group in enumerate(groups):
        start = max(_line_start(before, group[0].start), done)
        number += before.count(unit, counted, start)
        counted = start
        end = _line_end(before, group[-1])
        if at + 1 < len(groups):
            end = min(end, groups[at + 1][0].start)
        minified = len(group) > 1 and all(_minifies(before, change, structured=structured) for change in group)
        shown = (
            _before_and_after(before, start, end, group, color)
            if minified
            else _marked(before, start, end, group, color)
        )
        names = [rule for change in group for rule in change.rules]
        names += [name for change in group for name in _marked_as(marks or (), change)]
        rules = ", ".join(dict.fromkeys(names))
        tail = f"  {_DIM}{rules}{_OFF}" if color else f"  ({rules})"
        lines.append(f"{f'p. {number}' if pages else number:>6}: {shown}{tail}")
        done = group[-1].end
    return "\n".join(lines) + "\n" if len(lines) > 1 else ""


def _groups(before: str, found: Sequence[Change], *, structured: bool) -> Iterator[list[Change]]:
    """The changes of one line together; a change over several lines joins them, up to a length.

    Those that take the blanks of one value of JSON stay together, however long it is.
    """
    group: list[Change] = []
    value = False
    for change in found:
        between = before[group[-1].end : change.start] if group else ""
        minifies = _minifies(before, change, structured=structured)
        long = change.end - group[0].start > _LONG and not value if group else False
        if group and ("\n" in between or "\f" in between or long or minifies != value):
            yield group
            group = []
        value = minifies
        group.append(change)
    if group:
        yield group


def _minifies(before: str, change: Change, *, structured: bool) -> bool:
    """True if a change only takes blanks of JSON."""
    return (
        (structured or change.rules[-1].endswith("minify"))
        and not change.text.strip()
        and not before[change.start : change.end].strip()
    )


def _marked_as(marks: Sequence[Mark], change: Change) -> Iterator[str]:
    """The kinds, with families, of the parts that are not body and that a change is in."""
    for mark in marks[bisect_right(marks, change.start, key=_end) :]:
        if mark.start >= change.end:
            return
        family = mark.family if len(mark.family) <= _FAMILY else f"{mark.family[: _FAMILY - 1]}…"
        if mark.kind != "parted":
            yield f"{mark.kind} {family!r}" if family else mark.kind


def _end(mark: Mark) -> int:
    return mark.end


def _line_start(before: str, at: int) -> int:
    """The start of a line, which a page may begin with."""
    return max(before.rfind("\n", 0, at), before.rfind("\f", 0, at)) + 1


def _line_end(before: str, change: Change) -> int:
    """The end of the line in which a change ends; where whole lines go, their own."""
    starts_line = change.start == 0 or before[change.start - 1] == "\n"
    if starts_line and before[change.start : change.end].endswith("\n"):
        return change.end
    ends = [end for end in (before.find("\n", change.end), before.find("\f", change.end)) if end >= 0]
    return min(ends, default=len(before))


def _marked(before: str, start: int, end: int, group: Sequence[Change], color: bool) -> str:
    parts = []
    at = start
    for change in group:
        parts.append(_context(before[at : change.start], first=at == start))
        gone = _shortened(before[change.start : change.end])
        if gone:
            parts.append(_gone(gone) if color else f"[-{_changed(gone)}-]")
        if change.text:
            come = _changed(_shortened(change.text))
            parts.append(f"{_GREEN}{come}{_OFF}" if color else f"{{+{come}+}}")
        at = change.end
    parts.append(_context(before[at : max(end, at)], last=True))
    return "".join(parts)


def _before_and_after(before: str, start: int, end: int, group: Sequence[Change], color: bool) -> str:
    """A value on one line, and on the next one what became of it."""
    parts, at = [], start
    for change in group:
        parts += [before[at : change.start], change.text]
        at = change.end
    old = _changed(_shortened(before[start : max(end, at)].rstrip("\n")))
    new = _changed(_shortened("".join([*parts, before[at:end]]).rstrip("\n")))
    if color:
        return f"{_RED_PLAIN}{old}{_OFF}\n{' ' * 8}{_GREEN}{new}{_OFF}"
    return f"[-{old}-]\n{' ' * 8}{{+{new}+}}"


def _gone(text: str) -> str:
    """Text that goes, in colour."""
    parts, at = [], 0
    for match in _BLANKS.finditer(text):
        parts += [(_RED, text[at : match.start()]), (_BLANK, match[0])]
        at = match.end()
    parts.append((_RED, text[at:]))
    return "".join(f"{style}{_changed(part)}{_OFF}" for style, part in parts if part)


def _shortened(text: str) -> str:
    """Deleted or added text, without its middle where it is long."""
    if len(text) <= _LONG:
        return text
    half = _LONG // 2
    return f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"


def _context(text: str, *, first: bool = False, last: bool = False) -> str:
    """An unchanged stretch, shortened to what stands next to the changes."""
    if len(text) > 4 * _CONTEXT:  # what is not shown need not be made visible
        text = text[: 2 * _CONTEXT] + text[-2 * _CONTEXT :]
    text = _visible(text)
    if len(text) <= 2 * _CONTEXT:
        return text
    if first:
        return "…" + text[-_CONTEXT:]
    if last:
        return text[:_CONTEXT] + "…"
    return f"{text[:_CONTEXT]}…{text[-_CONTEXT:]}"


def _visible(text: str) -> str:
    """Line ends, tabs and other controls as signs that take one cell."""
    return _printable(visible_unchanged(text.replace("\r\n", "⏎")))


def _changed(text: str) -> str:
    """The same of a text that goes or comes, whose spaces are to be seen too."""
    return _printable(visible(text.replace("\r\n", "\n")))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in text)
