"""Budgets, and measurements of files now and before: the input of ``tokaudit check``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from tokaudit.model.measure import TokenizerRef
from tokaudit.model.record import record
from tokaudit.model.text import Skipped

ANY_MODEL = "*"
"""The key of a limit for every model without a limit of its own."""


@record
class Growth:
    """Allowed growth: a share of the tokens before, or a number of tokens."""

    millionths: int | None = None
    """Of the tokens before: 50,000 for ``5%``. Whole, so that the limit is exact."""
    tokens: int | None = None

    def limit(self, before: int) -> int:
        """The most tokens allowed now; a share is rounded down to whole tokens."""
        more = before * self.millionths // 1_000_000 if self.millionths is not None else self.tokens or 0
        return before + more

    def __str__(self) -> str:
        if self.millionths is not None:
            return f"{self.millionths / 10_000:.4f}".rstrip("0").rstrip(".") + "%"
        return "1 token" if self.tokens == 1 else f"{self.tokens or 0:,} tokens"


NO_GROWTH = Growth(millionths=0)
"""The limit where none is given: nothing may grow."""


@record
class Budget:
    """One ``[[tool.tokaudit.budget]]``: limits of files, or of parts of files."""

    paths: tuple[str, ...]
    """Patterns as in .gitignore, relative to the project's folder, with forward slashes."""
    max_tokens: Mapping[str, int] = field(default_factory=dict)
    """Model, or ``ANY_MODEL``, to the most tokens; empty for no limit."""
    max_growth: Mapping[str, Growth] = field(default_factory=dict)
    """Model, or ``ANY_MODEL``, to the growth allowed since the baseline or revision."""
    max_density: float | None = None
    """Most tokens per character (code point)."""
    window: float | None = None
    """Share of the model's window (0 to 1), or number of tokens (above 1), that the largest request of a file may take,
    its ``max_tokens`` included."""
    total: bool = False
    """The limits are of all files together, rather than of each."""
    segment: str = ""
    """A heading, as in ``## Rules``, or a field, as in ``$.tools``: the limits are of this part of each file."""
    role: str = ""
    """A chat role: the limits are of all messages of it in a file."""
    warn_at: float | None = None
    """Share of ``max_tokens`` that is warned of, 0 to 1."""
    requests_per_month: int | None = None
    """Requests with each file, for costs."""
    note: str = ""
    """The reason for the limit, for the report."""
    line: int | None = None
    """Its line in the configuration file, 1-based."""


@record
class SlimGate:
    """A pack of rules with the most that it may save: ``--slim-check PACK=5%``."""

    pack: str
    allowed: Growth
    """Share of the file's tokens, or tokens."""


@record
class MeasuredPart:
    """A heading's section, a chat message or a top-level field, measured; or the content of all messages of a role."""

    id: str
    """Stable, with the path: ``prompts/a.md#rules``."""
    kind: str
    """section, message, field, or role."""
    label: str
    """Of a message, and of a role itself, the role."""
    line: int | None
    chars: int
    tokens: tuple[int | None, ...]
    """For each tokenizer; None where a baseline does not have it."""
    level: int = 0
    """Of a heading: 1 to 6. A section of a higher level that follows is part of it."""


@record
class MeasuredFile:
    """A file, measured for several tokenizers."""

    path: str
    """From the project's folder, with forward slashes."""
    sha256: str
    """Of its text in UTF-8, in hex."""
    chars: int
    tokens: tuple[int | None, ...]
    """For each tokenizer; None where a baseline does not have it."""
    parts: Sequence[MeasuredPart] = ()
    """Ascending; they cover the file and sum to it. Empty where it is not divided."""
    roles: Sequence[MeasuredPart] = ()
    """Of a chat: the texts of the messages of each role, without the JSON around them. Other files have none."""
    renamed_from: str = ""
    """The path before, where it was another one."""


@record
class Before:
    """The reference that files are compared with: a baseline or a revision."""

    name: str
    """``tokaudit-baseline.json`` or a revision."""
    files: Mapping[str, MeasuredFile]
    """By their paths now: a renamed file has the path that it has now. Also those that are gone, or were not asked
    for."""
    gone: Sequence[str] = ()
    """Paths that are in no file now."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Paths of files that were there but cannot be measured, as in a submodule, to the reason."""
    incomparable: Mapping[int, str] = field(default_factory=dict)
    """Column of a tokenizer to why its counts cannot be compared: another vocabulary, or none."""
    kind: str = "baseline"
    """baseline or revision."""
    notes: Sequence[str] = ()
    """Remarks on the comparison, such as a missing merge base."""


@record
class Baseline:
    """The content of ``tokaudit-baseline.json``."""

    tokenizers: Sequence[TokenizerRef]
    """Whose counts are in ``files``, in the order of their ``tokens``."""
    files: Sequence[MeasuredFile]
    """Sorted by path."""
    skipped: Sequence[Skipped] = ()
    paths: Sequence[str] = ()
    """Files, folders and globs that it was written of, from the project's folder: new files there are checked too."""
    models: Sequence[str] = ()
    """Names under which its tokenizers were asked for; empty where these are their own."""
