"""Spread work over processes: results in order, memory bounded.

Processes are forked where that is safe, so that they begin with all that this one has loaded; one that has grown too
large ends and is forked anew, which frees its memory and costs nothing to load. ``concurrent.futures`` can do neither:
it keeps its processes, and its threads make a later fork unsafe.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")

QUEUED = 2
"""Items that a process has at a time: the next waits in it while the result of the one before is on its way."""
AHEAD = 8
"""Results for each process that may wait for an earlier one: a bound to the memory that they take."""


class WorkerLostError(Exception):
    """A process was ended from outside, as the system does where memory is short."""


@dataclass(slots=True)
class _Slot(Generic[Result]):
    """The place of a result in the order."""

    result: Result | None = None
    error: BaseException | None = None
    done: bool = False


@dataclass(slots=True)
class _Worker(Generic[Result]):
    process: Any
    pipe: Connection
    slots: deque[_Slot[Result]] = field(default_factory=deque)
    retired: bool = False


def spread(
    items: Sequence[Item],
    work: Callable[[Item], Result],
    start: Callable[[], Callable[[Item], Result]],
    *,
    processes: int,
    take_part: bool,
    limit: int = 0,
) -> Iterator[Result]:
    """Apply ``work`` to items in several processes.

    Args:
        items: What to work on; they and the results are sent between processes.
        work: What a forked process, or this one, does with an item.
        start: Makes the same function in a process that is not forked; it is sent there.
        processes: Processes besides this one.
        take_part: Whether this process works too, rather than only waiting.
        limit: Bytes of memory at which a forked process is replaced; 0 for never.

    Yields:
        The results, in the order of the items.

    Raises:
        WorkerLostError: A process was ended from outside.
    """
    forked = may_fork()
    crew = _Crew(work if forked else None, start, processes, limit if forked else 0)
    waiting = deque(items)
    under_way: deque[_Slot[Result]] = deque()
    try:
        while waiting or under_way:
            crew.collect(0)
            while waiting and len(under_way) < AHEAD * (processes + 1) and (worker := crew.free()):
                under_way.append(crew.send(worker, waiting.popleft()))
            if under_way and under_way[0].done:
                first = under_way.popleft()
                if first.error is not None:
                    raise first.error
                yield first.result  # type: ignore[misc]
            elif take_part and waiting and len(under_way) < AHEAD * (processes + 1):
                under_way.append(_Slot(work(waiting.popleft()), None, done=True))
            else:
                crew.collect(None)
    finally:
        # Also at Ctrl-C, or where nobody wants the rest: what is under way would take seconds.
        crew.end()


def may_fork() -> bool:
    """Whether processes are forked: on Linux, and from one thread, since others' locks would stay locked."""
    import threading

    return sys.platform == "linux" and threading.active_count() == 1


class _Crew(Generic[Item, Result]):
    """The processes."""

    def __init__(
        self,
        work: Callable[[Item], Result] | None,
        start: Callable[[], Callable[[Item], Result]],
        processes: int,
        limit: int,
    ) -> None:
        from multiprocessing import get_context

        self._context: Any = get_context("fork" if work else "spawn")
        self._work = work
        self._start = start
        self._limit = limit
        self._workers = [self._hired() for _ in range(processes)]

    def _hired(self) -> _Worker[Result]:
        pipe, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._work, self._start), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, pipe)

    def free(self) -> _Worker[Result] | None:
        """The process with the fewest items, if it may have one more."""
        best = min((worker for worker in self._workers if not worker.retired), key=lambda worker: len(worker.slots))
        return best if len(best.slots) < QUEUED else None

    def send(self, worker: _Worker[Result], item: Item) -> _Slot[Result]:
        """Give a process an item; its result will be in the slot."""
        slot: _Slot[Result] = _Slot()
        worker.slots.append(slot)
        with suppress(BrokenPipeError, ConnectionError):  # that it has ended shows when its result is waited for
            worker.pipe.send(item)
        return slot

    def collect(self, timeout: float | None) -> None:
        """Take the results that are there; without a timeout, wait for one."""
        from multiprocessing.connection import wait

        busy = {worker.pipe: worker for worker in self._workers if worker.slots}
        if not busy:
            return
        for pipe in wait(list(busy), timeout):
            worker = busy[pipe]  # type: ignore[index]
            try:
                result, error, size = worker.pipe.recv()
            except (EOFError, OSError) as lost:
                raise WorkerLostError from lost
            slot = worker.slots.popleft()
            slot.result, slot.error, slot.done = result, error, True
            if self._limit and size > self._limit and not worker.retired:
                worker.retired = True
                self._workers.append(self._hired())
            if worker.retired and not worker.slots:
                self._workers.remove(worker)
                _dismiss(worker)

    def end(self) -> None:
        """End all processes, whatever they do."""
        for worker in self._workers:
            _dismiss(worker)


def _dismiss(worker: _Worker[Any]) -> None:
    """End a process. It is told so: those forked after it hold its pipe open, so that it would not see it closed."""
    worker.pipe.close()
    worker.process.terminate()
    worker.process.join()


def _serve(
    pipe: Connection, work: Callable[[Item], Result] | None, start: Callable[[], Callable[[Item], Result]]
) -> None:
    """Work on what comes through a pipe, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of Ctrl-C as well, and ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    work = work or start()
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            os._exit(0)  # nothing of the first process is to be ended here
        result, problem = None, None
        try:
            result = work(item)
        except Exception as error:  # noqa: BLE001 - it is raised where the result is wanted
            problem = error
        try:
            pipe.send((result, problem, resident()))
        except (BrokenPipeError, ConnectionError):
            os._exit(0)
        except Exception as error:  # noqa: BLE001 - what cannot be sent must not end in silence
            pipe.send((None, RuntimeError(f"{type(problem or error).__name__}: {problem or error}"), 0))


def resident() -> int:
    """Bytes of memory that this process takes; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
