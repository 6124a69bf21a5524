"""Reports to text: one module a format, each with one function ``render`` and imported only when asked for.

To add a format, write its module next to these and name it in ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from tokaudit.model import Report, UsageError
from tokaudit.model.message import Message

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "table": "terminal",
        "json": "json_report",
        "jsonl": "jsonl",
        "csv": "csv_report",
        "markdown": "markdown",
        "github": "github",
        "gitlab": "gitlab",
        "sarif": "sarif",
        "junit": "junit",
    }
)
"""Name of ``--format`` to the module that renders it."""
GATE_FORMATS = frozenset(("github", "gitlab", "sarif", "junit"))
"""Formats that carry findings only: those of commands that judge. They are UTF-8 wherever they go."""


def require_format(name: str, *, gate: bool = True) -> None:
    """Raise ``UsageError`` for a name not in ``FORMATS``, with those that a gate, or another command, has."""
    if name not in FORMATS:
        from difflib import get_close_matches

        offered = [known for known in FORMATS if gate or known not in GATE_FORMATS]
        near = get_close_matches(name.lower(), offered, n=1, cutoff=0.5)
        known = tuple(offered)
        hint = (
            Message("did you mean '{near}'? The formats are {known}", near=near[0], known=known)
            if near
            else Message("the formats are {known}", known=known)
        )
        raise UsageError(Message("unknown format '{name}'", name=name), hint=hint)


def render(report: Report, format: str, *, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:  # noqa: A002 - the option's name
    r"""Render a report in one format.

    Args:
        report: What a command found. Of one with findings, ``data["prefix"]`` leads from the top of the repository to
            its paths.
        format: A key of ``FORMATS``.
        width: Columns of the terminal; used by ``table`` only.
        color: Whether ANSI colours may be used; ``table`` only.
        ascii_only: The output's charset has no ``…``, ``≈`` or rules: write ``...``, ``~`` and ``-`` instead, in JSON
            formats ``\u`` escapes, and in JUnit character references. Labels keep their own characters in the others.

    Returns:
        Text that ends with a newline, with ``\n`` line ends.

    Raises:
        UsageError: There is no such format.
    """
    require_format(format)
    module = import_module(f"{__name__}.{FORMATS[format]}")
    terminal = {"width": width, "color": color} if format == "table" else {}
    text: str = module.render(report, ascii_only=ascii_only, **terminal)
    return text
