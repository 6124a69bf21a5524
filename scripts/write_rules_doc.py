"""Writes what follows from the rule packs: docs/rules.md, their schema, and their compiled form in an editable install.

python scripts/write_rules_doc.py           write them
python scripts/write_rules_doc.py --check   exit 1 if docs/rules.md or the schema is not what would be written
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tokaudit.features.rules.report import rule_page
from tokaudit.model.rules import Pack, Rule
from tokaudit.store.compiled_packs import compile_packs
from tokaudit.store.pack_files import builtin_names
from tokaudit.store.pack_schema import pack_schema
from tokaudit.store.packs import changed_ids, load_packs, own_rules

ROOT = Path(__file__).parents[1]
HEAD = """\
# Rules

Written by `scripts/write_rules_doc.py` from the packs in `rules/`: change those, not this file.
[packs.md](packs.md) says how packs are written; `tokaudit rules show ID` prints one of these pages.

Each rule has a class. **lossless**: the same content, which a machine can check. **near**: only layout and form
change. **lossy**: content is deleted. Lossless and near rules that are on are applied by default, lossy ones that are
on with `--lossy`, and any with `--select ID`. No rule enters code, quotations, links, placeholders and the other
protected parts of a text but those that it names under *Enters*. In the examples, `\\n` is a line end and `\\u00a0` a
character of this number; each runs as a test, with that rule alone and without the guard.
"""


def document() -> str:
    """The text of docs/rules.md."""
    packs = load_packs([f"builtin:{name}" for name in builtin_names()])
    parts = [HEAD, _contents(packs)]
    for pack in packs:
        extends = f" It extends {', '.join(base.name for base in pack.extends)}." if pack.extends else ""
        parts.append(f"## {pack.name}\n\n{pack.title} (version {pack.version}).{extends}\n")
        parts += _changes(pack)
        parts += [rule_page(rule, level=3) for rule in new_rules(pack)]
    return "\n".join(parts)


def new_rules(pack: Pack) -> list[Rule]:
    """The rules of a pack's file but for those that it changes in a pack that it extends."""
    changed = changed_ids(pack)
    return [rule for rule in own_rules(pack) if rule.id not in changed]


def _changes(pack: Pack) -> list[str]:
    changed = changed_ids(pack)
    rules = [rule for rule in own_rules(pack) if rule.id in changed]
    if not rules:
        return []
    named = ", ".join(
        f"[{rule.id}](#{_anchor(rule)}) (here {rule.rule_class}, {'on' if rule.default else 'off'})" for rule in rules
    )
    return [f"It changes {named}.\n"]


def _anchor(rule: Rule) -> str:
    return rule.id.replace(".", "")


def _contents(packs: list[Pack]) -> str:
    lines = ["| rule | class | default | what | saves |", "| --- | --- | --- | --- | --- |"]
    for pack in packs:
        for rule in new_rules(pack):
            cells = [
                f"[{rule.id}](#{_anchor(rule)})",
                rule.rule_class,
                "on" if rule.default else "off",
                rule.title,
                rule.saves,
            ]
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def outputs() -> dict[Path, str]:
    """Files that are committed, and what they should hold."""
    schema = json.dumps(pack_schema(), ensure_ascii=False, indent=2) + "\n"
    return {ROOT / "docs/rules.md": document(), ROOT / "src/tokaudit/schemas/rules.schema.json": schema}


def main() -> int:
    """Write or check; the exit code."""
    stale = [path for path, text in outputs().items() if not path.is_file() or path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what scripts/write_rules_doc.py writes")
        return 1 if stale else 0
    for path, text in outputs().items():
        path.write_text(text, encoding="utf-8", newline="\n")
    compile_packs()
    return 0


if __name__ == "__main__":
    sys.exit(main())
