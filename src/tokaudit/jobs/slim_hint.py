"""Looks for what rules would save that are left out: off by default, lossy, or for another kind of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.slim.choose import chosen_rules, is_named
from tokaudit.features.slim.types import Hint, KindHint, SelectHint, Slimmed
from tokaudit.jobs.slim_plan import SlimPlan
from tokaudit.model import Tokenizer
from tokaudit.model.rules import Rule
from tokaudit.sources.slim_kinds import kind_evidence

MOST = 50_000
"""Characters of all texts up to which it is looked for: the texts are slimmed up to five times more."""
MOST_WHOLE = 300_000
"""The same for a text that is something only as a whole, JSON or a page of HTML, whose rules take less time."""
_DIVISIBLE = frozenset(("text", "markdown", "log", "chat", "jsonl"))
"""Kinds of which the beginning is a text of its own, by which a longer one is judged."""
_NAMED = 4
"""Rules that are named, those that save most."""
_OPTIONAL = {"convert"}
"""Ops that need a library which may not be installed."""
_LEAST = 0.01
"""Share of the tokens that it must save beyond what is saved now, to be worth a line."""
_FEW = 3
"""Lines that speak for another kind, from which on it is tried."""


def select_hint(documents: Sequence[Slimmed], plan: SlimPlan, tokenizers: Sequence[Tokenizer]) -> SelectHint | None:
    """What rules would save that are left out, of the documents' packs: without loss, and with loss of content.

    A single text that is long is judged by its beginning. None where several texts are too long together, there is a
    goal (which takes the rules that it needs), only lossless rules are wanted, or little would be saved.
    """
    if not documents or plan.goal is not None or "near" not in plan.choice.classes:
        return None
    part = 0
    first = documents[0].source
    whole = first.kind == "json" or (first.kind == "code" and "html" in first.packs)
    if sum(len(document.result.before) for document in documents) > (MOST_WHOLE if whole else MOST):
        part = first.text.rfind("\n", 0, MOST) + 1
        if len(documents) > 1 or first.kind not in _DIVISIBLE or not part:
            return None
        documents = [plan.slimmed(replace(first, text=first.text[:part]), tokenizers)]
    search = _Search(documents, plan, tokenizers)
    safe = search.best(lossy=False)
    lossy = search.best(lossy=True, least=safe.more if safe else 0.0)
    kind = search.other_kind()
    return SelectHint(safe, lossy, kind, part) if safe or lossy or kind else None


class _Search:
    """Slims documents again with more rules."""

    def __init__(self, documents: Sequence[Slimmed], plan: SlimPlan, tokenizers: Sequence[Tokenizer]) -> None:
        self._documents = documents
        self._plan = plan
        self._tokenizers = tokenizers
        self._now = _share(documents)
        self._off = list({rule.id: rule for document in documents for rule in _off(plan, document)}.values())

    def best(self, *, lossy: bool, least: float = 0.0) -> Hint | None:
        """The rules that save most, and how much more than now; None if it is not clearly more than ``least``."""
        candidates = [rule for rule in self._off if lossy or rule.rule_class != "lossy"]
        if not candidates or (lossy and not any(rule.rule_class == "lossy" for rule in candidates)):
            return None
        by_class = {rule.id for rule in candidates if rule.default}
        names = [rule.id for rule in candidates if not rule.default]
        found, helpful = self._slimmed(names, lossy=lossy)
        useful = [name for name in helpful if name in names][:_NAMED]
        if set(useful) != set(names):
            found, helpful = self._slimmed(useful, lossy=lossy)
        more = _share(found) - self._now
        if more - least < _LEAST:
            return None
        return Hint(useful, more, lossy=any(name in by_class for name in helpful))

    def other_kind(self) -> KindHint | None:
        """The kind whose rules, left out for the kind that the texts are, save most beyond what is saved now."""
        texts = [document for document in self._documents if document.source.kind == "text"]
        if not texts:
            return None
        kinds = {"chat"}  # a line of a chat has nothing that says so
        if len(texts) == 1:
            evidence = kind_evidence(texts[0].path, texts[0].source.text)
            kinds |= {one.kind for one in evidence[1:] if one.lines >= _FEW}
        hints = [self._of_kind(kind, lossy=lossy) for lossy in (False, True) for kind in sorted(kinds)]
        return max(filter(None, hints), key=lambda hint: (not hint.lossy, hint.saved), default=None)

    def _of_kind(self, kind: str, *, lossy: bool) -> KindHint | None:
        """What the rules save that are for this kind and not for plain text, with lossy ones or as chosen."""
        choice = self._plan.choice
        if lossy and "lossy" in choice.classes:
            return None
        classes = (*choice.classes, "lossy") if lossy else choice.classes
        plan = replace(self._plan, choice=replace(choice, classes=classes))
        rules: dict[str, int] = {}
        for document in self._documents:
            source = document.source
            if source.kind != "text":
                continue
            other = plan.text(source.path, source.text, kind, charset=source.charset, decoding=source.decoding)
            own = {rule.id for rule in plan.rules(source.packs) if source.kind in rule.kinds}
            for delta in plan.slimmed(other, self._tokenizers).result.deltas:
                if delta.saved[0] > 0 and delta.rule not in own:
                    rules[delta.rule] = rules.get(delta.rule, 0) + delta.saved[0]
        return KindHint(kind, list(rules), sum(rules.values()), lossy) if rules else None

    def _slimmed(self, names: Sequence[str], *, lossy: bool) -> tuple[list[Slimmed], list[str]]:
        """The documents with some more rules, and the rules that save tokens, those first that save most."""
        choice = self._plan.choice
        classes = choice.classes if not lossy or "lossy" in choice.classes else (*choice.classes, "lossy")
        optional = [rule.id for rule in self._off if rule.op in _OPTIONAL]
        plan = replace(
            self._plan,
            choice=replace(
                choice, classes=classes, select=(*choice.select, *names), ignore=(*choice.ignore, *optional)
            ),
        )
        found = [plan.slimmed(document.source, self._tokenizers) for document in self._documents]
        saved: dict[str, int] = {}
        for delta in (delta for document in found for delta in document.result.deltas):
            saved[delta.rule] = saved.get(delta.rule, 0) + delta.saved[0]
        return found, sorted((name for name in saved if saved[name] > 0), key=lambda name: -saved[name])


def _off(plan: SlimPlan, document: Slimmed) -> Sequence[Rule]:
    """Rules that are left out because they are off by default or lossy; those of an optional library too."""
    rules = plan.rules(document.source.packs)
    applied = {rule.id for rule in chosen_rules(rules, plan.choice)}
    return [rule for rule in rules if rule.id not in applied and not is_named(rule, plan.choice.ignore)]


def _share(documents: Sequence[Slimmed]) -> float:
    before = sum(document.result.tokens_before[0] for document in documents)
    return sum(document.saved[0] for document in documents) / before if before else 0.0
