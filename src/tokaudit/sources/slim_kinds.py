"""The kind of a text for ``slim``, by its name and its first lines."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.model.evidence import Evidence
from tokaudit.model.message import Message
from tokaudit.sources.file_names import KIND_OF_SUFFIX, SET_ASIDE, VERBATIM_NAMES, VERBATIM_SUFFIXES
from tokaudit.sources.kinds import KINDS, base_name, kind_of
from tokaudit.sources.text_kinds import text_evidence

SLIM_KINDS = (*KINDS, "log", "chat")
"""Kinds that ``slim`` accepts; it has rules of their own for logs and chats."""


def slim_kind_of(path: str, text: str, kind: str | None = None) -> str:
    """The kind of a text: as given, else by its name; a plain text may be a log, a chat or text of pages (pdf)."""
    return kind_evidence(path, text, kind)[0].kind


def kind_evidence(path: str, text: str, kind: str | None = None) -> Sequence[Evidence]:
    """The same kind with what speaks for it, first, and what speaks for others."""
    if kind is not None and kind != "text":
        return [Evidence(kind, Message("given with --kind"))]
    named = kind or _kind_by_name(path)
    if named == "text":
        return text_evidence(text, base_name(path))
    if named in {"yaml", "toml"}:
        return [
            Evidence(_kind_of_keyed(path, text, named), Message("the name of the file, and whether it has prompts"))
        ]
    return [Evidence(named, Message("the name of the file"))]


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
