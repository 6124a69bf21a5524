"""Vocabularies of users' files, compiled into the tables of the bundled ones and kept in the user's cache folder.

A file is compiled once, which takes some seconds; every later run maps the table. What is in the cache is known by the
hash of the file it was made of and checked by its own, so that a damaged or half-written file is made anew.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokaudit.model import TokenizerInfo, TokenizerRef
from tokaudit.tokenizers.bundled import manifest
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.fallback import byte_chars
from tokaudit.tokenizers.model_folder import is_control
from tokaudit.tokenizers.native import engine_name, open_core
from tokaudit.tokenizers.patterns import PatternError
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.table import MAGIC, Table, TableError, build_table, marked_made

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The pattern of a tokenizer.json's ByteLevel step with ``use_regex`` (Hugging Face tokenizers, Apache-2.0)."""
_DIGEST = 32
_MOST_IDS = 1 << 20
_DOUBTFUL = re.compile(r"\$|\{[0-9,]*\}\+")
_NOTES = "02"
"""Version of what is kept of a tokenizer.json: another one where ``_described`` accepts other files than before."""
_FAULTS = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


def cache_folder() -> Path:
    """The user's cache folder, as the platform has it."""
    from platformdirs import user_cache_path

    return user_cache_path("tokaudit", appauthor=False)


def compiled_table(sha256: str, pattern: Pattern, build: Callable[[], bytes]) -> Table:
    """The table of a vocabulary, by the hash of its file; ``build`` lays it out where it is not kept yet."""
    path = cache_folder() / f"{sha256}.{MAGIC.decode().lower()}"
    kept = _kept(path)
    if kept is not None:
        with suppress(ValueError):  # not a table: made anew
            table = Table(path, kept)
            open_core(table, pattern)
            return table
    built = build()
    if is_made(built, pattern):
        built = marked_made(built)
    _keep(path, built)
    return Table(path, built)


def is_made(table: bytes, pattern: Pattern) -> bool:
    """Check whether merging makes every token of a table; not known without the core, which costs a little time."""
    core = open_core(Table(Path("new"), table), pattern)
    return core is not None and core.makes_all()


def _kept(path: Path) -> bytes | None:
    """What was kept; None where there is nothing, or something else than what was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content = data[_DIGEST:]
    return content if hashlib.sha256(content).digest() == data[:_DIGEST] else None


def _keep(path: Path, content: bytes) -> None:
    """Keep something for the next run; where nothing can be written it is made anew each time."""
    import os
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(hashlib.sha256(content).digest() + content)
            Path(part).replace(path)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError:
        return


def load_compiled(name: str, data: bytes, source: str) -> ByteBpeTokenizer | None:
    """The tokenizer of a tokenizer.json through the native core; None where it does what the core does not.

    That is so for byte-level BPE whose merges make the tokens in the order of their ids, whose pattern an automaton can
    be, and which has no other steps than NFC before and control tokens after it.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    note = cache_folder() / f"{sha256}.{_NOTES}.json"
    kept = _kept(note)
    try:
        found = json.loads(kept) if kept is not None else _described(json.loads(data))
    except _FAULTS:
        return None  # the library has the words for what is wrong with it
    if kept is None:
        _keep(note, json.dumps(found).encode())
    if found is None:
        return None
    pattern = Pattern(**found["pattern"])
    try:
        table = compiled_table(sha256, pattern, lambda: _table_of(json.loads(data)["model"], sha256, pattern))
    except _FAULTS:  # a TableError, or what a damaged vocabulary leads to
        _keep(note, b"null")
        return None
    ref = TokenizerRef(name, "tokenizers", sha256, exact=True, engine=engine_name())
    info = TokenizerInfo(ref, table.ids, source, "of the file's owner")
    entry = {**found, "pattern": pattern.name, "pattern_regex": pattern.text}
    tokenizer = ByteBpeTokenizer(info, entry, table=table, pattern=pattern)
    tokenizer.divisible = tokenizer.divisible_plainly = False if pattern.text else tokenizer.divisible
    return tokenizer


