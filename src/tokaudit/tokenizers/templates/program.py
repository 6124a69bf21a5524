"""Runs a compiled chat template: what ``compiler`` writes, with the values and limits that jinja2 would give it.

A program emits a stream: a ``str`` is the template's own text, a tuple of one ``str`` is a value of the request, and an
``int`` says to what the following belongs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

Event = str | tuple[str] | int

RESUME, TOOLS, PROMPT, NOWHERE = -1, -2, -3, -4
"""Ends a part of tools or prompt; begins one; ends a message. Numbers from 0 on begin a message, from ``TOOL`` on a
tool definition."""
TOOL = 1 << 30
_STEPS = 2_000_000
"""Most iterations and calls of one rendering: a request of 100,000 messages takes a few for each."""
_LONGEST = 1 << 26
"""Most characters of a text that a program puts together; the sandbox knows better for longer requests."""
_STR = frozenset(
    [
        "startswith",
        "endswith",
        "split",
        "rsplit",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "title",
        "capitalize",
        "replace",
        "find",
        "count",
        "isdigit",
        "splitlines",
    ]
)
_DICT = frozenset(("items", "keys", "values", "get"))


class Unusual(Exception):  # noqa: N818 - no error: the sandbox renders such a conversation
    """A conversation, or a use of one, that programs leave to jinja2."""


class _Missing:
    """What jinja2 calls undefined: empty, false, and in nothing."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Missing)

    def __hash__(self) -> int:
        return 0


class Namespace(dict[str, Any]):
    """``namespace(...)`` of a template."""

    __slots__ = ()


