"""Every code point: its class in our patterns is its class in the reference engines.

The pieces of each pattern are compared with the reference engine's, then the ids of each tokenizer. By default ranges
of ideographs, syllables and unassigned code points are looked at in steps; with TOKAUDIT_FULL=1 at every code point.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pytest
import tiktoken
import tokenizers

from references import BYTE_LEVEL, FULL, NATIVE, Subject, compare
from texts import code_points, in_contexts, step_of, weighted_texts
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.native import Core, open_core
from tokaudit.tokenizers.pretokenize import Pattern, pieces
from tokaudit.tokenizers.table import Table

ALL_ENGINES = True
"""Each engine is compared here: ``engine_use``."""

BY_PATTERN = {manifest()[name]["pattern"]: manifest()[name]["pattern_regex"] for name in BYTE_LEVEL}


@cache
def looked_at() -> tuple[str, ...]:
    return tuple(code_points((lambda _: 1) if FULL else step_of))


def with_tiktoken(pattern: str, text: str, expected: Sequence[str]) -> list[str]:
    """tiktoken's pieces of a text, if they are ``expected``; else something that is not.

    tiktoken gives no pieces but ids, and a piece that is a token has one id. So the expected pieces are tokens, and
    every two neighbours joined are one too: where the engine does not cut, it finds another token than expected.
    """
    ranks = {bytes([byte]): byte for byte in range(256)}
    for token in [*expected, *(left + right for left, right in pairwise(expected))]:
        ranks.setdefault(token.encode(), len(ranks))
    encoding = tiktoken.Encoding("pieces", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    found = encoding.encode_ordinary(text)
    return [encoding.decode_single_token_bytes(rank).decode("utf-8", "surrogateescape") for rank in found]


def with_tokenizers(patterns: Sequence[str], text: str) -> list[str]:
    steps = [tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in patterns]
    return [piece for piece, _ in tokenizers.pre_tokenizers.Sequence(steps).pre_tokenize_str(text)]


@cache
def core_of(pattern: str) -> Core:
    name = next(name for name in BYTE_LEVEL if manifest()[name]["pattern"] == pattern)
    core = open_core(Table(table_path(name)), Pattern(pattern))
    assert core is not None
    return core


def native_pieces(pattern: str, text: str) -> list[str]:
    data = text.encode()
    ends = array("I", core_of(pattern).pieces(text))
    return [data[start:end].decode() for start, end in pairwise([0, *ends])]


def check_pieces(pattern: str, text: str) -> None:
    ours = pieces(Pattern(pattern), text)
    assert "".join(ours) == text
    if NATIVE:
        assert native_pieces(pattern, text) == ours
    regex = BY_PATTERN[pattern]
    theirs = with_tiktoken(regex, text, ours) if isinstance(regex, str) else with_tokenizers(regex, text)
    if ours != theirs:
        at = next(index for index, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1])
        around = slice(max(0, at - 2), at + 3)
        raise AssertionError(f"{pattern}: {ours[around]}, not {theirs[around]}")


@pytest.mark.parametrize("pattern", BY_PATTERN)
def test_pieces_of_every_code_point(pattern: str) -> None:
    for text in in_contexts(looked_at(), 20_000):
        check_pieces(pattern, text)


@pytest.mark.parametrize("pattern", BY_PATTERN)
def test_pieces_of_all_code_points_in_one_text(pattern: str) -> None:
    check_pieces(pattern, "".join(looked_at()))
    shuffled = list(looked_at())
    random.Random(pattern).shuffle(shuffled)
    check_pieces(pattern, "".join(shuffled))


@pytest.mark.parametrize("pattern", BY_PATTERN)
def test_pieces_of_weighted_texts(pattern: str) -> None:
    # One text each, since what one ends with and the next begins with is looked at together in the others.
    if isinstance(BY_PATTERN[pattern], str):
        for at in range(0, 3_000, 100):
            check_pieces(pattern, "\n".join(weighted_texts(3_000)[at : at + 100]))
    else:
        for text in weighted_texts(3_000):
            check_pieces(pattern, text)


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
def test_ids(subject: Subject) -> None:
    texts = [*in_contexts(looked_at())]
    for path, encode in subject.paths:
        # Their pieces are compared at every one, above.
        compare(subject, path, encode, texts if FULL else texts[:: 4 if path == "native" else 16])
