"""The native core itself; that it gives the reference's tokens is shown in ``tests/equivalence``."""

from __future__ import annotations

import random
import sys
import threading
from array import array
from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor

import pytest

from references import NATIVE, Subject
from tokaudit.tokenizers.bundled import table_path
from tokaudit.tokenizers.native import Core, NativeEngine, engine_name, open_core
from tokaudit.tokenizers.pretokenize import TABLES, Pattern
from tokaudit.tokenizers.table import Table, build_table

pytestmark = pytest.mark.skipif(not NATIVE, reason="without the native core")
TEXT = "The quick brown fox, 模型的上下文窗口。\n\n  naïve 12345 👩\u200d👧 e\u0301 \u3000 end" * 40


def core_of(name: str = "o200k_base", pattern: str = "o200k") -> Core:
    core = open_core(Table(table_path(name)), Pattern(pattern))
    assert core is not None
    return core


def tokens_of(core: Core, text: str) -> tuple[list[int], list[int]]:
    ids, ends = core.encode(text)
    return array("I", ids).tolist(), array("I", ends).tolist()


def test_count_ids_ends_and_parts_agree() -> None:
    core = core_of()
    chance = random.Random(7)
    for size in (0, 1, 7, 100, len(TEXT)):
        text = TEXT[:size]
        ids, ends = tokens_of(core, text)
        assert core.count(text) == len(ids) == len(ends)
        assert ends == sorted(ends)
        assert (ends or [0])[-1] == len(text.encode())
        starts = [0, *ends][: len(ids)]
        offsets = array("q", sorted(chance.choices(range(len(text.encode()) + 2), k=9)))
        total, counts = core.within(text, offsets)
        before = [bisect_left(starts, offset) for offset in offsets]
        expected = [after - one for one, after in zip(before, [*before[1:], len(ids)], strict=True)]
        assert (total, array("q", counts).tolist()) == (len(ids), expected)


def test_an_encoding_is_found_when_it_is_asked_for() -> None:
    encoding = NativeEngine(core_of()).encoding(TEXT)
    assert encoding._found is None
    assert sum(encoding.within([0, 100])) == len(encoding)
    assert encoding._found is None
    assert len(encoding.ids) == len(encoding.starts) == len(encoding)


LONG = 1 << 14
"""Bytes from which on the core lets other threads run (``ALONE`` in ``module.c``)."""


@pytest.mark.parametrize("name", ["qwen3", "glm-4.5"], ids=["every token is made", "some are whole pieces only"])
def test_threads_on_one_tokenizer_find_the_same(name: str) -> None:
    """All at once, in one another's way: long and short texts, which share what a thread remembers of pieces."""
    tokenizer = Subject(name).tokenizer()
    texts = [f"{number} " + TEXT[number:] * times for number, times in enumerate((1, 40, 3, 80, 7, 25))]
    assert min(len(text.encode()) for text in texts) < LONG < sorted(len(text.encode()) for text in texts)[3]
    parts = [range(0, len(text.encode()), 1_000) for text in texts]

    def found() -> list[object]:
        result: list[object] = []
        for text, offsets in zip(texts, parts, strict=True):
            result += [tokenizer.count(text), list(tokenizer.encode(text)), list(tokenizer.spans(text))]
            result += [list(tokenizer.encoding(text).within(offsets)), len(tokenizer.encoding(text))]
        return result

    expected = found()
    start = threading.Barrier(4)

    def work() -> list[list[object]]:
        start.wait(60)
        return [found() for _ in range(3)]

    with ThreadPoolExecutor(4) as threads:
        tasks = [threads.submit(work) for _ in range(4)]
        assert [task.result() for task in tasks] == [[expected] * 3] * 4


def test_other_threads_run_during_a_long_text() -> None:
    """A count of a long text lets them: else they would stand still from its beginning to its end."""
    core = core_of()
    text = "".join(map(chr, random.Random(3).choices(range(0x4E00, 0x9FFF), k=3_000_000)))
    core.prepare(text)
    steps = 0
    seen: list[int] = []

    def count() -> None:
        before = steps
        core.count(text)
        seen.append(steps - before)

    thread = threading.Thread(target=count)
    thread.start()
    while thread.is_alive():
        steps += 1
    thread.join()
    assert seen[0] > 0


