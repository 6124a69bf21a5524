"""Vocabularies with listed merges that may be merged by rank: every token is made by the pair listed for it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.pretokenize import AS_RANKED
from tokaudit.tokenizers.table import Table

NAMES = [name for name, entry in manifest().items() if entry["sha256"] in AS_RANKED and entry["format"] == "ranks"]
NONE = 1 << 30


def last_pair(token: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """The two parts that merging by rank joins last; more where it does not make the token."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        pairs = [ranks.get(left + right, NONE) for left, right in pairwise(parts)]
        lowest = min(pairs)
        if lowest == NONE:
            break
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


@pytest.mark.parametrize("name", NAMES)
def test_every_token_is_made_by_its_listed_pair(name: str) -> None:
    table = Table(table_path(name))
    tokens, splits = table.tokens(), table.splits
    assert splits is not None
    ranks = {token: rank for rank, token in enumerate(tokens) if token}
    for rank, token in enumerate(tokens):
        if len(token) > 1:
            parts = last_pair(token, ranks)
            assert len(parts) == 2, token
            assert splits[rank] == len(parts[0]), token


def test_there_are_such_vocabularies() -> None:
    assert NAMES == ["qwen3"]
