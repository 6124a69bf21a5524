"""What kind of document a file is, by its name; Pygments is asked only about names that are not in these tables."""

from __future__ import annotations

KINDS = ("text", "markdown", "json", "jsonl", "code", "template")
SLIM_KINDS = (*KINDS, "log", "chat")
"""What ``slim`` can be told besides: it has rules of their own for them."""

_SUFFIXES = {
    "markdown": "md markdown mdown mkd mdx qmd rmd",
    "json": "json geojson webmanifest ipynb avsc",
    "jsonl": "jsonl ndjson jsonlines ldjson",
    "text": "txt text log out csv tsv rst adoc asciidoc org tex srt vtt prompt diff patch eml po pot bib json5 jsonc "
    "tmpl",
    "template": "j2 jinja jinja2",
    # Languages that Pygments knows: listed so that the kind does not depend on whether Pygments was asked.
    "code": "rb pl pm php r jl ex exs erl clj lisp el ml mli fs vb m mm groovy gradle tcl vim ps1 bat cmd cmake proto "
    "graphql tf nix zig asm s f f90 pas d nim cr v sv vhd vhdl sol vue svelte fish awk",
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERBATIM = _words(
    "csv tsv psv diff patch rej rst rest adoc asciidoc org tex ltx sty cls bib srt vtt sbv ass ssa lrc sub po pot "
    "json5 jsonc jsonnet hjson eml mbox ics vcf vcard ldif man roff troff ms groff textile wiki mediawiki creole "
    "pod abc tab ly env crontab ledger journal hledger beancount prn fwf dat tbl pgn fen m3u m3u8 "
    "conf cfg ini properties service unit desktop rules hosts htaccess lock sum mod gv dot mmd puml plantuml"
)
"""Suffixes of texts whose blanks, columns or marks mean something that ``slim`` does not know: it leaves them alone."""
_VERBATIM_NAMES = _words(
    "cmakelists.txt makefile gnumakefile dockerfile containerfile jenkinsfile vagrantfile gemfile rakefile procfile "
    "justfile crontab hosts fstab sudoers passwd known_hosts authorized_keys requirements.txt constraints.txt "
    "robots.txt .gitignore .dockerignore .npmrc .htaccess .netrc .vimrc codeowners"
)
_SET_ASIDE = _words("tmpl tpl template example sample dist in orig bak old default disabled")
"""Suffixes that say nothing of what the text is: the one before does."""
_KIND_OF_SUFFIX = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}


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
    known = _KIND_OF_SUFFIX.get(suffix) if dot else None
    if known:
        return known
    if family_of(path):
        return "code"
    if not ask_pygments or not dot or not stem or path.startswith("<"):
        return "text"
    from tokaudit.sources.code import lexer_for

    return "code" if lexer_for(path) is not None else "text"


def untemplated(path: str) -> str:
    """The path of what comes of a template, as its name has it: ``a.md`` of ``a.md.j2``."""
    stem, dot, suffix = path.rpartition(".")
    return stem if dot and _KIND_OF_SUFFIX.get(suffix.lower()) == "template" else path


def slim_kind_of(path: str) -> str:
    """Kind of the document at ``path`` for ``slim``: as ``kind_of``, but for what must stay as it is written.

    Those are code there: data in columns, patches, markups in which blanks mean something, and templates of code, whose
    text between the tags is code.
    """
    name = base_name(path)
    stem, dot, suffix = name.rpartition(".")
    template = bool(dot) and _KIND_OF_SUFFIX.get(suffix) == "template"
    if template or (suffix in _SET_ASIDE and stem):
        inner = slim_kind_of(stem) if "." in stem or stem in _VERBATIM_NAMES else "text"
        if inner in {"code", "json", "jsonl"} or (inner == "template" and template):
            return "code" if inner != "template" else inner
        if template:
            return "template"
    if (
        (dot and suffix in _VERBATIM)
        or name in _VERBATIM_NAMES
        or name.startswith((".env.", "dockerfile.", "makefile."))
    ):
        return "code"
    return kind_of(path, ask_pygments=True)
