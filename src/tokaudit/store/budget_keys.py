"""``[[budget]]`` in the configuration of ``tokaudit check``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tokaudit.model.gates import Budget
from tokaudit.model.markdown import HEADING
from tokaudit.model.message import Message
from tokaudit.store.growth_keys import Allowed, ByModel, Share
from tokaudit.store.key_kinds import (
    BadPartsError,
    BadValueError,
    Flag,
    Key,
    Number,
    Problem,
    Texts,
    Whole,
    checked_table,
    described,
)

_HEADING = re.compile(rf"{HEADING}[ ]+\S")
_FIELD = re.compile(r"\$(?:\.|\[)[^\s]")
# Characters that .gitignore writes with a backslash, and no path of Windows has behind one.
_ESCAPES = re.compile(r"(?:[^\\]|\\[ !#?\[\]\\])*")
_LIMITS = ("max_tokens", "max_growth", "max_density", "window")
_WHOLE_FILES = ("segment", "role", "total")
"""Keys that a limit of the window excludes."""


class Place(Key):
    """The name of a part of a file: a heading or a top-level field."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^\\s*(?:{_HEADING.pattern}|{_FIELD.pattern})"}

    def check(self, value: Any) -> str:
        written = value.strip() if isinstance(value, str) else ""
        if not (_HEADING.match(written) or _FIELD.match(written)):
            raise BadValueError(
                Message(
                    "must be a heading such as '## Rules' or a field such as '$.tools', not {value}",
                    value=described(value),
                )
            )
        return written


class Line(Key):
    """A text that is shown on one line, however it is written."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"\S"}

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise BadValueError(Message("must be a text, not {value}", value=described(value)))
        return " ".join(value.split())


class Paths(Key):
    """Patterns of files below the folder of the configuration."""

    @property
    def schema(self) -> dict[str, Any]:
        # Not an absolute path, no folder above, no comment, no backslashes as in Windows, no space around, no nothing.
        pattern = (
            r"^(?!!?(?:[\s/~#]|\\\\|[A-Za-z]:|(?:.*/)?\.\.(?:/|$)|[/.]*$))"
            rf"(?=(?:{_ESCAPES.pattern})$)(?!.*\s$)"
        )
        return {"type": "array", "items": {"type": "string", "minLength": 1, "pattern": pattern}, "minItems": 1}

    def check(self, value: Any) -> tuple[str, ...]:
        patterns = Texts("", least=1).check(value)
        problems: list[Problem] = []
        for number, pattern in enumerate(patterns):
            if reason := _wrong_pattern(pattern):
                problems.append(
                    ((number,), Message("'paths' holds '{pattern}', {reason}", pattern=pattern, reason=reason))
                )
        if not problems and all(pattern.startswith("!") for pattern in patterns):
            problems.append(((0,), "'paths' must name files; '!' only takes out what a pattern before it names"))
        if problems:
            raise BadPartsError(problems)
        return tuple(_anchored(pattern) for pattern in patterns)


def _wrong_pattern(pattern: str) -> str:
    """The reason that a pattern can match no file of the project; empty where it can."""
    bare = pattern.removeprefix("!")
    if bare.startswith(("/", "~", "\\\\")) or re.match(r"[A-Za-z]:", bare):
        inside = bare.strip("/") if bare.startswith("/") else ""
        near = Message("; did you mean './{inside}'?", inside=inside) if inside else ""
        return Message("which is absolute: patterns are relative to the configuration's folder{near}", near=near)
    if ".." in bare.split("/"):
        return Message("which leaves the configuration's folder: a budget is for files in it or below")
    if not _ESCAPES.fullmatch(bare):
        return Message("which has backslashes; write '{bare}'", bare=bare.replace(chr(92), "/"))
    if bare.startswith("#"):
        return Message("which is a comment in .gitignore; write '\\{bare}'", bare=bare)
    if bare != bare.strip():
        return Message("which begins or ends with a space")
    if not bare.strip("/."):
        return Message("which names no file; every file is '*'")
    return _wrong_set(pattern) if "[" in pattern else ""


def _wrong_set(pattern: str) -> str:
    """The reason that the sets of characters in a pattern are none, as in ``[z-a]``; empty where they are."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([pattern])
    except re.error as error:
        return Message("which is not a pattern: {reason}", reason=error.msg)
    return ""


def _anchored(pattern: str) -> str:
    """``./a`` as .gitignore writes it: ``/a``, which is only in this folder, unlike ``a``."""
    sign = "!" if pattern.startswith("!") else ""
    bare = pattern.removeprefix("!")
    return sign + (bare[1:] if bare.startswith("./") else bare)


