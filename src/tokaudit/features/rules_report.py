"""The reports of ``tokaudit rules``: the list of rules, a rule's page, and what came of the examples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

from tokaudit.model import Cell, Column, Report, Table
from tokaudit.model.rules import RULE_CLASSES, Example, Pack, Rule
from tokaudit.pipeline.examples import Failure
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.run import PROSE_KINDS

_CLASSES = {
    "lossless": "lossless: the same content",
    "near": "near-lossless: layout and form only",
    "lossy": "lossy: content is deleted",
}
_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "en": "English"}
_GUARDS = {
    "saves": "kept where it saves tokens in all and costs none for any tokenizer",
    "any": "kept where it saves tokens for one of the tokenizers",
    "all": "kept where it saves tokens for each tokenizer",
    "never": "kept always, whatever the tokens",
}
_GAP = 2
"""Cells between two columns of a table."""
_LEAST = 10
"""Cells that say something of what a rule does."""
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Tested:
    """A pack whose examples were run."""

    pack: Pack
    rules: Sequence[Rule]
    """Those of its own file."""
    failures: Sequence[Failure]
    not_run: Mapping[str, str]
    """Ids of rules that cannot run here, with the reason."""


def _envelope(command: str, version: str) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "tool": {"name": "tokaudit", "version": version},
        "command": command,
        "tokenizers": [],
        "skipped": [],
        "findings": [],
    }


def list_report(
    packs: Sequence[tuple[Pack, Sequence[Rule]]],
    version: str,
    *,
    people: bool,
    files: Mapping[str, str],
    width: int | None = None,
) -> Report:
    """The rules of some packs: class, whether each is on, stage, title, and what it was measured to save.

    Args:
        packs: Each with the rules of its own file.
        version: Of tokaudit.
        people: Whether the table is to be read by people.
        files: The packs' paths to their files.
        width: What there is for a line; None for any.
    """
    columns = [
        Column("id", "Rule"),
        Column("pack", "Pack"),
        Column("class", "Class"),
        Column("default", "Default"),
        Column("stage", "Stage"),
        Column("saves", "Saves"),
        Column("title", "What"),
    ]
    bare = "\n".join(dict.fromkeys(rule.id for _, own in packs for rule in own))
    data = _envelope("rules-list", version) | {
        "packs": [pack_data(pack) | {"file": files[pack.path]} for pack, _ in packs],
        "rules": [rule_data(rule, pack) for pack, rules in packs for rule in rules],
    }
    if people:
        packs = [(pack, sorted(own, key=lambda rule: RULE_CLASSES.index(rule.rule_class))) for pack, own in packs]
    rules = [rule for _, rules in packs for rule in rules]
    rows: list[list[Cell]] = []
    for pack, own in packs:
        inherited = {rule.id for base in pack.extends for rule in base.rules}
        for rule in own:
            name = f"{rule.id} (in {pack.name})" if people and rule.id in inherited else rule.id
            default = "on" if rule.default else "off"
            rows.append([name, pack.name, rule.rule_class, default, rule.stage, rule.saves or None, rule.title])
    if people:
        columns, rows = _for_people(columns, rows, width)
    marks = {(at, column): "dim" for at, rule in enumerate(rules) if not rule.default for column in range(len(columns))}
    notes = [
        f"{_number(len(rules), 'rule')} of {_number(len(packs), 'pack')}: "
        + ", ".join(f"{pack.name} {pack.version}" for pack, _ in packs),
        "lossless and near rules that are on are applied by default, lossy ones with --lossy, any with --select",
        "tokaudit rules show ID has a rule's page",
    ]
    return Report("rules-list", [Table("Rules", columns, rows, marks, notes)], data, bare=bare)


def _for_people(
    columns: Sequence[Column], rows: Sequence[list[Cell]], width: int | None
) -> tuple[list[Column], list[list[Cell]]]:
    """The columns that people are shown, the id first, which must stay whole to be of use.

    Where there is no room for all, what a rule saves is left out, and what it does is cut.
    """
    order = [0, 2, 3, 5, 6]
    if width is not None and _width_of(columns, rows, order) > width:
        order.remove(5)
        # Two cells are for an ellipsis of three dots.
        room = width - _width_of(columns, rows, order[:-1]) - _GAP - 2
        if room >= _LEAST:
            rows = [[*row[:6], _cut(str(row[6]), room)] for row in rows]
    return [columns[at] for at in order], [[row[at] for at in order] for row in rows]


def _width_of(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], order: Sequence[int]) -> int:
    """The width of a table of some columns."""
    widths = [max(len(columns[at].title), *(_cells(str(row[at] or "")) for row in rows), 0) for at in order]
    return sum(widths) + _GAP * (len(order) - 1)


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _cut(text: str, room: int) -> str:
    if _cells(text) <= room:
        return text
    while _cells(text) > room - 1:
        text = text[:-1]
    return f"{text.rstrip()}…"


def show_data(rule: Rule, pack: Pack, version: str) -> dict[str, Any]:
    """The document that ``rules show --json`` prints."""
    return _envelope("rules-show", version) | {"pack": pack_data(pack), "rule": rule_data(rule, pack)}


def test_data(tested: Sequence[Tested], version: str) -> dict[str, Any]:
    """The document that ``rules test --json`` prints."""
    return _envelope("rules-test", version) | {
        "passed": not any(item.failures for item in tested),
        "packs": [
            pack_data(item.pack)
            | {
                "rules": len(item.rules),
                "examples": sum(len(rule.examples) for rule in item.rules),
                "todo": sum(example.todo for rule in item.rules for example in rule.examples),
                "not_run": dict(item.not_run),
                "without_examples": [rule.id for rule in item.rules if not rule.examples],
                "failures": [
                    {
                        "rule": failure.rule,
                        "line": failure.line,
                        "in": failure.before,
                        "wanted": failure.wanted,
                        "got": failure.got,
                        "reason": failure.reason,
                    }
                    for failure in item.failures
                ],
            }
            for item in tested
        ],
    }


def test_page(tested: Sequence[Tested]) -> str:
    """Every failure with its place, and a line that sums up."""
    lines: list[str] = []
    for item in tested:
        for failure in item.failures:
            lines += [
                f"{item.pack.path}:{failure.line}: {failure.rule}: {failure.reason}",
                f"  in      {visible(failure.before)}",
                f"  wanted  {visible(failure.wanted)}",
                f"  got     {visible(failure.got)}",
                "",
            ]
    rules = [rule for item in tested for rule in item.rules]
    idle = {name for item in tested for name in item.not_run}
    examples = [example for rule in rules if rule.id not in idle for example in rule.examples]
    failed = sum(len(item.failures) for item in tested)
    bare = [rule.id for rule in rules if not rule.examples]
    if bare:
        shown = ", ".join(bare[:5]) + (f" and {len(bare) - 5} more" if len(bare) > 5 else "")
        lines.append(f"without examples: {shown}")
    lines += [f"not run: {name}: {reason}" for item in tested for name, reason in item.not_run.items()]
    gaps = sum(example.todo for example in examples)
    of = f"{_number(len(rules) - len(idle), 'rule')} in {_number(len(tested), 'pack')}"
    lines.append(
        f"{_number(len(examples), 'example')} of {of}: {f'{failed} failed' if failed else 'all as they should be'}"
        + (f", {_number(gaps, 'known gap')} (todo)" if gaps else "")
    )
    return "\n".join(lines) + "\n"


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count:,} {what}s"


def pack_data(pack: Pack) -> dict[str, Any]:
    """A pack as JSON has it: what identifies it."""
    return {
        "name": pack.name,
        "version": pack.version,
        "title": pack.title,
        "path": pack.path,
        "sha256": pack.sha256,
        "extends": [base.name for base in pack.extends],
    }


def rule_data(rule: Rule, pack: Pack) -> dict[str, Any]:
    """A rule as JSON has it; the parameters of its op are in ``parameters``."""
    return {
        "id": rule.id,
        "pack": pack.name,
        "title": rule.title,
        "why": rule.why,
        "not_when": rule.not_when or None,
        "class": rule.rule_class,
        "default": rule.default,
        "stage": rule.stage,
        "langs": list(rule.langs),
        "kinds": list(rule.kinds or PROSE_KINDS),
        "enters": sorted(rule.enters),
        "avoids": sorted(rule.avoids),
        "guard": rule.guard,
        "removes": sorted(rule.removes),
        "saves": rule.saves or None,
        "op": rule.op,
        "parameters": {key: _plain(value) for key, value in rule.values.items()},
        "examples": [
            {
                "in": example.before,
                "out": example.after,
                "same": example.before == example.after,
                "todo": example.todo,
                "kind": example.kind or None,
            }
            for example in rule.examples
        ],
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def rule_page(rule: Rule, level: int = 1) -> str:
    """A rule's page in Markdown: what, why, when not, examples, and how."""
    head = "#" * level
    lines = [f"{head} {rule.id}", "", _sentence(rule.title), ""]
    lines += [f"- **{name}**: {value}" for name, value in _facts(rule)]
    lines += ["", f"{head}# Why", "", rule.why.strip()]
    if rule.not_when:
        lines += ["", f"{head}# When not to use it", "", rule.not_when.strip()]
    changing = [item for item in rule.examples if item.before != item.after and not item.todo]
    same = [item for item in rule.examples if item.before == item.after and not item.todo]
    gaps = [item for item in rule.examples if item.todo]
    if changing:
        lines += ["", f"{head}# Examples", "", *map(_example, changing)]
    if same:
        lines += ["", f"{head}# What it must not change", "", *map(_example, same)]
    if gaps:
        lines += ["", f"{head}# Known gaps", "", "What should come of these, and does not yet:", ""]
        lines += map(_example, gaps)
    lines += ["", f"{head}# How", "", f"`{rule.op}`: {_sentence(op(rule.op).SUMMARY)}"]
    if parameters := list(_parameters(rule)):
        lines += ["", *parameters]
    return "\n".join(lines) + "\n"


