"""The units of a count: inputs, and large files cut into pieces.

A large file of UTF-8 is cut only where its tokens stay the same, so that memory does not grow with the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import repeat

from tokaudit.features.count.types import BY_REQUEST, WHOLE, Wanted
from tokaudit.jobs.inputs import TextInput
from tokaudit.leftovers import noted
from tokaudit.model import Document, InputError, Skipped, Tokenizer
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.sources import AS_USUAL, PdfOptions, SourceFile, cut_points, detect, load, read
from tokaudit.sources.charset_detection import seven_bit

CUT_FROM = 8 << 20
"""Bytes from which on a file is cut into pieces."""
STRUCTURED_LIMIT = 64 << 20
"""Bytes up to which Markdown, JSON and source code are parsed whole; a larger file is divided as plain text."""
DETECTED_FROM = 1 << 16
"""Bytes from which the charset of a large file is detected."""
HEAD_OF_REQUESTS = 1 << 20
"""Bytes of a large file by which it is decided whether its lines are requests."""
LOOK_BACK = 1 << 10
"""Bytes in which a blank line before a cut is looked for."""
_PARAGRAPH_END = re.compile(r"\S[^\S\n]*\n\s*\n\Z")
_STRUCTURED = frozenset(("segment", "section", "kind"))
"""Divisions for which the parts of a document must be found."""
_OF_REQUESTS = frozenset(("json", "jsonl", "text"))
"""Kinds of documents that may hold requests."""


@record
class Unit:
    """One input, or one piece of a file: ``start`` and ``end`` are byte offsets, both 0 for the whole."""

    number: int
    """Of the input, 0-based."""
    source: SourceFile | TextInput
    start: int = 0
    end: int = 0
    kind: str | None = None
    charset: str = ""
    first_line: int = 1
    plain: bool = False
    """True where it was cut at a boundary of GPT-2's pattern too."""
    first_char: int = 0
    """Code points of the file before it, where a tokenizer has seams; else 0."""
    requests: bool = False
    """True where the file's first lines are requests."""

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self.end - self.start if self.end else self.source.size


@record
class Task:
    """The options by which every unit is read and measured; sent to other processes once."""

    models: Sequence[str]
    wanted: Wanted
    charset: str | None
    kind: str | None
    special: bool
    download: bool
    pdf: PdfOptions = AS_USUAL
    errors: str = "strict"


def structured(path: str, wanted: Wanted, kind: str | None) -> bool:
    """True where the parts of a document must be found. Lines need them only where some may be left out."""
    from tokaudit.sources.kinds import kind_of

    if wanted.by == "line":
        return (kind or kind_of(path, ask_pygments=False)) == "jsonl"
    return wanted.by in _STRUCTURED


def units_of(
    sources: Sequence[SourceFile | TextInput], tokenizers: Sequence[Tokenizer], task: Task, piece: int
) -> list[Unit]:
    """The units of all inputs, in order; large files in pieces of about ``piece`` bytes."""
    cuts = _cuts_for(tokenizers, task)
    seams = any(getattr(tokenizer, "seams", False) for tokenizer in tokenizers)
    return [
        unit for number, source in enumerate(sources) for unit in _units(number, source, task, piece, cuts, seams=seams)
    ]


def spooled(text: TextInput, stack: ExitStack) -> SourceFile | TextInput:
    """Large bytes as a file that is gone with ``stack``, so that they are counted in pieces as files are."""
    if isinstance(text.data, str) or text.size < CUT_FROM:
        return text
    import shutil
    import tempfile

    try:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tokaudit-"))
        stack.enter_context(noted(lambda: shutil.rmtree(folder)))
        location = os.path.join(folder, "input")  # noqa: PTH118 - pathlib is slow to import
        with open(location, "wb") as stream:  # noqa: PTH123
            stream.write(text.data)
    except OSError:  # nowhere to write, or no room: then as a whole
        return text
    return SourceFile(text.path, location, text.size)


