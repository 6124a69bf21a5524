"""Which rules are for which texts, and how far a rule must look: by kinds of documents and by ops."""

from __future__ import annotations

from tokaudit.model.rules import Rule

PROSE_KINDS = ("text", "markdown", "log", "chat", "pdf")
"""Kinds of documents that a rule without ``kinds`` is for."""
LOCAL_OPS = frozenset(
    (
        *(
            "amounts",
            "collapse",
            "convert",
            "dates",
            "delete",
            "doubled",
            "emoji-runs",
            "entities",
            "fields",
            "phrases",
        ),
        *("replace", "translate", "url-percent", "url-query"),
    )
)
"""Ops whose edits depend on nothing beyond some lines: after the first pass they look only where something changed."""
TEMPLATE_OPS = LOCAL_OPS | {"half-width", "sentence-marks", "spaced-lines", "trim-lines"}
"""Ops whose rules are for templates, if they are for text and Markdown: none moves, joins or drops lines."""


def suits(rule: Rule, kind: str) -> bool:
    """Whether a rule is for a kind of document.

    Of a template it is not known which lines will be, and of what: so the rules are for it that are for text of any
    markup and change some words where they stand, beside those that name it.
    """
    kinds = rule.kinds or PROSE_KINDS
    if kind == "template" and kind not in kinds:
        return rule.op in TEMPLATE_OPS and "text" in kinds and "markdown" in kinds
    return kind in kinds
