"""Count many files: as units of work, in this process or over the cores.

A large file of UTF-8 is cut into pieces where no tokenizer that is cut at newlines could tell the difference, so that
its size never shows in memory; each unit reads its own bytes and measures them for all tokenizers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat

from tokaudit.features.count.evaluate import Classes, Counted, Wanted, count_document, merged
from tokaudit.model import Document, InputError, Skipped, Tokenizer, TokenizerError
from tokaudit.processes import resident
from tokaudit.sources import AS_USUAL, PdfOptions, SourceFile, cut_points, detect, line_starts, load, read
from tokaudit.tokenizers.excerpt import MOST, Texts
from tokaudit.tokenizers.registry import load_tokenizer

PIECE = 4 << 20
"""Bytes of a piece: large enough that cutting costs nothing, small enough that every core has one."""
PIECE_OF_LARGE = 1 << 20
"""The same for a large input, where a process may grow only so much before it is asked for its size."""
CUT_FROM = 8 << 20
"""Bytes from which on a file is cut into pieces."""
RESIDENT_LIMIT = 1_500_000_000
"""Bytes of memory from which on a process drops its engines' caches: these keep every piece ever met, and a gigabyte
of Chinese would fill tens of gigabytes. Dropping them sooner would cost more time in loading than they save."""
REGROWN = 250_000_000
"""Bytes by which it must have grown since, before they are dropped again."""
LARGE_INPUT = 256_000_000
"""Bytes of all files together from which on memory is kept small rather than every cache warm."""
WORKER_LIMIT = 460_000_000
"""Bytes of memory at which a process of a large input is replaced by a new one."""
WIDE_LIMIT = 160_000_000
"""Bytes of text, times tokenizers, after which they are dropped where a process cannot ask for its memory."""
STRUCTURED_LIMIT = 64 << 20
"""Bytes up to which Markdown, JSON and source code are parsed whole; a larger file is divided as plain text."""
SPREAD_FROM = 6 << 20
"""Bytes of all files together from which on a second process pays for its start."""

DETECTED_FROM = 1 << 16
"""Bytes from which the charset of a large file is told."""
LOOK_BACK = 1 << 10
"""Bytes in which a blank line before a cut is looked for."""
_PARAGRAPH_END = re.compile(r"\S[^\S\n]*\n\s*\n\Z")

Progress = Callable[[int, int], None]
"""Called with the bytes done and the bytes of all."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One file, or one piece of it: ``start`` and ``end`` are byte offsets, both 0 for the whole file."""

    file: int
    source: SourceFile
    start: int = 0
    end: int = 0
    kind: str | None = None
    charset: str = ""
    first_line: int = 1
    plain: bool = False
    """Whether it was cut where GPT-2's pattern has a boundary too."""

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self.end - self.start if self.end else self.source.size


@dataclass(frozen=True, slots=True)
class Task:
    """What every unit is to be measured with; it is sent to other processes once."""

    models: Sequence[str]
    wanted: Wanted
    charset: str | None
    kind: str | None
    special: bool
    download: bool
    pdf: PdfOptions = AS_USUAL


@dataclass(frozen=True, slots=True)
class Unmeasured(Skipped):
    """A document that was read, and of which a tokenizer cannot say where its tokens are."""


_STRUCTURED = frozenset(("segment", "section", "kind"))
"""Divisions for which the parts of a document must be found."""


def script_classes() -> Classes:
    """The classes of ``--by class``."""
    from tokaudit.tokenizers.unicode_classes import SCRIPTS, script_of_bytes, script_of_chars

    return Classes(SCRIPTS, script_of_bytes, script_of_chars)


def structured(path: str, wanted: Wanted, kind: str | None) -> bool:
    """Whether the parts of a document must be found. Lines need them only where some may be left out."""
    from tokaudit.sources.kinds import kind_of

    if wanted.by == "line":
        return (kind or kind_of(path, ask_pygments=False)) == "jsonl"
    return wanted.by in _STRUCTURED


def measure(document: Document, tokenizers: Sequence[Tokenizer], wanted: Wanted) -> Counted:
    """Measure one document that is already loaded."""
    return count_document(document, tokenizers, wanted, script_classes(), line_starts)


