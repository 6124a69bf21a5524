from __future__ import annotations

import io
import tempfile
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model import InputError, Segments
from tokaudit.sources import cut_points, decode, is_binary, iter_text, line_starts, load

SETTINGS = settings(max_examples=150, deadline=None)
PIECES = ["\n", "\r\n", "\r", "\n\n", " ", "\t", "\u3000", "\u2028", "# ", "- ", "> ", "```", "~~~", "|a|b|\n|-|-|\n"]
PIECES += [
    "---\n",
    "'",
    '"',
    '"""',
    "'''",
    "\\",
    "/*",
    "*/",
    "//",
    "/",
    "`",
    "${",
    "}",
    "{",
    "[",
    "]",
    ",",
    ":",
    "<!--",
]
PIECES += ['{"a": 1}', '{"a": 1, "b": [2]}', "null", "1", "<<EOF\n", "EOF", "--", "r#", "é", "的", "😀", "\u0301", "\0"]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
)
PIECES += [
    "{{",
    "}}",
    "{%",
    "%}",
    "{%-",
    "-%}",
    "{#",
    "#}",
    "{{ a }}",
    "{% if b %}",
    "{% raw %}",
    "{% endraw %}",
    "{# c #}",
]
NAMES = ["a.txt", "a.md", "a.json", "a.jsonl", "a.j2", "a.md.j2"]
SUFFIXES = "py js c java go cs rs kt swift dart css scss sh mk toml yaml sql lua hs html ini rb"
NAMES += [f"a.{suffix}" for suffix in SUFFIXES.split()]


def covers(segments: Segments, text: str) -> None:
    starts = list(segments.starts)
    assert starts == sorted(set(starts))
    assert starts[:1] == ([0] if text else [])
    ids = set()
    for one in segments:
        assert 0 <= one.span.start < one.span.end <= len(text)
        assert one.label
        assert one.place.line
        ids.add(one.id)
    assert len(ids) == len(starts)


@SETTINGS
@given(TEXTS, st.sampled_from(NAMES))
def test_segments_and_sections_cover_every_text(text: str, name: str) -> None:
    document = load(text, name)
    covers(document.segments, document.text)
    covers(document.sections, document.text)
    assert set(document.sections.starts) <= set(document.segments.starts)
    if not name.endswith(".jsonl"):
        assert document.text == text
    assert load(text, name, structure=False).text == document.text


@SETTINGS
@given(st.lists(st.sampled_from(['{"a": 1}', '{"b": [1, {}], "c": "d"}', "{}", "3", "", "  ", "{", "nope", '{"a" 1}'])))
def test_good_lines_of_json_lines_are_kept_and_the_others_reported(lines: list[str]) -> None:
    bad = ("{", "nope", '{"a" 1}')
    document = load("".join(line + "\n" for line in lines), "a.jsonl")
    assert document.text == "".join(line + "\n" for line in lines if line not in bad)
    assert [int(one.what.split(":")[1]) for one in document.skipped] == [
        number for number, line in enumerate(lines, 1) if line in bad
    ]
    assert [one.place.line for one in document.sections if one.kind == "record"] == [
        number for number, line in enumerate(lines, 1) if line.strip() and line not in bad
    ]


@SETTINGS
@given(TEXTS, st.integers(1, 50))
def test_pieces_are_the_whole(text: str, size: int) -> None:
    data = text.encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(data)
        ranges = cut_points(path, len(data), size)
        streamed = list(iter_text(path, "utf-8", size))
    body = text.removeprefix("\ufeff")
    pieces = [data[start:end].decode() for start, end in ranges]
    assert "".join(pieces) == body
    assert "".join(streamed) == body
    assert "".join(iter_text(io.BytesIO(text.encode("gb18030")), "gb18030", size)) == text
    for found in (pieces, streamed):
        for before, after in pairwise(found):
            assert before.endswith("\n")
            assert not after[0].isspace()
            assert after[0] != "/"
            assert unicodedata.category(after[0])[0] != "M"


@SETTINGS
@given(TEXTS)
def test_every_text_survives_utf8_and_its_mark(text: str) -> None:
    assert decode(text.encode("utf-8"), "utf-8", "f")[0] == text.removeprefix("\ufeff")
    assert decode(b"\xef\xbb\xbf" + text.encode(), None, "f") == (text, "utf-8-sig")
    assert decode(b"\xff\xfe" + ("x" + text).encode("utf-16-le"), None, "f") == ("x" + text, "utf-16-le")
    assert decode(text.encode("gb18030"), "gb18030", "f")[0] in (text, text.removeprefix("\ufeff"))


COMMON = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"


@SETTINGS
@given(st.text(st.sampled_from(COMMON + "，。！？"), min_size=3), st.sampled_from(["gb18030", "utf-8"]))
def test_chinese_of_common_words_is_detected(text: str, codec: str) -> None:
    data = text.encode(codec)
    if codec != "utf-8" and data.decode("utf-8", "ignore").encode() == data:
        return  # the bytes of 一一一 in GB18030 are UTF-8 as well
    if any(char in COMMON for char in text):
        assert decode(data, None, "f") == (text, codec)


@SETTINGS
@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_one_clear_error(data: bytes) -> None:
    try:
        text, _ = decode(data, None, "f.bin")
    except InputError as error:
        assert str(error).startswith("f.bin: ")  # noqa: PT017
    else:
        text.encode()
        assert not is_binary(data)


@SETTINGS
@given(TEXTS)
def test_lines(text: str) -> None:
    starts = line_starts(text)
    ends = [*starts[1:], len(text)][: len(starts)]
    lines = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert "".join(lines) == text
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines[:-1])


def test_strategies_reach_what_they_are_for() -> None:
    assert any(isinstance(piece, str) and "\n" in piece for piece in PIECES)
    assert len(load("# a\n\nb\n", "a.md").segments) == 2
    with pytest.raises(InputError):
        decode(bytes(range(256)), None, "f")
