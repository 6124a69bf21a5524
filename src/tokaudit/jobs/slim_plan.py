"""The plan of slimming: packs, choice of rules and goal, and the kind, languages and rules of each text by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.slim.choose import check_names, is_named, pack_names
from tokaudit.features.slim.evaluate import evaluate, helpful_rules
from tokaudit.features.slim.types import Choice, Goal, RuleSaving, Slimmed, SlimText
from tokaudit.jobs.inputs import Reading
from tokaudit.model import Decoding, Document, InputError, RuleError, Skipped, Tokenizer, UsageError
from tokaudit.model.message import Message
from tokaudit.model.pages import Mark
from tokaudit.model.record import record
from tokaudit.model.rules import RULE_CLASSES, Pack, Rule
from tokaudit.pipeline.engine.languages import languages_of


def choice_of(
    classes: Sequence[str], select: Sequence[str] = (), ignore: Sequence[str] = (), *, system: bool = False
) -> Choice:
    """The choice of rules by class and name. Raises ``UsageError`` for an unknown class."""
    classes = ["near" if name == "near-lossless" else name for name in classes]
    for name in classes:
        if name not in RULE_CLASSES:
            raise UsageError(
                Message("unknown class of rules '{name}'", name=name),
                hint=Message("one of {choices}", choices=tuple(RULE_CLASSES)),
            )
    return Choice(tuple(name for name in RULE_CLASSES if name in classes), tuple(select), tuple(ignore), system)


@record
class SlimPlan:
    """Packs, choice of rules and goal for all texts of a run; sent to other processes once."""

    packs: Sequence[str] | None
    """Names or paths of packs; None to choose them for each text."""
    choice: Choice
    goal: Goal | None = None
    added: Sequence[str] = ()
    """Names or paths of packs to use besides."""

    @classmethod
    def of(cls, rules: Sequence[str] | None, choice: Choice, goal: Goal | None = None) -> SlimPlan:
        """The plan for packs as ``--rules`` has them: ``+my.yaml`` is used besides those that are chosen otherwise.

        Raises:
            RuleError: A ``+`` without a pack.
        """
        names = pack_list(rules or ())
        if any(name == "+" for name in names):
            raise RuleError("'+' names no pack", hint="as in --rules +my.yaml")
        added = [name[1:] for name in names if name.startswith("+")]
        chosen = [name for name in names if not name.startswith("+")]
        return cls(chosen or ([] if rules == [] else None), choice, goal, added)

    def checked(self) -> SlimPlan:
        """The same with packs that the choice names replaced by their rules.

        Raises:
            RuleError: A pack does not exist or something is wrong in it.
            UsageError: The choice names a rule or pack that does not exist.
        """
        from tokaudit.store.packs import builtin_names, own_rules, rules_of

        if self.packs is None and not (self.choice.select or self.choice.ignore or self.added):
            return self
        packs = with_bases(load([*(self.packs if self.packs is not None else builtin_names()), *self.added]))
        rules = rules_of(packs)
        prefixes = {rule.id.partition(".")[0] for rule in rules}
        # The ids of a pack's rules may begin with another name, as md.* in markdown.
        ids = {
            name: [rule.id for rule in own_rules(pack)]
            for pack in packs
            for name in {pack.name, pack.path.rpartition(":")[2]} - prefixes
        }
        check_names(rules, self.choice, ids)
        select, ignore = (
            tuple(dict.fromkeys(rule for name in names for rule in ids.get(name, [name])))
            for names in (self.choice.select, self.choice.ignore)
        )
        return replace(self, choice=replace(self.choice, select=select, ignore=ignore))

    def text(
        self,
        path: str,
        text: str,
        kind: str | None = None,
        *,
        charset: str = "",
        decoding: Decoding | None = None,
        marks: Sequence[Mark] | None = None,
        skipped: Sequence[Skipped] = (),
        from_pdf: bool = False,
    ) -> SlimText:
        """A text with its kind, languages and packs resolved; ``kind`` is detected if not given."""
        from tokaudit.sources.slim_kinds import slim_kind_of

        given = kind
        kind = slim_kind_of(path, text, kind)
        langs = languages_of(text)
        return SlimText(
            path=path,
            text=text,
            kind=kind,
            langs=langs,
            packs=(*(pack_names(kind, langs, text) if self.packs is None else self.packs), *self.added),
            charset=charset,
            decoding=decoding or Decoding(),
            marks=marks,
            skipped=skipped,
            from_pdf=from_pdf,
            holds_requests=given is None and kind in {"json", "jsonl"},
        )

    def text_of_data(self, path: str, data: str | bytes, reading: Reading) -> SlimText:
        """The text of a file as it stands, with the lines that a count leaves out.

        Raises:
            InputError: The data cannot be decoded or read.
            UsageError: The kind is unknown.
        """
        from tokaudit.sources import decoded, is_pdf, load
        from tokaudit.sources.kinds import checked_kind
        from tokaudit.sources.slim_kinds import SLIM_KINDS

        checked_kind(reading.kind, SLIM_KINDS)
        if isinstance(data, bytes) and is_pdf(data):
            document = load(data, path, pdf=reading.pdf())
            return self.text(path, document.text, "pdf", marks=document.marks, skipped=document.skipped, from_pdf=True)
        if isinstance(data, bytes):
            read = decoded(data, reading.charset, path, errors=reading.errors)
            return self.text(
                path,
                read.text,
                reading.kind,
                charset=read.charset,
                decoding=read.decoding,
                skipped=read.decoding.notes(path),
            )
        try:
            data.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                Message("the text holds half a character at {at}", at=error.start),
                what=path,
                code="charset",
                hint="decode it again with errors='replace'",
            ) from error
        return self.text(path, data, reading.kind or "text")

    def text_of_document(self, document: Document) -> SlimText:
        """The text of a document that was opened for its tokens."""
        named = document.kind != "pdf" and not document.path.startswith("<")
        return self.text(
            document.path,
            document.text,
            None if named else document.kind,
            charset=document.charset,
            decoding=document.decoding,
            marks=document.marks or None,
            from_pdf=document.kind == "pdf",
        )

    def slimmed(self, text: SlimText, tokenizers: Sequence[Tokenizer]) -> Slimmed:
        """Slim one text; of requests in JSON the strings meant for the model."""
        if text.kind in {"json", "jsonl"} and text.holds_requests:
            from tokaudit.jobs.slim_requests import slimmed_requests

            found = slimmed_requests(text, self, tokenizers)
            if found is not None:
                return found
        return evaluate(text, self.rules(text.packs), self.choice, tokenizers, self.goal)

    def rules(self, names: Sequence[str]) -> Sequence[Rule]:
        """The rules of the packs of a text, and rules of other built-in packs that are selected."""
        from tokaudit.store.packs import builtin_names, rules_of

        rules = rules_of(load(names))
        if self.packs is not None or not self.choice.select:
            return rules
        known = {rule.id for rule in rules}
        others = rules_of(load(builtin_names()))
        return [*rules, *(rule for rule in others if rule.id not in known and is_named(rule, self.choice.select))]


def pack_list(names: Sequence[str]) -> list[str]:
    """Names of packs, each of which may be several with commas between them, unless it is a file's."""
    from pathlib import Path

    found = []
    for name in names:
        parts = [name] if "," not in name or Path(name.removeprefix("+")).exists() else name.split(",")
        found += [part.strip() for part in parts if part.strip() or not name.strip()]
    return found


def helpful_rules_of(
    document: Document, tokenizers: Sequence[Tokenizer], classes: Sequence[str] = ("lossless", "near")
) -> tuple[Slimmed, list[RuleSaving]]:
    """A document slimmed with the packs that suit it, and the rules of these classes that save tokens."""
    plan = SlimPlan(None, choice_of(classes))
    slimmed = plan.slimmed(plan.text_of_document(document), tokenizers)
    return slimmed, helpful_rules(slimmed, plan.rules(slimmed.source.packs))


def load(names: Sequence[str]) -> list[Pack]:
    """Packs by name or path, without examples. Raises ``RuleError``."""
    from tokaudit.store.packs import load_packs

    return load_packs(names, examples=False)


def with_bases(packs: Sequence[Pack]) -> list[Pack]:
    """Packs with those that they extend, which come first; each once."""
    found: dict[str, Pack] = {}
    for pack in packs:
        found |= {base.path: base for base in with_bases(pack.extends)}
        found[pack.path] = pack
    return list(found.values())
