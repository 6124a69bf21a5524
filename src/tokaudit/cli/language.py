"""The language of messages: ``--lang`` over TOKAUDIT_LANG over the configuration over the locale."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from tokaudit.model import UsageError
from tokaudit.model.message import Message, translated

_chosen: dict[str, str] = {}
"""What was asked for by ``flag`` and by ``configuration`` in this run of the command line."""
_CHINESE = 0x04
"""Primary language identifier of Windows."""


def forget() -> None:
    """Begin a run of the command line."""
    _chosen.clear()


def choose(language: str | None) -> str | None:
    """Take the value of ``--lang``. Raises ``UsageError`` for a language that there is not."""
    if language is not None:
        from tokaudit.store.languages import LANGUAGES

        if language not in LANGUAGES:
            raise UsageError(Message("invalid --lang '{name}'", name=language), hint=Message("--lang takes en or zh"))
        _chosen["flag"] = language
    return language


def configure(language: str | None) -> None:
    """Take the language of the configuration, or of its variable."""
    if language is not None:
        _chosen["configuration"] = language


def language() -> str:
    """The language of messages, ``en`` or ``zh``."""
    asked = _chosen.get("flag") or _chosen.get("configuration") or os.environ.get("TOKAUDIT_LANG", "").strip()
    if asked in {"en", "zh"}:
        return asked
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((name for name in names if name), "")
    if not locale and sys.platform == "win32":
        import ctypes

        return "zh" if ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == _CHINESE else "en"
    return "zh" if locale.lower().startswith("zh") else "en"


def words(stream: TextIO | None = None) -> Mapping[str, str]:
    """The catalogue of the language; that of English where a stream has no Chinese characters."""
    from tokaudit.store.languages import catalogue

    name = language()
    if name == "zh" and stream is not None:
        try:
            "中".encode(getattr(stream, "encoding", None) or "utf-8")
        except (UnicodeError, LookupError):
            name = "en"
    return catalogue(name)


def said(text: str, stream: TextIO | None = None) -> str:
    """A text in the language of messages."""
    if type(text) is str and language() == "en":
        return text  # an error needs no catalogue
    return translated(text, words(stream))


def both() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The catalogue of standard output's language, and the other one: rules have a line of each."""
    from tokaudit.store.languages import catalogue

    own = words(sys.stdout)
    return own, catalogue("zh" if own is catalogue("en") else "en")
