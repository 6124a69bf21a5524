"""Rule packs: found by name or path, and loaded with those that they extend, with all problems at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message
from tokaudit.model.rules import Example, Pack, Rule
from tokaudit.store.pack_files import BUILTIN, Location, builtin_names, decoded, has_version, located, pinned, read

if TYPE_CHECKING:
    from tokaudit.store.pack_check import Data
    from tokaudit.store.pack_values import Problem

__all__ = [
    "PackError",
    "builtin_names",
    "changed_ids",
    "checked_data",
    "load_pack",
    "load_packs",
    "own_rules",
    "rules_of",
]
_MOST_LISTED = 50

# Every ``slim`` imports this, and a dataclass takes a millisecond or two to make: the tuples below take a tenth of it.


class PackError(RuleError):
    """A pack with problems; the message has all of them, each with its place and its line."""

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        from tokaudit.store.pack_problems import listed

        super().__init__(
            listed(path, problems, _MOST_LISTED),
            hint="`tokaudit rules schema` describes the keys; `tokaudit rules new` writes a pack to begin with",
        )
        self.problems = problems


class _Loaded(NamedTuple):
    """A pack with the data that packs extending it need."""

    pack: Pack
    rules: Mapping[str, Data]
    lists: Mapping[str, Sequence[str]]


class _Loading(NamedTuple):
    """Options of loading, and the packs that are loaded already."""

    examples: bool
    check: bool | None
    done: dict[str, _Loaded]
    """By file."""


def load_pack(name: str, *, base: Path | None = None, examples: bool = True, check: bool | None = None) -> Pack:
    """A pack with those that it extends.

    Args:
        name: A built-in pack (``cn``, ``builtin:cn``, ``cn.yaml`` where there is no such file), or the path of a file.
        base: The folder that a path is relative to; the working directory where None.
        examples: Whether the rules have their examples; without them a built-in pack loads faster.
        check: Whether patterns and the ops' parameters are tried; None for all packs but built-in ones, which are
            tried by tests.

    Raises:
        RuleError: There is no such pack, it cannot be read, or something is wrong in it (all problems at once).
    """
    return load_packs([name], base=base, examples=examples, check=check)[0]


def load_packs(
    names: Iterable[str], *, base: Path | None = None, examples: bool = True, check: bool | None = None
) -> list[Pack]:
    """Several packs, as in ``load_pack``; one that is named or extended several times is the same object."""
    wanted = list(dict.fromkeys(names))
    ours = all(pinned(name)[0].removeprefix(BUILTIN) in builtin_names() for name in wanted)
    loading = _shared(examples, check) if ours else _Loading(examples, check, {})
    return [_load(located(name, base or Path()), (), loading).pack for name in wanted]


@cache
def _shared(examples: bool, check: bool | None) -> _Loading:
    """Built-in packs do not change while we run."""
    return _Loading(examples, check, {})


def own_rules(pack: Pack) -> list[Rule]:
    """The rules of a pack's own file: neither those of packs that it extends, nor unchanged ones."""
    inherited = {id(rule) for base in pack.extends for rule in base.rules}
    return [rule for rule in pack.rules if id(rule) not in inherited]


def changed_ids(pack: Pack) -> set[str]:
    """Ids of rules of extended packs that a pack changes."""
    inherited = {rule.id for base in pack.extends for rule in base.rules}
    return {rule.id for rule in own_rules(pack) if rule.id in inherited}


def rules_of(packs: Sequence[Pack]) -> list[Rule]:
    """The rules of several packs, each id once, where it first stands.

    A rule that a pack changed goes before the one that it changed, whichever pack is named first; of two others with
    one id, the later one holds.
    """
    replaced: set[int] = set()
    rules: dict[str, Rule] = {}
    pending = list(packs)
    while pending:
        pack = pending.pop()
        now = {rule.id: rule for rule in pack.rules}
        replaced.update(id(rule) for base in pack.extends for rule in base.rules if now[rule.id] is not rule)
        pending += pack.extends
    for pack in packs:
        for rule in pack.rules:
            if rule.id not in rules or id(rule) not in replaced:
                rules[rule.id] = rule
    return list(rules.values())


def _load(location: Location, chain: tuple[str, ...], loading: _Loading) -> _Loaded:
    """A pack, of the version that was asked for. Raises ``RuleError``."""
    loaded = _load_any(location, chain, loading)
    if location.pin and not has_version(loaded.pack.version, location.pin):
        hint = Message("ask for {version}, or give the path of a file of that version", version=loaded.pack.version)
        if location.builtin:
            hint += Message("; the built-in packs are those of the installed tokaudit")
        raise RuleError(
            Message(
                "{shown} is of version {version}, and @{pin} was asked for",
                shown=location.shown,
                version=loaded.pack.version,
                pin=location.pin,
            ),
            hint=hint,
        )
    return loaded


