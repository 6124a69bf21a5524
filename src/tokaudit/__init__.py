"""Know the tokens that prompts cost.

``load_tokenizer(name)`` gives a tokenizer, ``count(text, models)`` and ``count_paths(paths, models)`` what
``tokaudit count --format json`` prints, ``diff(before, after, models)``, ``diff_paths`` and ``diff_git`` what
``tokaudit diff --format json`` does. Errors raised on purpose are ``TokauditError``.
"""

from __future__ import annotations

from tokaudit.api import count, count_paths, load_tokenizer
from tokaudit.api_diff import diff, diff_git, diff_paths
from tokaudit.model import (
    ConfigError,
    InputError,
    RuleError,
    TokauditError,
    TokenizerError,
    UsageError,
)

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "InputError",
    "RuleError",
    "TokauditError",
    "TokenizerError",
    "UsageError",
    "__version__",
    "count",
    "count_paths",
    "diff",
    "diff_git",
    "diff_paths",
    "load_tokenizer",
]
