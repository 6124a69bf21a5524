"""Ctrl-C ends a command within a moment, whatever it does; files are as before or as after, and no child is left.

Imported first, before anything that takes time, so it imports next to nothing. Python calls a handler between two
steps of the main thread only, thus not during a long call of a library. So a thread hears of the signal as well, from
the system, and ends the process if the handler has not. Neither raises an error: libraries swallow those, and to
unwind a large run takes seconds.
"""

import _thread
import os
from time import sleep

try:
    import _signal as signal  # type: ignore[import-not-found]  # at once; the module around it makes enumerations
except ImportError:
    import signal

EXIT_INTERRUPTED = 130
_PATIENCE = 0.1
"""Seconds that the main thread has to end the process itself, so that it is in no call that makes a file."""
_leaving = _thread.allocate_lock()


def take_interrupt() -> None:
    """Let Ctrl-C end the process.

    One that was started to ignore it goes on to do so, and where signals cannot be had nothing changes.
    """
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        return
    try:
        signal.signal(signal.SIGINT, _handle)
    except ValueError:  # not in the main thread
        return
    try:
        heard, said = os.pipe()
        os.set_blocking(said, False)
        _thread.start_new_thread(_listen, (heard,))
    except (OSError, RuntimeError):  # no more files or threads to be had: then the handler alone
        return
    signal.set_wakeup_fd(said, warn_on_full_buffer=False)


def drop_interrupt() -> None:
    """Let Ctrl-C do nothing any more: the outcome is known, and Python would complain while it ends."""
    if signal.getsignal(signal.SIGINT) is _handle:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _handle(number: int, frame: object) -> None:
    del number, frame
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # not once more, in the middle of leaving
    _leave()


def _listen(heard: int) -> None:
    """Wait for the signal in a thread, which keeps no lock meanwhile, so that processes can be forked."""
    while (signals := os.read(heard, 1)) and signals[0] != signal.SIGINT:
        pass
    sleep(_PATIENCE)
    _leave()


def _leave() -> None:
    """End the process at once. The second thread to come waits for the first to have done so."""
    _leaving.acquire()
    try:
        from tokaudit.leftovers import remove_all

        remove_all()
        os.write(2, b"tokaudit: interrupted\n")
    finally:
        os._exit(EXIT_INTERRUPTED)
