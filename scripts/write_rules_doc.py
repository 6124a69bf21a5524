"""Write what follows from the packs: docs/rules.md, docs/ops.md, their schema, and their compiled form.

python scripts/write_rules_doc.py           write them
python scripts/write_rules_doc.py --check   exit 1 if one of these files is not what would be written
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tokaudit.features.rules.report import rule_page
from tokaudit.model.message import translated
from tokaudit.model.rules import Pack, Rule
from tokaudit.pipeline.ops import NAMES, op
from tokaudit.pipeline.views.view import Parameter
from tokaudit.store.languages import catalogue
from tokaudit.store.pack_compiler import compile_packs
from tokaudit.store.pack_files import builtin_names
from tokaudit.store.pack_schema import pack_schema
from tokaudit.store.packs import changed_ids, load_packs, own_rules

ROOT = Path(__file__).parents[1]
RULES_PAGE = ROOT / "docs/rules.md"
_LANGUAGES = {"words": catalogue("en"), "other": catalogue("zh")}
MARK = "<!-- Written below this line by scripts/write_rules_doc.py from the packs in rules/. -->\n"
PACKS_PAGES = {
    ROOT / "docs/packs.md": ("op", "what it does", "parameters"),
    ROOT / "docs/packs.zh.md": ("op", "作用", "参数"),
}
"""Pages with the table of ops, to the titles of its columns."""
OPS_BEGIN = "<!-- The table of ops is written by scripts/write_rules_doc.py. -->\n"
OPS_END = "<!-- End of the table. -->\n"
OPS_HEAD = """\
# Ops

Written by `scripts/write_rules_doc.py` from `src/tokaudit/pipeline/ops/`: change those, not this file.

An op is what a rule of a [pack](packs.md) does; its parameters are keys of the rule. Parameters that most ops share
(`needs`, `inside`, `keep`, `window`, `not_on`, `not_near`, `not_in`) are described in
[Rule packs](packs.md).
"""


def document() -> str:
    """The text of docs/rules.md: what stands above the mark stays."""
    packs = load_packs([f"builtin:{name}" for name in builtin_names()])
    head, mark, _ = RULES_PAGE.read_text(encoding="utf-8").partition(MARK)
    parts = [head + mark, _contents(packs)]
    for pack in packs:
        extends = f" It extends {', '.join(base.name for base in pack.extends)}." if pack.extends else ""
        title = translated(pack.title, catalogue("en"))
        parts.append(f"## {pack.name}\n\n{title} (version {pack.version}).{extends}\n")
        parts += _changes(pack)
        parts += [rule_page(rule, level=3, **_LANGUAGES) for rule in new_rules(pack)]
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
                translated(rule.title, catalogue("en")),
                rule.saves,
            ]
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def ops_document() -> str:
    """The text of docs/ops.md."""
    parts = [OPS_HEAD]
    for name in NAMES:
        about = op(name)
        parts.append(f"## {name}\n\n{about.SUMMARY}\n")
        if about.PARAMETERS:
            rows = [_parameter(key, parameter) for key, parameter in about.PARAMETERS.items()]
            parts.append("\n".join(["| parameter | value | |", "| --- | --- | --- |", *rows]) + "\n")
    return "\n".join(parts)


def packs_document(page: Path, titles: tuple[str, str, str]) -> str:
    """The text of a page on packs, with its table of ops and their parameters; required ones are bold."""
    head, begin, rest = page.read_text(encoding="utf-8").partition(OPS_BEGIN)
    _, end, tail = rest.partition(OPS_END)
    lines = [f"| {' | '.join(titles)} |", "| --- | --- | --- |"]
    for name in NAMES:
        about = op(name)
        parameters = ", ".join(
            f"**`{key}`**" if parameter.required else f"`{key}`" for key, parameter in about.PARAMETERS.items()
        )
        lines.append(f"| [{name}](ops.md#{name}) | {_cell(about.SUMMARY)} | {parameters} |")
    table = "\n".join(lines)
    return f"{head}{begin}\n{table}\n\n{end}{tail}"


def _parameter(key: str, parameter: Parameter) -> str:
    kind = f"one of {', '.join(f'`{choice}`' for choice in parameter.choices)}" if parameter.choices else parameter.type
    given = "required" if parameter.required else "" if parameter.default in (None, (), "", {}) else _default(parameter)
    return f"| `{key}` | {kind}{f'; {given}' if given else ''} | {_cell(parameter.what)} |"


def _default(parameter: Parameter) -> str:
    return f"default `{json.dumps(parameter.default, ensure_ascii=False)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def outputs() -> dict[Path, str]:
    """Files that are committed, and what they should hold."""
    schema = json.dumps(pack_schema(), ensure_ascii=False, indent=2) + "\n"
    return {
        RULES_PAGE: document(),
        ROOT / "docs/ops.md": ops_document(),
        **{page: packs_document(page, titles) for page, titles in PACKS_PAGES.items()},
        ROOT / "src/tokaudit/schemas/rules.schema.json": schema,
    }


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
