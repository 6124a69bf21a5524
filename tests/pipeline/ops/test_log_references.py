"""Ops by which lines of a log refer to each other: what they say can be told again from the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from log_samples import SETS, log_of
from tokaudit import slim
from tokaudit.model.edits import Edit
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.spans.find import Spans
from tokaudit.pipeline.views.view import View
from tokaudit.store.packs import load_pack, own_rules
from work import assert_linear

RULES = {rule.id: rule for rule in own_rules(load_pack("log"))}
LEGEND = " (″N: N words as in the line above)"
WORD = re.compile(r"[^\s|]+")


def slimmed(text: str, *ids: str) -> str:
    return slim_text(text, [RULES[name] for name in ids], kind="log").text


def without_above(text: str) -> str:
    """The text with the words that ″ stands for."""
    assert text.count(LEGEND) <= 1
    before = ""
    lines = []
    for line in text.replace(LEGEND, "").split("\n"):
        words = [match.span() for match in WORD.finditer(before)]
        done, index, at = "", 0, 0
        for match in WORD.finditer(line):
            done += line[at : match.start()]
            if match[0][0] == "″":
                count = int(match[0][1:])
                done += before[words[index][0] : words[index + count - 1][1]]
                index += count
            else:
                done += match[0]
                index += 1
            at = match.end()
        lines.append(done + line[at:])
        before = lines[-1]
    return "\n".join(lines)


def without_names(text: str) -> str:
    """The text with the identifiers that names stand for."""
    names = dict(re.findall(r"(?<![A-Za-z0-9])((?:id|ref|key|uid|nr)\d+)=([A-Za-z0-9-]{12,})", text))
    text = re.sub(r"(?<![A-Za-z0-9])(?:id|ref|key|uid|nr)\d+=(?=[A-Za-z0-9-]{12,})", "", text)
    return re.sub(r"(?<![A-Za-z0-9])(?:id|ref|key|uid|nr)\d+(?![A-Za-z0-9])", lambda match: names[match[0]], text)


@pytest.mark.parametrize("name", SETS)
def test_words_of_the_line_above_can_be_told(name: str):
    log = log_of(name)
    slim = slimmed(log, "log.above")
    assert slim.count("″") > 10
    assert without_above(slim) == log
    assert slimmed(slim, "log.above") == slim


@pytest.mark.parametrize("name", ["OpenStack", "Hadoop", "HealthApp", "Windows"])
def test_named_identifiers_can_be_told(name: str):
    log = log_of(name)
    slim = slimmed(log, "log.ids")
    assert len(slim) < len(log)
    assert without_names(slim) == log
    assert slimmed(slim, "log.ids") == slim


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("ids", [("log.ids", "log.above"), tuple(RULES)])
def test_slimming_twice_is_slimming_once(name: str, ids: Sequence[str]):
    once = slimmed(log_of(name), *ids)
    assert slimmed(once, *ids) == once


@pytest.mark.parametrize(
    ("name", "rule", "least"),
    [
        *(("Apache", "log.above", 0.3), ("HPC", "log.above", 0.15), ("Hadoop", "log.above", 0.2)),
        *(("Linux", "log.above", 0.15), ("OpenSSH", "log.above", 0.15), ("Spark", "log.above", 0.15)),
        *(("Windows", "log.above", 0.2), ("Zookeeper", "log.above", 0.15), ("Thunderbird", "log.above", 0.15)),
        ("OpenStack", "log.ids", 0.35),
    ],
)
@pytest.mark.parametrize("model", ["o200k_base", "qwen3"])
def test_savings_of_public_sets(name: str, rule: str, least: float, model: str):
    result = slim(log_of(name, 200), kind="log", select=rule, models=model)
    assert result.tokens_before[0] - result.tokens_after[0] >= least * result.tokens_before[0]
    assert result.ledger.whole


UUID = "b9000564-fe1a-409b-b8cc-1e88b294cd1d"


def test_edits_that_explain_each_other_are_made_together_or_not_at_all():
    log = f"08:00:00 {UUID}\n08:00:01 {UUID}\n"
    assert slimmed(log, "log.ids") == f"08:00:00 id1={UUID}\n08:00:01 id1\n"
    off = f"<!-- tokaudit:off -->\n{log}<!-- tokaudit:on -->\n08:00:02 {UUID}\n"
    assert slimmed(off, "log.ids") == off
    # The note costs more than three words save.
    few = "08:00:00 a\n08:00:00 b\n"
    assert slim(few, kind="log", select="log.above", models="o200k_base").text == few


@pytest.mark.parametrize("taken", ["id3", "id1=2", "/id7/"])
def test_names_are_none_that_the_text_has(taken: str):
    assert slimmed(f"{taken}\n{UUID}\n{UUID}\n", "log.ids") == f"{taken}\nref1={UUID}\nref1\n"


@pytest.mark.parametrize(
    "text",
    ["processConfigurationFileForTheFirstTime\n", "ABCDEFGHIJKLMNOPQRSTUVWXYZ\n", "20250302\n", "12345678901\n", "a\n"],
)
def test_words_are_no_identifiers(text: str):
    assert slimmed(text * 4, "log.ids") == text * 4


@pytest.mark.parametrize("name", ["log-above", "name-ids"])
@pytest.mark.parametrize("piece", ["a1b2", f"{UUID} ", f"{UUID}\n", "a b ", "a|", "08:00:00 INFO a\n", "f" * 16 + "1-"])
def test_work_is_linear(name: str, piece: str):
    find = op(name).prepare({})

    def edits(text: str) -> list[Edit]:
        return list(find(View(text, "log", frozenset(), no_spans)))

    assert_linear(edits, lambda size: piece * (size // len(piece)), 20_000)


def no_spans() -> Spans:
    raise AssertionError