def _facts(rule: Rule) -> Sequence[tuple[str, str]]:
    """What holds for a rule, but for what holds for most."""
    facts = [("Class", _CLASSES[rule.rule_class]), ("Default", _default(rule)), ("Stage", rule.stage)]
    if rule.langs:
        facts.append(("Languages", ", ".join(_LANGUAGES[lang] for lang in rule.langs)))
    facts.append(("Documents", ", ".join(rule.kinds or PROSE_KINDS)))
    if rule.saves:
        facts.append(("Saves", rule.saves))
    facts.append(("Guard", f"{rule.guard}: {_GUARDS[rule.guard]}"))
    named = (("Enters", rule.enters), ("Stays out of", rule.avoids), ("Removes or rewrites facts", rule.removes))
    facts += [(name, ", ".join(sorted(values))) for name, values in named if values]
    return facts


def _default(rule: Rule) -> str:
    if not rule.default:
        return f"off; on with `--select {rule.id}`"
    return "on with `--lossy`" if rule.rule_class == "lossy" else "on"


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".。!！?？:：" else f"{text}。" if not text[-1].isascii() else f"{text}."


def _example(example: Example) -> str:
    after = "" if example.before == example.after else f" → {code(example.after)}" if example.after else " → nothing"
    return f"- {code(example.before)}{after}" + (f" ({example.kind})" if example.kind else "")


