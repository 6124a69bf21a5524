"""Long repetitive pieces, which both paths encode in blocks: ids equal the reference library's.

Texts of period 1 to 5, with noise, several beside each other, drawn by hypothesis. The blocks of Python are made small
here, so that a text of some thousand characters has many of them; those of the native core are 8,192 bytes;
``test_worst_cases`` has them in their true sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from references import FULL, Subject
from tokaudit.tokenizers import blocks, sentencepiece_model, small

ALL_ENGINES = True
"""Each engine is compared here: ``engine_use``."""

ALPHABETS = (
    *("a", "ab", "acgt", "abcdefgh", "AbC", "'s", "0123", "-=", "^", "/\n-", "_ab"),
    *(" ", "\t ", "\n", " \n", "\r\n", "\r", "\u3000", "\u3000 ", "\0", "\x85\u2028"),
    *("的", "的一是", "中文，。", "あのフ゜", "한국어", "हिन्दी", "é", "e\u0301", "\u0301", "\u0301\u0323"),
    *("👩\u200d", "👩\u200d👧🏽", "\u200d", "\U000e0080", "\u0378a", "▁ a", "word word, x\n  y", "中文。\n"),
)


@pytest.fixture(scope="module", autouse=True)
def _many_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "_BLOCK", 600)
        patch.setattr(sentencepiece_model, "_BLOCKS_FROM", 500)
        patch.setattr(sentencepiece_model, "_BLOCK", 1_024)
        yield


@st.composite
def stretches(draw: st.DrawFn) -> str:
    alphabet = draw(st.sampled_from(ALPHABETS))
    unit = draw(st.text(alphabet, min_size=1, max_size=5))
    text = list(unit * (draw(st.sampled_from((5, 40, 700, 3_000, 9_000))) // len(unit)))
    if text:
        for at, char in draw(st.dictionaries(st.integers(0, 8_999), st.sampled_from(alphabet + "xZ ."))).items():
            text[at % len(text)] = char
    return "".join(text)


@pytest.fixture(params=["native", "small", "fallback", "sentencepiece"])
def path(request: pytest.FixtureRequest, subject: Subject) -> str:
    name: str = request.param
    if name not in dict(subject.paths):
        pytest.skip("no such path")
    return name


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many blocks each call to the blocks' encoder joined."""
    numbers: list[int] = []
    encode_blocks = blocks.encode_blocks

    def counting(*arguments: object, **options: object) -> object:
        parts: list[Any] = encode_blocks(*arguments, **options)  # type: ignore[arg-type]
        numbers.append(len(parts))
        return parts

    for module in (blocks, sentencepiece_model):
        monkeypatch.setattr(module, "encode_blocks", counting)
    return numbers


def test_one_long_piece(subject: Subject, path: str, joined: list[int]) -> None:
    """Our own paths join blocks for one long piece, so that the texts drawn below have blocks to be wrong in."""
    text = "acgt" * 2_250
    assert dict(subject.paths)[path](text) == subject.reference([text])[0]
    if path in {"small", "sentencepiece"}:
        assert max(joined) > 1


def test_periodic_texts(subject: Subject, path: str) -> None:
    encode = dict(subject.paths)[path]

    @settings(max_examples=400 if FULL else 30, suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.lists(stretches(), min_size=2, max_size=4).map("".join))
    def check(text: str) -> None:
        expected = subject.survives(text)
        assert expected is None or encode(text) == expected

    check()
