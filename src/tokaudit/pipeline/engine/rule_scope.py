"""The scope of rules: for which kinds of documents they are, and which ops look at some lines only."""

from __future__ import annotations

from tokaudit.model.rules import Rule

PROSE_KINDS = ("text", "markdown", "log", "chat", "pdf")
"""Kinds of documents that a rule without ``kinds`` is for."""
LOCAL_OPS = frozenset(
    (
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
        "replace",
        "translate",
        "url-percent",
    )
)
"""Ops whose edits depend on nothing beyond some lines: after the first pass they look only where something changed."""
TOGETHER_OPS = frozenset(("log-above", "name-ids", "sse-changed"))
"""Ops whose edits explain each other: all of them are made or none."""
TEMPLATE_OPS = LOCAL_OPS | {"half-width", "sentence-marks", "spaced-lines", "trim-lines", "url-query"}
"""Ops whose rules are for templates, if they are for text and Markdown: none moves, joins or drops lines."""


def suits(rule: Rule, kind: str) -> bool:
    """True if a rule is for a kind of document.

    The lines that a template will produce are not known, and those of YAML and TOML must stay. So rules for them are,
    beside those that name them, rules for text of any markup that change some words where they stand.
    """
    kinds = rule.kinds or PROSE_KINDS
    if kind in {"template", "yaml", "toml"} and kind not in kinds:
        return rule.op in TEMPLATE_OPS and "text" in kinds and "markdown" in kinds
    return kind in kinds