class Runtime:
    """The names that a program uses, for one rendering."""

    MISSING = _Missing()
    RESUME, TOOLS, PROMPT = RESUME, TOOLS, PROMPT

    def __init__(self, marks: Mapping[int, int], now: datetime) -> None:
        """Begin a rendering.

        Args:
            marks: The number of each message and tool definition by the ``id`` of its object.
            now: The time that the template is told.
        """
        self._marks = marks
        self._now = now
        self._steps = 0

    def _step(self, number: int) -> None:
        self._steps += number
        if self._steps > _STEPS:
            raise Unusual("steps")

    def _sized(self, value: Any) -> Any:
        if len(value) > _LONGEST:
            raise Unusual("size")
        return value

    # Output

    @staticmethod
    def write(emit: Callable[[Event], object], value: Any) -> None:
        if type(value) is str:
            if value:
                emit((value,))
        elif value is None or type(value) in {int, bool, float}:
            emit((str(value),))
        elif value is not Runtime.MISSING:
            raise Unusual("output")

    @staticmethod
    def text(value: Any) -> str:
        if type(value) is not str:
            raise Unusual("text")
        return value

    def begin(self, emit: Callable[[Event], object], item: Any) -> None:
        mark = self._marks.get(id(item))
        if mark is not None:
            emit(mark)

    def end(self, emit: Callable[[Event], object], items: Sequence[Any]) -> None:
        if items and id(items[-1]) in self._marks:
            emit(NOWHERE if self._marks[id(items[-1])] < TOOL else TOOLS)

    def caught(self, macro: Callable[..., None], *arguments: Any) -> str:
        """The output of a macro as a value; the value itself where it is all of it."""
        events: list[Event] = []
        macro(events.append, *arguments)
        texts = [event if isinstance(event, str) else event[0] for event in events if not isinstance(event, int)]
        return texts[0] if len(texts) == 1 else self._sized("".join(texts))

    def called(self) -> None:
        self._step(1)

    # Access

    @staticmethod
    def entry(value: Any, name: str) -> Any:
        """``value.name`` or ``value["name"]``; the first is compiled only where no method has that name."""
        if type(value) is dict:
            if name not in value and hasattr(dict, name):
                raise Unusual(name)
            return value.get(name, Runtime.MISSING)
        return Runtime._other(value, name)

    @staticmethod
    def _other(value: Any, name: str) -> Any:
        if type(value) is Namespace:
            return value.get(name, Runtime.MISSING)
        if value is Runtime.MISSING or hasattr(value, name):
            raise Unusual(name)
        return Runtime.MISSING

    @staticmethod
    def item(value: Any, at: Any) -> Any:
        if type(value) not in {list, str, tuple} or type(at) is not int:
            raise Unusual("item")
        return value[at] if -len(value) <= at < len(value) else Runtime.MISSING

    @staticmethod
    def cut(value: Any, start: Any, stop: Any, step: Any) -> Any:
        if type(value) not in {list, str, tuple}:
            raise Unusual("slice")
        return value[start:stop:step]

    @staticmethod
    def assign(space: Any, name: str, value: Any) -> None:
        if type(space) is not Namespace or name.startswith("_"):
            raise Unusual("set")
        space[name] = value

    @staticmethod
    def container(value: Any) -> Any:
        if type(value) not in {str, list, dict, tuple}:
            return () if value is Runtime.MISSING else Runtime._unusual("in")
        return value

    @staticmethod
    def _unusual(what: str) -> Any:
        raise Unusual(what)

    def method(self, value: Any, name: str, *arguments: Any) -> Any:
        kind = type(value)
        if kind is str and name in _STR:
            if name == "replace":
                return self.filter_replace(value, *arguments)
            return getattr(value, name)(*arguments)
        if kind is dict and name in _DICT:
            return getattr(value, name)(*arguments)
        raise Unusual(name)

    # Loops

    def items(self, value: Any) -> Sequence[Any]:
        if value is self.MISSING:
            return ()
        found = value if type(value) in {list, tuple, range} else list(value)
        self._step(len(found) + 1)
        return found

    # Operators and functions

    def add(self, left: Any, right: Any, sign: int = 1) -> Any:
        kinds = {type(left), type(right)}
        if kinds <= {int, bool}:
            return left + sign * right
        if len(kinds) != 1 or sign < 0 or not kinds <= {str, list}:
            raise Unusual("+")
        return self._sized(left + right)

    def joined(self, *parts: Any) -> str:
        texts = [self.filter_string(part) for part in parts]
        return self._sized("".join(texts))  # type: ignore[no-any-return]

    @staticmethod
    def namespace(*arguments: Any, **names: Any) -> Namespace:
        if arguments or any(name.startswith("_") for name in names):
            raise Unusual("namespace")
        return Namespace(names)

    def range(self, *bounds: Any) -> Sequence[int]:
        found = range(*bounds)
        if len(found) > 100_000:  # the sandbox's MAX_RANGE
            raise Unusual("range")
        return found

    @staticmethod
    def raise_exception(message: Any) -> Any:
        raise Unusual(str(message))

    def strftime_now(self, form: str) -> str:
        return self._sized(self._now.strftime(form))  # type: ignore[no-any-return]

    # Filters

    @staticmethod
    def filter_tojson(
        value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    @staticmethod
    def filter_trim(value: Any, chars: str | None = None) -> str:
        return Runtime.filter_string(value).strip(chars)

    @staticmethod
    def filter_string(value: Any) -> str:
        if type(value) is str:
            return value
        if value is None or value is Runtime.MISSING or type(value) in {int, bool, float}:
            return str(value)
        raise Unusual("string")

    filter_safe = filter_string

    @staticmethod
    def filter_length(value: Any) -> int:
        return 0 if value is Runtime.MISSING else len(value)

    filter_count = filter_length

    def filter_join(self, value: Any, between: str = "") -> str:
        return self._sized(between.join(map(self.filter_string, self.items(value))))  # type: ignore[no-any-return]

    @staticmethod
    def filter_items(value: Any) -> Any:
        if value is Runtime.MISSING:
            return ()
        if type(value) is not dict:
            raise Unusual("items")
        return value.items()

    @staticmethod
    def filter_first(value: Any) -> Any:
        return Runtime.item(value, 0)

    @staticmethod
    def filter_last(value: Any) -> Any:
        return Runtime.item(value, -1)

    def filter_list(self, value: Any) -> list[Any]:
        return list(self.items(value))

    @staticmethod
    def filter_default(value: Any, other: Any = "", boolean: bool = False) -> Any:
        return other if value is Runtime.MISSING or (boolean and not value) else value

    filter_d = filter_default

    @staticmethod
    def filter_upper(value: Any) -> str:
        return Runtime.text(value).upper()

    @staticmethod
    def filter_lower(value: Any) -> str:
        return Runtime.text(value).lower()

    @staticmethod
    def filter_capitalize(value: Any) -> str:
        return Runtime.text(value).capitalize()

    @staticmethod
    def filter_title(value: Any) -> str:
        del value
        raise Unusual("title")  # jinja2 has rules of its own for it

    def filter_replace(self, value: Any, old: str, new: str) -> str:
        text = self.text(value)
        if len(text) + text.count(old) * len(new) > _LONGEST:
            raise Unusual("size")
        return text.replace(old, new)

    @staticmethod
    def filter_abs(value: Any) -> Any:
        return abs(value)

    @staticmethod
    def filter_int(value: Any) -> int:
        if type(value) is not int:
            raise Unusual("int")
        return value

    # Tests

    @staticmethod
    def is_mapping(value: Any) -> bool:
        return isinstance(value, Mapping)

    @staticmethod
    def is_iterable(value: Any) -> bool:
        return value is Runtime.MISSING or hasattr(value, "__iter__")

    @staticmethod
    def is_sequence(value: Any) -> bool:
        return value is Runtime.MISSING or (hasattr(value, "__len__") and hasattr(value, "__getitem__"))

    @staticmethod
    def is_number(value: Any) -> bool:
        return isinstance(value, int | float)

    @staticmethod
    def is_integer(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    @staticmethod
    def is_boolean(value: Any) -> bool:
        return isinstance(value, bool)

    @staticmethod
    def is_eq(value: Any, other: Any) -> bool:
        return bool(value == other)

    is_equalto = is_eq

    @staticmethod
    def is_ne(value: Any, other: Any) -> bool:
        return bool(value != other)

    @staticmethod
    def is_in(value: Any, other: Any) -> bool:
        return value in Runtime.container(other)


Program = Callable[[Mapping[str, Any], Callable[[Event], object], Runtime], None]
