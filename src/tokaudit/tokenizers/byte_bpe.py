"""Byte-level BPE over a bundled vocabulary: the small and the bulk path behind one tokenizer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokaudit.model import TokenizerError, TokenizerInfo, TokenizerRef
from tokaudit.model.message import Message
from tokaudit.tokenizers.encoding import ArrayEncoding, ListEncoding, not_a_text, not_text, split_at, unknown_id
from tokaudit.tokenizers.excerpt import MOST, Texts
from tokaudit.tokenizers.pretokenize import AS_RANKED, RANKED
from tokaudit.tokenizers.small import SmallEngine, cost_of
from tokaudit.tokenizers.table import Table, TableError
from tokaudit.tokenizers.unicode_classes import Change, normalized, utf8_length

if TYPE_CHECKING:
    from tokaudit.tokenizers.rank_file import MemoryTable

_LOAD_COST = {"ranks": 6, "listed": 15, "every": 26}
"""Cost of loading the bulk path for each id, in bytes of ordinary ASCII text through the small path (measured by
``benchmarks/curve.py``): as a rank file, as a tokenizer.json with listed merges, and as one with every merge."""

PART = 30
"""Cost of loading such a part, in hundredths of the whole (measured, with 300 kB to 2 MB of text)."""

_FITS_32_BITS = 1 << 29
"""Code points up to which byte offsets fit into 32 bits with a sign."""


class ByteBpeTokenizer:
    """One bundled vocabulary. Ordinary text by default; ``special=True`` counts control tokens as such."""

    def __init__(
        self,
        info: TokenizerInfo,
        entry: Mapping[str, Any],
        *,
        path: Path | None = None,
        table: Table | MemoryTable | None = None,
        special: bool = False,
    ) -> None:
        """Take a table, or open the bundled one at ``path``.

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
        self._small = SmallEngine(self._table, entry["pattern"])
        self._bulk: Callable[[str], Any] | None = None
        self._part: tuple[Texts, Callable[[str], Any]] | None = None
        self._normalized = entry["normalization"] == "NFC"
        self._offset: int = entry.get("id_offset", 0)
        self._special: Mapping[str, int] = entry["special_tokens"] if special else {}
        self._load_cost = _LOAD_COST[bulk_form(self._table, entry)] * self._table.ids
        self._part_cost = self._load_cost * PART // 100
        self._spent = 0
        # GPT-2's pattern alone takes the white space before a line in two pieces, and at the end of a text in one.
        self.divisible: bool = entry["pattern"] != "gpt2"
        self.divisible_plainly = True  # at the cuts that ``sources.pieces`` calls plain

    @property
    def info(self) -> TokenizerInfo:
        return self._info

    def forget(self) -> None:
        """Drop the bulk path with its caches, which keep every piece it has met; the next text loads it anew."""
        self._part = None
        if self._bulk is not None:
            self._bulk = None
            self._spent = self._load_cost

    def expect(self, size: int, texts: Collection[str] = ()) -> None:
        """Announce ``size`` bytes of text still to come; a corpus of small files is worth the bulk path too.

        Where these are few megabytes and all at hand, of the vocabulary only their part is loaded, for them only.
        """
        if self._bulk is not None:
            return
        if texts:
            given = texts if isinstance(texts, Texts) else Texts(texts)
            if given.size <= MOST and (self._spent + given.cost < self._part_cost or self._load_part(given)):
                return
        if size >= self._load_cost:
            self._bulk = self._load()

    def count(self, text: str) -> int:
        if self._special:
            return len(self.encoding(text))
        if not isinstance(text, str):
            raise TypeError(not_a_text(text))
        try:
            normal = normalized(text)[1] if self._normalized else text
            engine, found = self._way(text, normal)
            return len(engine(normal)) if engine else self._small.count(found)
        except UnicodeEncodeError as error:
            raise not_text(error) from error

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

    def encoding(self, text: str) -> ListEncoding | ArrayEncoding:
        """The tokens with ids and places. Raises ``TokenizerError`` for a text with lone surrogates."""
        if not isinstance(text, str):
            raise TypeError(not_a_text(text))
        try:
            return split_at(text, self._special, self._ordinary) if self._special else self._ordinary(text)
        except UnicodeEncodeError as error:
            raise not_text(error) from error

    def _ordinary(self, text: str) -> ListEncoding | ArrayEncoding:
        changes, normal = normalized(text) if self._normalized else ([], text)
        engine, pieces = self._way(text, normal)
        if engine is not None:
            found = engine(normal)
            ids = found + self._offset if self._offset else found
            lengths = self._lengths_array.take(found)
            # In place and in 32 bits it takes a tenth of the time; a larger text needs the larger type.
            ends = lengths.cumsum(out=lengths) if len(normal) < _FITS_32_BITS else lengths.cumsum(dtype="int64")
            encoding: ListEncoding | ArrayEncoding = ArrayEncoding(ids, ends)
        else:
            ranks = self._small.encode(pieces)
            offsets = self._table.offsets
            starts = [0, *accumulate(offsets[rank + 1] - offsets[rank] for rank in ranks)]
            encoding = ListEncoding([rank + self._offset for rank in ranks] if self._offset else ranks, starts[:-1])
        return _placed_in(text, changes, encoding) if changes else encoding

    def _way(self, text: str, normal: str) -> tuple[Callable[[str], Any] | None, Sequence[str]]:
        """The bulk path where it takes a text; else None, and the text's pieces for the small path.

        The bulk path is loaded as soon as the small one has spent as much as loading costs, or would with this text:
        whatever comes, that is at most twice the time of the better choice. For a text that is worth it by itself only
        its part of the vocabulary is loaded first.
        """
        if self._bulk is not None:
            return self._bulk, ()
        if self._part is not None and text in self._part[0]:
            return self._part[1], ()
        if len(text) > MOST and self._spent + len(normal) >= self._load_cost:  # it costs more, however it is cut
            self._bulk = self._load()
            return self._bulk, ()
        found = self._small.cut(normal)
        cost = cost_of(normal, found)
        if cost >= self._part_cost and len(text) <= MOST:
            given = Texts((text,))
            if given.size <= MOST and self._load_part(given) and self._part is not None:
                return self._part[1], ()
        if self._spent + cost >= self._load_cost:
            self._bulk = self._load()
            return self._bulk, ()
        self._spent += cost
        return None, found

    def _load_part(self, texts: Texts) -> bool:
        """Load what these texts can have of the vocabulary, unless so much was spent that all of it should be."""
        if self._spent + self._part_cost >= self._load_cost or not isinstance(self._table, Table):
            return False
        from tokaudit.tokenizers.bulk import load_part

        encode = load_part(self._table, self._entry, texts)
        if encode is None:
            return False
        self._part = texts, encode
        self._spent += self._part_cost
        return True

    def _load(self) -> Callable[[str], Any]:
        from tokaudit.tokenizers.bulk import load_bulk

        return load_bulk(self._info.ref.name, self._table, self._entry)

    @cached_property
    def _lengths_array(self) -> Any:
        """Bytes of each token, as an array for the bulk path."""
        import numpy as np

        return np.diff(np.frombuffer(self._table.offsets, dtype=np.uint32)).astype(np.int32)