def _parameters(rule: Rule) -> Sequence[str]:
    about = op(rule.op).PARAMETERS
    given = {key: value for key, value in rule.values.items() if value != about[key].default}
    return [f"- {key}: {_value(value)}" for key, value in given.items()]


def _value(value: Any) -> str:
    if isinstance(value, str):
        return code(value)
    if isinstance(value, Mapping):
        pairs = [f"{code(key)} → {code(text) if text else 'nothing'}" for key, text in value.items()]
        return ", ".join(pairs)
    if isinstance(value, (tuple, list)):
        return " ".join(code(text) for text in value)
    return json.dumps(value)


def visible(text: str) -> str:
    r"""A text in one line in which everything can be seen: ``\n`` for a line end, ``\u00a0`` for an odd space."""
    return "".join(
        _ESCAPES[sign] if sign in _ESCAPES and sign != "\\" else sign if sign.isprintable() else _escaped(sign)
        for sign in text
    )


def _escaped(sign: str) -> str:
    number = ord(sign)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def code(text: str) -> str:
    """A text as inline code of Markdown, with fences that are longer than any in it."""
    shown = visible(text)
    if not shown:
        return "nothing"
    longest = max((len(run) for run in _runs_of_backticks(shown)), default=0)
    fence = "`" * (longest + 1)
    edge = shown[0] in "` " or shown[-1] in "` "
    return f"{fence} {shown} {fence}" if edge and shown.strip() else f"{fence}{shown}{fence}"


def _runs_of_backticks(text: str) -> Sequence[str]:
    import re

    return re.findall("`+", text)