def _load_any(location: Location, chain: tuple[str, ...], loading: _Loading) -> _Loaded:
    key = os.path.realpath(location.file)
    if key in loading.done:
        return loading.done[key]
    content = read(location)
    digest = sha256(content).hexdigest()
    check = not location.builtin if loading.check is None else loading.check
    data = None
    if location.builtin and not loading.examples and not check:
        from tokaudit.store.compiled_packs import compiled_pack

        data = compiled_pack(location.file, digest)
    below = (*chain, key)
    if data is None:
        data, bases = _checked(location, content, below, loading, check=check)
    else:
        bases = [_load(located(name, location.file.parent), below, loading) for name in data["extends"]]
    loading.done[key] = loaded = _merged(location, digest, data, bases, examples=loading.examples)
    return loaded


def _checked(
    location: Location, content: bytes, chain: tuple[str, ...], loading: _Loading, *, check: bool
) -> tuple[Data, list[_Loaded]]:
    """The data of a file, and the packs that it extends. Raises ``PackError`` with the problems of all of them."""
    from tokaudit.store.pack_check import Base, PackCheck
    from tokaudit.store.yaml_places import YamlError, parse

    text = decoded(content, location)
    state = PackCheck(location.shown, text, patterns=check)
    try:
        root = parse(text)
    except YamlError as error:
        state.wrong_at(error.line, error.column, error.message)
        raise PackError(location.shown, state.problems) from error
    parts, extends = state.header(root)
    bases: list[_Loaded] = []
    elsewhere: list[Problem] = []
    for name, node in extends:
        try:
            base = located(name, location.file.parent)
            _refuse_circle(base, chain)
            bases.append(_load(base, chain, loading))
        except PackError as error:
            elsewhere += [problem for problem in error.problems if problem not in elsewhere]
        except RuleError as error:
            state.wrong(node, error.message)
    data: Data = {}
    if parts:
        rules = {name: rule for base in bases for name, rule in base.rules.items()}
        lists = {name: texts for base in bases for name, texts in base.lists.items()}
        whole = len(bases) == len(extends)
        data = state.pack(parts, Base(rules, lists, whole=whole))
    if state.problems or elsewhere:
        raise PackError(location.shown, [*sorted(state.problems, key=_place), *elsewhere])
    return data | {"extends": [name for name, _ in extends]}, bases


def checked_data(file: Path) -> tuple[str, Data]:
    """Hash of a built-in pack's file, and its data without examples. Raises ``RuleError``."""
    location = Location(file, BUILTIN + file.stem, builtin=True)
    content = read(location)
    loading = _Loading(examples=False, check=False, done={})
    data, _ = _checked(location, content, (os.path.realpath(file),), loading, check=False)
    rules = [{key: value for key, value in rule.items() if key != "examples"} for rule in data["rules"]]
    return sha256(content).hexdigest(), data | {"rules": rules}


def _place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column


def _refuse_circle(base: Location, chain: tuple[str, ...]) -> None:
    key = os.path.realpath(base.file)
    if key in chain:
        circle = [*chain[chain.index(key) :], key]
        names = " -> ".join(os.path.basename(file) for file in circle)  # noqa: PTH119 - texts, not paths to open
        raise RuleError(Message("packs that extend each other in a circle: {names}", names=names))


def _merged(location: Location, digest: str, data: Data, bases: Sequence[_Loaded], *, examples: bool) -> _Loaded:
    """The pack's rules after those of the packs that it extends; one with the id of theirs takes its place."""
    rules = {rule.id: rule for base in bases for rule in base.pack.rules}
    known = {name: rule for base in bases for name, rule in base.rules.items()}
    for rule in data["rules"]:
        known[rule["id"]] = rule
        rules[rule["id"]] = _rule(rule, examples=examples)
    pack = Pack(
        name=data["pack"],
        version=data["version"],
        title=data["title"],
        sha256=digest,
        path=location.shown,
        rules=tuple(rules.values()),
        extends=tuple(base.pack for base in bases),
    )
    return _Loaded(pack, known, data["lists"])


def _rule(data: Mapping[str, Any], *, examples: bool) -> Rule:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in data["values"].items()}
    return Rule(
        id=data["id"],
        title=data["title"],
        why=data["why"],
        rule_class=data["class"],
        stage=data["stage"],
        op=data["op"],
        values=values,
        default=data.get("default", True),
        langs=tuple(data.get("langs", ())),
        kinds=tuple(data.get("kinds", ())),
        enters=frozenset(data.get("enters", ())),
        avoids=frozenset(data.get("avoids", ())),
        guard=data.get("guard", "saves"),
        removes=frozenset(data.get("removes", ())),
        timeout_ms=data.get("timeout_ms", 500),
        saves=data.get("saves", ""),
        not_when=data.get("not_when", ""),
        examples=tuple(Example(**example) for example in data.get("examples", ())) if examples else (),
        line=data["line"],
    )
