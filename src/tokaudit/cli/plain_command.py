"""A typer command whose options are converted here, since typer would load pydantic for every one of them.

From 0.27 on typer validates each value through a pydantic adapter, which costs more than counting a prompt. All our
options are texts, numbers and flags. Where typer has no such adapters, or keeps them elsewhere, this changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_CONVERT: dict[Any, Callable[[Any], Any]] = {str: str, int: int, float: float, bool: bool}

_WORDS = {int: "a whole number", float: "a number"}


class _Conversion:
    """The conversion that typer keeps in a parameter."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value or values of an option, None or () for none."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        convert = _CONVERT[self._kind]
        try:
            return [convert(item) for item in value] if several else convert(value)
        except ValueError as error:
            message = f"'{value}' is not {_WORDS[self._kind]}."
            raise typer.BadParameter(message, ctx=ctx, param=param) from error


def _no_type(ctx: Any) -> None:
    """No type in the help of an argument."""
    del ctx


def _simplified(params: list[Any]) -> list[Any]:
    for param in params:
        descriptor = getattr(param, "type_descriptor", None)
        if not hasattr(param, "_runtime_param") or descriptor is None:
            continue
        kind = descriptor.annotation
        inner = getattr(kind, "__args__", (kind,))
        plain = [item for item in inner if item is not type(None)]
        if len(plain) == 1 and plain[0] in _CONVERT:
            param._runtime_param = _Conversion(plain[0])  # noqa: SLF001 - see the module's first lines
            if param.param_type_name == "argument":
                param.display_type_rich = _no_type  # help would say <list[str]> after PATH
    return params


class PlainCommand(TyperCommand):
    """For ``app.command(cls=PlainCommand)``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's parameters and ``--help``."""
        return _simplified(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """For ``typer.Typer(cls=PlainGroup)``: the same for the options before the subcommand."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options before the subcommand, those of shell completion among them, and ``--help``."""
        return _simplified(super().get_params(ctx))
