"""``@record``: a frozen, slotted dataclass that is made in a fraction of the time.

``dataclasses.dataclass(frozen=True, slots=True)`` compiles six functions for every class, half a millisecond each
class, and a small count imports forty. Here all but ``__init__`` are plain functions over the names of the fields, and
``__init__`` is compiled for the first object. All else is that of a dataclass: ``fields``, ``replace``, ``asdict``,
``field``, ``__post_init__``, patterns of ``match``, pickles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(*, kw_only: bool) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """Make a class a frozen dataclass with slots, equal and hashed by the fields that are compared.

    Methods that the class defines or inherits stay, but for equality, which is that of its own fields.
    """
    if cls is None:
        return lambda decorated: _made(decorated, kw_only=kw_only)
    return _made(cls, kw_only=kw_only)


def _made(cls: Any, *, kw_only: bool) -> Any:
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass has inspect write one, for a millisecond
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    its_fields = fields(made)
    names = [item.name for item in its_fields if item.compare]
    values: Callable[[object], Any] = attrgetter(*names) if names else type
    methods = _compared(values) | _pickled(made, its_fields)
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    if made.__repr__ is object.__repr__:
        made.__repr__ = _shown
    if "__init__" not in cls.__dict__:
        made.__init__ = _first_init(made)
    return made


def _first_init(made: Any) -> Callable[..., None]:
    """``__init__`` until there is an object, which gives its place to the one for the fields."""

    def __init__(self: object, *args: Any, **options: Any) -> None:  # noqa: N807
        made.__init__ = _init_of(made)
        made.__init__(self, *args, **options)

    return __init__


def _init_of(made: Any) -> Callable[..., None]:
    """``__init__`` of the fields in their order, those by keyword only last."""
    names: dict[str, Any] = {"_missing": MISSING}
    heads: dict[bool, list[str]] = {False: ["self"], True: []}
    body = []
    for item in fields(made):
        names[f"_set_{item.name}"] = getattr(made, item.name).__set__
        head, value = item.name, item.name
        if item.default_factory is not MISSING:
            names[f"_make_{item.name}"] = item.default_factory
            head += "=_missing"
            value = f"_make_{item.name}() if {item.name} is _missing else {item.name}"
        elif item.default is not MISSING:
            names[f"_default_{item.name}"] = item.default
            head += f"=_default_{item.name}"
        heads[item.kw_only is True].append(head)
        body.append(f" _set_{item.name}(self, {value})")
    if hasattr(made, "__post_init__"):
        body.append(" self.__post_init__()")
    by_name = ["*", *heads[True]] if heads[True] else []
    source = f"def __init__({', '.join(heads[False] + by_name)}):\n" + ("\n".join(body) or " pass")
    exec(source, names)  # noqa: S102 - names of fields; as dataclasses does
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _compared(values: Callable[[object], Any]) -> dict[str, Callable[..., Any]]:
    def __eq__(self: object, other: object) -> Any:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _pickled(made: Any, its_fields: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    """What pickles and copies use: that of a class with slots would set them one by one, which is refused."""

    def __getstate__(self: object) -> list[Any]:  # noqa: N807
        return [getattr(self, item.name) for item in its_fields]

    def __setstate__(self: object, state: list[Any]) -> None:  # noqa: N807
        for item, value in zip(its_fields, state, strict=True):
            getattr(made, item.name).__set__(self, value)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}


def _shown(self: Any) -> str:
    values = ", ".join(f"{item.name}={getattr(self, item.name)!r}" for item in fields(self) if item.repr)
    return f"{self.__class__.__qualname__}({values})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    del self, value
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    del self
    raise FrozenInstanceError(f"cannot delete field {name!r}")