def _described(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """What there is to know besides the vocabulary; None where the core cannot be what the file says."""
    model = document["model"]
    plain = {"dropout": None, "unk_token": None, "byte_fallback": False, "fuse_unk": False}
    marks = (model.get("continuing_subword_prefix"), model.get("end_of_word_suffix"))
    if model.get("type") != "BPE" or any(model.get(key, value) != value for key, value in plain.items()) or any(marks):
        return None
    normalization = _normalization(document.get("normalizer"))
    patterns = _patterns(document.get("pre_tokenizer"))
    added = document.get("added_tokens") or ()
    if normalization is None or patterns is None or not all(map(is_control, added)):
        return None
    pattern = _pattern(patterns)
    if pattern is None:
        return None
    return {
        "pattern": {"name": pattern.name, "text": pattern.text},
        "normalization": normalization,
        "special_tokens": {token["content"]: token["id"] for token in added},
    }


def _normalization(step: Mapping[str, Any] | None) -> str | None:
    """``NFC`` or nothing; None for another step."""
    steps = step["normalizers"] if step and step["type"] == "Sequence" else [step] if step else []
    if not steps:
        return ""
    return "NFC" if [one["type"] for one in steps] == ["NFC"] else None


def _patterns(step: Mapping[str, Any] | None) -> list[str] | None:
    """The patterns of the splits, which end with the ByteLevel step; None for other steps."""
    steps = (step["pretokenizers"] if step["type"] == "Sequence" else [step]) if step else []
    if not steps or steps[-1]["type"] != "ByteLevel" or steps[-1].get("add_prefix_space") is not False:
        return None
    patterns = []
    for one in steps[:-1]:
        alone = one["type"] == "Split" and one["behavior"] == "Isolated" and not one.get("invert")
        if not alone or "Regex" not in one["pattern"]:
            return None
        patterns.append(one["pattern"]["Regex"])
    return [*patterns, GPT2] if steps[-1].get("use_regex", True) else patterns


def _pattern(patterns: Sequence[str]) -> Pattern | None:
    """The pattern of these splits: a bundled one or a single one; None where an automaton cannot be it.

    The library's engine (Oniguruma) takes ``$`` for the end of a line, and ``{1,3}+`` for a repetition of ``{1,3}``,
    where tiktoken's, whose patterns are bundled too, takes the end of the text and a possessive quantifier.
    """
    doubtful = any(map(_DOUBTFUL.search, patterns))
    for entry in manifest().values():
        known = entry.get("pattern_regex")
        if known == list(patterns) or (not doubtful and [known] == list(patterns)):
            return Pattern(entry["pattern"])
    if doubtful or len(patterns) != 1:
        return None
    try:
        pattern = Pattern(text=patterns[0])
        pattern.automaton()
    except PatternError:
        return None
    return pattern


def _table_of(model: Mapping[str, Any], sha256: str, pattern: Pattern) -> bytes:
    """The table of a vocabulary with listed merges. Raises ``TableError`` where the core would merge otherwise."""
    bytes_of = {char: byte for byte, char in byte_chars().items()}
    try:
        named = {text: bytes(bytes_of[ord(char)] for char in text) for text in model["vocab"]}
    except KeyError as error:
        raise TableError("a token that is not written in bytes") from error
    ids = set(model["vocab"].values())
    if len(ids) < len(named) or min(ids) < 0 or max(ids) > _MOST_IDS:
        raise TableError("ids that are not those of a table")
    tokens = [b""] * (max(ids) + 1)
    for text, rank in model["vocab"].items():
        tokens[rank] = named[text]
    splits = [0] * len(tokens)
    last = -1
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        rank = model["vocab"].get(left + right, -1)
        if rank <= last:
            raise TableError("merges that are not in the order of the ids")
        splits[rank] = len(named[left])
        last = rank
    table = build_table(tokens, splits, sha256=sha256)
    if model.get("ignore_merges"):
        if not all(split or len(token) < 2 for token, split in zip(tokens, splits, strict=True)):
            raise TableError("a token that no merge makes")
    elif not is_made(table, pattern):
        raise TableError("a token that its merge does not make")
    return table
