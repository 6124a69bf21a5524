"""Rules by name: lists, pages, tests and the start of a new pack, for the command line and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokaudit.model import Report, RuleError, UsageError
from tokaudit.model.message import Message

LISTS_RULES = "`tokaudit rules list` lists them"

if TYPE_CHECKING:
    from tokaudit.features.rules.report import Tested
    from tokaudit.model.rules import Pack, Rule


def rules_packs(names: Sequence[str] = ()) -> list[Pack]:
    """Some packs with their examples; all built-in ones where none is named.

    Raises:
        RuleError: A pack does not exist, or something is wrong in it.
    """
    return _packs(names)


def rules_list(
    packs: Sequence[Pack], *, people: bool, width: int | None = None, words: Mapping[str, str] | None = None
) -> Report:
    """The report of ``tokaudit rules list``, with a table to be read by people or parsed by programs.

    ``width`` is the maximum width of a line, None for no limit; ``words`` is the catalogue of the rules' titles.
    """
    from pathlib import Path

    from tokaudit import __version__
    from tokaudit.features.rules.listing import list_report
    from tokaudit.store.pack_files import located
    from tokaudit.store.packs import own_rules

    files = {pack.path: located(pack.path, Path()).file.as_posix() for pack in packs}
    own = [(pack, own_rules(pack)) for pack in packs]
    return list_report(own, __version__, people=people, files=files, width=width, words=words or {})


def find_rule(rule_id: str, names: Sequence[str] = ()) -> tuple[Rule, Pack]:
    """A rule and the pack that has it, of some packs or of all built-in ones.

    Raises:
        RuleError: A pack does not exist, or something is wrong in it.
        UsageError: None of them has this rule; the nearest ids are offered.
    """
    from difflib import get_close_matches

    from tokaudit.store.packs import changed_ids, own_rules

    known: dict[str, tuple[Rule, Pack]] = {}
    for pack in [below for named in _packs(names) for below in _with_bases(named)]:
        changed = changed_ids(pack)
        for rule in own_rules(pack):
            # Of a rule that a pack changes there are two: the pack that was named means its own.
            if rule.id not in known or (rule.id not in changed and not names):
                known[rule.id] = (rule, pack)
    if rule_id in known:
        return known[rule_id]
    # A name without its pack, or with a slip in either part.
    short = {name.partition(".")[2]: name for name in known}
    near = get_close_matches(rule_id, known, n=3, cutoff=0.6)
    near += [short[name] for name in get_close_matches(rule_id.rpartition(".")[2], short, n=2, cutoff=0.7)]
    hint = Message("did you mean {names}?", names=tuple(dict.fromkeys(near))) if near else Message(LISTS_RULES)
    raise UsageError(Message("there is no rule '{rule}'", rule=rule_id), hint=hint)


def rule_page(
    rule_id: str,
    names: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    other: Mapping[str, str] | None = None,
) -> str:
    """A rule's page in Markdown. Raises as ``find_rule`` does.

    ``words`` is the catalogue of the language, ``other`` that of a language in which the title stands too.
    """
    from tokaudit.features.rules.report import rule_page as page

    return page(find_rule(rule_id, names)[0], words=words or {}, other=other or {})


def rule_document(rule_id: str, names: Sequence[str] = ()) -> Mapping[str, Any]:
    """The document of ``tokaudit rules show --json``. Raises as ``find_rule`` does."""
    from tokaudit import __version__
    from tokaudit.features.rules.report import show_data

    return show_data(*find_rule(rule_id, names), __version__)


def run_examples(names: Sequence[str] = ()) -> list[Tested]:
    """Run the examples of some packs, of all built-in ones where none is named; patterns are checked first.

    A rule that cannot run because a library is missing is in ``not_run``.

    Raises:
        RuleError: A pack does not exist, or something is wrong in it.
    """
    from tokaudit.features.rules.report import Tested
    from tokaudit.pipeline.engine.examples import check_rule
    from tokaudit.store.packs import own_rules

    tested = []
    for pack in _packs(names, check=True):
        rules = own_rules(pack)
        failures, not_run = [], {}
        for rule in rules:
            try:
                failures += check_rule(rule)
            except RuleError as error:
                not_run[rule.id] = str(error)
        tested.append(Tested(pack, rules, failures, not_run))
    return tested


def examples_page(tested: Sequence[Tested], words: Mapping[str, str] | None = None) -> str:
    """The report of ``tokaudit rules test``."""
    from tokaudit.features.rules.report import test_page

    return test_page(tested, words or {})


def examples_document(tested: Sequence[Tested]) -> Mapping[str, Any]:
    """The document of ``tokaudit rules test --json``."""
    from tokaudit import __version__
    from tokaudit.features.rules.report import test_data

    return test_data(tested, __version__)


def new_pack(name: str, path: str) -> None:
    """Write a pack to begin with, with comments.

    Raises:
        UsageError: The name is not valid for a pack, the file exists, or it cannot be written.
    """
    import os
    import re

    from tokaudit.store.output import write_atomic
    from tokaudit.store.pack_files import start_of_pack
    from tokaudit.store.pack_schema import PACK_KEYS, PACK_NAME

    if not re.fullmatch(PACK_NAME, name):
        hint = Message("it is {form}", form=Message(PACK_KEYS["pack"].form))
        raise UsageError(Message("'{name}' cannot be the name of a pack", name=name), hint=hint)
    if os.path.lexists(path):
        raise UsageError(Message("{path} exists", path=path), hint="name another file with -o, or remove it")
    write_atomic(path, start_of_pack(name))


def rules_schema() -> Mapping[str, Any]:
    """The JSON Schema of a rule pack, for editors."""
    from tokaudit.store.pack_schema import pack_schema

    return pack_schema()


def _packs(names: Sequence[str], *, check: bool | None = None) -> list[Pack]:
    from tokaudit.jobs.slim_plan import pack_list
    from tokaudit.store.pack_files import BUILTIN, builtin_names
    from tokaudit.store.packs import load_packs

    named = [name.removeprefix("+") for name in pack_list(names)]
    return load_packs(named or [BUILTIN + name for name in builtin_names()], check=check)


def _with_bases(pack: Pack) -> list[Pack]:
    return [pack, *(below for base in pack.extends for below in _with_bases(base))]
