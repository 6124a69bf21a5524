"""SentencePiece ``.model`` files, through the sentencepiece library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

from tokaudit.model import TokenizerError, TokenizerInfo
from tokaudit.tokenizers.align import starts_of
from tokaudit.tokenizers.blocks import encode_blocks, overlap_of
from tokaudit.tokenizers.encoding import ListEncoding, byte_starts, checked, split_at, unknown_id
from tokaudit.tokenizers.plain import LibraryTokenizer

_BLOCKS_FROM = 32_768
"""Characters from which on a text is encoded in blocks."""
_BLOCK = 8_192
"""Bytes of a block (measured: less costs more calls, more no longer fits into the processor's caches)."""
_PREFIX = {False: b"\x1a\x02\x18\x00", True: b"\x1a\x02\x18\x01"}
"""Appended to a serialized model, they set ``normalizer_spec.add_dummy_prefix``: the last field of a name counts."""


class SentencePieceTokenizer(LibraryTokenizer):
    """One ``.model`` file. Texts are encoded whole: SentencePiece has no pre-tokenization to cut at."""

    def __init__(
        self,
        info: TokenizerInfo,
        path: Path,
        *,
        special: bool = False,
        plain: bool = False,
        prefix: bool | None = None,
    ) -> None:
        """Load the model. Raises ``TokenizerError`` where it is missing, truncated or not one.

        Args:
            info: Name, hash, source, licence.
            path: The model file.
            special: Count control tokens as such.
            plain: Known to merge pairs (BPE) and to change no more of a text than to put a space before it. Such a
                model encodes a long text in blocks, in linear time; the library by itself takes n log n.
            prefix: Whether a space is put before a text; None for what the model says.
        """
        super().__init__(info)
        import sentencepiece

        try:
            self._model: Any = sentencepiece.SentencePieceProcessor()
            data = path.read_bytes()
            self._model.LoadFromSerializedProto(data if prefix is None else data + _PREFIX[prefix])
            size = self._model.get_piece_size()
            if not size:
                raise RuntimeError("it has no pieces")  # noqa: TRY301
        except OSError as error:
            raise TokenizerError.unreadable(error, path, hint="check the path") from error
        except RuntimeError as error:
            raise TokenizerError(
                "not a SentencePiece model, or truncated", what=str(path), hint="download the file again"
            ) from error
        self._info = replace(info, vocabulary_size=size)
        self._data = data if plain and prefix is not False else b""
        self._controls = self._control_ids() if special else {}

    def _control_ids(self) -> dict[str, int]:
        model = self._model
        return {model.id_to_piece(rank): rank for rank in range(model.get_piece_size()) if model.is_control(rank)}

    @cached_property
    def _bytes(self) -> list[bytes]:
        """Text of each piece, with U+2581 as a space."""
        model = self._model
        result = []
        for rank in range(model.get_piece_size()):
            piece = model.id_to_piece(rank)
            if model.is_byte(rank):
                result.append(bytes([int(piece[3:5], 16)]))
            else:
                result.append(piece.replace("\u2581", " ").encode())
        return result

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, as the library has it. Raises ``TokenizerError`` for an unknown id."""
        size = self._model.get_piece_size()
        for token in ids:
            if not 0 <= token < size:
                raise unknown_id(self._info.ref.name, token)
        found: str = self._model.decode(list(ids))
        return found

    def ids(self, text: str) -> list[int]:
        if self._controls:
            return list(self.encoding(text).ids)
        return self._ordinary(text)

    def _ordinary(self, text: str) -> list[int]:
        if self._data and len(text) >= _BLOCKS_FROM:
            encode, offsets, overlap = self._blocks
            data = f"\u2581{text}".replace(" ", "\u2581").encode()
            block = max(_BLOCK, 4 * overlap)
            parts = encode_blocks(data, encode, offsets, block, overlap, whole_characters=True)
            return list(chain.from_iterable(parts))
        found: list[int] = self._model.encode(text)
        return found

    @cached_property
    def _blocks(self) -> tuple[Callable[[bytes], list[int]], list[int], int]:
        """The model without the space that it puts before a text, where its pieces' bytes end, and the overlap."""
        import sentencepiece

        inner: Any = sentencepiece.SentencePieceProcessor()
        inner.LoadFromSerializedProto(self._data + _PREFIX[False])
        size = inner.get_piece_size()
        lengths = [1 if inner.is_byte(rank) else len(inner.id_to_piece(rank).encode()) for rank in range(size)]

        def encode(part: bytes) -> list[int]:
            found: list[int] = inner.encode(part.decode())
            return found

        return encode, [0, *accumulate(lengths)], overlap_of(max(lengths))

    def encoding(self, text: str) -> ListEncoding:
        return split_at(checked(text), self._controls, self._placed) if self._controls else self._placed(checked(text))

    def _placed(self, text: str) -> ListEncoding:
        ids = self._ordinary(text)
        return ListEncoding(ids, self.starts(text, ids))

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Byte offset at which each token begins.

        Where the model rewrites the text, that of the character that the token is of, as the library tells it. Raises
        ``TokenizerError`` where it does not.
        """
        table = self._bytes
        found = starts_of([table[rank] for rank in ids], text.encode())
        if found is None:
            places = self._places(text)
            if len(places) != len(ids):
                raise TokenizerError(
                    "this model normalizes the text, so its tokens cannot be placed in it",
                    what=self._info.ref.name,
                    hint="use --by file",
                )
            found = byte_starts(text, places)
        return found

    def _places(self, text: str) -> list[int]:
        """Code point at which each token begins, by the library, which had it otherwise before its version 0.2.2."""
        if hasattr(self._model, "encode_as_offset_mapping"):
            return [start for start, _ in self._model.encode_as_offset_mapping(text)["offsets"]]
        return [piece.begin for piece in self._model.encode(text, out_type="immutable_proto").pieces]
