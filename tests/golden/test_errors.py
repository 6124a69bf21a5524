"""Command lines that end in an error and print nothing else: one table a command, ``errors/*.yaml``.

An entry has the command line, the words on stderr and, if it is not 2, the exit code; ``inputs`` and ``only`` are as in
the folders, and ``files`` are small texts of its own. They run in this process, by the command's entry function.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from places import GOLDEN
from scenarios import Outcome, outcome_of, prepare, skip_unless_words_are_of

TABLES = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("errors/*.yaml"))}


class Literal(str):
    """A string that is written as a block."""

    __slots__ = ()


class Dumper(yaml.SafeDumper):
    """As the tables are laid out: words as blocks, an empty line between entries."""


def as_block(dumper: yaml.SafeDumper, text: Literal) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")


Dumper.add_representer(Literal, as_block)


def dumped(table: dict[str, dict[str, Any]]) -> str:
    """A table as it is in its file."""
    blocks = []
    for name, entry in table.items():
        block = {name: entry | {"stderr": Literal(entry["stderr"])}}
        blocks.append(yaml.dump(block, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=1000))
    return "\n".join(blocks)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        pytest.param(table, name, marks=pytest.mark.xdist_group(f"errors of {table}"))  # one process updates a table
        for table, entries in TABLES.items()
        for name in entries
    ],
)
def test_error(table: str, name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    entry = TABLES[table][name]
    if "only" in entry:
        skip_unless_words_are_of(entry["only"])
    work = tmp_path / "work"
    prepare(work, entry["cmd"], entry.get("inputs", "").split())
    for path, text in entry.get("files", {}).items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text, encoding="utf-8", newline="")
    outcome = outcome_of(entry["cmd"], work)
    if pytestconfig.getoption("--update-golden", default=False):
        entry |= {"exit": outcome.code, "stderr": outcome.stderr}
        if outcome.code == 2:
            del entry["exit"]
        (GOLDEN / "errors" / f"{table}.yaml").write_text(dumped(TABLES[table]), encoding="utf-8", newline="\n")
    assert outcome == Outcome(entry.get("exit", 2), "", entry["stderr"], {})


def test_tables_are_laid_out_as_they_are_updated() -> None:
    for name, table in TABLES.items():
        assert (GOLDEN / "errors" / f"{name}.yaml").read_text(encoding="utf-8") == dumped(table)
