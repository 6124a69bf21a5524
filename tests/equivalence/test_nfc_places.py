"""Places of tokens in text that is not in NFC: those of the reference, which says in which character a token begins."""

from __future__ import annotations

import json
import random
import unicodedata
from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest
import tokenizers

from references import Subject
from tokaudit.jobs import count as jobs
from tokaudit.jobs import units
from tokaudit.tokenizers.encoding import byte_starts
from tokaudit.tokenizers.native import engine_name
from tokaudit.tokenizers.nfc_places import NormalizedEncoding

# Kana, Hangul and Latin with marks, marks that change places, characters that NFC takes apart or replaces.
_CHARS = (
    *"がぎパピ（「、。あいcafeÀéệ각간힣가ㄱ漢x\n १क़षि",
    *("\u0301", "\u0323", "\u0302", "\u3099", "\u0345", "\u093c", "\u1161", "\u11a8", "\u0958", "\u09c7\u09be"),
    *("\u2126", "\u212b", "\uf900", "\u0344", "\U0001d15e"),
)


def _texts(seed: int, number: int) -> Sequence[str]:
    draw = random.Random(seed)
    texts = ["".join(draw.choices(_CHARS, k=draw.randint(1, 12))) for _ in range(number)]
    return [unicodedata.normalize("NFD", text) if index % 2 else text for index, text in enumerate(texts)]


def _begin(text: str, starts: Sequence[int]) -> list[int]:
    """For each byte, the byte at which its character begins."""
    places = [offset for offset, size in _sizes(text) for _ in range(size)]
    return [places[start] for start in starts]


def _sizes(text: str) -> list[tuple[int, int]]:
    found = []
    at = 0
    for char in text:
        found.append((at, len(char.encode())))
        at += found[-1][1]
    return found


@pytest.mark.parametrize("name", ["qwen3", "qwen3.5"])
def test_places_are_the_reference_s(name: str) -> None:
    subject = Subject(name)
    document = subject.json_document()
    document["added_tokens"] = []
    reference = tokenizers.Tokenizer.from_str(json.dumps(document, ensure_ascii=False))
    ours = (subject.tokenizer(), subject.python())
    for text in _texts(1, 3000):
        found = reference.encode(text, add_special_tokens=False)
        wanted = byte_starts(text, (start for start, _ in found.offsets))
        for tokenizer in ours:
            encoding = tokenizer.encoding(text)
            assert [int(token) for token in encoding.ids] == found.ids
            assert _begin(text, [int(start) for start in encoding.starts]) == wanted, ascii(text)


@pytest.mark.skipif(engine_name() == "python", reason="parts are counted by places then")
def test_counts_of_parts_are_those_of_places() -> None:
    tokenizer = Subject("qwen3").tokenizer()
    changed = 0
    for text in _texts(2, 3000):
        encoding = tokenizer.encoding(text)
        if not isinstance(encoding, NormalizedEncoding):
            continue
        changed += 1
        offsets = [*range(len(text.encode()) + 1)]
        within = [int(count) for count in encoding.within(offsets)]
        assert within == [int(count) for count in encoding.placed().within(array("q", offsets))], ascii(text)
        assert len(encoding) == sum(within) == len(encoding.ids)
        assert [*encoding.within(offsets[2::3])] == [*encoding.placed().within(array("q", offsets[2::3]))]
        assert [*encoding.within([])] == []
    assert changed > 1000


def test_spans_of_kana_as_macos_writes_them() -> None:
    text = unicodedata.normalize("NFD", "がぎぐ。")
    assert Subject("qwen3").tokenizer().spans(text) == [(0, 6), (6, 12), (12, 18), (18, 21)]


def test_classes_do_not_depend_on_the_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tokaudit

    text = unicodedata.normalize("NFD", "パピプ（ペポ）「バビ」、がぎぐ。\nCafé de l’été, 각 나라。\n" * 3000)
    path = tmp_path / "nfd.txt"
    path.write_text(text, "utf-8")

    def parts() -> object:
        return tokaudit.count_paths([path], ["qwen3"], by="class")["documents"][0]["segments"]

    whole = parts()
    monkeypatch.setattr(units, "CUT_FROM", 1 << 16)
    monkeypatch.setattr(jobs, "PIECE", 1 << 14)
    cut = parts()
    assert cut == whole