def count_files(
    files: Sequence[SourceFile],
    tokenizers: Sequence[Tokenizer],
    task: Task,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[Counted | Skipped]:
    """Measure files in order; what could not be read comes back as ``Skipped``, or measured, as ``Unmeasured``.

    Args:
        files: What to measure.
        tokenizers: The loaded tokenizers of ``task.models``.
        task: What to measure them with.
        jobs: Most processes to use; 0 for as many as there are cores.
        progress: Told of every unit done.
    """
    total = sum(file.size for file in files)
    cuts = _cuts_for(tokenizers, task)
    piece = PIECE if total < LARGE_INPUT else PIECE_OF_LARGE
    units = [unit for number, file in enumerate(files) for unit in _units(number, file, task, piece, cuts)]
    workers = min(jobs or os.cpu_count() or 1, len(units))
    spreads = (workers > 1 and total >= SPREAD_FROM) or (total >= LARGE_INPUT and len(units) > 1)
    own = task if spreads else replace(task, pdf=replace(task.pdf, jobs=jobs))  # the cores are free for a PDF's pages
    read: Iterable[Document | Skipped] = ()
    texts: Collection[str] = ()
    if not spreads:
        read = (_read_unit(unit, own) for unit in units)
        if total < MOST:  # all that is to be counted may be known before anything is
            told, progress = progress, _half(progress, 1)
            read = list(_told(read, units, total, _half(told, 0)))
            texts = Texts(document.text for document in read if isinstance(document, Document))
    # The faster engines are loaded once here, so that forked processes share them.
    for tokenizer in tokenizers:
        tokenizer.expect(total, texts)
    results: Iterable[Counted | Skipped]
    if spreads:
        results = _spread(units, tokenizers, task, workers)
    else:
        results = (_measure_read(document, tokenizers, own) for document in read)
    for pieces in _gathered(units, results, total, progress):
        yield _whole(pieces, tokenizers, task)


def _half(progress: Progress | None, half: int) -> Progress | None:
    """The progress of reading (0), or that of counting what was read (1)."""
    return None if progress is None else lambda done, total: progress((half * total + done) // 2, total)


def _told(
    read: Iterable[Document | Skipped], units: Sequence[Unit], total: int, progress: Progress | None
) -> Iterator[Document | Skipped]:
    done = 0
    for document, unit in zip(read, units, strict=True):
        done += unit.size
        if progress is not None:
            progress(done, total)
        yield document


def _cuts_for(tokenizers: Sequence[Tokenizer], task: Task) -> str:
    """Where a large file may be cut: at ``lines``, at ``plain`` ones only, or nowhere."""
    if task.wanted.by == "page":
        return ""  # pages are counted from the beginning
    if all(tokenizer.divisible for tokenizer in tokenizers):
        return "lines"
    # Plain cuts are never between paragraphs, and so would divide one.
    if task.wanted.by in _STRUCTURED:
        return ""
    plain = all(getattr(tokenizer, "divisible_plainly", tokenizer.divisible) for tokenizer in tokenizers)
    return "plain" if plain else ""


def _units(number: int, file: SourceFile, task: Task, piece: int, cuts_at: str) -> list[Unit]:
    if file.size < CUT_FROM or not cuts_at:
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
    # Reading the file once more for its lines is in vain where none is told.
    told = kind == "jsonl" or task.wanted.by not in {"file", "kind", "class"}
    lines = _first_lines(file, cuts) if told else repeat(1, len(cuts))
    plain = cuts_at == "plain"
    return [
        Unit(number, file, start, end, kind, charset, line, plain)
        for (start, end), line in zip(cuts, lines, strict=True)
    ]


def _utf8_charset(file: SourceFile, task: Task) -> str:
    """The name of a file's charset as a report has it, if it is UTF-8; empty where reading it whole must tell."""
    try:
        head = _read_piece(file, 0, DETECTED_FROM)
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
        before = _read_piece(file, max(joined[-1][0], start - LOOK_BACK), start).decode("utf-8", "replace")
        if _PARAGRAPH_END.search(before) or end - joined[-1][0] > STRUCTURED_LIMIT:
            joined.append((start, end))
        else:
            joined[-1] = (joined[-1][0], end)
    return joined


def _read_piece(file: SourceFile, start: int, end: int) -> bytes:
    with open(file.location, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
        stream.seek(start)
        return stream.read(end - start)


def _first_lines(file: SourceFile, cuts: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The line (1-based) of the file at which each piece begins."""
    line = 1
    for start, end in cuts:
        yield line
        line += _read_piece(file, start, end).count(b"\n")


def _kind(file: SourceFile, task: Task) -> str:
    from tokaudit.sources.kinds import kind_of

    return kind_of(file.path, ask_pygments=task.wanted.by in _STRUCTURED)


def _measure_unit(unit: Unit, tokenizers: Sequence[Tokenizer], task: Task) -> Counted | Skipped:
    return _measure_read(_read_unit(unit, task), tokenizers, task)


def _measure_read(document: Document | Skipped, tokenizers: Sequence[Tokenizer], task: Task) -> Counted | Skipped:
    if isinstance(document, Skipped):
        return document
    try:
        result = measure(document, tokenizers, task.wanted)
    except TokenizerError as error:
        return Unmeasured(document.path, error.message, error.hint)
    _bound_memory(result.size, tokenizers)
    return result


def _read_unit(unit: Unit, task: Task) -> Document | Skipped:
    """The document of a unit, or why there is none to be measured."""
    structure = structured(unit.source.path, task.wanted, unit.kind or task.kind)
    try:
        if unit.end:
            # Not as bytes: U+FEFF at the beginning of a later piece is a character, and no byte-order mark.
            document = load(
                _read_piece(unit.source, unit.start, unit.end).decode("utf-8"),
                unit.source.path,
                kind=unit.kind,
                structure=structure,
                first_line=unit.first_line,
            )
        else:
            document = read(unit.source, charset=task.charset, kind=task.kind, structure=structure, pdf=task.pdf)
    except InputError as error:
        reason = error.message.removeprefix(f"{unit.source.path}: ")
        return Skipped(unit.source.path, reason, error.hint)
    except (OSError, UnicodeDecodeError) as error:
        return Skipped(unit.source.path, str(error))
    if document.skipped and not document.text.strip():
        return Skipped(
            unit.source.path, f"nothing in it can be read: {document.skipped[0].what}: {document.skipped[0].reason}"
        )
    if document.skipped and (unit.plain or (unit.start and (document.text[0].isspace() or document.text[0] == "/"))):
        # Without the broken line that it began or ended with, the piece may no longer be what may be cut off.
        return Skipped(unit.source.path, "not to be cut")
    return document


_fed = 0
_left = 0


def _bound_memory(size: int, tokenizers: Sequence[Tokenizer]) -> None:
    """Drop the engines' caches where this process has grown too large; ``size`` bytes were counted since last asked."""
    global _fed, _left  # noqa: PLW0603 - it is the process that has a memory
    _fed += size * len(tokenizers)
    now = resident()
    # What was freed is mostly not given back, and used again before the process grows further.
    if now > max(RESIDENT_LIMIT, _left + REGROWN) if now else _fed > WIDE_LIMIT:
        _fed, _left = 0, now
        for tokenizer in tokenizers:
            tokenizer.forget()


def _gathered(
    units: Sequence[Unit], results: Iterable[Counted | Skipped], total: int, progress: Progress | None
) -> Iterator[list[tuple[Unit, Counted | Skipped]]]:
    """The pieces of each file, in the order of the files."""
    done = 0
    pieces: list[tuple[Unit, Counted | Skipped]] = []
    for at, (unit, result) in enumerate(zip(units, results, strict=True)):
        pieces.append((unit, result))
        done += unit.size
        if progress is not None:
            progress(done, total)
        if at + 1 < len(units) and units[at + 1].file == unit.file:
            continue
        yield pieces
        pieces = []


def _whole(
    pieces: Sequence[tuple[Unit, Counted | Skipped]], tokenizers: Sequence[Tokenizer], task: Task
) -> Counted | Skipped:
    """One file of its pieces."""
    first, only = pieces[0]
    if not first.end:
        return only
    counted = [(unit, piece) for unit, piece in pieces if isinstance(piece, Counted)]
    if len(counted) < len(pieces):
        # Not UTF-8 after all: read whole it is decoded from what it is, or the error tells the place in the file.
        return _measure_unit(Unit(first.file, first.source), tokenizers, task)
    result = merged([piece for _, piece in counted], _hash(counted), task.wanted, script_classes().names)
    return replace(result, charset=first.charset)


def _hash(pieces: Sequence[tuple[Unit, Counted]]) -> str:
    """SHA-256 of a large file's text, read once more: the pieces were hashed by themselves."""
    import hashlib

    digest = hashlib.sha256()
    for unit, piece in pieces:
        data = _read_piece(unit.source, unit.start, unit.end)
        if piece.skipped:  # broken lines are not in the text
            data = load(data.decode("utf-8"), unit.source.path, kind=unit.kind, structure=False).text.encode()
        digest.update(data)
    return digest.hexdigest()


def _spread(
    units: Sequence[Unit], tokenizers: Sequence[Tokenizer], task: Task, workers: int
) -> Iterator[Counted | Skipped]:
    """Measure the units in several processes, in order.

    This process takes part: one that only waited would leave its vocabularies' warm caches unused. Of a large input it
    would keep all that it has met; there it only waits, and its forks are replaced as they grow.
    """
    from tokaudit.processes import WorkerLostError, spread

    total = sum(unit.size for unit in units)
    take_part = total < LARGE_INPUT

    def work(unit: Unit) -> Counted | Skipped:
        return _measure_unit(unit, tokenizers, task)

    try:
        yield from spread(
            units,
            work,
            partial(_loaded, task, total),
            processes=workers - take_part,
            take_part=take_part,
            limit=0 if take_part else WORKER_LIMIT,
        )
    except WorkerLostError as error:
        raise InputError(
            "a process that was counting was ended from outside, perhaps for want of memory", hint="try --jobs 1"
        ) from error


def _loaded(task: Task, total: int) -> Callable[[Unit], Counted | Skipped]:
    """What a process that was not forked does: it loads what the first one has loaded."""
    tokenizers = [load_tokenizer(name, special=task.special, download=task.download) for name in task.models]
    for tokenizer in tokenizers:
        tokenizer.expect(total)
    return partial(_measure_unit, tokenizers=tokenizers, task=task)
