"""What counts byte-level vocabularies where there is no native core: Python for little, the reference for much.

A library must load a vocabulary first, which takes most of a second. It is loaded as soon as Python has spent as much
as that costs, or would with the text at hand: whatever comes, that is at most twice the time of the better choice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from tokaudit.model.message import Message
from tokaudit.tokenizers.encoding import ArrayEncoding, ListEncoding
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.small import SmallEngine
from tokaudit.tokenizers.table import Table, TableError
from tokaudit.tokenizers.unicode_classes import nfc_changes

_LOAD_COST = {False: 8, True: 13}
"""Cost of loading the reference for each id, in bytes of ordinary ASCII text through ``SmallEngine`` (measured): merged
by rank (tiktoken), and by listed merges (tokenizers)."""
_WIDE_COST = 4
"""Cost of a byte beyond ASCII, beside one of ASCII (measured): Chinese pieces seldom repeat."""


class FallbackEngine:
    """Encodes ordinary, normalized text with one vocabulary. Ids are ranks."""

    def __init__(self, name: str, table: Table, pattern: Pattern, patterns: str | Sequence[str]) -> None:
        """``patterns``: the reference's own, one or a sequence of splits. Raises ``TableError`` for a damaged table."""
        if any(table.find(bytes([byte])) < 0 for byte in range(256)):
            raise TableError(Message("{name}: a damaged table", name=table.path.name))
        self._name = name
        self._table = table
        self._patterns = patterns
        self._small = SmallEngine(table, pattern)
        self._reference: Callable[[str], Sequence[int]] | None = None
        self._left = _LOAD_COST[table.splits is not None] * table.ids

    @staticmethod
    def settled(text: str) -> bool:
        """True if no NFC changes anything in a text."""
        return not nfc_changes(text)

    def count(self, text: str) -> int:
        """Number of tokens."""
        if self._is_much(text):
            return len(self._ids(text))
        return self._small.count(self._small.cut(text))

    def encoding(self, text: str) -> ListEncoding | ArrayEncoding:
        """The tokens of a text. Raises ``BufferError`` where they are not as long as it."""
        ids = self._ids(text) if self._is_much(text) else self._small.encode(self._small.cut(text))
        offsets = self._table.offsets
        starts = [0, *accumulate(offsets[rank + 1] - offsets[rank] for rank in ids)]
        if starts[-1] != len(text.encode()):
            raise BufferError
        return ListEncoding(ids, starts[:-1])

    def _is_much(self, text: str) -> bool:
        size = len(text.encode())  # also for its fault: tiktoken replaces lone surrogates
        if self._reference is None:
            self._left -= size + (_WIDE_COST - 1) * (size - len(text)) * 3 // 2
            if self._left < 0:
                self._reference = load_reference(self._name, self._table, self._patterns)
        return self._reference is not None

    def _ids(self, text: str) -> Sequence[int]:
        """Ids by the reference; by Python where it gives up, as tiktoken's patterns do on a million spaces."""
        assert self._reference is not None
        try:
            return self._reference(text)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            if type(error).__name__ != "PanicException" and not isinstance(error, Exception):
                raise
            return self._small.encode(self._small.cut(text))


def load_reference(name: str, table: Table, patterns: str | Sequence[str]) -> Callable[[str], Sequence[int]]:
    """A function of the reference library from normalized text to ids (ranks), for ordinary text."""
    if table.splits is None and (isinstance(patterns, str) or len(patterns) == 1):
        import tiktoken

        pattern = patterns if isinstance(patterns, str) else patterns[0]
        ranks = {token: rank for rank, token in enumerate(table.tokens()) if token}
        encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        ordinary: Callable[[str], Sequence[int]] = encoding.encode_ordinary
        return ordinary
    import tokenizers

    fast = tokenizers.Tokenizer.from_str(tokenizer_json(table.tokens(), table.splits, patterns))
    return lambda text: list(fast.encode(text, add_special_tokens=False).ids)


def tokenizer_json(tokens: Sequence[bytes], splits: Sequence[int] | None, patterns: str | Sequence[str]) -> str:
    """The vocabulary as a Hugging Face tokenizer.json without special tokens and normalization.

    A vocabulary that merges by rank lists every pair whose concatenation is a token, and looks up whole pieces first.
    """
    names = [token.decode("latin-1").translate(byte_chars()) for token in tokens]
    vocabulary = {name: rank for rank, name in enumerate(names) if name}
    if splits is not None:
        merges = [f"{name[:at]} {name[at:]}" for name, at in zip(names, splits, strict=True) if at]
    else:
        merges = [
            f"{name[:at]} {name[at:]}"
            for name in names
            for at in range(1, len(name))
            if name[:at] in vocabulary and name[at:] in vocabulary
        ]
    steps: list[dict[str, Any]] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in ([patterns] if isinstance(patterns, str) else patterns)
    ]
    steps.append({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False})
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": splits is None,
        "vocab": vocabulary,
        "merges": merges,
    }
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model,
    }
    return json.dumps(document, ensure_ascii=False)


@cache
def byte_chars() -> Mapping[int, int]:
    """The character by which a tokenizer.json writes each byte, as GPT-2 did first."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    chars = {byte: byte for byte in printable}
    others = (byte for byte in range(256) if byte not in chars)
    return chars | {byte: 256 + index for index, byte in enumerate(list(others))}
