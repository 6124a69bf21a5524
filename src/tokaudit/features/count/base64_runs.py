"""Base64 that stands in a text, where each of its characters is billed: found in time linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokaudit.features.count.types import Encoded
from tokaudit.model import Tokenizer

LEAST = 200
"""Characters from which on a run is reported: longer than hashes, keys and identifiers."""
LEAST_IN_URL = 64
"""The same after ``;base64,``, which says what follows."""
_WRAPPED = 60
"""Characters of a line from which on it may be one of several (RFC 2045 has 76, RFC 7468 64)."""
_DISTINCT = 20
"""Different characters that a run has at least."""
_CHANGES = 0.43
"""Changes between capital letters, small letters and digits for each character: 0.6 of random bytes, less of words."""
_LINES = 5
"""Lines that are kept of a document."""

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_INSIDE = bytes(ord("x") if byte in _ALPHABET + b"=\r\n" else 32 for byte in range(256))
_KINDS = bytes(
    ord("d" if 48 <= byte < 58 else "u" if 65 <= byte < 91 else "l" if 97 <= byte < 123 else "s") for byte in range(256)
)
_STRETCH = re.compile(rb"x+")
_RUN = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_URL = re.compile(rf";base64,([A-Za-z0-9+/_-]{{{LEAST_IN_URL},}}={{0,2}})")


def base64_runs(text: str) -> list[tuple[int, int]]:
    """Half-open ranges of code points that are base64, also over lines of equal length, and of ``data:`` URLs.

    A run has at least ``LEAST`` characters, of which capital letters, small letters and digits are each some, and
    change as often as in encoded bytes: hashes in hex, long identifiers, paths and one letter again and again are none.
    """
    inside = text.encode("latin-1", "replace").translate(_INSIDE)  # as many bytes as the text has code points
    found = []
    at = inside.find(_LEAST_OF_X)
    while at >= 0:
        stretch = _STRETCH.match(inside, at)
        assert stretch is not None  # it begins with what was found
        start = inside.rfind(b" ", 0, at) + 1
        found += [run for run in _joined(text, start, stretch.end()) if _is_encoded(text[run[0] : run[1]])]
        at = inside.find(_LEAST_OF_X, stretch.end())
    if ";base64," in text:
        ends = {start for start, _ in found}
        found += [match.span(1) for match in _URL.finditer(text) if match.start(1) not in ends]
    return sorted(found)


_LEAST_OF_X = b"x" * LEAST


def _joined(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Runs of a stretch of letters and line ends, those of lines of equal length together."""
    begun = last = width = -1
    before = 0  # characters of the line before
    for match in _RUN.finditer(text, start, end):
        goes_on = begun >= 0 and last - begun >= _WRAPPED and text[last : match.start()] in {"\n", "\r\n"}
        if goes_on and width in {-1, before} and len(match[0]) <= before:
            width, last = before, match.end()
        else:
            if last - begun >= LEAST:
                yield begun, last
            begun, last, width = match.start(), match.end(), -1
        before = len(match[0])
    if last - begun >= LEAST:
        yield begun, last


def _is_encoded(run: str) -> bool:
    """Whether characters are mixed as those of encoded bytes are."""
    data = run.encode().translate(None, b"\r\n=")
    if len(set(data)) < _DISTINCT or (set(data) & set(b"+/") and set(data) & set(b"-_")):
        return False
    kinds = data.translate(_KINDS)
    shares = [kinds.count(kind) / len(kinds) for kind in b"uld"]
    mixed = 0.12 <= shares[0] <= 0.7 and 0.12 <= shares[1] <= 0.7 and shares[2] >= 0.02
    changes = sum(map(kinds.count, (b"ul", b"lu", b"ud", b"du", b"ld", b"dl")))
    return mixed and changes / len(kinds) >= _CHANGES


def encoded_of(text: str, tokenizers: Sequence[Tokenizer], first_line: int) -> Encoded | None:
    """The base64 of a text with its tokens, each where its first byte lies; None where there is none.

    Raises:
        TokenizerError: A tokenizer cannot say where its tokens are.
    """
    runs = base64_runs(text)
    if not runs:
        return None
    offsets, at, size = [0], 0, 0
    for start, end in runs:
        size += len(text[at:start].encode())
        offsets += [size, size + end - start]
        at, size = end, size + end - start
    tokens = []
    for tokenizer in tokenizers:
        within = tokenizer.encoding(text).within(offsets)
        tokens.append(sum(map(int, within[1::2])))
    lines = [first_line + text.count("\n", 0, start) for start, _ in runs[:_LINES]]
    return Encoded(len(runs), sum(end - start for start, end in runs), tuple(tokens), tuple(lines), tuple(runs))
