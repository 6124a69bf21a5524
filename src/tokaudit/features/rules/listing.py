"""The list of rules: class, default, stage, measured saving and title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unicodedata import east_asian_width

from tokaudit.features.documents import json_document
from tokaudit.features.rules.document import pack_data, rule_data
from tokaudit.model import Cell, Column, Report, Table
from tokaudit.model.message import Message, counted, translated
from tokaudit.model.rules import RULE_CLASSES, Pack, Rule

_GAP = 2
"""Cells between two columns of a table."""
_LEAST = 8
"""Least cells for a title to be of use."""


def list_report(
    packs: Sequence[tuple[Pack, Sequence[Rule]]],
    version: str,
    *,
    people: bool,
    files: Mapping[str, str],
    width: int | None = None,
    words: Mapping[str, str],
) -> Report:
    """The rules of some packs: class, default, stage, measured saving and title.

    Args:
        packs: Each with the rules of its own file.
        version: Of tokaudit.
        people: True for a table to be read by people.
        files: The packs' paths to their files.
        width: Maximum width of a line; None for no limit.
        words: Catalogue of titles, for people.
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
    fields = {
        "packs": [pack_data(pack) | {"file": files[pack.path]} for pack, _ in packs],
        "rules": [rule_data(rule, pack) for pack, rules in packs for rule in rules],
    }
    data = json_document("rules-list", version, fields)
    if people:
        packs = [(pack, sorted(own, key=lambda rule: RULE_CLASSES.index(rule.rule_class))) for pack, own in packs]
    rules = [rule for _, rules in packs for rule in rules]
    rows: list[list[Cell]] = []
    for pack, own in packs:
        inherited = {rule.id for base in pack.extends for rule in base.rules}
        for rule in own:
            name = f"{rule.id} ({pack.name})" if people and rule.id in inherited else rule.id
            default = "on" if rule.default else "off"
            title, kind = rule.title, str(rule.rule_class)
            if people:
                title, kind, default = (translated(text, words) for text in (title, kind, default))
            rows.append([name, pack.name, kind, default, rule.stage, rule.saves or None, title])
    if people:
        columns, rows = _for_people(columns, rows, width)
    marks = {(at, column): "dim" for at, rule in enumerate(rules) if not rule.default for column in range(len(columns))}
    notes = [
        Message(
            "{rules} of {packs}: {names}",
            rules=counted(len(rules), "1 rule", "{n:,} rules"),
            packs=counted(len(packs), "1 pack", "{n:,} packs"),
            names=tuple(f"{pack.name} {pack.version}" for pack, _ in packs),
        ),
        Message(
            "lossless and near rules that are on are applied by default, lossy ones with --lossy, any with --select"
        ),
        "tokaudit rules show ID has a rule's page",
    ]
    return Report("rules-list", [Table("Rules", columns, rows, marks, notes)], data, bare=bare)


def _for_people(
    columns: Sequence[Column], rows: Sequence[list[Cell]], width: int | None
) -> tuple[list[Column], list[list[Cell]]]:
    """The columns for people, the id first, which is never cut.

    If there is no room for all, the saving is left out; if there still is none, the title is cut.
    """
    order = [0, 2, 3, 5, 6]
    if width is not None and _width_of(columns, rows, order) > width:
        order.remove(5)
        room = width - _width_of(columns, rows, order[:3]) - _GAP
        if room < _LEAST:
            order.pop()
        else:
            rows = [[*row[:6], _cut(str(row[6]), room - 2)] for row in rows]  # an ellipsis may be three dots
    return [columns[at] for at in order], [[row[at] for at in order] for row in rows]


def _width_of(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], order: Sequence[int]) -> int:
    widths = [max(len(columns[at].title), *(_cells(str(row[at] or "")) for row in rows), 0) for at in order]
    return sum(widths) + _GAP * (len(order) - 1)


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _cut(text: str, room: int) -> str:
    if _cells(text) <= room:
        return text
    while text and _cells(text) > room - 1:
        text = text[:-1]
    return f"{text.rstrip()}…"
