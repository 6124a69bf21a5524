"""Vocabularies that may not travel with tokaudit, through splintr-rs (the extra ``tokaudit[more]``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tokaudit.model import TokenizerError, TokenizerInfo
from tokaudit.tokenizers.align import starts_of
from tokaudit.tokenizers.encoding import ListEncoding, checked, split_at, unknown_id
from tokaudit.tokenizers.plain import LibraryTokenizer

PRETRAINED = {"llama-2": "llama2", "llama-3": "llama3", "gemma-3": "gemma3", "gemma-4": "gemma4"}
"""Our name to splintr's."""
_LIMITS = {"llama-2": 32_000, "llama-3": 128_256, "gemma-3": 262_144, "gemma-4": 262_144}
"""Ids of each model; splintr invents special tokens beyond them."""


class SplintrTokenizer(LibraryTokenizer):
    """One of splintr's embedded vocabularies. Its batch calls and invented special tokens are not used."""

    def __init__(self, info: TokenizerInfo, *, special: bool = False) -> None:
        """Load it. Raises ``TokenizerError`` where splintr-rs is not installed."""
        super().__init__(info)
        try:
            import splintr
        except ImportError as error:
            raise TokenizerError(
                "needs splintr-rs, which is not installed",
                what=info.ref.name,
                hint="python -m pip install splintr-rs==0.22.0",
            ) from error
        self._tokenizer: Any = splintr.Tokenizer.from_pretrained(PRETRAINED[info.ref.name])
        known: dict[str, int] = self._tokenizer.special_tokens()
        self._controls = {token: rank for token, rank in known.items() if rank < _LIMITS[info.ref.name]}
        self._gemma = info.ref.name.startswith("gemma")
        self._special = special

    def ids(self, text: str) -> list[int]:
        return list(self._split(text, lambda _, ids: ListEncoding(ids, [0] * len(ids))).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids; U+FFFD for bytes that are no UTF-8. Raises ``TokenizerError`` for an unknown id."""
        parts = []
        for token in ids:
            if not 0 <= token < _LIMITS[self._info.ref.name]:
                raise unknown_id(self._info.ref.name, token)
            parts.append(bytes(self._tokenizer.decode_token_bytes(token)))
        spelled = b"".join(parts).decode("utf-8", "replace")
        return spelled.replace("\u2581", " ") if self._info.ref.name != "llama-3" else spelled

    def encoding(self, text: str) -> ListEncoding:
        """The tokens with ids and places; control tokens typed in the text are text unless they are asked for."""
        return self._split(text, lambda part, ids: ListEncoding(ids, self.starts(part, ids)))

    def _split(self, text: str, made: Callable[[str, list[int]], ListEncoding]) -> ListEncoding:
        """The encoding of a text, ``made`` for each part between control tokens of the part and its ids."""
        as_text = self._tokenizer.encode_ordinary
        ordinary = self._tokenizer.encode_raw if self._gemma else as_text
        if self._special:
            return split_at(checked(text), self._controls, lambda part: made(part, ordinary(part)))
        if self._gemma and "<" in checked(text):
            # encode_raw, which alone honours Gemma's user-defined symbols, takes typed control tokens for themselves.
            typed = dict.fromkeys(self._tokenizer.special_tokens())
            return split_at(
                text, typed, lambda part: made(part, ordinary(part)), lambda part: made(part, as_text(part))
            )
        return made(text, ordinary(checked(text)))

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Byte offset at which each token begins. Raises ``TokenizerError`` where the tokens do not spell the text."""
        decode = self._tokenizer.decode_token_bytes
        found = starts_of([decode(rank) for rank in ids], text.encode())
        if found is None:
            raise TokenizerError(
                "its tokens do not spell this text, so they cannot be placed",
                what=self._info.ref.name,
                hint="use --by file",
            )
        return found