def read_unit(unit: Unit, task: Task) -> Document | Skipped:
    """The document of a unit, with the requests that it holds, or why it cannot be measured."""
    document = _read_unit(unit, task)
    if isinstance(document, Skipped) or not _reads_requests(task) or (unit.end and not unit.requests):
        return document
    # In a text by itself only parts are told apart; its tokens are the same.
    if document.kind not in _OF_REQUESTS or (
        task.wanted.by in WHOLE and document.kind == "text" and not document.text.lstrip().startswith(("{", "["))
    ):
        return document
    from tokaudit.sources.requests import with_requests

    return with_requests(document, sure=unit.requests)


def _reads_requests(task: Task) -> bool:
    """True where a request counts as it is billed: not where its file is asked for as a text."""
    return task.wanted.by in BY_REQUEST and task.kind != "text"


def _read_unit(unit: Unit, task: Task) -> Document | Skipped:
    source = unit.source
    structure = structured(source.path, task.wanted, unit.kind or task.kind)
    by_kind = task.wanted.by == "kind"
    try:
        if isinstance(source, TextInput):
            return load(
                source.data,
                source.path,
                charset=task.charset,
                errors=task.errors,
                kind=task.kind,
                structure=structure,
                by_kind=by_kind,
                pdf=task.pdf,
            )
        if unit.end:
            data = read_piece(source, unit.start, unit.end)
            if task.charset is None and seven_bit(data):
                return Skipped(source.path, "not UTF-8", code="charset")
            # Not as bytes: U+FEFF at the beginning of a later piece is a character, and no byte-order mark.
            document = load(
                data.decode("utf-8"),
                source.path,
                kind=unit.kind,
                structure=structure,
                by_kind=by_kind,
                first_line=unit.first_line,
            )
        else:
            document = read(
                source,
                charset=task.charset,
                errors=task.errors,
                kind=task.kind,
                structure=structure,
                by_kind=by_kind,
                pdf=task.pdf,
            )
    except InputError as error:
        return Skipped.by(error, source.path)
    except (OSError, UnicodeDecodeError) as error:
        return Skipped(source.path, str(error), code="unreadable")
    if document.skipped and not document.text.strip():
        first = document.skipped[0]
        return Skipped(
            source.path,
            Message("nothing in it can be read: {what}: {reason}", what=first.what, reason=first.reason),
            code=first.code,
        )
    if document.skipped and (unit.plain or (unit.start and (document.text[0].isspace() or document.text[0] == "/"))):
        # Without the broken line that it began or ended with, the piece may no longer be what may be cut off.
        return Skipped(source.path, "not to be cut", code="too-large")
    return document


