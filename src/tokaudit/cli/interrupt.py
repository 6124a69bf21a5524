"""Ctrl-C: imported first, before anything that takes time, so it imports next to nothing."""

import os

try:
    import _signal as signal  # type: ignore[import-not-found]  # at once; the module around it makes enumerations
except ImportError:
    import signal

EXIT_INTERRUPTED = 130
TYPE_CHECKING = False  # that of typing, which takes longer to import than all else here
if TYPE_CHECKING:
    from collections.abc import Callable


def take_interrupt(handler: "Callable[[int, object], None] | None") -> None:
    """Let Ctrl-C call a handler, or, with None, nothing any more.

    A process that was started to ignore it goes on to do so, and where signals cannot be had nothing changes.
    """
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        return
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN if handler is None else handler)
    except ValueError:  # not in the main thread
        return


def leave(number: int, frame: object) -> None:
    """End at once: nothing is being written yet, and half an import cannot be taken back."""
    del number, frame
    try:
        os.write(2, b"tokaudit: interrupted\n")
    finally:
        os._exit(EXIT_INTERRUPTED)
