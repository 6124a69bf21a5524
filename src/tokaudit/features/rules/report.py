"""The reports of ``tokaudit rules``: a rule's page, and the results of the examples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokaudit.features.documents import json_document
from tokaudit.features.rules.document import counted, pack_data, rule_data
from tokaudit.model.rules import Example, Pack, Rule
from tokaudit.pipeline.engine.examples import Failure
from tokaudit.pipeline.engine.rule_scope import PROSE_KINDS
from tokaudit.pipeline.ops import op

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


def show_data(rule: Rule, pack: Pack, version: str) -> dict[str, Any]:
    """The document of ``rules show --json``."""
    return json_document("rules-show", version, {"pack": pack_data(pack), "rule": rule_data(rule, pack)})


def test_data(tested: Sequence[Tested], version: str) -> dict[str, Any]:
    """The document of ``rules test --json``."""
    fields = {
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
    return json_document("rules-test", version, fields)


def test_page(tested: Sequence[Tested]) -> str:
    """Every failure with its place, and a summary line."""
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
    of = f"{counted(len(rules) - len(idle), 'rule')} in {counted(len(tested), 'pack')}"
    lines.append(
        f"{counted(len(examples), 'example')} of {of}: {f'{failed} failed' if failed else 'all as they should be'}"
        + (f", {counted(gaps, 'known gap')} (todo)" if gaps else "")
    )
    return "\n".join(lines) + "\n"


def rule_page(rule: Rule, level: int = 1) -> str:
    """A rule's page in Markdown: title, reason, exceptions, examples and parameters."""
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
