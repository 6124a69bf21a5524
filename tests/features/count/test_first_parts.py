from __future__ import annotations

import random
from array import array

import pytest

from tokaudit.features.count import parts
from tokaudit.features.count.types import SORT
from tokaudit.model import Segments


@pytest.mark.parametrize("sort", SORT)
@pytest.mark.parametrize("tokenizers", [1, 3])
def test_both_ways_choose_the_same_parts(monkeypatch: pytest.MonkeyPatch, sort: str, tokenizers: int) -> None:
    dice = random.Random(1)
    sizes = [dice.randrange(1, 60) for _ in range(400)]
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    division = Segments("a", "".join(dice.choice("ab\n") for _ in range(sum(sizes))), starts, ("paragraph",))
    columns = [array("q", (dice.randrange(12) for _ in sizes)) for _ in range(tokenizers)]
    for top in (1, 7, 60, 399):
        few = parts._first_parts(division, columns, top, sort)
        with monkeypatch.context() as patch:
            patch.setattr(parts, "_MANY_PARTS", 0)
            assert [*parts._first_parts(division, columns, top, sort)] == [*few]
        most = [max(column[at] for column in columns) for at in range(len(sizes))]
        if sort not in {"order", "name"}:
            value = [parts._sort_value(sort, tokens, size) for tokens, size in zip(most, sizes, strict=True)]
            assert [*few] == sorted(sorted(range(len(sizes)), key=lambda at: -value[at])[:top])
