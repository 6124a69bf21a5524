"""The scalar values of YAML. Only its events are read: no alias is followed, and no object is made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tokaudit.pipeline.spans.keyed_values import BrokenError, Value

_PLAIN_KEY = re.compile(r"[\w$/@-]{1,80}\Z").match
_NO_TEXT = re.compile(
    r"(?:[-+.]?\d[\d_.,eE+-]*|0[xo][\da-fA-F]+|true|false|yes|no|on|off|null|~|)\Z", re.IGNORECASE
).match
_DEEPEST = 200
"""Levels that are followed; the parser in C has a limit of its own."""


def read(text: str) -> Iterator[Value]:
    """The values in order, with their keys. Raises ``BrokenError``."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    levels: list[_Level] = []
    documents = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                levels = [_Level("" if documents == 1 else f"[{documents - 1}]")]
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                path, _ = levels[-1].next(event.start_mark.index)
                if len(levels) > _DEEPEST:
                    raise _broken("nested too deeply", event.start_mark)
                levels.append(_Level(path, keyed=isinstance(event, yaml.MappingStartEvent), listed=True))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                levels.pop()
            elif isinstance(event, yaml.ScalarEvent):
                level, start, end = levels[-1], event.start_mark.index, event.end_mark.index
                if level.awaits_key:
                    level.name(event.value, start)
                    continue
                path, begun = level.next(start)
                style = event.style or ""
                fixed = event.anchor is not None or (event.tag is not None and event.tag != "!")
                string = bool(style) or _NO_TEXT(event.value) is None
                yield Value(begun, start, end, path, event.value, style, string, fixed)
            elif isinstance(event, yaml.AliasEvent):
                levels[-1].skip(event.start_mark.index)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _broken(error.problem or error.context or "a syntax error", mark) from None
    except yaml.reader.ReaderError as error:
        at = error.position
        line = text.count("\n", 0, at) + 1
        raise BrokenError("a character that YAML does not have", line, at - text.rfind("\n", 0, at)) from None


def _broken(reason: str, mark: Any) -> BrokenError:
    if mark is None:
        return BrokenError(reason, 1, 1)
    return BrokenError(reason, mark.line + 1, mark.column + 1)


class _Level:
    """A mapping or sequence that is being read."""

    def __init__(self, path: str, *, keyed: bool = False, listed: bool = False) -> None:
        self._path = path
        self._keyed = keyed
        self._listed = listed
        self._key: str | None = None
        self._begun = -1
        self._index = -1

    @property
    def awaits_key(self) -> bool:
        """True if the next scalar is a key."""
        return self._keyed and self._key is None

    def name(self, key: str, start: int) -> None:
        """The key of the next value."""
        self._key = key if _PLAIN_KEY(key) else f'"{" ".join(key.split())[:80]}"'
        self._begun = start

    def next(self, start: int) -> tuple[str, int]:
        """The path of the next value, and where its key begins, or itself."""
        if self._keyed:
            if self._key is None:  # a key that is no scalar
                self.name("?", start)
                return self._path or "?", start
            key, self._key = self._key, None
            return f"{self._path}.{key}" if self._path else key, self._begun
        if not self._listed:
            return self._path, start
        self._index += 1
        return f"{self._path}[{self._index}]", start

    def skip(self, start: int) -> None:
        """An alias stands where a key or value does."""
        if self.awaits_key:
            self.name("*", start)
        else:
            self.next(start)
