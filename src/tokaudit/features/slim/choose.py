"""Choice of packs by kind and language, and of rules by class and name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokaudit.features.slim.types import Choice
from tokaudit.model import UsageError
from tokaudit.model.rules import Rule


def pack_names(kind: str, langs: Iterable[str]) -> list[str]:
    """The built-in packs for a kind of document in some languages."""
    if kind in {"json", "jsonl"}:
        return ["json"]
    if kind == "code":
        return ["code"]
    of_langs = [pack for lang, pack in (("zh", "cn"), ("ja", "cn"), ("en", "en")) if lang in langs]
    prose = list(dict.fromkeys(of_langs)) or ["common"]
    return {"markdown": ["markdown"], "log": ["log"], "chat": ["chat"], "pdf": ["pdf"]}.get(kind, []) + prose


def chosen_rules(rules: Sequence[Rule], choice: Choice) -> list[Rule]:
    """The rules of a choice, in their order."""
    return [
        rule
        for rule in rules
        if not is_named(rule, choice.ignore)
        and (is_named(rule, choice.select) or (rule.default and rule.rule_class in choice.classes))
    ]


def is_named(rule: Rule, names: Sequence[str]) -> bool:
    """True if a rule is named, by its id or with all of its pack (``cn``, ``cn.*``)."""
    pack = rule.id.partition(".")[0]
    return any(name in {rule.id, pack, f"{pack}.*"} for name in names)


def check_names(rules: Iterable[Rule], choice: Choice, packs: Iterable[str] = ()) -> None:
    """Refuse unknown names of rules. Raises ``UsageError`` with the nearest ones."""
    known = {rule.id for rule in rules}
    known |= {rule.partition(".")[0] for rule in known}
    known |= {f"{rule.partition('.')[0]}.*" for rule in known}
    known |= {*packs}
    for option, names in (("--select", choice.select), ("--ignore", choice.ignore)):
        for name in names:
            if name not in known:
                from difflib import get_close_matches

                near = get_close_matches(name, sorted(known), n=3, cutoff=0.5)
                hint = f"did you mean {', '.join(near)}?" if near else "`tokaudit rules list` lists them"
                raise UsageError(f"{option} {name}: there is no such rule in the packs", hint=hint)
