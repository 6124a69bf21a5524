"""Errors that tokaudit raises on purpose.

Each carries a message that names what is wrong and a hint that is a command or an edit. The command line turns
them into one line on stderr and an exit code; nothing else in the package decides an exit code.
"""

from __future__ import annotations


class TokauditError(Exception):
    """Base of all errors raised on purpose. ``exit_code`` is the process's exit status (design: 2 unless said)."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(TokauditError):
    """A command or call that cannot mean anything: contradicting options, an empty list of models."""


class ConfigError(TokauditError):
    """A configuration file that cannot be read or understood; names file, line and column where known (1-based)."""

    def __init__(
        self, message: str, *, hint: str = "", path: str = "", line: int | None = None, column: int | None = None
    ) -> None:
        place = ":".join(str(part) for part in (path, line, column) if part not in ("", None))
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.path = path
        self.line = line
        self.column = column


class InputError(TokauditError):
    """An input that is missing, unreadable, binary, or not in the charset named."""


class TokenizerError(TokauditError):
    """An unknown model, or a tokenizer whose vocabulary is missing, truncated or wrong."""


class RuleError(TokauditError):
    """A rule pack that cannot be loaded, or a rule that cannot run."""
