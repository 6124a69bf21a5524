"""Vocabularies that are loaded as rank files have one beside their table, with the very tokens of the table."""

from __future__ import annotations

import importlib.util

import pytest

from places import ROOT
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.byte_bpe import bulk_form
from tokaudit.tokenizers.table import Table, rank_file, without_holes

NAMES = sorted(
    name
    for name, entry in manifest().items()
    if entry["format"] == "ranks" and bulk_form(Table(table_path(name)), entry) == "ranks"
)
HOOK = ROOT / "hatch_build.py"


@pytest.mark.parametrize("name", NAMES)
def test_the_file_has_the_tokens_of_the_table(name):
    path = table_path(name)
    assert path.with_suffix(".tiktoken").read_bytes() == rank_file(without_holes(Table(path).tokens()))


def test_the_build_writes_them_all():
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", HOOK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert sorted(module.RANK_FILES) == NAMES
