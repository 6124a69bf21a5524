"""Byte-level BPE over a table: the whole pipeline of one vocabulary, whichever engine merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tokaudit.model import Encoding, TokenizerError, TokenizerInfo, TokenizerRef
from tokaudit.model.message import Message
from tokaudit.tokenizers.encoding import ArrayEncoding, ListEncoding, not_a_text, not_text, split_at, unknown_id
from tokaudit.tokenizers.native import NativeEncoding, NativeEngine, open_core
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.table import Table, TableError

if TYPE_CHECKING:
    from tokaudit.tokenizers.unicode_classes import Change


class Engine(Protocol):
    """Ordinary, normalized text to ranks: ``NativeEngine`` or ``FallbackEngine``."""

    def settled(self, text: str) -> bool:
        """True if no NFC changes anything in a text."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens."""
        ...

    def encoding(self, text: str) -> ListEncoding | ArrayEncoding | NativeEncoding:
        """The tokens of a text."""
        ...


class ByteBpeTokenizer:
    """One byte-level vocabulary. Ordinary text by default; ``special=True`` counts control tokens as such."""

    def __init__(
        self,
        info: TokenizerInfo,
        entry: Mapping[str, Any],
        *,
        path: Path | None = None,
        table: Table | None = None,
        pattern: Pattern | None = None,
        special: bool = False,
    ) -> None:
        """Take a table, or open the bundled one at ``path``; ``pattern`` is the entry's by default.

        Raises:
            TokenizerError: The bundled table is missing, damaged, or of another vocabulary than the manifest's.
        """
        self._info = info
        self._entry = entry
        if table is None:
            if path is None:
                raise TypeError("a path or a table")
            table = _open_bundled(info.ref, path)
        self._table = table
        self._engine = self._opened(pattern or Pattern(entry["pattern"]))
        self._normalized = entry["normalization"] == "NFC"
        self._offset: int = entry.get("id_offset", 0)
        self._special: Mapping[str, int] = entry["special_tokens"] if special else {}
        # GPT-2's pattern alone takes the white space before a line in two pieces, and at the end of a text in one.
        self.divisible: bool = entry["pattern"] != "gpt2"
        self.divisible_plainly = True  # at the cuts that ``sources.pieces`` calls plain

    @property
    def info(self) -> TokenizerInfo:
        return self._info

    def count(self, text: str) -> int:
        if self._special:
            return len(self.encoding(text))
        if not isinstance(text, str):
            raise TypeError(not_a_text(text))
        try:
            if self._normalized and not self._engine.settled(text):
                from tokaudit.tokenizers.unicode_classes import normalized

                text = normalized(text)[1]
            return self._engine.count(text)
        except UnicodeEncodeError as error:
            raise not_text(error) from error
        except BufferError as error:
            raise self._damaged() from error

    def encode(self, text: str) -> Sequence[int]:
        ids = self.encoding(text).ids
        return ids if isinstance(ids, list) else [int(token) for token in ids]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids; U+FFFD for bytes that are no UTF-8. Raises ``TokenizerError`` for an unknown id."""
        controls = {rank: token for token, rank in self._entry["special_tokens"].items()}
        parts = []
        for token in ids:
            rank = token - self._offset
            if token in controls:
                parts.append(controls[token].encode())
            elif 0 <= rank < self._table.ids and (data := self._table.token(rank)):
                parts.append(data)
            else:
                raise unknown_id(self._info.ref.name, token)
        return b"".join(parts).decode("utf-8", "replace")

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        starts = [int(start) for start in self.encoding(text).starts]
        return list(zip(starts, [*starts[1:], len(text.encode())], strict=False))

    def encoding(self, text: str) -> Encoding:
        """The tokens with ids and places. Raises ``TokenizerError`` for a text with lone surrogates."""
        if not isinstance(text, str):
            raise TypeError(not_a_text(text))
        try:
            return split_at(text, self._special, self._ordinary) if self._special else self._ordinary(text)
        except UnicodeEncodeError as error:
            raise not_text(error) from error
        except BufferError as error:
            raise self._damaged() from error

    def _opened(self, pattern: Pattern) -> Engine:
        ref, table = self._info.ref, self._table
        try:
            core = open_core(table, pattern)
            if core is not None:
                return NativeEngine(core, self._damaged)
            from tokaudit.tokenizers.fallback import FallbackEngine

            return FallbackEngine(ref.name, table, pattern, self._entry["pattern_regex"])
        except OSError as error:
            raise _reinstalled(ref, Message("the vocabulary cannot be read: {error}", error=error)) from error
        except ValueError as error:
            raise self._damaged() from error

    def _damaged(self) -> TokenizerError:
        """The error of a table that contradicts itself; one of a user's file is made anew by the next run."""
        table = self._table
        fault = Message("the table {name} is damaged", name=table.path.name)
        if table.is_installed:
            return _reinstalled(self._info.ref, fault)
        with suppress(OSError):
            table.path.unlink(missing_ok=True)
        return TokenizerError(fault, what=self._info.ref.name, hint="run it again: the table is made anew")

    def _ordinary(self, text: str) -> Encoding:
        changes: list[Change] = []
        normal = text
        if self._normalized and not self._engine.settled(text):
            from tokaudit.tokenizers.unicode_classes import normalized

            changes, normal = normalized(text)
        found = self._engine.encoding(normal)
        if not self._offset and not changes:
            return found
        if changes:
            from tokaudit.tokenizers.nfc_places import NormalizedEncoding, Places

            if isinstance(found, NativeEncoding) and not self._offset:
                return NormalizedEncoding(text, changes, found)
        placed = found.placed() if isinstance(found, NativeEncoding) else found
        if self._offset:
            if isinstance(placed, ListEncoding):
                placed = ListEncoding([rank + self._offset for rank in placed.ids], placed.starts)
            else:
                placed = ArrayEncoding(placed.ids + self._offset, placed.starts)
        return Places(text, changes).placed(placed) if changes else placed


def _open_bundled(ref: TokenizerRef, path: Path) -> Table:
    """Open a bundled table; every fault is the installation's, and so is the hint."""
    try:
        table = Table(path)
    except FileNotFoundError:
        fault = Message("the table {name} is missing from the installation", name=path.name)
    except (OSError, TableError) as error:
        fault = Message("the vocabulary cannot be read: {error}", error=error)
    else:
        if table.sha256 == ref.sha256:
            return table
        fault = Message(
            "the table is of another vocabulary: sha256 {found}, not {expected}",
            found=table.sha256[:12],
            expected=ref.sha256[:12],
        )
    raise _reinstalled(ref, fault)


def _reinstalled(ref: TokenizerRef, fault: Message) -> TokenizerError:
    return TokenizerError(fault, what=ref.name, hint="python -m pip install --force-reinstall tokaudit")
