"""Tokenizers, and what they measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Protocol

from tokaudit.model.record import record


@record
class TokenizerRef:
    """Identity of a measurement: counts by different vocabularies are incomparable, not a regression."""

    name: str
    """The tokenizer's own name, as in ``o200k_base``."""
    backend: str
    """byte-bpe, tokenizers, transformers, sentencepiece, tiktoken, ctok, splintr."""
    sha256: str
    """Of the vocabulary, in hex; see ``tokaudit tokenizers``."""
    exact: bool
    """False where the model's tokenizer is not public and the count is an approximation."""
    error: str = ""
    """The known error and its source, where ``exact`` is false."""
    engine: str = field(default="", compare=False)
    """``native`` or ``python``: which of our engines counts, with the same result; empty for a library."""


@record
class ModelColumn:
    """A model as the user named it, with the tokenizer that counts for it and its column in the results."""

    name: str
    ref: TokenizerRef
    column: int

    def marked(self, figure: str) -> str:
        """A figure with the sign of approximation where it is one: ``≈1,200``."""
        return figure if self.ref.exact else f"≈{figure}"

    def counted(self, tokens: int) -> str:
        """A count as text."""
        return self.marked(f"{tokens:,}")

    def cell(self, tokens: int) -> int | str:
        """A count as the cell of a table: a number, or text with the sign of approximation."""
        return tokens if self.ref.exact else self.counted(tokens)

    def signed(self, tokens: int) -> str:
        """A difference of counts as text, with its sign."""
        return self.marked(f"{tokens:+,}" if tokens else "0")


@record
class TokenizerInfo:
    """Facts about a tokenizer that are known before it is loaded."""

    ref: TokenizerRef
    vocabulary_size: int
    source: str
    """Origin of the vocabulary: package, version, file."""
    licence: str
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    normalization: str = ""
    """NFC, NFKC, or empty for none."""
    special_tokens: tuple[str, ...] = ()


class Encoding(Protocol):
    """The tokens of one text, in order."""

    def __len__(self) -> int:
        """Number of tokens."""
        ...

    @property
    def ids(self) -> Sequence[int]:
        """Token ids."""
        ...

    @property
    def starts(self) -> Sequence[int]:
        """For each token the byte offset, in the text's UTF-8, at which its first byte lies; ascending."""
        ...

    def within(self, offsets: Sequence[int]) -> Sequence[int]:
        """For each part that begins at an offset and ends at the next one, how many tokens start in it.

        The last part ends with the text; the offsets ascend and begin with 0.
        """
        ...

    def tally(self, classes: bytes, size: int, blank: int) -> list[int]:
        """For each class below ``size``, how many tokens are of it; ``classes`` has one for each byte of the text.

        A token is of the class of its first byte that is not of class ``blank``: most words carry the space before
        them, and are still words.
        """
        ...


class Tokenizer(Protocol):
    """Text to token ids: the whole pipeline of one vocabulary."""

    @property
    def info(self) -> TokenizerInfo:
        """Name, vocabulary hash, source, licence."""
        ...

    @property
    def divisible(self) -> bool:
        """True where a text may be encoded in pieces cut at the places that ``sources.pieces`` finds."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens of ``text``."""
        ...

    def encode(self, text: str) -> Sequence[int]:
        """Token ids of ``text``."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids; U+FFFD for bytes that are no UTF-8, as where the ids cut a character in two."""
        ...

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Byte span ``(start, end)`` of each token in the text's UTF-8; they cover it without gaps."""
        ...

    def encoding(self, text: str) -> Encoding:
        """The tokens with their ids and places."""
        ...
