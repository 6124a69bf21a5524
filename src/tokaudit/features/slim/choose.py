"""Choice of packs by kind and language, and of rules by class and name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from tokaudit.features.slim.types import Choice
from tokaudit.model import UsageError
from tokaudit.model.message import Message
from tokaudit.model.rules import Rule

_MAGIC = frozenset("*?[")
"""Characters by which a name is a pattern."""


_OBJECT = re.compile(r'\{\s*"')
"""The beginning of an object of JSON."""
_PAGE = re.compile(r"(?i)(?:<\?xml\b[^<>]{0,200}>\s*)?(?:<!doctype\s+html\b|<html\b)")
"""The beginning of a document of HTML."""


def pack_names(kind: str, langs: Iterable[str], text: str = "") -> list[str]:
    """The built-in packs for a kind of document in some languages, and for JSON and HTML in its text."""
    if kind in {"json", "jsonl"}:
        return ["json", *(["html"] if _has_page(text) else [])]
    if kind == "code":
        return ["code", *(["html"] if _PAGE.match(text[:1000].lstrip("\ufeff \t\r\n")) else [])]
    of_langs = [pack for lang, pack in (("zh", "cn"), ("ja", "cn"), ("en", "en")) if lang in langs]
    prose = list(dict.fromkeys(of_langs)) or ["common"]
    if kind in {"text", "markdown", "log", "chat"} and "{" in text and _OBJECT.search(text):
        prose.append("json")
    if kind in {"text", "markdown", "chat"} and _has_page(text):
        prose.append("html")
    return {"markdown": ["markdown"], "log": ["log"], "chat": ["chat"], "pdf": ["pdf"]}.get(kind, []) + prose


def _has_page(text: str) -> bool:
    """True if there is a page; what is there is looked for first, many times faster than the pattern."""
    return any(mark in text for mark in ("html", "HTML", "Html")) and _PAGE.search(text) is not None


def chosen_rules(rules: Sequence[Rule], choice: Choice) -> list[Rule]:
    """The rules of a choice, in their order."""
    return [
        rule
        for rule in rules
        if not is_named(rule, choice.ignore)
        and (is_named(rule, choice.select) or (rule.default and rule.rule_class in choice.classes))
    ]


def is_named(rule: Rule, names: Sequence[str]) -> bool:
    """True if a rule is named: by its id, with all of its pack (``cn``), or by a pattern (``cn.*``, ``*.url-*``)."""
    pack = rule.id.partition(".")[0]
    return any(name in {rule.id, pack} or (_is_pattern(name) and fnmatchcase(rule.id, name)) for name in names)


def _is_pattern(name: str) -> bool:
    return not _MAGIC.isdisjoint(name)


def check_names(rules: Iterable[Rule], choice: Choice, packs: Iterable[str] = ()) -> None:
    """Refuse unknown names of rules. Raises ``UsageError`` with the nearest ones."""
    ids = {rule.id for rule in rules}
    known = ids | {rule.partition(".")[0] for rule in ids}
    known |= {*packs}
    for option, names in (("--select", choice.select), ("--ignore", choice.ignore)):
        for name in names:
            if name not in known and not (_is_pattern(name) and any(fnmatchcase(rule, name) for rule in ids)):
                from difflib import get_close_matches

                near = get_close_matches(name, sorted(known), n=3, cutoff=0.5)
                hint = (
                    Message("did you mean {names}?", names=tuple(near)) if near else "`tokaudit rules list` lists them"
                )
                message = Message("{option} {name}: there is no such rule in the packs", option=option, name=name)
                raise UsageError(message, hint=hint)
