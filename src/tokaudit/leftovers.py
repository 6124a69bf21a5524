"""Things that must not outlive this process: its children, and files that are not finished.

Ctrl-C ends a command at once, without a ``finally``: unwinding gigabytes would take seconds. So each of these things is
noted here for as long as it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_removals: dict[object, Callable[[], object]] = {}


def note(key: object, remove: Callable[[], object]) -> None:
    """Note how a thing is removed; before it is made, so that there is no moment in which it is there unknown."""
    _removals[key] = remove


def forget(key: object) -> None:
    """Forget a thing that is gone, or finished."""
    _removals.pop(key, None)


@contextmanager
def noted(remove: Callable[[], object]) -> Iterator[None]:
    """Note a thing for the time of a block, which removes or finishes it itself."""
    key = object()
    note(key, remove)
    try:
        yield
    finally:
        forget(key)


def remove_all() -> None:
    """Remove what is there, the latest first. What cannot be removed hinders nothing else."""
    for remove in reversed(list(_removals.values())):
        try:
            remove()
        except Exception:  # noqa: BLE001, S112 - there is nobody left to hear of it
            continue
