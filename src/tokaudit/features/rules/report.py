"""The reports of ``tokaudit rules``: a rule's page, and the results of the examples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tokaudit.features.documents import json_document
from tokaudit.features.rules.document import pack_data, rule_data
from tokaudit.model.message import Message, counted, joined, translated
from tokaudit.model.record import record
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


@record
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


def test_page(tested: Sequence[Tested], words: Mapping[str, str]) -> str:
    """Every failure with its place, and a summary line, in the language of a catalogue."""
    lines: list[str] = []
    for item in tested:
        for failure in item.failures:
            lines += [
                joined(": ", f"{item.pack.path}:{failure.line}", failure.rule, failure.reason),
                Message("  in      {text}", text=visible(failure.before)),
                Message("  wanted  {text}", text=visible(failure.wanted)),
                Message("  got     {text}", text=visible(failure.got)),
                "",
            ]
    return "\n".join(translated(line, words) for line in [*lines, *_test_summary(tested)]) + "\n"


def _test_summary(tested: Sequence[Tested]) -> Iterator[Message]:
    rules = [rule for item in tested for rule in item.rules]
    idle = {name for item in tested for name in item.not_run}
    examples = [example for rule in rules if rule.id not in idle for example in rule.examples]
    failed = sum(len(item.failures) for item in tested)
    bare = [rule.id for rule in rules if not rule.examples]
    if bare:
        shown: Message | tuple[str, ...] = tuple(bare[:5])
        if len(bare) > 5:
            shown = Message("{rules} and {n} more", rules=shown, n=len(bare) - 5)
        yield Message("without examples: {rules}", rules=shown)
    for item in tested:
        for name, reason in item.not_run.items():
            yield Message("not run: {rule}: {reason}", rule=name, reason=reason)
    gaps = sum(example.todo for example in examples)
    outcome = Message("{n} failed", n=failed) if failed else Message("all as they should be")
    if gaps:
        known = counted(gaps, "1 known gap", "{n:,} known gaps")
        outcome = Message("{outcome}, {gaps} (todo)", outcome=outcome, gaps=known)
    yield Message(
        "{examples} of {rules} in {packs}: {outcome}",
        examples=counted(len(examples), "1 example", "{n:,} examples"),
        rules=counted(len(rules) - len(idle), "1 rule", "{n:,} rules"),
        packs=counted(len(tested), "1 pack", "{n:,} packs"),
        outcome=outcome,
    )


def rule_page(
    rule: Rule, level: int = 1, *, words: Mapping[str, str] | None = None, other: Mapping[str, str] | None = None
) -> str:
    """A rule's page in Markdown: title, reason, exceptions, examples and parameters.

    Args:
        rule: The rule.
        level: Of its heading.
        words: Catalogue of the language of headings and title; empty for English.
        other: Catalogue of another language, in which the title stands too.
    """
    words = words or {}
    head = "#" * level
    titles = [translated(rule.title, words), rule.title, (other or {}).get(rule.title, rule.title)]
    lines = [f"{head} {rule.id}", ""]
    lines += [line for title in dict.fromkeys(titles) for line in (_sentence(title), "")]
    lines += [f"- **{translated(name, words)}**: {translated(value, words)}" for name, value in _facts(rule)]
    sections: list[tuple[str, Sequence[str]]] = [("Why", [rule.why.strip()])]
    if rule.not_when:
        sections.append(("When not to use it", [rule.not_when.strip()]))
    changing = [item for item in rule.examples if item.before != item.after and not item.todo]
    same = [item for item in rule.examples if item.before == item.after and not item.todo]
    gaps = [item for item in rule.examples if item.todo]
    if changing:
        sections.append(("Examples", [*map(_example, changing)]))
    if same:
        sections.append(("What it must not change", [*map(_example, same)]))
    if gaps:
        about = translated("What should come of these, and does not yet:", words)
        sections.append(("Known gaps", [about, "", *map(_example, gaps)]))
    how = [f"`{rule.op}`: {_sentence(op(rule.op).SUMMARY)}"]
    if parameters := list(_parameters(rule)):
        how += ["", *parameters]
    sections.append(("How", how))
    for name, body in sections:
        lines += ["", f"{head}# {translated(name, words)}", "", *body]
    return "\n".join(lines) + "\n"


def _facts(rule: Rule) -> Sequence[tuple[str, str]]:
    facts: list[tuple[str, str]] = [
        ("Class", Message(_CLASSES[rule.rule_class])),
        ("Default", _default(rule)),
        ("Stage", rule.stage),
    ]
    if rule.langs:
        facts.append(("Languages", _listed(Message(_LANGUAGES[lang]) for lang in rule.langs)))
    facts.append(("Documents", _listed(rule.kinds or PROSE_KINDS)))
    if rule.saves:
        facts.append(("Saves", rule.saves))
    guard = Message("{name}: {what}", name=rule.guard, what=Message(_GUARDS[rule.guard]))
    facts.append(("Guard", guard))
    named = (
        ("Enters", rule.enters),
        (Message("Stays out of"), rule.avoids),
        (Message("Removes or rewrites facts"), rule.removes),
    )
    facts += [(name, _listed(sorted(values))) for name, values in named if values]
    return facts


def _listed(names: Iterable[str]) -> Message:
    return Message("{names}", names=tuple(names))


def _default(rule: Rule) -> Message:
    if not rule.default:
        return Message("off; on with `--select {rule}`", rule=rule.id)
    return Message("on with `--lossy`") if rule.rule_class == "lossy" else Message("on")


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
