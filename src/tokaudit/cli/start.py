"""The entry point of the command: Ctrl-C is heeded before anything is imported that takes time."""

from tokaudit.cli.interrupt import drop_interrupt, take_interrupt

_COLLECT_AFTER = 50_000
"""Containers made and not freed, after which Python looks for cycles among them (its own value: 700 to 2,000).

To start makes less than that, nearly all of it to stay: modules, functions, classes. To look through them again and
again is a tenth of a small count. Of what a large run leaves in cycles, these are at most a few megabytes.
"""


def run() -> None:
    """Run the command line and leave the process."""
    take_interrupt()
    import gc
    import sys

    gc.set_threshold(_COLLECT_AFTER, *gc.get_threshold()[1:])
    from tokaudit.cli import main

    code = main.outcome()
    drop_interrupt()
    if _is_all_of_the_process():
        _end(code)
    sys.exit(code)


def _is_all_of_the_process() -> bool:
    """True where nobody waits for ``run`` to return: no caller but the program itself, and no thread.

    A profiler, a debugger and a program that calls the command line within its own go on after it.
    """
    import sys
    import threading
    from types import FrameType

    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - that of the caller of run
    while frame is not None:
        if frame.f_code.co_name != "<module>" and frame.f_globals.get("__name__") != "runpy":
            return False
        frame = frame.f_back
    return threading.active_count() == 1


def _end(code: int) -> None:
    """End the process as Python would, but for taking apart each object, which the system frees at once.

    Returns where an output cannot be written to its end, for Python to say so.
    """
    import atexit
    import os
    import sys

    atexit._run_exitfuncs()  # noqa: SLF001 - as Python does: temporary folders and processes of libraries end there
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)
