"""Slim documents: which rules for which text, how far to go, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tokaudit.features.slim.left_alone import left_alone
from tokaudit.model import Finding, Place, Skipped, Tokenizer, UsageError
from tokaudit.model.edits import SlimResult
from tokaudit.model.pages import Mark
from tokaudit.model.rules import LANGUAGES, RULE_CLASSES, Rule, RuleClass
from tokaudit.pipeline.engine.languages import languages_of
from tokaudit.pipeline.engine.remarks import REMARKING, remarks
from tokaudit.pipeline.engine.run import slim_text

_HEAD = 1 << 14
"""Code points that tell what a text is."""
_LOG_LINE = re.compile(
    r"\W{0,2}(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]?|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|"
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b)"
)
_TURN = re.compile(
    r"[*_\[【「]{0,2}(?:机器人|我|你|[A-Za-z][\w .-]{0,20}|[\u4e00-\u9fff]{2,4})"
    r"[\]】」*_]{0,2}(?:\s?[(（]?\d\d?:\d\d[^:：]{0,6})?\s?[:：]"
)
_FEW = 3
"""Lines that begin like a log's or a chat's from which on a text may be one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rules of the packs are applied."""

    classes: tuple[RuleClass, ...] = ("lossless", "near")
    select: tuple[str, ...] = ()
    """Rules, or packs of rules, that are applied too, whatever their class and default."""
    ignore: tuple[str, ...] = ()
    """Rules, or packs of rules, that are not applied."""


@dataclass(frozen=True, slots=True)
class Goal:
    """How short a text is to become; the classes are applied from the safest on until it is.

    Raises:
        UsageError: A budget below none, or a share that is none.
    """

    budget: int | None = None
    """Tokens, for each model."""
    target: float | None = None
    """Share of the tokens that is to be saved, 0 to 1, for each model."""

    def __post_init__(self) -> None:
        if self.budget is not None and self.budget < 0:
            raise UsageError(f"a budget of {self.budget} tokens is negative", hint="give a number of tokens")
        if self.target is not None and not 0 < self.target < 1:
            raise UsageError(f"{self.target} is no share of the tokens to save", hint="above 0 and below 1, as in 0.3")

    def met(self, before: Sequence[int], after: Sequence[int]) -> bool:
        """Whether tokens before and after are as wanted."""
        if self.budget is not None and any(tokens > self.budget for tokens in after):
            return False
        pairs = zip(before, after, strict=True)
        return self.target is None or all(old - new >= self.target * old for old, new in pairs)


@dataclass(frozen=True, slots=True)
class Slimmed:
    """One slimmed document. Tokens in ``result`` are in the order of the tokenizers."""

    path: str
    kind: str
    charset: str
    langs: tuple[str, ...]
    packs: tuple[str, ...]
    """Names of the packs that were used."""
    result: SlimResult
    classes: tuple[RuleClass, ...]
    """The classes of rules that were applied; none where a goal was met by the text as it is."""
    met: bool | None = None
    """Whether the goal was met; None without one."""
    marks: Sequence[Mark] | None = None
    """What of the text before is known not to be body, for a PDF."""
    skipped: Sequence[Skipped] = ()
    """Parts of the file that are not in the text, such as a page of a PDF, or that no rule could touch."""
    remarks: Sequence[Finding] = ()
    """What rules have to say of the text before, beside their edits."""
    from_pdf: bool = False
    """Whether the text was read from a PDF, and cannot be written back into it."""

    @property
    def saved(self) -> tuple[int, ...]:
        """Tokens saved, for each tokenizer."""
        pairs = zip(self.result.tokens_before, self.result.tokens_after, strict=True)
        return tuple(before - after for before, after in pairs)


@dataclass(frozen=True, slots=True)
class Source:
    """A text to slim, as it stands in its file."""

    path: str
    text: str
    kind: str
    """text, markdown, json, jsonl, code or template: as the file's name tells; log or chat, as was asked; pdf, by its
    bytes."""
    charset: str = ""
    """As the report names it; empty for text that was never bytes, and for PDF."""
    marks: Sequence[Mark] | None = None
    """What is known not to be body, from the pages of a PDF."""
    skipped: Sequence[Skipped] = ()
    """Parts of the file that are not in the text."""


RulesOf = Callable[[Sequence[str]], Sequence[Rule]]
"""Gives the rules of packs by their names."""


def slim_source(
    source: Source,
    names: Sequence[str] | None,
    rules_of: RulesOf,
    choice: Choice,
    tokenizers: Sequence[Tokenizer],
    goal: Goal | None = None,
) -> Slimmed:
    """Slim one document.

    Args:
        source: What to slim.
        names: The packs to use; None to choose them by the kind and language of the text.
        rules_of: Gives their rules.
        choice: Which of the rules. With a goal its classes are the last ones to be applied.
        tokenizers: The guard's; the results keep their order.
        goal: How short the text is to become; None for all rules of the choice.
    """
    kind = document_kind(source.text, source.kind)
    langs = languages_of(source.text)
    names = pack_names(kind, langs) if names is None else names
    rules = rules_of(names)
    # With a goal the text as it is comes first: where nothing is needed, nothing is done.
    levels = [choice.classes] if goal is None else [RULE_CLASSES[:most] for most in range(len(RULE_CLASSES) + 1)]
    for classes in levels:
        chosen = chosen_rules(rules, replace(choice, classes=classes)) if goal is None or classes else []
        result = slim_text(source.text, chosen, kind=kind, langs=langs, counters=tokenizers, marks=source.marks)
        met = None if goal is None else goal.met(result.tokens_before, result.tokens_after)
        if met:
            break
    skipped = [*source.skipped]
    # Of a document it is told where nothing could be done; of lines, each of them may be left.
    if (kind == "jsonl" or (kind == "json" and not result.deltas)) and any(kind in rule.kinds for rule in chosen):
        skipped += left_alone(source.path, source.text, kind)
    if kind == "template":
        skipped += left_alone(source.path, source.text, kind)
    ordered = tuple(lang for lang in LANGUAGES if lang in langs)
    return Slimmed(
        source.path, kind, source.charset, ordered, tuple(names), result, classes, met, source.marks, skipped,
        _remarks(source, kind, rules, chosen), source.kind == "pdf",
    )  # fmt: skip


def _remarks(source: Source, kind: str, rules: Sequence[Rule], chosen: Sequence[Rule]) -> list[Finding]:
    """What rules have to say of a text: those that are applied, and of a PDF all of its packs."""
    applied = {rule.id for rule in chosen}
    asked = [rule for rule in rules if rule.op in REMARKING and (kind == "pdf" or rule.id in applied)]
    if not asked:
        return []
    known = {item.what for item in source.skipped}
    found = []
    for rule in asked:
        for remark in remarks(source.text, kind, rule, applied=rule.id in applied):
            page = source.text.count("\f", 0, remark.start) + 1 if kind == "pdf" else None
            if remark.page and f"{source.path}:page {page}" in known:  # said where the file was read
                continue
            line = None if source.kind == "pdf" else source.text.count("\n", 0, remark.start) + 1
            fingerprint = f"{rule.id}#{source.path}#{page or line}"
            where = f"page {page}: " if page and line is None else ""
            found.append(
                Finding(
                    rule.id, remark.level, f"{rule.id}: {where}{remark.message}", source.path, Place(line, page=page),
                    remark.measured, remark.limit, fingerprint,
                )
            )  # fmt: skip
    return found


def chosen_rules(rules: Sequence[Rule], choice: Choice) -> list[Rule]:
    """The rules of a choice, in their order."""
    return [
        rule
        for rule in rules
        if not is_named(rule, choice.ignore)
        and (is_named(rule, choice.select) or (rule.default and rule.rule_class in choice.classes))
    ]


def is_named(rule: Rule, names: Sequence[str]) -> bool:
    """Whether a rule is named, by its id or with all of its pack (``cn``, ``cn.*``)."""
    pack = rule.id.partition(".")[0]
    return any(name in {rule.id, pack, f"{pack}.*"} for name in names)


def check_names(rules: Iterable[Rule], choice: Choice, packs: Iterable[str] = ()) -> None:
    """Refuse names of rules that there are not. Raises ``UsageError`` with the nearest ones."""
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


def document_kind(text: str, kind: str) -> str:
    """The kind of a document as rules have it: a plain text may be a log, a chat, or the text of a PDF."""
    if kind != "text":
        return kind
    head = text[:_HEAD]
    if "\f" in head:
        return "pdf"
    lines = [line for line in head.split("\n")[:200] if line.strip()]
    logged = sum(1 for line in lines if _LOG_LINE.match(line))
    if logged >= _FEW and logged * 2 >= len(lines):
        return "log"
    turns = sum(1 for line in lines if _TURN.match(line))
    return "chat" if turns >= _FEW and turns * 2 >= len(lines) else "text"


def pack_names(kind: str, langs: Iterable[str]) -> list[str]:
    """The built-in packs for a kind of document in some languages."""
    if kind in {"json", "jsonl"}:
        return ["json"]
    if kind == "code":
        return ["code"]
    of_langs = [pack for lang, pack in (("zh", "cn"), ("ja", "cn"), ("en", "en")) if lang in langs]
    prose = list(dict.fromkeys(of_langs)) or ["common"]
    return {"markdown": ["markdown"], "log": ["log"], "chat": ["chat"], "pdf": ["pdf"]}.get(kind, []) + prose
