"""Rank files (``.tiktoken``, and Llama's ``tokenizer.model``) given as a path."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path

from tokaudit.model import TokenizerError, TokenizerInfo, TokenizerRef
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.tokenizers.native import engine_name
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.table import Table, TableError, build_table

KNOWN = {
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": ("llama-3", "glm"),
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed": ("llama-4", "o200k"),
}
"""SHA-256 of published rank files that are not bundled, to the name and the pre-tokenization of their tokenizer."""
_LOOKED_AT, _ALIKE = 500, 0.98
"""Ranks that are compared with those of a known file, and how many must be the same for this one to be meant."""
_MOST = 1 << 20
"""More ids than any vocabulary has; a larger number is a damaged line, not a list to allocate."""


@record
class RankFile:
    """A rank file as it was read."""

    tokens: list[bytes]
    """The bytes of each id; empty for a hole."""
    sha256: str

    def table(self, pattern: Pattern) -> Table:
        """The vocabulary as a table; merged by rank. What a table does not hold is left to the fallback."""
        from tokaudit.tokenizers.compiled import compiled_table

        try:
            return compiled_table(self.sha256, pattern, lambda: build_table(self.tokens, sha256=self.sha256))
        except TableError:
            from tokaudit.tokenizers.oversize import OversizeTable

            return OversizeTable(self.tokens, self.sha256)


def is_rank_file(path: Path) -> bool:
    """Check whether a file begins like a rank file: base64, a space, a number."""
    with path.open("rb") as file:
        fields = file.readline(400).split()
    return len(fields) == 2 and fields[1].isdigit()


def read_rank_file(path: Path) -> RankFile:
    """Read a rank file. Raises ``TokenizerError`` with the line that is not one."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TokenizerError.unreadable(error, path, hint="check the path") from error
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        try:
            encoded, rank = line.split()
            token, place = base64.b64decode(encoded, validate=True), int(rank)
        except (ValueError, binascii.Error) as error:
            raise TokenizerError(
                "not a line of a rank file (base64, a space, a number)",
                what=f"{path}:{number}",
                hint="the file is truncated or of another kind; download it again",
            ) from error
        if not 0 <= place < _MOST or place in seen or token in ranks:
            fault = (
                Message("no rank is {place}", place=place)
                if not 0 <= place < _MOST
                else Message("rank {place} or its token is there already", place=place)
            )
            raise TokenizerError(
                fault, what=f"{path}:{number}", hint="the file is damaged or of another kind; download it again"
            )
        seen.add(place)
        ranks[token] = place
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise TokenizerError(
            Message("{n} of the 256 single bytes have no rank", n=len(missing)),
            what=str(path),
            hint="the file is truncated; download it again",
        )
    tokens = [b""] * (max(ranks.values()) + 1)
    for known, number in ranks.items():
        tokens[number] = known
    return RankFile(tokens, hashlib.sha256(data).hexdigest())


def known_of(path: Path, ranks: RankFile) -> str:
    """The bundled tokenizer whose rank file this one should be: by its name, or since it begins so; empty for none."""
    from tokaudit.tokenizers.bundled import manifest, table_path

    entries = {name: entry for name, entry in manifest().items() if entry["format"] not in {"sentencepiece", "alias"}}
    if path.name.removesuffix(".tiktoken") in entries:
        return path.name.removesuffix(".tiktoken")
    found: dict[int, str] = {}
    for name in entries:
        if not table_path(name).is_file():
            continue
        bundled = Table(table_path(name))
        # Beyond the single bytes, which others have in the same order. One of more ranks is another vocabulary, made
        # from this one.
        last = min(len(ranks.tokens), bundled.ids)
        looked_at = range(256, last, max(1, (last - 256) // _LOOKED_AT))
        alike = sum(ranks.tokens[rank] == bundled.token(rank) for rank in looked_at)
        if len(ranks.tokens) <= bundled.ids and last > 512 and alike >= _ALIKE * len(looked_at):
            found.setdefault(bundled.ids, name)
    return found[min(found)] if found else ""  # the least, for p50k_base begins with all of r50k_base


def info_for(name: str, ranks: RankFile, table: Table, path: Path) -> TokenizerInfo:
    """Properties of a rank file given as a path."""
    engine = "python" if table.memory is None else engine_name()
    ref = TokenizerRef(name, "byte-bpe", ranks.sha256, exact=True, engine=engine)
    return TokenizerInfo(ref, sum(1 for token in ranks.tokens if token), path.as_posix(), "of the file's owner")
