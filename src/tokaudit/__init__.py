"""Know the tokens that prompts cost.

``load_tokenizer(name)`` gives a tokenizer, ``count(text, models)``, ``count_many(texts, models)`` and
``count_paths(paths, models)`` what ``tokaudit count --format json`` prints, ``diff(before, after, models)``,
``diff_paths`` and ``diff_git`` what ``tokaudit diff --format json`` does; ``slim(text)`` gives the slimmed text with
all that led to it, a ``SlimResult``; ``check(paths)`` holds files against budgets and a baseline, which
``write_baseline(paths)`` records.
Errors raised on purpose are ``TokauditError``.
"""

# This file alone is read by an older Python as well, and so has nothing of a newer one's syntax.
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - what is not installed, as a clone on the path, is started by any Python
    sys.stderr.write(
        "tokaudit needs Python 3.11 or newer; this is {}.{}: {}\n".format(*sys.version_info[:2], sys.executable)
    )
    raise SystemExit(2)

TYPE_CHECKING = False  # that of typing, which takes longer to import than all else here
if TYPE_CHECKING:
    from typing import Any

    from tokaudit.api.budget import budget
    from tokaudit.api.check import check, write_baseline
    from tokaudit.api.count import count, count_many, count_paths, load_tokenizer
    from tokaudit.api.diff import diff, diff_git, diff_paths
    from tokaudit.api.extract import extract
    from tokaudit.api.fit import fit, fit_path
    from tokaudit.api.slim import slim
    from tokaudit.model import ConfigError, InputError, RuleError, TokauditError, TokenizerError, UsageError
    from tokaudit.model.edits import SlimResult

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "InputError",
    "RuleError",
    "SlimResult",
    "TokauditError",
    "TokenizerError",
    "UsageError",
    "__version__",
    "budget",
    "check",
    "count",
    "count_many",
    "count_paths",
    "diff",
    "diff_git",
    "diff_paths",
    "extract",
    "fit",
    "fit_path",
    "load_tokenizer",
    "slim",
    "write_baseline",
]
_LATER = {
    "ConfigError": "tokaudit.model",
    "InputError": "tokaudit.model",
    "RuleError": "tokaudit.model",
    "SlimResult": "tokaudit.model.edits",
    "TokauditError": "tokaudit.model",
    "TokenizerError": "tokaudit.model",
    "UsageError": "tokaudit.model",
    "budget": "tokaudit.api.budget",
    "check": "tokaudit.api.check",
    "count": "tokaudit.api.count",
    "count_many": "tokaudit.api.count",
    "count_paths": "tokaudit.api.count",
    "diff": "tokaudit.api.diff",
    "diff_git": "tokaudit.api.diff",
    "diff_paths": "tokaudit.api.diff",
    "extract": "tokaudit.api.extract",
    "fit": "tokaudit.api.fit",
    "fit_path": "tokaudit.api.fit",
    "load_tokenizer": "tokaudit.api.count",
    "slim": "tokaudit.api.slim",
    "write_baseline": "tokaudit.api.check",
}
"""Modules that are imported when they are first asked for: a count must not pay for them."""


def __getattr__(name: str) -> "Any":
    """Import a public name on first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return globals().setdefault(name, getattr(import_module(_LATER[name]), name))


def __dir__() -> "list[str]":
    return sorted({*globals(), *_LATER})
