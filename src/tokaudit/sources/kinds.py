"""The kind of document that a file is, by its name; Pygments is asked only about names that are not in these tables."""

from __future__ import annotations

from tokaudit.sources.file_names import KIND_OF_SUFFIX

KINDS = ("text", "markdown", "json", "jsonl", "yaml", "toml", "code", "template")


def checked_kind(kind: str | None, known: tuple[str, ...] = KINDS) -> None:
    """Refuse a kind that there is not. Raises ``UsageError``."""
    if kind is not None and kind not in known:
        from tokaudit.model import UsageError
        from tokaudit.model.message import Message

        raise UsageError(Message("unknown kind {kind!r}", kind=kind), hint=Message("one of {choices}", choices=known))


def base_name(path: str) -> str:
    """The last part of a path, in lower case."""
    return path.replace("\\", "/").rpartition("/")[2].lower()


def kind_of(path: str, *, ask_pygments: bool) -> str:
    """Kind of the document at ``path``, one of ``KINDS``; text for a name that tells nothing.

    ``ask_pygments`` allows the import of Pygments for a suffix that is in no table of ours.
    """
    from tokaudit.sources.languages import family_of

    name = base_name(path)
    stem, dot, suffix = name.rpartition(".")
    known = KIND_OF_SUFFIX.get(suffix) if dot else None
    if known:
        return known
    if family_of(path):
        return "code"
    if not ask_pygments or not dot or not stem or path.startswith("<"):
        return "text"
    return "code" if _is_known_to_pygments(path) else "text"


def _is_known_to_pygments(path: str) -> bool:
    """True for the name of a file in a language that Pygments has a lexer for; the lexer reads nothing."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return bool(get_lexer_for_filename(path.replace("\\", "/").rpartition("/")[2]).name != "Text only")
    except (ClassNotFound, ValueError):
        return False


def untemplated(path: str) -> str:
    """The path of what comes of a template, as its name has it: ``a.md`` of ``a.md.j2``."""
    stem, dot, suffix = path.rpartition(".")
    return stem if dot and KIND_OF_SUFFIX.get(suffix.lower()) == "template" else path
