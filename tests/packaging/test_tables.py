"""The installed tables are the published vocabularies: each gives back the rank file that the manifest names."""

from __future__ import annotations

import hashlib

import pytest
import tiktoken_ext.openai_public

from references import BYTE_LEVEL, NAMES, NATIVE, OPENAI, openai_definition
from tokaudit.tokenizers.bundled import FOLDER, manifest, table_path
from tokaudit.tokenizers.native import open_core
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.table import Table, build_table, marked_made, rank_file, unpack_ranks


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_rank_file_is_rebuilt_from_the_table(name: str) -> None:
    entry = manifest()[name]
    table = Table(table_path(name))
    rebuilt = hashlib.sha256(rank_file(table.tokens())).hexdigest()
    assert rebuilt == entry["sha256"] == entry["upstream_sha256"] == table.sha256
    assert (table.splits is not None) == ("merges_source" in entry)


@pytest.mark.parametrize("name", [*OPENAI, "o200k_harmony"])
def test_hash_is_the_one_in_the_source_of_tiktoken(name: str) -> None:
    if not hasattr(tiktoken_ext.openai_public, name):
        pytest.skip("this tiktoken is older than o200k_harmony")
    assert manifest()[name]["sha256"] == openai_definition(name)["hash"]


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("qwen3", "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"),
        ("qwen3.5", "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"),
    ],
)
def test_hash_is_the_one_of_the_published_rank_file(name: str, published: str) -> None:
    entry = manifest()[name]
    assert entry["sha256"] == entry["file_sha256"] == published


@pytest.mark.parametrize("name", sorted({*NAMES} - {*BYTE_LEVEL}))
def test_model_file(name: str) -> None:
    entry = manifest()[name]
    assert (
        hashlib.sha256((FOLDER / f"{name}.model").read_bytes()).hexdigest() == entry["sha256"] == entry["file_sha256"]
    )


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_table_is_built_from_the_rank_file_in_the_source_tree(name: str) -> None:
    packed = FOLDER / f"{name}.ranks.xz"
    if not packed.is_file():
        pytest.skip("an installed package has the tables only")
    built = build_table(*unpack_ranks(packed.read_bytes()))
    assert (marked_made(built) if manifest()[name]["all_made"] else built) == table_path(name).read_bytes()


@pytest.mark.parametrize("name", BYTE_LEVEL)
@pytest.mark.skipif(not NATIVE, reason="it takes the native core a second, and Python a minute")
def test_the_manifest_says_whether_merging_makes_every_token(name: str) -> None:
    core = open_core(Table(table_path(name)), Pattern(manifest()[name]["pattern"]))
    assert core is not None
    assert core.makes_all() == manifest()[name]["all_made"]


def test_nothing_is_bundled_without_a_licence() -> None:
    notice = (FOLDER / "NOTICE").read_text("utf-8")
    for entry in manifest().values():
        assert entry["licence"]
        assert entry["owner"] in notice


def test_aliases_share_a_table_and_its_hash() -> None:
    shared = manifest()["o200k_harmony"]
    assert table_path("o200k_harmony") == table_path("o200k_base")
    assert shared["sha256"] == manifest()["o200k_base"]["sha256"]
