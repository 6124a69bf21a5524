"""Cells of tables as text, in all formats that are read as lines: one line, printable, numbers formatted."""

from __future__ import annotations

import unicodedata

from tokaudit.model import Cell, Finding, Table
from tokaudit.model.message import Message

# Joiners shape letters and emoji and reorder nothing, so they are the only format characters that pass.
_KEPT = "\u200c\u200d"
_NEUTRALISED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ASCII = str.maketrans({"…": "...", "≈": "~", "─": "-", "–": "-", "—": "-", "×": "x", "→": "->"})


def one_line(text: str, *, ascii_only: bool = False) -> str:
    r"""The text on one line, with nothing in it that could drive a terminal.

    Control characters (line ends and escape among them), bidirectional and other invisible format characters, and
    lone surrogates become visible escapes such as ``\n``, ``\x1b`` and ``\u202e``.
    ``ascii_only`` also replaces our own signs (``…``, ``≈``, dashes).
    """
    # isprintable is false for a few harmless characters too, such as the ideographic space, hence the second look.
    shown = text if text.isprintable() else "".join(map(_visible, text))
    return shown.translate(_ASCII) if ascii_only else shown


def _visible(char: str) -> str:
    if char.isprintable() or char in _KEPT or unicodedata.category(char) not in _NEUTRALISED:
        return char
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def figures(table: Table) -> list[bool]:
    """For each column whether it holds figures: aligned to the right, or nothing but numbers in it."""
    found = []
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows if row[index] is not None]
        found.append(column.align == "right" or (bool(cells) and all(isinstance(c, (int, float)) for c in cells)))
    return found


def shown(cell: Cell, format_spec: str, *, figure: bool, ascii_only: bool = False) -> str:
    """A cell as people read it; without a format, numbers have thousands separators and three decimals.

    None, for what does not apply, is a dash in a column of figures.
    """
    if cell is None:
        return "-" if figure else ""
    if isinstance(cell, str):
        return one_line(cell, ascii_only=ascii_only)
    spec = format_spec or ("," if isinstance(cell, int) else ",.3f")
    return format(cell, spec if cell else spec.removeprefix("+"))


def level_of(finding: Finding, *, judged: bool) -> str:
    """The level of a finding; for a command that judges also whether something was not judged."""
    if judged:
        from tokaudit.model.gate_rules import UNJUDGED  # a count does without the rules

        return "not judged" if finding.rule in UNJUDGED else finding.level
    return finding.level


def place_of(finding: Finding) -> str:
    """``path:line:column`` of a finding, as far as known (1-based), with the page or message where it has one."""
    place = finding.place
    text = ":".join([finding.path, *(str(part) for part in (place.line, place.column) if part is not None)])
    if place.page is not None:
        text += Message(" page {page}", page=place.page)
    return Message("{text} message {message}", text=text, message=place.message) if place.message is not None else text
