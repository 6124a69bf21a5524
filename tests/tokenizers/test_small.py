"""The small path: beginning with ideographs, and the heap for long pieces, change no token."""

from __future__ import annotations

import random

import pytest

from tokaudit.tokenizers import small
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.small import SmallEngine
from tokaudit.tokenizers.table import IDEOGRAPHS, Table, firm_characters

RANKED = [name for name, entry in manifest().items() if entry["format"] == "ranks"]
IDEOGRAPH = [chr(code) for code in range(ord(IDEOGRAPHS[0]), ord(IDEOGRAPHS[1]) + 1)]
COMMON = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就"
    "那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还"
)
BESIDE = "，。！？：“”（）《》、 \u3000abcA1カナひ々〇⺀한é-_\n"


def engine(name: str) -> SmallEngine:
    return SmallEngine(Table(table_path(name)), Pattern(manifest()[name]["pattern"]))


def texts(chance: random.Random) -> list[str]:
    alphabets = [COMMON, COMMON + "".join(IDEOGRAPH), IDEOGRAPH, COMMON * 20 + BESIDE * 9 + "".join(IDEOGRAPH[:500])]
    return ["".join(chance.choices(chance.choice(alphabets), k=chance.randint(2, 30))) for _ in range(3_000)]


@pytest.mark.parametrize("name", RANKED)
def test_beginning_with_ideographs_changes_nothing(name: str) -> None:
    first, plain = engine(name), engine(name)
    plain._first_parts = lambda piece, data: [data[at : at + 1] for at in range(len(data))]
    started = 0
    for text in texts(random.Random(name)):
        pieces = first.cut(text)
        assert first.encode(pieces) == plain.encode(pieces), text
        started += sum(len(part) == 3 for piece in pieces for part in first._first_parts(piece, piece.encode()))
    assert started > 100  # it was tried


@pytest.mark.parametrize("name", RANKED)
def test_the_heap_merges_as_the_list_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(name)
    short = engine(name)
    pieces = ["".join(chance.choices(["ab", "a", " ", "\t", "的", "aaa", "=-", "é"], k=90)) for _ in range(60)]
    expected = [short._merge_short([bytes([byte]) for byte in piece.encode()]) for piece in pieces]
    assert [short._merge_long(piece.encode()) for piece in pieces] == expected
    monkeypatch.setattr(small, "_LONG", 8)
    assert [list(engine(name).merge(piece)) for piece in pieces] == expected


def test_firm_characters_are_bound_by_what_joins_them() -> None:
    singles = [bytes([byte]) for byte in range(256)]
    one, other = "一".encode(), "丁".encode()
    made = [one[:2], one, other[:2], other]
    # A token that joins the end of the one to the head of the other, before or after both are made.
    assert firm_characters([*singles, *made, one[2:] + other[:1]], None) == [257, 259]
    assert firm_characters([*singles, one[2:] + other[:1], *made], None) == []
    # Beside what is no ideograph it bounds nothing: the small path begins with bytes there.
    assert firm_characters([*singles, b" " + other[:1], *made], None) == [258, 260]
