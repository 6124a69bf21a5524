"""SentencePiece ``.model`` files, through the sentencepiece library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tokaudit.model import TokenizerError, TokenizerInfo
from tokaudit.tokenizers.align import starts_of
from tokaudit.tokenizers.encoding import ListEncoding, checked, split_at
from tokaudit.tokenizers.plain import LibraryTokenizer


class SentencePieceTokenizer(LibraryTokenizer):
    """One ``.model`` file. Texts are encoded whole: SentencePiece has no pre-tokenization to cut at."""

    def __init__(self, info: TokenizerInfo, path: Path, *, special: bool = False) -> None:
        """Load the model. Raises ``TokenizerError`` where it is missing, truncated or not one."""
        super().__init__(info)
        import sentencepiece

        try:
            self._model: Any = sentencepiece.SentencePieceProcessor()
            self._model.LoadFromSerializedProto(path.read_bytes())
        except OSError as error:
            raise TokenizerError(f"{path}: cannot be read: {error.strerror}", hint="check the path") from error
        except RuntimeError as error:
            raise TokenizerError(
                f"{path}: not a SentencePiece model, or truncated", hint="download the file again"
            ) from error
        size = self._model.get_piece_size()
        if not size:
            raise TokenizerError(f"{path}: not a SentencePiece model, or truncated", hint="download the file again")
        self._info = replace(info, vocabulary_size=size)
        self._controls = self._control_ids() if special else {}

    def _control_ids(self) -> dict[str, int]:
        model = self._model
        return {model.id_to_piece(rank): rank for rank in range(model.get_piece_size()) if model.is_control(rank)}

    @cached_property
    def _bytes(self) -> list[bytes]:
        """What each piece stands for, with U+2581 as a space."""
        model = self._model
        result = []
        for rank in range(model.get_piece_size()):
            piece = model.id_to_piece(rank)
            if model.is_byte(rank):
                result.append(bytes([int(piece[3:5], 16)]))
            else:
                result.append(piece.replace("\u2581", " ").encode())
        return result

    def ids(self, text: str) -> list[int]:
        """Token ids of ``text``."""
        if self._controls:
            return list(self.encoding(text).ids)
        return self._ordinary(text)

    def _ordinary(self, text: str) -> list[int]:
        found: list[int] = self._model.encode(text)
        return found

    def encoding(self, text: str) -> ListEncoding:
        """The tokens with ids and places."""
        return split_at(checked(text), self._controls, self._placed) if self._controls else self._placed(checked(text))

    def _placed(self, text: str) -> ListEncoding:
        ids = self._ordinary(text)
        return ListEncoding(ids, self.starts(text, ids))

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Byte offset at which each token begins. Raises ``TokenizerError`` where the model rewrites the text."""
        table = self._bytes
        found = starts_of([table[rank] for rank in ids], text.encode())
        if found is None:
            raise TokenizerError(
                f"{self._info.ref.name}: this model normalizes the text, so its tokens cannot be placed in it",
                hint="use --by file",
            )
        return found
