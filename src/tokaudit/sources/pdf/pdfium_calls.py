"""Calls into pdfium that cost little, for what is asked many times on a page."""

from __future__ import annotations

import ctypes
from typing import Any


def quick(function: Any, result: Any, *arguments: Any) -> Any:
    """A function of the engine that takes handles and places in memory as plain numbers.

    No lock is given back around a call that is over in an instant. Both make a call far cheaper.
    """
    return ctypes.PYFUNCTYPE(result, *arguments)(address(function))


def address(thing: Any) -> int:
    """The address of a function, or of what a handle points to."""
    return ctypes.cast(thing, ctypes.c_void_p).value or 0
