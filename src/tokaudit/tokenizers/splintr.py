"""Vocabularies that may not travel with tokaudit, through splintr-rs (the extra ``tokaudit[more]``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tokaudit.model import TokenizerError, TokenizerInfo
from tokaudit.tokenizers.align import starts_of
from tokaudit.tokenizers.plain import LibraryTokenizer

PRETRAINED = {"llama-2": "llama2", "llama-3": "llama3", "gemma-3": "gemma3", "gemma-4": "gemma4"}
"""Our name to splintr's."""
_GEMMA_CONTROL = re.compile(r"<(?:bos|eos|pad|unk|mask|start_of_turn|end_of_turn|unused\d+)>|<\|")


class SplintrTokenizer(LibraryTokenizer):
    """One of splintr's embedded vocabularies. Its batch calls and invented special tokens are not used."""

    def __init__(self, info: TokenizerInfo, *, special: bool = False) -> None:
        """Load it. Raises ``TokenizerError`` where splintr-rs is not installed."""
        super().__init__(info)
        try:
            import splintr
        except ImportError as error:
            raise TokenizerError(
                f"{info.ref.name}: needs splintr-rs, which is not installed",
                hint="python -m pip install splintr-rs==0.22.0",
            ) from error
        self._tokenizer: Any = splintr.Tokenizer.from_pretrained(PRETRAINED[info.ref.name])
        self._gemma = info.ref.name.startswith("gemma")
        self._special = special

    def ids(self, text: str) -> list[int]:
        """Token ids of ``text``."""
        if self._special:
            found: list[int] = self._tokenizer.encode_with_special(text)
        # Gemma's vocabulary has user-defined symbols, which only encode_raw honours; it takes typed control tokens for
        # themselves, which ordinary text must not have.
        elif self._gemma and not _GEMMA_CONTROL.search(text):
            found = self._tokenizer.encode_raw(text)
        else:
            found = self._tokenizer.encode_ordinary(text)
        return found

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Byte offset at which each token begins. Raises ``TokenizerError`` where the tokens do not spell the text."""
        decode = self._tokenizer.decode_token_bytes
        found = starts_of([decode(rank) for rank in ids], text.encode())
        if found is None:
            raise TokenizerError(
                f"{self._info.ref.name}: its tokens do not spell this text, so they cannot be placed",
                hint="use --by file",
            )
        return found
