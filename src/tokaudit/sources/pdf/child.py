"""Processes that read pages and can be ended: a PDF may be made to take for ever, fill the memory, or crash its reader.

Each process opens the document by itself and is given ranges of pages; it answers page by page, so that what is lost
with a process is one page.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tokaudit.model.message import Message
from tokaudit.model.pages import Page, PageLine
from tokaudit.model.text import Skipped
from tokaudit.processes import Child, WorkerLostError, answering, may_fork

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tokaudit.sources.pdf.reader import Reader

OPEN_SECONDS = 30.0
"""Time that a process may take to start and open the document."""
MEMORY = 1_500_000_000
"""Bytes that a process may take beside what it begins with."""
FEW = 8
"""Pages for which a second process costs more than it saves."""
LARGE = 100_000
"""Bytes of a file that is taken to have more pages than that before it is known."""
PAGES = 50_000
"""Pages that are read of one file: a damaged or hostile one may claim any number."""
LOST = 10
"""Processes that may be lost with one file before the rest of its pages is given up."""
RENEW = 500
"""Pages after which a process is replaced: the engines keep fonts and objects for as long as a document is open."""
_CHUNK = 16


class Task(NamedTuple):
    """A document for a process to read."""

    data: bytes
    password: str
    engine: str
    tables: bool


@dataclass(slots=True)
class Opened:
    """A document as far as it was read."""

    failure: str = ""
    """The reason that it could not be opened: ``password``, ``security``, ``empty``, or in words."""
    encrypted: bool = False
    count: int = 0
    done: dict[int, Page] = field(default_factory=dict)
    problems: list[Skipped] = field(default_factory=list)

    def pages(self) -> Iterator[tuple[int, Page | None]]:
        """All pages by index."""
        return ((index, self.done.get(index)) for index in range(self.count))


@dataclass(slots=True, eq=False)
class _Reading:
    """A process, and what it is at."""

    child: Child
    until: float
    """Time at which it is ended if it has not answered, by ``time.monotonic``."""
    opened: bool = False
    indexes: deque[int] = field(default_factory=deque)
    """Pages that it was sent and has not answered; the first is the one it reads."""
    served: int = 0


def read(task: Task, page_seconds: float, jobs: int, progress: Callable[[int, int], None] | None) -> Opened:
    """Read a document in up to ``jobs`` processes."""
    if _childless():
        return _read_here(task, progress)
    crew = _Crew(task, page_seconds, progress)
    try:
        crew.read(jobs)
    finally:
        crew.end()
    return crew.opened


class _Crew:
    """The processes that read one document."""

    def __init__(self, task: Task, page_seconds: float, progress: Callable[[int, int], None] | None) -> None:
        self.opened = Opened()
        self._task = task
        self._seconds = page_seconds
        self._progress = progress
        self._readings: list[_Reading] = []
        self._waiting: deque[int] = deque()
        self._lost = 0
        self._known = False

    def read(self, jobs: int) -> None:
        """Read all pages. The first process to open the document sends how many there are.

        The others start only then, but for a second one where the file is large enough to have many.
        """
        for _ in range(2 if jobs > 1 and len(self._task.data) >= LARGE else 1):
            self._start()
        while not self._known and not self.opened.failure:
            self._step()
        if self.opened.failure:
            return
        jobs = min(jobs, max(1, self.opened.count // FEW))
        while self._waiting or any(reading.indexes for reading in self._readings):
            self._send(jobs)
            self._step()

    def end(self) -> None:
        for reading in self._readings:
            reading.child.end()
        self._readings.clear()

    def _start(self) -> None:
        fork = may_fork()
        if fork:  # what all processes need is imported once, before them
            import pypdfium2  # noqa: F401

            import tokaudit.sources.pdf.reader  # noqa: F401
        self._readings.append(_Reading(Child(serve, self._task, fork=fork), time.monotonic() + OPEN_SECONDS))

    def _send(self, jobs: int) -> None:
        """Give each process that has nothing a range of pages, and start those that are still wanted."""
        if self._lost >= LOST:
            self._give_up()
            return
        share = max(1, min(_CHUNK, self.opened.count // (4 * jobs)))
        for reading in list(self._readings):
            # One that is at the last of its pages gets more, so that it need not wait for them.
            if not reading.opened or len(reading.indexes) > 1 or not self._waiting:
                continue
            if reading.served >= RENEW:
                if not reading.indexes:
                    self._readings.remove(reading)
                    reading.child.end()
                continue
            indexes = [self._waiting.popleft() for _ in range(min(share, len(self._waiting)))]
            if not reading.indexes:
                reading.until = time.monotonic() + self._seconds
            reading.indexes.extend(indexes)
            reading.child.send(indexes)
        wanted = min(jobs, -(-len(self._waiting) // share) + sum(bool(reading.indexes) for reading in self._readings))
        for _ in range(wanted - len(self._readings)):
            with suppress(BlockingIOError):  # the system has no process to give: those that run do the work
                self._start()

    def _step(self) -> None:
        """Wait until a process answers or its time is over."""
        busy = {reading.child: reading for reading in self._readings if reading.indexes or not reading.opened}
        if not busy:
            return
        left = min(reading.until for reading in busy.values()) - time.monotonic()
        ready = answering(busy, max(0.0, left))
        for child in ready:
            try:
                self._take(busy[child], child.receive())
            except WorkerLostError:
                self._lose(busy[child], Message("its reader broke down or needed too much memory"))
        now = time.monotonic()
        for child, reading in busy.items():
            if child not in ready and reading.until <= now:
                limit = self._seconds if reading.opened else OPEN_SECONDS
                self._lose(reading, Message("took longer than {limit:g} s", limit=limit), Message("opening it "))

    def _take(self, reading: _Reading, message: Any) -> None:
        if not reading.opened:
            reading.opened = True
            self._welcome(*message)
            return
        index, *rest = message
        reading.indexes.popleft()
        reading.served += 1
        reading.until = time.monotonic() + self._seconds
        self._keep(index, _unpacked(index, rest))

    def _welcome(self, failure: str, encrypted: bool, count: int) -> None:
        """Take what a process found when it opened the document; the first one counts."""
        if self._known:
            return
        self._known = True
        self.opened.failure, self.opened.encrypted = failure, encrypted
        self.opened.count = min(count, PAGES)
        self._waiting.extend(range(self.opened.count))
        if count > PAGES:
            what, why = (
                Message("pages {first}-{last}", first=PAGES + 1, last=count),
                Message("only {pages} pages of a file are read", pages=PAGES),
            )
            self.opened.problems.append(
                Skipped(what, why, "split the file, and read its parts by themselves", code="not-read")
            )

    def _keep(self, index: int, page: Page) -> None:
        self.opened.done[index] = page
        if self._progress is not None:
            self._progress(len(self.opened.done), self.opened.count)

    def _lose(self, reading: _Reading, reason: str, at_opening: str = "") -> None:
        """End a process; the page that it was at is lost, the pages it had before it are read by another."""
        self._readings.remove(reading)
        reading.child.end()
        self._lost += 1
        if not self._known:
            if not self._readings:
                self.opened.failure = at_opening + reason
            return
        if reading.indexes:
            self._keep(index := reading.indexes[0], Page(index + 1, 0, 0, (), problem=reason))
            self._waiting.extendleft(reversed(list(reading.indexes)[1:]))

    def _give_up(self) -> None:
        while self._waiting:
            self._keep(index := self._waiting.popleft(), Page(index + 1, 0, 0, (), problem=_GIVEN_UP, code="not-read"))


_GIVEN_UP = Message("not read: {pages} pages before took too long or broke the reader", pages=LOST)


def _childless() -> bool:
    """Check whether this process can have no children: multiprocessing refuses them to processes of its own."""
    from multiprocessing import current_process

    return not may_fork() and current_process().daemon


def _read_here(task: Task, progress: Callable[[int, int], None] | None) -> Opened:
    """Read without limits of time and memory, which is all that is left where there can be no process."""
    opened = Opened()
    reader, opened.failure = _open(task)
    if reader is None:
        return opened
    opened.encrypted, opened.count = reader.encrypted, min(reader.count, PAGES)
    for index in range(opened.count):
        opened.done[index] = reader.page(index)
        if progress is not None:
            progress(index + 1, opened.count)
    reader.close()
    return opened


def serve(pipe: Connection, task: Task) -> None:
    """Be the process: send what the document is, then read the pages that are asked for."""
    _restrict()
    reader, failure = _open(task)
    if reader is None:
        pipe.send((failure, failure == "password", 0))
        return
    pipe.send(("", reader.encrypted, reader.count))
    while True:
        for index in pipe.recv():
            pipe.send((index, *_packed(reader.page(index))))


def _open(task: Task) -> tuple[Reader | None, str]:
    from tokaudit.sources.pdf.glyphs import OpenError
    from tokaudit.sources.pdf.reader import Reader

    try:
        return Reader(task.data, task.password, task.engine, tables=task.tables), ""
    except OpenError as error:
        return None, error.failure
    except MemoryError:
        return None, Message("opening it needs too much memory")


def _restrict() -> None:
    """Limit this process, and keep it quiet: its results go through its pipe."""
    import faulthandler
    import gc
    import logging
    import warnings

    # What is there stays; a page is thousands of objects that are dropped together, and hardly a cycle.
    gc.freeze()
    gc.set_threshold(100_000)
    faulthandler.disable()
    logging.disable()
    warnings.simplefilter("ignore")
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _packed(page: Page) -> tuple[Any, ...]:
    """A page as plain tuples, which pass a pipe in a fraction of the time."""
    lines = [tuple(line) for line in page.lines]
    return page.width, page.height, lines, page.unmapped, page.glyphs, page.problem


def _unpacked(index: int, parts: list[Any]) -> Page:
    width, height, lines, *rest = parts
    return Page(index + 1, width, height, tuple(map(PageLine._make, lines)), *rest)
