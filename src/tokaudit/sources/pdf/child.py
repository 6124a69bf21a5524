"""Processes that read pages and can be ended: a PDF may be made to take for ever, fill the memory, or crash its reader.

Each process opens the document by itself and is given ranges of pages; it answers page by page, so that what is lost
with a process is one page. ``fork`` is asked of the system directly where it is safe: it costs a few milliseconds,
and it is allowed in a process that ``multiprocessing`` has made, which may have no children there.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tokaudit.model.pages import Page, PageLine
from tokaudit.model.text import Skipped

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
    """What a process is to read."""

    data: bytes
    password: str
    engine: str
    tables: bool


@dataclass(slots=True)
class Opened:
    """A document as far as it was read."""

    failure: str = ""
    """Why it could not be opened: ``password``, ``security``, ``empty``, or in words."""
    encrypted: bool = False
    count: int = 0
    done: dict[int, Page] = field(default_factory=dict)
    problems: list[Skipped] = field(default_factory=list)

    def pages(self) -> Iterator[tuple[int, Page | None]]:
        """All pages by index."""
        return ((index, self.done.get(index)) for index in range(self.count))


@dataclass(slots=True)
class _Child:
    """A process, and what it is at."""

    pipe: Connection
    process: Any
    """A process of multiprocessing, or the id of one that was forked."""
    until: float
    """When it is ended if it has not answered."""
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
        self._children: list[_Child] = []
        self._waiting: deque[int] = deque()
        self._lost = 0
        self._known = False

    def read(self, jobs: int) -> None:
        """Read all pages. The first process to open the document tells how many there are.

        The others start only then, but for a second one where the file is large enough to have many.
        """
        for _ in range(2 if jobs > 1 and len(self._task.data) >= LARGE else 1):
            self._start()
        while not self._known and not self.opened.failure:
            self._step()
        if self.opened.failure:
            return
        jobs = min(jobs, max(1, self.opened.count // FEW))
        while self._waiting or any(child.indexes for child in self._children):
            self._send(jobs)
            self._step()

    def end(self) -> None:
        """End all processes, whatever they do."""
        for child in self._children:
            _dismiss(child)
        self._children.clear()

    def _start(self) -> None:
        pipe, process = _forked(self._task) if may_fork() else _spawned(self._task)
        self._children.append(_Child(pipe, process, time.monotonic() + OPEN_SECONDS))

    def _send(self, jobs: int) -> None:
        """Give each process that has nothing a range of pages, and start those that are still wanted."""
        if self._lost >= LOST:
            self._give_up()
            return
        share = max(1, min(_CHUNK, self.opened.count // (4 * jobs)))
        for child in list(self._children):
            # One that is at the last of its pages gets more, so that it need not wait for them.
            if not child.opened or len(child.indexes) > 1 or not self._waiting:
                continue
            if child.served >= RENEW:
                if not child.indexes:
                    self._children.remove(child)
                    _dismiss(child)
                continue
            indexes = [self._waiting.popleft() for _ in range(min(share, len(self._waiting)))]
            if not child.indexes:
                child.until = time.monotonic() + self._seconds
            child.indexes.extend(indexes)
            with suppress(OSError):  # that it has ended shows when its answer is waited for
                child.pipe.send(indexes)
        wanted = min(jobs, -(-len(self._waiting) // share) + sum(bool(child.indexes) for child in self._children))
        for _ in range(wanted - len(self._children)):
            with suppress(BlockingIOError):  # the system has no process to give: those that run do the work
                self._start()

    def _step(self) -> None:
        """Wait until a process answers or its time is over."""
        from multiprocessing.connection import wait

        busy = {child.pipe: child for child in self._children if child.indexes or not child.opened}
        if not busy:
            return
        left = min(child.until for child in busy.values()) - time.monotonic()
        ready = wait(list(busy), max(0.0, left))
        for pipe in ready:
            child = busy[pipe]  # type: ignore[index]
            try:
                self._take(child, child.pipe.recv())
            except (EOFError, OSError):
                self._lose(child, "its reader broke down or needed too much memory")
        now = time.monotonic()
        for pipe, child in busy.items():
            if pipe not in ready and child.until <= now:
                limit = self._seconds if child.opened else OPEN_SECONDS
                self._lose(child, f"took longer than {limit:g} s")

    def _take(self, child: _Child, message: Any) -> None:
        if not child.opened:
            child.opened = True
            self._welcome(*message)
            return
        index, *rest = message
        child.indexes.popleft()
        child.served += 1
        child.until = time.monotonic() + self._seconds
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
            what, why = f"pages {PAGES + 1}-{count}", f"only {PAGES} pages of a file are read"
            self.opened.problems.append(
                Skipped(what, why, "split the file, and read its parts by themselves", code="not-read")
            )

    def _keep(self, index: int, page: Page) -> None:
        self.opened.done[index] = page
        if self._progress is not None:
            self._progress(len(self.opened.done), self.opened.count)

    def _lose(self, child: _Child, reason: str) -> None:
        """End a process; the page that it was at is lost, the pages it had before it are read by another."""
        self._children.remove(child)
        _dismiss(child)
        self._lost += 1
        if not self._known:
            if not self._children:
                self.opened.failure = f"opening it {reason}" if reason.startswith("took") else reason
            return
        if child.indexes:
            self._keep(index := child.indexes[0], Page(index + 1, 0, 0, (), problem=reason))
            self._waiting.extendleft(reversed(list(child.indexes)[1:]))

    def _give_up(self) -> None:
        while self._waiting:
            self._keep(index := self._waiting.popleft(), Page(index + 1, 0, 0, (), problem=_GIVEN_UP, code="not-read"))


_GIVEN_UP = f"not read: {LOST} pages before took too long or broke the reader"


def may_fork() -> bool:
    """Whether processes are forked: on Linux, and from one thread, since others' locks would stay locked."""
    import threading

    return sys.platform == "linux" and threading.active_count() == 1


