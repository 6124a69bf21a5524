"""Claude, approximately: ctok's unofficial reconstruction of its counts (the extra ``tokaudit[claude]``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokaudit.model import TokenizerError, TokenizerInfo
from tokaudit.model.message import Message
from tokaudit.tokenizers.bundled import external
from tokaudit.tokenizers.encoding import ListEncoding, checked
from tokaudit.tokenizers.plain import LibraryTokenizer

ERROR = "Anthropic publishes no tokenizer; ctok 1.3.0 reconstructs counts and states no bound for its error"


class ClaudeTokenizer(LibraryTokenizer):
    """Counts of one generation of Claude: ``version`` is ctok's, such as ``3.0`` or ``4.8``."""

    places = False

    def __init__(self, info: TokenizerInfo, version: str) -> None:
        """Load it. Raises ``TokenizerError`` where ctok is not installed."""
        super().__init__(info)
        try:
            import ctok
        except ImportError as error:
            raise TokenizerError(
                "needs the package ctok, which is not installed",
                what=info.ref.name,
                hint=external()[info.ref.name].to_do,
            ) from error
        self._ctok: Any = ctok
        self._version = version

    def count(self, text: str) -> int:
        """Number of tokens of ``text``, approximately."""
        return len(self._ctok.tokenize(text, version=self._version)) if checked(text) else 0

    def ids(self, text: str) -> list[int]:
        """Not known: the reconstruction has pieces, not ids. Raises ``TokenizerError``."""
        del text
        raise TokenizerError("Claude's token ids are not public", what=self._info.ref.name, hint="only count is known")

    def decode(self, ids: Sequence[int]) -> str:
        """Not known, as ``ids``. Raises ``TokenizerError``."""
        raise TokenizerError(
            Message(
                "{name}: Claude's token ids are not public, so {n:,} of them mean nothing",
                name=self._info.ref.name,
                n=len(ids),
            ),
            hint="only count is known",
        )

    def encoding(self, text: str) -> ListEncoding:
        """Not known: neither ids nor places. Raises ``TokenizerError`` with what a division of a text lacks."""
        return ListEncoding((), self.starts(text, ()))

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Not known, as ``ids``. Raises ``TokenizerError``."""
        del text, ids
        raise TokenizerError("Claude's token boundaries are not public", what=self._info.ref.name, hint="use --by file")