def read_piece(file: SourceFile, start: int, end: int) -> bytes:
    """Bytes of a file. Raises ``OSError``."""
    with open(file.location, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
        stream.seek(start)
        return stream.read(end - start)


def _cuts_for(tokenizers: Sequence[Tokenizer], task: Task) -> str:
    """The places to cut a large file at: ``lines``, ``plain`` ones only, or none (empty)."""
    if task.wanted.by == "page":
        return ""  # pages are counted from the beginning
    if all(tokenizer.divisible for tokenizer in tokenizers):
        return "lines"
    # Plain cuts are never between paragraphs, and so would divide one.
    if task.wanted.by in _STRUCTURED:
        return ""
    plain = all(getattr(tokenizer, "divisible_plainly", tokenizer.divisible) for tokenizer in tokenizers)
    return "plain" if plain else ""


def _units(
    number: int, file: SourceFile | TextInput, task: Task, piece: int, cuts_at: str, *, seams: bool
) -> list[Unit]:
    if isinstance(file, TextInput) or file.size < CUT_FROM or not cuts_at:
        return [Unit(number, file)]
    charset = _utf8_charset(file, task)
    if not charset:
        return [Unit(number, file)]
    kind = task.kind or _kind(file, task)
    # A JSON document or template is valid or not as a whole, so that it is read whole whatever is asked.
    if kind in {"json", "template"} or (task.wanted.by in _STRUCTURED and kind not in {"text", "jsonl"}):
        if file.size <= STRUCTURED_LIMIT:
            return [Unit(number, file)]
        kind = "text"
    try:
        cuts = cut_points(file.location, file.size, piece, plain=cuts_at == "plain")
    except (InputError, OSError):
        return [Unit(number, file)]  # reading it whole says what is wrong
    if task.wanted.by in {"segment", "kind"} and kind == "text":
        cuts = _between_paragraphs(file, cuts)
    if len(cuts) < 2:
        return [Unit(number, file)]
    # Reading the file once more for its lines is in vain where none is reported.
    numbered = kind == "jsonl" or task.wanted.by not in {*WHOLE, "kind", "class"}
    lines = _first_lines(file, cuts) if numbered else repeat(1, len(cuts))
    chars = _first_chars(file, cuts) if seams else repeat(0, len(cuts))
    plain = cuts_at == "plain"
    requests = kind == "jsonl" and _reads_requests(task) and _holds_requests(file)
    return [
        Unit(number, file, start, end, kind, charset, line, plain, char, requests)
        for (start, end), line, char in zip(cuts, lines, chars, strict=True)
    ]


def _holds_requests(file: SourceFile) -> bool:
    """True where most of the whole lines at the beginning of a large file are requests."""
    from tokaudit.sources.requests import with_requests

    size = HEAD_OF_REQUESTS
    head = read_piece(file, 0, size)
    while b"\n" not in head and size < min(file.size, STRUCTURED_LIMIT):
        size *= 4
        head = read_piece(file, 0, size)
    lines = head[: head.rfind(b"\n") + 1] or head
    try:
        return bool(with_requests(load(lines, file.path, kind="jsonl", structure=False)).requests)
    except InputError:
        return False


def _utf8_charset(file: SourceFile, task: Task) -> str:
    """The name of a file's charset as a report has it, if it is UTF-8; empty where only the whole file can say."""
    try:
        head = read_piece(file, 0, DETECTED_FROM)
        if b"%PDF-" in head[:1024]:  # perhaps a PDF, which is read whole
            return ""
        if task.charset is not None:
            return "utf-8" if task.charset.lower() in {"utf-8", "utf8"} else ""
        found = detect(head, file.path, complete=file.size <= DETECTED_FROM)
    except (InputError, OSError):
        return ""
    return found if found in {"utf-8", "utf-8-sig"} else ""


def _between_paragraphs(file: SourceFile, cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces joined where a cut is inside of a paragraph, as long as they are not larger than ``STRUCTURED_LIMIT``."""
    joined = [cuts[0]]
    for start, end in cuts[1:]:
        before = read_piece(file, max(joined[-1][0], start - LOOK_BACK), start).decode("utf-8", "replace")
        if _PARAGRAPH_END.search(before) or end - joined[-1][0] > STRUCTURED_LIMIT:
            joined.append((start, end))
        else:
            joined[-1] = (joined[-1][0], end)
    return joined


def _first_lines(file: SourceFile, cuts: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The line (1-based) of the file at which each piece begins."""
    line = 1
    for start, end in cuts:
        yield line
        line += read_piece(file, start, end).count(b"\n")


def _first_chars(file: SourceFile, cuts: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The number of the file's code points before each piece."""
    chars = 0
    continued = bytes(range(0x80, 0xC0))
    for start, end in cuts:
        yield chars
        chars += len(read_piece(file, start, end).translate(None, continued))


def _kind(file: SourceFile, task: Task) -> str:
    from tokaudit.sources.kinds import kind_of

    return kind_of(file.path, ask_pygments=task.wanted.by in _STRUCTURED)
