"""The kind of a text for ``slim``, by its name and its first lines."""

from __future__ import annotations

import re

from tokaudit.sources.file_names import KIND_OF_SUFFIX, SET_ASIDE, VERBATIM_NAMES, VERBATIM_SUFFIXES
from tokaudit.sources.kinds import KINDS, base_name, kind_of

SLIM_KINDS = (*KINDS, "log", "chat")
"""Kinds that ``slim`` accepts; it has rules of their own for logs and chats."""
_HEAD = 1 << 14
"""Code points that are looked at."""
_LOG_LINE = re.compile(
    r"\W{0,2}(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]?|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|"
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b)"
)
_TURN = re.compile(
    r"[*_\[【「]{0,2}(?:机器人|我|你|[A-Za-z][\w .-]{0,20}|[\u4e00-\u9fff]{2,4})"
    r"[\]】」*_]{0,2}(?:\s?[(（]?\d\d?:\d\d[^:：]{0,6})?\s?[:：]"
)
_FEW = 3
"""Least number of lines that begin like a log's or a chat's, for a text that is one."""


def slim_kind_of(path: str, text: str, kind: str | None = None) -> str:
    """The kind of a text: as given, else by its name; a plain text may be a log, a chat or text of pages (pdf)."""
    given, kind = kind is not None, kind or _kind_by_name(path)
    if kind in {"yaml", "toml"} and not given:
        return _kind_of_keyed(path, text, kind)
    return _kind_by_content(text) if kind == "text" else kind


def _kind_of_keyed(path: str, text: str, kind: str) -> str:
    """Yaml or toml for a file with prompts, and for one that is broken, which is reported; code for any other."""
    from tokaudit.pipeline.spans.keyed_text import prompts_of, values_of
    from tokaudit.pipeline.spans.keyed_values import BrokenError
    from tokaudit.sources.keyed import is_configuration

    if is_configuration(path):
        return "code"
    try:
        values_of(text, kind)
    except BrokenError:
        return kind
    return kind if prompts_of(text, kind) else "code"


def _kind_by_name(path: str) -> str:
    """Kind by the name alone: as ``kind_of``, but code for what must stay as it is written.

    That is: data in columns, patches, markups in which blanks mean something, and templates of code, whose
    text between the tags is code.
    """
    name = base_name(path)
    stem, dot, suffix = name.rpartition(".")
    template = bool(dot) and KIND_OF_SUFFIX.get(suffix) == "template"
    if template or (suffix in SET_ASIDE and stem):
        inner = _kind_by_name(stem) if "." in stem or stem in VERBATIM_NAMES else "text"
        if inner in {"code", "json", "jsonl", "yaml", "toml"} or (inner == "template" and template):
            return "code" if inner != "template" else inner
        if template:
            return "template"
    if (
        (dot and suffix in VERBATIM_SUFFIXES)
        or name in VERBATIM_NAMES
        or name.startswith((".env.", "dockerfile.", "makefile."))
    ):
        return "code"
    return kind_of(path, ask_pygments=True)


def _kind_by_content(text: str) -> str:
    """Kind of a plain text by its first lines: log, chat, pdf for text of pages, or text."""
    head = text[:_HEAD]
    if "\f" in head:
        return "pdf"
    lines = [line for line in head.split("\n")[:200] if line.strip()]
    logged = sum(1 for line in lines if _LOG_LINE.match(line))
    if logged >= _FEW and logged * 2 >= len(lines):
        return "log"
    turns = sum(1 for line in lines if _TURN.match(line))
    return "chat" if turns >= _FEW and turns * 2 >= len(lines) else "text"
