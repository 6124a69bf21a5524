"""Processes: one that can be ended at any time (``Child``), and work spread over several (``spread``).

Processes are forked where that is safe, so that they begin with all that this one has loaded. The threads of
``concurrent.futures`` would make a later fork unsafe. The system is asked for a fork directly, which takes a few
milliseconds and is allowed in a process of ``multiprocessing`` too, which may have no children there.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

from tokaudit import leftovers

Item = TypeVar("Item")
Result = TypeVar("Result")

QUEUED = 2
"""Items that a process has at a time: the next waits in it while the result of the one before is on its way."""
AHEAD = 8
"""Results for each process that may wait for an earlier one: a bound to the memory that they take."""


class WorkerLostError(Exception):
    """A process has ended: it broke down, or was ended from outside, as the system does where memory is short."""


def may_fork() -> bool:
    """Say whether processes can be forked: on Linux, and from one thread, since others' locks would stay locked."""
    import threading

    return sys.platform == "linux" and threading.active_count() == 1


class Child:
    """A process and the pipe to it."""

    def __init__(self, serve: Callable[..., object], *arguments: Any, fork: bool) -> None:
        """Start it.

        Args:
            serve: Called in it with its end of the pipe and ``arguments``; it ends with the call.
            arguments: Sent there if it is not forked, as is ``serve``.
            fork: Fork it, as ``may_fork`` allows.

        Raises:
            BlockingIOError: The system has no more processes to give.
        """
        self.pipe: Connection
        self._process: Any = None
        self._id = 0
        leftovers.note(self, self._kill)
        if fork:
            self._fork(serve, arguments)
        else:
            self._spawn(serve, arguments)

    def _fork(self, serve: Callable[..., object], arguments: Sequence[Any]) -> None:
        import warnings
        from multiprocessing.connection import Pipe

        self.pipe, theirs = Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which are not used there
            self._id = os.fork()
        if self._id:
            theirs.close()
            return
        try:
            self.pipe.close()
            _serve(theirs, serve, arguments)
        finally:
            os._exit(0)  # nothing of the first process is to be ended here

    def _spawn(self, serve: Callable[..., object], arguments: Sequence[Any]) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, serve, arguments), daemon=True)
        self._process.start()
        theirs.close()

    def send(self, message: object) -> None:
        """Send it something. That it has ended shows when its answer is received."""
        with suppress(BrokenPipeError, ConnectionError):
            self.pipe.send(message)

    def receive(self) -> Any:
        """Receive what it sends. Raises ``WorkerLostError`` if it has ended."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerLostError from error

    def end(self) -> None:
        """End it, whatever it does. Those forked after it hold its pipe open, so that it would not see it closed."""
        self.pipe.close()
        self._kill()
        leftovers.forget(self)
        if self._process is not None:
            self._process.join()
            self._process.close()
        else:
            with suppress(OSError):
                os.waitpid(self._id, 0)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        elif self._id:
            with suppress(OSError):
                os.kill(self._id, signal.SIGKILL)


def answering(children: Iterable[Child], timeout: float | None) -> list[Child]:
    """Wait until processes have sent something or have ended; without a timeout, in seconds, until one has."""
    from multiprocessing.connection import wait

    by_pipe = {child.pipe: child for child in children}
    return [by_pipe[pipe] for pipe in wait(list(by_pipe), timeout)]  # type: ignore[index]


def _serve(pipe: Connection, serve: Callable[..., object], arguments: Sequence[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of Ctrl-C as well, and ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(EOFError, OSError):  # the first process has ended, or wants no more
        serve(pipe, *arguments)


@dataclass(slots=True)
class _Slot(Generic[Result]):
    """The place of a result in the order."""

    result: Result | None = None
    error: BaseException | None = None
    done: bool = False


@dataclass(slots=True)
class _Worker(Generic[Result]):
    child: Child
    slots: deque[_Slot[Result]] = field(default_factory=deque)


def spread(
    items: Sequence[Item],
    work: Callable[[Item], Result],
    start: Callable[[], Callable[[Item], Result]],
    *,
    processes: int,
    take_part: bool,
) -> Iterator[Result]:
    """Apply ``work`` to items in several processes.

    Args:
        items: What to work on; they and the results are sent between processes.
        work: Applied to an item by a forked process, or by this one.
        start: Makes the same function in a process that is not forked; it is sent there.
        processes: Processes besides this one.
        take_part: Work in this process too, rather than only wait.

    Yields:
        The results, in the order of the items.

    Raises:
        WorkerLostError: A process was ended from outside.
    """
    forked = may_fork()
    crew = _Crew(work if forked else None, start, processes)
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


class _Crew(Generic[Item, Result]):
    """The processes."""

    def __init__(
        self,
        work: Callable[[Item], Result] | None,
        start: Callable[[], Callable[[Item], Result]],
        processes: int,
    ) -> None:
        self._workers: list[_Worker[Result]] = [
            _Worker(Child(_work, work, start, fork=work is not None)) for _ in range(processes)
        ]

    def free(self) -> _Worker[Result] | None:
        """The process with the fewest items, if it may have one more."""
        best = min(self._workers, key=lambda worker: len(worker.slots))
        return best if len(best.slots) < QUEUED else None

    def send(self, worker: _Worker[Result], item: Item) -> _Slot[Result]:
        """Give a process an item; its result will be in the slot."""
        slot: _Slot[Result] = _Slot()
        worker.slots.append(slot)
        worker.child.send(item)
        return slot

    def collect(self, timeout: float | None) -> None:
        """Take the results that are there; without a timeout, wait for one."""
        busy = {worker.child: worker for worker in self._workers if worker.slots}
        if not busy:
            return
        for child in answering(busy, timeout):
            worker = busy[child]
            slot = worker.slots.popleft()
            slot.result, slot.error = child.receive()
            slot.done = True

    def end(self) -> None:
        """End all processes, whatever they do."""
        for worker in self._workers:
            worker.child.end()


def _work(
    pipe: Connection, work: Callable[[Item], Result] | None, start: Callable[[], Callable[[Item], Result]]
) -> None:
    """Work on what comes through a pipe, until it is closed."""
    work = work or start()
    while True:
        item = pipe.recv()
        result, problem = None, None
        try:
            result = work(item)
        except Exception as error:  # noqa: BLE001 - it is raised where the result is wanted
            problem = error
        try:
            pipe.send((result, problem))
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - what cannot be sent must not end in silence
            pipe.send((None, RuntimeError(f"{type(problem or error).__name__}: {problem or error}")))
