"""The kind of document that a file is, by its name; Pygments is asked only about names that are not in these tables."""

from __future__ import annotations

KINDS = ("text", "markdown", "json", "jsonl", "yaml", "toml", "code", "template")

_SUFFIXES = {
    "markdown": "md markdown mdown mkd mdx qmd rmd",
    "json": "json geojson webmanifest ipynb avsc",
    "jsonl": "jsonl ndjson jsonlines ldjson",
    "yaml": "yaml yml",
    "toml": "toml",
    "text": "txt text log out csv tsv rst adoc asciidoc org tex srt vtt prompt diff patch eml po pot bib json5 jsonc "
    "tmpl",
    "template": "j2 jinja jinja2 prompty",
    # Languages that Pygments knows: listed so that the kind does not depend on whether Pygments was asked.
    "code": "rb pl pm php r jl ex exs erl clj lisp el ml mli fs vb m mm groovy gradle tcl vim ps1 bat cmd cmake proto "
    "graphql tf nix zig asm s f f90 pas d nim cr v sv vhd vhdl sol vue svelte fish awk",
}
KIND_OF_SUFFIX = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}


def checked_kind(kind: str | None, known: tuple[str, ...] = KINDS) -> None:
    """Refuse a kind that there is not. Raises ``UsageError``."""
    if kind is not None and kind not in known:
        from tokaudit.model import UsageError

        raise UsageError(f"unknown kind {kind!r}", hint=f"one of {', '.join(known)}")


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