class WindowShare(Key):
    """A share of the window, as a number up to 1 or a text such as ``80%``; or a whole number of tokens."""

    @property
    def schema(self) -> dict[str, Any]:
        number = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
        return {"anyOf": [number, {"type": "integer", "minimum": 2}, Share("").schema]}

    def check(self, value: Any) -> float:
        if isinstance(value, str):
            return float(Share("").check(value))
        share = Number("").check(value)
        if share > 1 and not isinstance(value, int):
            raise BadValueError(
                Message("must be a share of at most 1, such as 0.8 or '80%', or whole tokens, not {value}", value=value)
            )
        return share


FIELDS: Mapping[str, Key] = {
    "paths": Paths(
        "Patterns as in .gitignore, relative to the configuration's folder: 'prompts/*.md'; './a.md' is only in it, "
        "'a.md' also in folders below; '!' takes out again."
    ),
    "max_tokens": ByModel("Most tokens, for any model or by model.", "max_tokens", Whole("")),
    "max_growth": ByModel(
        "Most growth since the baseline or revision, for any model or by model: '5%', 50 or { tokens = 50 }.",
        "max_growth",
        Allowed(""),
    ),
    "max_density": Number("Most tokens per character."),
    "window": WindowShare(
        "Most of the model's window, as 0.8 or '80%', or most tokens, as 8000, that a request may take as it "
        "is billed, its max_tokens included."
    ),
    "total": Flag("The limits are of all files together, rather than of each."),
    "segment": Place("The limits are of this part of each file: a heading, '## Rules', or a field, '$.tools'."),
    "role": Line("The limits are of the texts of all messages of this chat role in a file, such as system."),
    "warn_at": Share("Warn from this share of max_tokens on, such as '90%'."),
    "requests_per_month": Whole("Requests a month with each file, for costs.", least=0),
    "note": Line("Reason for the limit; reports show it."),
}
"""Name of each key of a budget to its meaning and its check."""


class Budgets(Key):
    """A list of tables, each a budget."""

    @property
    def in_file_only(self) -> str:
        return "[[budget]] tables"

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"description": key.summary, **key.schema} for name, key in FIELDS.items()},
                "required": ["paths"],
                "anyOf": [{"required": [name]} for name in _LIMITS],
                "not": {
                    "anyOf": [{"required": ["segment", "role"]}]
                    + [{"required": ["window", name]} for name in _WHOLE_FILES]
                },
                "dependentRequired": {"warn_at": ["max_tokens"]},
                "additionalProperties": False,
            },
        }

    def check(self, value: Any) -> tuple[Budget, ...]:
        if not isinstance(value, list):
            raise BadValueError(Message("must be tables, each below [[budget]], not {value}", value=described(value)))
        budgets: list[Budget] = []
        problems: list[Problem] = []
        for number, table in enumerate(value):
            try:
                budgets.append(_budget(table))
            except BadPartsError as error:
                problems += [((number, *inside), message) for inside, message in error.problems]
        if problems:
            raise BadPartsError(problems)
        return tuple(budgets)


def _budget(table: Any) -> Budget:
    if not isinstance(table, dict):
        raise BadPartsError([((), Message("a budget must be a table, not {table}", table=described(table)))])
    values, problems = checked_table(table, FIELDS, of=Message("a budget"))
    problems += _contradictions(table)
    if problems:
        raise BadPartsError(problems)
    return Budget(**values)


def _contradictions(table: Mapping[str, Any]) -> list[Problem]:
    """Problems of the keys of a budget together."""
    problems: list[Problem] = []
    if "paths" not in table:
        problems.append(((), "a budget needs 'paths': the files it limits"))
    # Where a name is misspelt, that is said already.
    if not any(name in table for name in _LIMITS) and all(name in FIELDS for name in table):
        problems.append(
            (
                (),
                Message("a budget needs a limit: {limits} or {last}", limits=tuple(_LIMITS[:-1]), last=_LIMITS[-1]),
            )
        )
    if "segment" in table and "role" in table:
        problems.append((("role",), "'role' and 'segment' exclude each other: write a budget for each"))
    problems += [
        (("window",), Message("'window' is of whole requests: it excludes '{key}'", key=name))
        for name in _WHOLE_FILES
        if "window" in table and table.get(name)
    ]
    if "warn_at" in table and "max_tokens" not in table:
        problems.append((("warn_at",), "'warn_at' is a share of 'max_tokens', which this budget does not have"))
    return problems
