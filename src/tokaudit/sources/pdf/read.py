"""Read a PDF: what a caller gets, and what is said where a file cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from tokaudit.model.errors import Code, InputError, UsageError
from tokaudit.model.message import Message
from tokaudit.model.pages import Page
from tokaudit.model.record import record
from tokaudit.model.text import Skipped

ENGINES = ("auto", "pdfium", "pdfplumber")
"""auto: pdfium, and pdfplumber for the tables of pages with ruling lines; pdfium: no pdfplumber, so no tables."""
_SAME = 10
"""Problems of one kind that are listed by page; of more only their number is listed."""


class PdfError(InputError):
    """A PDF that cannot be read at all: encrypted, damaged, empty, or no PDF."""

    code: Code = "damaged"


@record
class PdfPages:
    """A PDF as it was read."""

    pages: Sequence[Page]
    encrypted: bool
    problems: Sequence[Skipped]
    """Of pages: ``what`` is ``page 7`` or ``pages 7-9``, or ``end of file``. The pages themselves are there."""


def read_pages(
    data: bytes,
    *,
    password: str = "",
    engine: str = "auto",
    tables: bool = True,
    page_seconds: float = 10.0,
    jobs: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> PdfPages:
    """Read the pages of a PDF in processes that are ended where they take too long or break.

    Args:
        data: The file.
        password: For an encrypted file; either of its two passwords.
        engine: One of ``ENGINES``.
        tables: Make Markdown of tables with ruling lines.
        page_seconds: Time that a page may take; a page that takes longer is given without text.
        jobs: Processes; 0 for as many as there are cores. A short file is always read by one.
        progress: Called with the pages done and the pages in all.

    Raises:
        PdfError: Nothing of the file can be read.
        UsageError: There is no such engine.
    """
    from tokaudit.sources.pdf.child import Task, read
    from tokaudit.sources.pdf.damage import damage
    from tokaudit.sources.pdf.hyphens import with_whole_words

    if engine not in ENGINES:
        raise UsageError(
            Message("there is no PDF engine {engine!r}", engine=engine),
            hint=Message("one of: {choices}", choices=tuple(ENGINES)),
        )
    _check(data)
    task = Task(data, password, engine, tables)
    opened = read(task, page_seconds, jobs or os.cpu_count() or 1, progress)
    if opened.failure:
        raise _error(opened.failure, password)
    pages = [
        page if page is not None else Page(i + 1, 0, 0, (), problem="not read", code="not-read")
        for i, page in opened.pages()
    ]
    pages = with_whole_words(pages)
    return PdfPages(pages, opened.encrypted, [*damage(data, pages), *opened.problems, *_problems(pages)])


def _check(data: bytes) -> None:
    if not data:
        raise PdfError("the file is empty", code="no-text")
    # Readers accept a header that stands a little further in; some producers write bytes before it.
    if b"%PDF-" not in data[:1024]:
        raise PdfError("this is not a PDF: it does not begin with %PDF-")


def _error(failure: str, password: str) -> PdfError:
    if failure == "password":
        if password:
            return PdfError(
                "the PDF is encrypted and the password is wrong", code="encrypted", hint="--password PASSWORD"
            )
        return PdfError("the PDF is encrypted", code="encrypted", hint="--password PASSWORD")
    if failure == "security":
        return PdfError(
            "the PDF is encrypted in a way that is not supported", code="encrypted", hint="save it without encryption"
        )
    if failure == "empty":
        return PdfError("the PDF has no pages", code="no-text")
    return PdfError(
        Message("the PDF is damaged: {reason}", reason=failure),
        hint="open it in a viewer and save or print it as a new PDF",
    )


def _problems(pages: Iterable[Page]) -> list[Skipped]:
    """One entry for pages in a row with the same problem, so that a broken file does not fill a report."""
    found: list[tuple[int, int, _Problem]] = []
    for page in pages:
        if not page.problem:
            continue
        problem = page.problem, page.code
        if found and found[-1][1] == page.number - 1 and found[-1][2] == problem:
            found[-1] = (found[-1][0], page.number, problem)
        else:
            found.append((page.number, page.number, problem))
    problems: list[Skipped] = []
    listed: dict[_Problem, int] = {}
    for first, last, problem in found:
        listed[problem] = listed.get(problem, 0) + 1
        if listed[problem] <= _SAME:
            problems.append(
                _skipped(
                    Message("page {first}", first=first)
                    if first == last
                    else Message("pages {first}-{last}", first=first, last=last),
                    *problem,
                )
            )
    more = {problem: count - _SAME for problem, count in listed.items() if count > _SAME}
    return problems + [
        _skipped(Message("{count} more places", count=count), *problem) for problem, count in more.items()
    ]


_Problem = tuple[str, Code]


def _skipped(what: str, reason: str, code: Code) -> Skipped:
    if code == "not-read":
        hint = Message("mend or split the file, and read its parts by themselves")
    else:
        hint = Message("print the page to a new PDF from a viewer and read that, or give its text as a .txt file")
    return Skipped(what, reason, hint, code=code)
