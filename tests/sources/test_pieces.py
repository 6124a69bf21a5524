from __future__ import annotations

import io
import random
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest

from texts import weighted_texts
from tokaudit.model import InputError, UsageError
from tokaudit.sources import cut_points, decode, iter_text, safe_cut
from tokaudit.tokenizers.bundled import manifest
from tokaudit.tokenizers.registry import load_tokenizer


def opens(char: str) -> bool:
    return not (char.isspace() or char == "/" or unicodedata.category(char).startswith("M"))


def check(text: str, pieces: list[str]) -> None:
    assert "".join(pieces) == text
    for before, after in pairwise(pieces):
        assert before.endswith("\n")
        assert opens(after[0]), ascii(after[:5])


TEXTS = {
    "chinese": "第一段，有几句话。\n还有一行。\n\n第二段。\n" * 60,
    "crlf": "one\r\ntwo\r\n\r\nthree\r\n" * 60,
    "indented": ("head\n" + "    body\n" * 9) * 20,
    "never safe": "\n ".join("abc" for _ in range(300)),
    "no newline": "字" * 900,
    "only newlines": "\n" * 900,
    "slashes": "a\n// b\n" * 100 + "\n" + "/c\n" * 100,
    "wide spaces": "甲\n\u3000\u3000乙\n\u00a0丙\n\u0085丁\n\u2028戊\n\u1680己\n" * 40,
    "combining": "e\n\u0301x\ny\n\u0e31z\n\u20e3\n" * 60,
    "astral": "😀\n𠮷\n\U000e0100\n" * 60,
    "mixed": "a" * 1023 + "的\n的\n" * 300,
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_pieces_are_the_whole_and_cut_only_where_it_is_safe(tmp_path: Path, name: str, size: int) -> None:
    text = TEXTS[name]
    data = text.encode()
    path = tmp_path / "f"
    path.write_bytes(data)
    ranges = cut_points(path, len(data), size)
    assert ranges[0][0] == 0
    assert ranges[-1][1] == len(data)
    assert all(one[1] == two[0] and one[0] < one[1] for one, two in pairwise(ranges))
    check(text, [data[start:end].decode() for start, end in ranges])
    check(text, list(iter_text(path, "utf-8", size)))
    check(text, list(iter_text(io.BytesIO(data), "utf-8", size)))
    gb = text.encode("gb18030")
    check(text, list(iter_text(io.BytesIO(gb), "gb18030", size)))
    if name in ("chinese", "crlf", "indented", "mixed", "astral") and size == 100:
        assert len(ranges) > 2  # not kept whole


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_plain_cuts_are_cuts_after_one_newline_alone(tmp_path: Path, name: str, size: int) -> None:
    data = TEXTS[name].encode()
    path = tmp_path / "f"
    path.write_bytes(data)
    ranges = cut_points(path, len(data), size, plain=True)
    pieces = [data[start:end].decode() for start, end in ranges]
    check(TEXTS[name], pieces)
    assert not any(piece[-2].isspace() for piece in pieces[:-1])
    if name in ("chinese", "indented", "mixed", "astral") and size == 100:
        assert len(ranges) > 2


@pytest.mark.parametrize("name", [name for name, entry in manifest().items() if entry["format"] == "ranks"])
def test_pieces_of_plain_cuts_equal_the_whole(tmp_path: Path, name: str) -> None:
    """For every byte-level tokenizer, GPT-2's pattern too, which other cuts would change."""
    tokenizer = load_tokenizer(name)
    assert getattr(tokenizer, "divisible_plainly")  # noqa: B009 - the protocol does not have it
    chance = random.Random(name)
    ends = [
        *(
            "\n",
            "\n",
            "\n",
            "\r\n",
            "\n\n",
            " \n",
            "\t\n\n",
            "\n ",
            "\r",
            "\u3000\n",
            "\x85\n",
            "\u2028\n",
            "\x1c\n",
            "\0\n",
        ),
        *(
            "/\n",
            "//\n",
            "\n/",
            ".\n",
            "。\n",
            "'s\n",
            "1\n",
            "\n'",
            "\n1",
            "\n的",
            "\na",
            "\n.",
            "\n\u0301",
            "\n\u200d",
            "\n<",
        ),
    ]
    path = tmp_path / "f"
    tried = 0
    for _ in range(400):
        text = "".join(part + chance.choice(ends) for part in chance.choices(weighted_texts(2_000, seed=3), k=6))
        text = f"x{text}"  # U+FEFF at the beginning would be a byte-order mark
        data = text.encode()
        path.write_bytes(data)
        ranges = cut_points(path, len(data), chance.randint(1, 100), plain=True)
        found = [rank for start, end in ranges for rank in tokenizer.encode(data[start:end].decode())]
        assert found == list(tokenizer.encode(text)), (text, ranges)
        tried += len(ranges) > 1
    assert tried > 200


def test_pieces_across_the_blocks_that_are_searched(tmp_path: Path) -> None:
    # The only cut is a megabyte and a half before the target, then one as far behind it.
    text = "a\n" + "b" * 1_500_000 + "\nc" + " d" * 1_500_000
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8", newline="")
    expected = [(0, 2), (2, 1_500_003), (1_500_003, len(text))]
    assert cut_points(path, len(text), 1_400_000) == cut_points(path, len(text), 1_400_000, plain=True) == expected


@pytest.mark.parametrize("offset", range(-4, 5))
def test_a_cut_at_the_edge_of_a_block_is_seen(tmp_path: Path, offset: int) -> None:
    at = (1 << 20) + offset
    text = "x" * (at - 1) + "\n" + "y" * (1 << 20)
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8", newline="")
    assert cut_points(path, len(text), 10) == [(0, at), (at, len(text))]
    assert cut_points(path, len(text), 10, plain=True) == [(0, at), (at, len(text))]
    target = 2 * (1 << 20) + offset
    assert cut_points(path, len(text), target - 5 if target - 5 < len(text) else len(text) - 1)[0] == (0, at)


def test_blank_lines_are_preferred() -> None:
    text = "one\ntwo\n\nthree\nfour\nfive\n"
    assert safe_cut(text, 22) == text.index("three")
    assert safe_cut("one\r\ntwo\r\n\r\nthree\r\nfour", 20) == 12
    assert safe_cut("one\ntwo\nthree", 9) == 8
    assert safe_cut("onetwo\nthree", 2) == 7
    assert safe_cut("no cut", 3) is None
    assert safe_cut("end\n", 3) is None
    assert safe_cut("", 3) is None


def test_byte_order_mark_is_before_the_first_piece(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfa\nb\n")
    assert cut_points(path, 7, 100) == [(3, 7)]
    assert cut_points(path, 3, 100) == []
    assert "".join(iter_text(path, "utf-8", 1)) == "a\nb\n"
    assert "".join(iter_text(io.BytesIO("a\nb".encode("utf-16")), "utf-16-le", 1)) == "a\nb"
    assert "".join(iter_text(io.BytesIO("a\nb".encode("utf-16")), "utf-16", 1)) == "a\nb"


def test_a_file_that_grows_or_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"line\n" * 100)
    assert cut_points(path, 50, 20)[-1][1] == 50
    assert "".join(iter_text(path, "utf-8", 20, size=50)) == "line\n" * 10
    assert cut_points(path, 10_000, 20)[-1][1] >= 500
    assert cut_points(path, 0, 20) == []


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing"):
        cut_points(tmp_path / "missing", 5, 2)
    with pytest.raises(InputError, match="missing"):
        list(iter_text(tmp_path / "missing", "utf-8", 2))
    with pytest.raises(UsageError):
        cut_points(tmp_path, 5, 0)
    with pytest.raises(UsageError):
        list(iter_text(io.BytesIO(b""), "utf-8", 0))
    with pytest.raises(UsageError):
        list(iter_text(io.BytesIO(b""), "no-such-charset", 10))
    path = tmp_path / "bad"
    path.write_bytes(b"x\n" * 1_000_000 + b"\xff")
    with pytest.raises(InputError) as caught:
        list(iter_text(path, "utf-8", 1000))
    assert "byte 2000000 (0xff), line 1000001" in caught.value.message


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "utf-16", "big5"])
def test_a_character_across_a_read(codec: str) -> None:
    for extra in range(4):
        text = "a" * ((1 << 20) - 2 + extra) + "的中文\n的" * 10
        data = text.encode(codec)
        assert "".join(iter_text(io.BytesIO(data), codec, 1000)) == text == decode(data, codec, "f")[0]
    with pytest.raises(InputError):
        list(iter_text(io.BytesIO("的".encode(codec)[:-1]), codec, 10))