def _childless() -> bool:
    """Whether this process can have no children: multiprocessing refuses them to processes of its own."""
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


def _forked(task: Task) -> tuple[Connection, int]:
    import warnings
    from multiprocessing.connection import Pipe

    # What all processes need is imported once, before them.
    import pypdfium2  # noqa: F401

    import tokaudit.sources.pdf.reader  # noqa: F401

    pipe, theirs = Pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries that a reader never touches
        process = os.fork()
    if process:
        theirs.close()
        return pipe, process
    try:
        pipe.close()
        serve(theirs, task)
    finally:
        os._exit(0)  # nothing of the first process is to be ended here


def _spawned(task: Task) -> tuple[Connection, Any]:
    from multiprocessing import get_context

    context = get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, task), daemon=True)
    process.start()
    theirs.close()
    return pipe, process


def _dismiss(child: _Child) -> None:
    child.pipe.close()
    if isinstance(child.process, int):
        with suppress(OSError):
            os.kill(child.process, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(child.process, 0)
    else:
        child.process.kill()
        child.process.join()
        child.process.close()


def serve(pipe: Connection, task: Task) -> None:
    """Be the process: tell what the document is, then read the pages that are asked for."""
    _restrict()
    reader, failure = _open(task)
    try:
        if reader is None:
            pipe.send((failure, failure == "password", 0))
            return
        pipe.send(("", reader.encrypted, reader.count))
        while True:
            for index in pipe.recv():
                pipe.send((index, *_packed(reader.page(index))))
    except (EOFError, OSError):
        return  # the first process has ended, or wants no more


def _open(task: Task) -> tuple[Reader | None, str]:
    from tokaudit.sources.pdf.glyphs import OpenError
    from tokaudit.sources.pdf.reader import Reader

    try:
        return Reader(task.data, task.password, task.engine, tables=task.tables), ""
    except OpenError as error:
        return None, error.failure
    except MemoryError:
        return None, "opening it needs too much memory"


def _restrict() -> None:
    """Limit this process, and keep it quiet: what it has to say goes through its pipe."""
    import faulthandler
    import gc
    import logging
    import warnings

    # What is there stays; a page is thousands of objects that are dropped together, and hardly a cycle.
    gc.freeze()
    gc.set_threshold(100_000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of Ctrl-C as well, and ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
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
