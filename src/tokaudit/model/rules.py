"""Rules and packs as they are loaded: data, with nothing of the file they came from but its identity and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from tokaudit.model.record import record

RuleClass = Literal["lossless", "near", "lossy"]
"""lossless: the same content, which a machine can check; near: layout and form only; lossy: content is deleted."""
RULE_CLASSES: tuple[RuleClass, ...] = ("lossless", "near", "lossy")
Stage = Literal["decode", "structure", "layout", "lexical", "final"]
STAGES: tuple[Stage, ...] = ("decode", "structure", "layout", "lexical", "final")
Guard = Literal["saves", "any", "all", "never"]
"""Condition for the guard to accept the edits of a window. saves: fewer tokens in all, more for none; any: fewer for
one of the tokenizers; all: fewer for each; never: there is no guard."""
GUARDS: tuple[Guard, ...] = ("saves", "any", "all", "never")
Language = Literal["zh", "ja", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "ja", "en")

PROTECTED: tuple[str, ...] = (
    "off",
    "fence",
    "indented",
    "inline-code",
    "url",
    "email",
    "path",
    "quote",
    "placeholder",
    "tag",
    "table",
    "front-matter",
    "json",
    "xml",
    "code",
    "example",
)
"""Kinds of spans that no rule enters unless its ``enters`` names them; ``off`` (tokaudit:off ... tokaudit:on) none may.

fence: a fenced block with its fences; indented: an indented block of Markdown; code: a whole source file; json: a whole
JSON document or line; xml: a whole document of markup; tag: one tag in a text; example: input and output of
an example of the task, and examples of how something is written.
"""
STRUCTURE: tuple[str, ...] = ("heading", "list", "block-quote", "html-comment", "verse")
"""Kinds of spans that rules enter unless their ``avoids`` names them."""
FACTS: tuple[str, ...] = (
    "number",
    "date",
    "amount",
    "identifier",
    "url",
    "email",
    "path",
    "code",
    "placeholder",
    "negation",
    "json",
)
"""Kinds of facts that the ledger keeps, and that a rule's ``removes`` may name."""


@record
class Example:
    """One example of a rule, which is its test."""

    before: str
    after: str
    """The same as ``before`` where nothing may change."""
    todo: bool = False
    """A known gap: the rule does not do it yet, and the test fails once it does."""
    kind: str = ""
    """The kind of document it is of; text where empty."""
    line: int = 0
    """Of the pack's file, 1-based."""


@record
class Rule:
    """One rule of a pack."""

    id: str
    """``pack.name``, such as ``cn.final-particle``."""
    title: str
    why: str
    rule_class: RuleClass
    stage: Stage
    op: str
    """A file in ``pipeline/ops``."""
    values: Mapping[str, Any]
    """The op's parameters, checked against what it declares."""
    default: bool = True
    """True to apply it with its class; False to apply it only if selected."""
    langs: tuple[Language, ...] = ()
    """Languages of the texts it is for; empty for all."""
    kinds: tuple[str, ...] = ()
    """Kinds of document it is for (text, markdown, json, jsonl, code, log, chat, pdf, template); empty for text,
    markdown, log, chat and pdf. What is for text and Markdown and changes single words is for templates too."""
    enters: frozenset[str] = frozenset()
    """Of ``PROTECTED``, what it may enter."""
    avoids: frozenset[str] = frozenset()
    """Of ``STRUCTURE``, what it stays out of."""
    guard: Guard = "saves"
    removes: frozenset[str] = frozenset()
    """Of ``FACTS``, what it may remove or rewrite on purpose."""
    timeout_ms: int = 500
    """Milliseconds that the rule may take for a megabyte of text, and at least for any text."""
    saves: str = ""
    """Measured saving, for its page."""
    not_when: str = ""
    """Cases in which it should not be used, for its page."""
    examples: Sequence[Example] = ()
    line: int = 0
    """Of the pack's file, 1-based."""


@record
class Pack:
    """An ordered list of rules, of one file and those it extends."""

    name: str
    version: str
    title: str
    sha256: str
    """Of the file, in hex."""
    path: str
    """As it was named; ``builtin:cn`` for one of ours."""
    rules: Sequence[Rule]
    """With those of the packs it extends, which come first."""
    extends: Sequence[Pack] = field(default=())