@pytest.mark.parametrize("value", [b"bytes", None, 5, ["text"]])
def test_only_text_is_counted(value: object) -> None:
    core = core_of()
    for call in (core.count, core.encode, core.pieces, core.settled, core.prepare):
        with pytest.raises(TypeError):
            call(value)  # type: ignore[arg-type]


def test_lone_surrogates_are_refused() -> None:
    core = core_of()
    for call in (core.count, core.encode, core.pieces, core.settled, core.prepare):
        with pytest.raises(UnicodeEncodeError):
            call("a\ud800b")


@pytest.mark.parametrize("offsets", [array("q"), array("q", [5, 3]), array("b", [1, 2, 3])])
def test_offsets_are_checked(offsets: array[int]) -> None:
    with pytest.raises(ValueError, match="ascending"):
        core_of().within(TEXT, offsets)


@pytest.mark.parametrize("size", [*range(0, 400, 7), 1_000, 100_000, -1])
def test_truncated_files_are_refused(size: int) -> None:
    table = Table(table_path("r50k_base")).memory[:]
    automaton, classes = Pattern("gpt2").automaton(), (TABLES / "classes.bin").read_bytes()
    engine = type(core_of())
    engine(table, automaton, classes)
    for number, whole in enumerate((table, automaton, classes)):
        cut = whole[:size] if size < len(whole) else whole[:-1]
        with pytest.raises(ValueError, match=r"table|automaton|vocabulary"):
            engine(*[cut if number == index else data for index, data in enumerate((table, automaton, classes))])  # type: ignore[call-arg]


def test_damaged_files_are_refused_or_harmless() -> None:
    """Bytes changed anywhere: wrong tokens at worst, never a fault of memory."""
    singles = [bytes([byte]) for byte in range(256)]
    tokens = [*singles, b"ab", b"abab", "的".encode(), "的的".encode(), b"x" * 300, b"  "]
    files = [
        bytearray(build_table(tokens)),
        bytearray(Pattern("o200k").automaton()),
        bytearray((TABLES / "classes.bin").read_bytes()),
    ]
    engine = type(core_of())
    chance = random.Random(11)
    text = "abab 的的 x" * 50 + "x" * 9_000 + "的" * 5_000
    opened = found = 0
    for _ in range(1_500):
        damaged = [bytearray(file) for file in files]
        file = damaged[chance.choice((0, 0, 1, 2))]
        for _ in range(chance.choice((1, 1, 4, 40))):
            file[chance.randrange(len(file))] = chance.randrange(256)
        try:
            core = engine(*map(bytes, damaged))  # type: ignore[call-arg]
        except ValueError:
            continue
        opened += 1
        try:
            core.encode(text)
        except BufferError:
            found += 1
        core.makes_all()
    assert opened > 100
    assert found


def test_letters_that_are_skipped_are_matches_too() -> None:
    """Where a look-ahead refuses what follows a word, the match ends one letter earlier, however long the word is."""
    core = open_core(Table(table_path("o200k_base")), Pattern(text=r"[a-z]+(?!!)|[^a-z]|[a-z]"))
    assert core is not None
    for size in (2, 9, 10, 17, 40):
        assert array("I", core.pieces("a" * size + "!")).tolist() == [size - 1, size, size + 1]


def test_lengths_that_are_not_the_tokens_are_found() -> None:
    """Above all in a long piece, whose blocks are found by the lengths of tokens."""
    table = bytearray(build_table([bytes([byte]) for byte in range(256)]))
    slots = int.from_bytes(table[12:16], "little")
    offset = 64 + 8 * slots + 4 * (ord("x") + 1)
    table[offset : offset + 4] = (ord("x") + 4_000).to_bytes(4, "little")
    engine = type(core_of())
    core = engine(bytes(table), Pattern("o200k").automaton(), (TABLES / "classes.bin").read_bytes())  # type: ignore[call-arg]
    for size in (1, 20, 200_000):
        with pytest.raises(BufferError, match="a damaged table"):
            core.encode("x" * size)
    with pytest.raises(BufferError, match="a damaged table"):
        core.count("x" * 200_000)
    assert core.count("abc") == 3


def test_without_the_core_the_fallback_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    monkeypatch.setenv("TOKAUDIT_NATIVE", "0")
    code = "from tokaudit.tokenizers.native import engine_name; print(engine_name())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (found.stdout.strip(), engine_name()) == ("python", "native")
