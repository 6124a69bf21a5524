"""Nothing breaks: at least 200 real documents, from the packages that are installed for the tests, and the samples."""

from __future__ import annotations

import ast
import json
from collections import Counter

import pytest
from markdown_it import MarkdownIt

from documents import documents
from tokaudit import load_tokenizer
from tokaudit.features.slim.types import Choice
from tokaudit.jobs.slim_plan import SlimPlan
from tokaudit.model.rules import PROTECTED
from tokaudit.pipeline.spans.find import find_spans

MODELS = ("o200k_base", "qwen3", "deepseek-v3")


@pytest.fixture(scope="module")
def tokenizers():
    return [load_tokenizer(name) for name in MODELS]


def protected(text: str, kind: str, kinds: set[str]) -> Counter:
    return Counter(
        (span.kind, text[span.start : span.end]) for span in find_spans(text, kind).all if span.kind in kinds
    )


# What rules of the default classes enter on purpose; tables and JSON are compared by what they mean.
UNTOUCHED = set(PROTECTED) - {"table", "json", "url", "tag", "xml", "placeholder", "quote", "path", "email"}


@pytest.mark.parametrize("classes", [("lossless", "near"), ("lossless", "near", "lossy")], ids=["default", "lossy"])
def test_nothing_breaks(tokenizers, classes):
    texts = documents()
    assert len(texts) >= 200
    plan = SlimPlan(None, Choice(classes))
    wrong = []
    for path, text, kind in texts:
        document = plan.slimmed(plan.text(path, text, kind), tokenizers)
        result = document.result
        problems = []
        before = [tokenizer.count(text) for tokenizer in tokenizers]
        after = [tokenizer.count(result.text) for tokenizer in tokenizers]
        saved = [sum(delta.saved[column] for delta in result.deltas) for column in range(len(tokenizers))]
        if [old - new for old, new in zip(before, after, strict=True)] != saved:
            problems.append(f"the rules' savings {saved} are not the text's: {before} to {after}")
        if any(new > old for old, new in zip(before, after, strict=True)):
            problems.append(f"tokens rise: {before} to {after}")
        if result.replay() != result.text:
            problems.append("the replay is another text")
        if not result.ledger.whole:
            problems.append(f"ledger: {result.ledger.before} {result.ledger.removed} {result.ledger.after}")
        again = plan.slimmed(plan.text(path, result.text, kind), tokenizers).result
        if again.text != result.text:
            problems.append(f"slimmed again it changes by {[step.rule for step in again.steps]}")
        if classes == ("lossless", "near"):
            if kind in {"markdown", "text"} and document.source.kind != "log":
                found = document.source.kind
                lost = protected(text, found, UNTOUCHED) - protected(result.text, found, UNTOUCHED)
                if lost:
                    problems.append(f"protected: {list(lost)[:3]}")
            if kind == "markdown" and _structure(text) != _structure(result.text):
                problems.append("Markdown of another structure")
            if kind == "code":
                if text != result.text:
                    problems.append("code changed")
                if path.endswith(".py"):
                    ast.parse(result.text)
        if kind == "json" and _value(text) != _value(result.text):
            problems.append("another JSON value")
        if problems:
            wrong.append((path, document.source.kind, problems))
    assert not wrong


def _value(text: str):
    try:
        return json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=tuple)
    except ValueError:
        return None


def _structure(text: str) -> list[tuple[str, str]]:
    """Blocks of a Markdown text: what they are, with the code in them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [
        (
            token.type,
            token.content if token.type in {"fence", "code_block"} else token.markup if token.type != "hr" else "",
        )
        for token in tokens
        if token.type not in {"inline", "html_block"}
    ]
