"""A tokenizer made of a library's encode function: what every backend but the bundled byte-level one is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tokaudit.model import TokenizerInfo
from tokaudit.tokenizers.encoding import ListEncoding, checked


class LibraryTokenizer(ABC):
    """Base of the backends that leave the work to a library; a subclass says how to encode and where tokens begin."""

    divisible = False
    places = True
    """It says where its tokens are; without that a text can be counted, but not its parts."""

    def __init__(self, info: TokenizerInfo) -> None:
        self._info = info

    @property
    def info(self) -> TokenizerInfo:
        return self._info

    @abstractmethod
    def ids(self, text: str) -> list[int]:
        """Token ids of ``text``."""

    @abstractmethod
    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Byte offset in the text's UTF-8 at which each token begins; ascending."""

    def count(self, text: str) -> int:
        return len(self.ids(checked(text)))

    def encode(self, text: str) -> Sequence[int]:
        return self.ids(checked(text))

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids; U+FFFD for bytes that are no UTF-8."""

    def encoding(self, text: str) -> ListEncoding:
        ids = self.ids(checked(text))
        return ListEncoding(ids, self.starts(text, ids))

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        starts = list(self.encoding(text).starts)
        starts[:1] = [0] if starts else []  # what a tokenizer drops belongs to the token that follows or precedes
        return list(zip(starts, [*starts[1:], len(text.encode())], strict=False))
