"""What holds for every text: places of tokens, pieces, segments, normalization."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
import tokenizers
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from references import BYTE_LEVEL, NAMES, Subject
from texts import code_points, step_of, weighted_text, weighted_texts
from tokaudit.model import Tokenizer
from tokaudit.sources.pieces import safe_cut
from tokaudit.tokenizers import load_tokenizer
from tokaudit.tokenizers.align import starts_of
from tokaudit.tokenizers.bundled import manifest
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.encoding import ArrayEncoding, ListEncoding
from tokaudit.tokenizers.unicode_classes import nfc

TEXTS = st.one_of(st.text(), weighted_text())
NFC = tokenizers.normalizers.NFC()
NORMALIZED = [name for name in NAMES if manifest()[name]["normalization"] == "NFC"]
FEW = ("o200k_base", "qwen3", "deepseek-v3")
"""One of each kind: merged by rank, normalized, split in three."""


@cache
def small(name: str) -> Tokenizer:
    """A tokenizer in Python, for texts of every length."""
    if name not in BYTE_LEVEL:
        return load_tokenizer(name)
    return Subject(name).python()


@cache
def default(name: str) -> ByteBpeTokenizer:
    return Subject(name).tokenizer()


@cache
def special(name: str) -> Tokenizer:
    return load_tokenizer(name, special=True)


def both(name: str) -> list[Tokenizer]:
    return [small(name), default(name)] if name in FEW else [small(name)]


@pytest.mark.parametrize("name", manifest())
@given(text=TEXTS)
@settings(max_examples=60)
def test_spans_cover_the_text_in_order(name: str, text: str) -> None:
    for tokenizer in both(name) if name in NAMES else [load_tokenizer("o200k_harmony")]:
        spans = tokenizer.spans(text)
        assert [end for _, end in spans] == [*[start for start, _ in spans[1:]], len(text.encode())][: len(spans)]
        assert not spans or spans[0][0] == 0
        assert all(start <= end for start, end in spans)
        assert bool(spans) == bool(text)
        assert len(spans) == tokenizer.count(text) == len(tokenizer.encode(text)) == len(tokenizer.encoding(text))


@pytest.mark.parametrize("name", BYTE_LEVEL)
@given(text=TEXTS)
@settings(max_examples=60)
def test_tokens_spell_the_normalized_text(name: str, text: str) -> None:
    normal = NFC.normalize_str(text) if name in NORMALIZED else text
    tokenizer = small(name)
    assert isinstance(tokenizer, ByteBpeTokenizer)
    tokens = [tokenizer._table.token(rank - tokenizer._offset) for rank in tokenizer.encode(text)]
    assert b"".join(tokens) == normal.encode()
    if normal == text:
        assert tokens == [text.encode()[start:end] for start, end in tokenizer.spans(text)]


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS, data=st.data())
@settings(max_examples=40)
def test_counts_of_parts_sum_to_the_whole(name: str, text: str, data: st.DataObject) -> None:
    size = len(text.encode())
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=8)))
    for tokenizer in both(name):
        encoding = tokenizer.encoding(text)
        *before, whole = accumulate(encoding.within([0, *cuts]))
        assert whole == len(encoding)
        starts = [start for start, _ in tokenizer.spans(text)]
        assert before == [sum(start < cut for start in starts) for cut in cuts]


@pytest.mark.parametrize("name", FEW)
@given(text=TEXTS)
@settings(max_examples=60)
def test_both_paths_say_the_same(name: str, text: str) -> None:
    one, other = small(name), default(name)
    assert list(one.encode(text)) == list(other.encode(text))
    assert list(one.spans(text)) == list(other.spans(text))
    assert one.count(text) == other.count(text)


@given(data=st.data())
@settings(max_examples=100)
def test_all_forms_of_an_encoding_say_the_same(data: st.DataObject) -> None:
    text = data.draw(TEXTS.filter(bool))
    size = len(text.encode())
    classes = bytes(data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    offsets = [0, *sorted(data.draw(st.lists(st.integers(0, size), max_size=5)))]
    one, own = small("o200k_base").encoding(text), default("o200k_base").encoding(text)
    assert isinstance(one, ListEncoding)
    two = ArrayEncoding(np.array(one.ids, np.uint32), np.array(one.starts, np.int64))
    for other in (two, own):
        assert list(other.within(offsets)) == list(one.within(offsets))
        assert other.tally(classes, 5, 0) == one.tally(classes, 5, 0)
        assert len(other) == len(one)
    assert sum(one.tally(classes, 5, 0)) == len(one)


# --- pieces ----------------------------------------------------------------------------------------------------------

LINES = [
    *("\n", "\r\n", "\n\n", " \n", "\t\n\n", "\n ", "\r", "/\n", "//\n", "\n/", ".\n", "。\n", "'s\n", "1\n"),
    *("\n'", "\n1", "\n的", "\na", "\nA", "\n.", "\n\u0301", "\n\u200d", "\n\u3000x", "\n\x1c", "\n\u2028y", "\n<"),
]


@cache
def in_lines(count: int) -> tuple[str, ...]:
    chance = random.Random(7)
    return tuple(
        "".join(part + chance.choice(LINES) for part in chance.choices(weighted_texts(2_000, seed=3), k=6))
        for _ in range(count)
    )


def check_cut(name: str, text: str, target: int) -> bool:
    cut = safe_cut(text, target)
    if cut is None:
        return False
    tokenizer = small(name)
    whole = list(tokenizer.encode(text))
    assert [*tokenizer.encode(text[:cut]), *tokenizer.encode(text[cut:])] == whole, (text[:cut], text[cut:])
    return True


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_pieces_equal_the_whole(name: str) -> None:
    chance = random.Random(name)
    texts = in_lines(300)
    if not small(name).divisible:
        # Else it could be divided, and large files would take less memory.
        assert list(small(name).encode("x\n\ny")) != [*small(name).encode("x\n\n"), *small(name).encode("y")]
        return
    assert sum(check_cut(name, text, chance.randint(0, len(text))) for text in texts) > 250


@pytest.mark.parametrize("name", [name for name in BYTE_LEVEL if manifest()[name]["pattern"] != "gpt2"])
@given(before=weighted_text(), end=st.sampled_from(LINES), after=TEXTS, target=st.integers(0, 60))
@settings(max_examples=80)
def test_any_pieces_equal_the_whole(name: str, before: str, end: str, after: str, target: int) -> None:
    assume(safe_cut(before + end + after, target) is not None)
    check_cut(name, before + end + after, target)


def test_sentencepiece_is_never_divided() -> None:
    assert [name for name in NAMES if not small(name).divisible] == [
        "p50k_base",
        "r50k_base",
        "mistral-v1",
        "mistral-v3",
    ]


# --- normalization ---------------------------------------------------------------------------------------------------


def every_second(chars: Sequence[str], contexts: Sequence[str]) -> None:
    for context in contexts:
        text = "\n".join(context.format(char) for char in chars)
        assert nfc(text) == NFC.normalize_str(text), next(
            char for char in chars if nfc(context.format(char)) != NFC.normalize_str(context.format(char))
        )


def test_nfc_of_every_code_point() -> None:
    chars = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000 and chr(code) != "\n"]
    every_second(chars, ["{}", "a{0}\u0301{0}"])
    every_second(
        [*code_points(step_of)][1:],
        ["e\u0323{}\u0301", "{0}\u0327{0}\u0308", "\u1100{}\u11a8", "か{}\u3099", "\u0344{}"],
    )


@given(
    text=st.text(
        st.sampled_from([*"aeo가\u1100\u1161\u11a8か\u0f71\u0f72\u0344\u212b\u2126\uf900\u0958\u09be"])
        | st.characters(categories=["Mn", "Mc"])
    )
)
@settings(max_examples=400)
def test_nfc_of_marks(text: str) -> None:
    assert nfc(text) == NFC.normalize_str(text)


@given(text=TEXTS)
@settings(max_examples=300)
def test_nfc_of_any_text(text: str) -> None:
    assert nfc(text) == NFC.normalize_str(text)
    assert nfc(unicodedata.normalize("NFD", text)) == NFC.normalize_str(unicodedata.normalize("NFD", text))


def test_nfc_of_weighted_texts() -> None:
    for text in weighted_texts(5_000, seed=9):
        assert nfc(text) == NFC.normalize_str(text)


@pytest.mark.parametrize("name", NORMALIZED)
@given(text=TEXTS.map(lambda text: unicodedata.normalize("NFD", text)))
@settings(max_examples=100)
def test_places_in_decomposed_text(name: str, text: str) -> None:
    """Tokens of the normalized text are placed in the text as it was: ascending, within it, and whole words right."""
    for tokenizer in (small(name), default(name)):
        starts = [int(start) for start in tokenizer.encoding(text).starts]
        assert starts == sorted(starts)
        assert all(0 <= start < len(text.encode()) for start in starts)


STABLE = st.text(st.sampled_from([*"abc XYZ09的一是，。é", "\U0001f600"]), max_size=12)


@pytest.mark.parametrize("name", NORMALIZED)
@given(before=STABLE, parts=st.lists(st.tuples(TEXTS, STABLE), min_size=1, max_size=4))
@settings(max_examples=100)
def test_places_around_decomposed_parts_are_exact(name: str, before: str, parts: list[tuple[str, str]]) -> None:
    """Tokens of the text between parts that the normalization changes are where they are."""
    text = before
    at = len(text.encode())
    shifted = at
    unchanged = {(0, at): 0}  # byte range in the normalized text: how much further it is in the text itself
    for part, after in parts:
        decomposed = unicodedata.normalize("NFD", part) + "\nx"
        text += "\nx" + decomposed + after
        at += len(("\nx" + decomposed).encode())
        shifted += len(NFC.normalize_str("\nx" + decomposed).encode())
        unchanged[shifted, shifted + len(after.encode())] = at - shifted
        at += len(after.encode())
        shifted += len(after.encode())
    for tokenizer in (small(name), default(name)):
        starts = [int(start) for start in tokenizer.encoding(text).starts]
        normal = [int(start) for start in tokenizer.encoding(NFC.normalize_str(text)).starts]
        for start, place in zip(normal, starts, strict=True):
            for (low, high), shift in unchanged.items():
                if low <= start < high:
                    assert place == start + shift


# --- places found from tokens ----------------------------------------------------------------------------------------


@given(text=TEXTS, data=st.data())
def test_starts_of_any_split(text: str, data: st.DataObject) -> None:
    content = text.encode()
    cuts = sorted(set(data.draw(st.lists(st.integers(0, len(content)), max_size=10))) - {0, len(content)})
    bounds = [0, *cuts, len(content)] if content else [0]
    tokens = [content[start:end] for start, end in pairwise(bounds)]
    assert starts_of(tokens, content) == bounds[:-1]


@given(
    words=st.lists(st.text(st.sampled_from("ab\u2581é的 "), min_size=1), min_size=1, max_size=8),
    prefix=st.booleans(),
    spaces=st.sampled_from([" ", "\u2581"]),
)
def test_starts_of_sentencepiece_tokens(words: list[str], prefix: bool, spaces: str) -> None:
    """Spaces and U+2581 are one to such tokens; the first may begin with a space that the text does not have."""
    text = "".join(words)
    assume(not prefix or text[0] not in " \u2581")
    tokens = [word.replace(" ", spaces).replace("\u2581", spaces).encode() for word in words]
    if prefix:
        tokens[0] = b" " + tokens[0]
    assert starts_of(tokens, text.encode()) == [0, *accumulate(len(word.encode()) for word in words)][:-1]


@given(text=st.text(min_size=1), wrong=st.binary(min_size=1, max_size=3))
def test_tokens_that_do_not_spell_the_text_have_no_places(text: str, wrong: bytes) -> None:
    content = text.encode()
    assume(b" " not in wrong and b"\xe2" not in wrong)
    assert starts_of([content, wrong, wrong], content) is None


# --- special tokens --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["o200k_harmony", "cl100k_base", "qwen3", "deepseek-v3", "glm-5", "tekken", "kimi-k2", "mistral-v3"]
)
@given(data=st.data())
@settings(max_examples=50)
def test_text_with_special_tokens_round_trips(name: str, data: st.DataObject) -> None:
    tokenizer: Any = special(name)
    control = tokenizer._controls if name.startswith("mistral") else manifest()[name]["special_tokens"]
    known = st.sampled_from([*control][:30])
    parts = data.draw(st.lists(st.one_of(known, weighted_text()), max_size=6))
    text = "".join(parts)
    spans = tokenizer.spans(text)
    ids = list(tokenizer.encode(text))
    assert b"".join(text.encode()[start:end] for start, end in spans) == text.encode()
    assert len(spans) == len(ids) == tokenizer.count(text)
    for (start, end), rank in zip(spans, ids, strict=True):
        if rank in control.values():
            assert control[text.encode()[start:end].decode()] == rank
