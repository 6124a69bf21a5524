"""Tokens by folder: a tree whose sums are those of its files."""

from __future__ import annotations

from tokaudit.features.count.folders import folders_of
from tokaudit.features.count.report import report
from tokaudit.features.count.types import Counted, CountResult, Wanted
from tokaudit.model import ModelColumn, TokenizerRef

MODEL = ModelColumn("gpt-4o", TokenizerRef("o200k_base", "byte-bpe", "ab" * 32, True), 0)


def counted(path, tokens):
    return Counted(
        path=path, kind="text", charset="utf-8", sha256="0" * 64, chars=2 * tokens, size=3 * tokens,
        tokens=(tokens,), parts=(), parts_total=0,
    )  # fmt: skip


def result(depth=None, sort="order", **files):
    documents = [counted(path.replace("__", "/"), tokens) for path, tokens in files.items()]
    wanted = Wanted("folder", sort=sort, depth=depth)
    return CountResult(
        models=[MODEL],
        by_themselves=[MODEL],
        documents=documents,
        skipped=(),
        wanted=wanted,
        special=False,
        version="1",
    )


FILES = {"a__x__1": 5, "a__y__z__2": 30, "a__y__3": 10, "a__4": 1}


def test_a_folder_has_all_that_is_below_it():
    found = [(folder.path, folder.depth, folder.files, folder.tokens[0]) for folder in folders_of(result(**FILES))]
    assert found == [("a", 0, 4, 46), ("a/y", 1, 2, 40), ("a/y/z", 2, 1, 30), ("a/x", 1, 1, 5)]


def test_depth_and_number():
    assert [folder.path for folder in folders_of(result(depth=1, **FILES))] == ["a", "a/y", "a/x"]
    assert [folder.path for folder in folders_of(result(**FILES), most=3)] == ["a", "a/y", "a/y/z"]
    assert [folder.path for folder in folders_of(result(sort="name", **FILES))] == ["a", "a/x", "a/y", "a/y/z"]


def test_files_beside_each_other_are_in_the_working_directory():
    assert [folder.path for folder in folders_of(result(one=1, b__two=2))] == [".", "b"]


def test_the_table_is_a_tree_with_shares():
    (table,) = report(result(**FILES), people=True).tables
    assert [(row[0], row[-1]) for row in table.rows] == [
        ("a/", 1.0), ("  y/", 40 / 46), ("    z/", 30 / 46), ("  x/", 5 / 46),
    ]  # fmt: skip