def bulk_form(table: Table | MemoryTable, entry: Mapping[str, Any]) -> str:
    """In which form the bulk path loads a vocabulary: ``ranks``, ``listed`` merges or ``every`` merge."""
    if table.splits is not None and table.sha256 not in AS_RANKED:
        return "listed"
    return "ranks" if entry["pattern"] in RANKED else "every"


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
    raise TokenizerError(fault, what=ref.name, hint="python -m pip install --force-reinstall tokaudit")


def _placed_in(
    text: str, changes: Sequence[Change], encoding: ListEncoding | ArrayEncoding
) -> ListEncoding | ArrayEncoding:
    """The tokens of the NFC of ``text`` with their places in ``text`` itself; ascending stays ascending.

    A token that begins within a character that NFC made is placed as far into the first character that it was made of,
    at most at that one's last byte.
    """
    from tokaudit.tokenizers.nfc_alignment import aligned

    normal_at, original_at, sizes = [0], [0], [0]
    at = normal_total = original_total = 0

    def part(original: int, normal: int, within: int) -> None:
        nonlocal normal_total, original_total
        normal_at.append(normal_total)
        original_at.append(original_total)
        sizes.append(within)
        normal_total += normal
        original_total += original

    for start, end, normal in aligned(text, changes):
        same = len(text[at:start].encode())
        part(same, same, same)
        part(len(text[start:end].encode()), len(normal.encode()), utf8_length(ord(text[start])))
        at = end
    rest = len(text[at:].encode())
    part(rest, rest, rest)
    if isinstance(encoding, ArrayEncoding):
        import numpy as np

        index = np.searchsorted(normal_at, encoding.starts, "right") - 1
        within = np.minimum(encoding.starts - np.array(normal_at)[index], np.maximum(np.array(sizes)[index] - 1, 0))
        return ArrayEncoding(encoding.ids, None, np.array(original_at)[index] + within)
    starts = []
    for start in encoding.starts:
        index = bisect_right(normal_at, start) - 1
        starts.append(original_at[index] + min(start - normal_at[index], max(sizes[index] - 1, 0)))
    return ListEncoding(encoding.ids, starts)
