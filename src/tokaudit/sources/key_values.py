"""Files of keys and values: JSON, YAML, TOML, or lines of ``key: value`` and ``key=value``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tokaudit.model import InputError
from tokaudit.model.message import Message

_DEEPEST = 100
"""Levels of tables and lists."""
_MOST_VALUES = 1_000_000
_LINE = re.compile(r"\s*([^:=：#\s](?:[^:=：]*[^:=：\s])?)\s*[:=：]\s*(.*?)\s*\Z", re.DOTALL)


def key_values(text: str, path: str) -> Mapping[str, Any]:
    """The keys of a file with their values.

    The form is told by the name (.json, .yaml, .yml, .toml), else JSON by its brace, else there are lines; blank ones
    and those that begin with ``#`` are left out, and values are texts.

    Raises:
        InputError: The file is not of its form, or no table; names the line.
    """
    suffix = path.rpartition(".")[2].lower()
    if suffix == "json" or (suffix not in {"yaml", "yml", "toml"} and text.lstrip().startswith("{")):
        value = _json(text, path)
    elif suffix in {"yaml", "yml"}:
        value = _yaml(text, path)
    elif suffix == "toml":
        value = _toml(text, path)
    else:
        return _lines(text, path)
    if not isinstance(value, dict):
        raise InputError(
            Message("holds no keys with values"), what=path, code="usage", hint="write a line for each: key: value"
        )
    return _Plain(path).table(value, _DEEPEST)


class _Plain:
    """Copies values with texts as keys. Aliases of YAML may make a table that holds itself, or that has no end."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._left = _MOST_VALUES

    def table(self, value: Mapping[Any, Any], deep: int) -> dict[str, Any]:
        return {str(key): self._value(item, deep - 1) for key, item in value.items()}

    def _value(self, value: Any, deep: int) -> Any:
        self._left -= 1
        if deep < 0 or self._left < 0:
            reason = Message("nested too deeply") if deep < 0 else Message("too many values")
            raise InputError(reason, what=self._path, code="usage", hint="write what is to be filled in, and no more")
        if isinstance(value, Mapping):
            return self.table(value, deep)
        return [self._value(item, deep - 1) for item in value] if isinstance(value, list) else value


def fact_lines(values: Mapping[str, Any]) -> str:
    """Keys and values as lines of text; tables within are named by their keys, as in ``order.number``."""
    return "\n".join(f"{key}: {text}" for key, text in _flat(values, ""))


def _flat(values: Mapping[str, Any], before: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{before}{key}.")
        elif isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
            rows.append((f"{before}{key}", ", ".join(map(_text, value))))
        else:
            rows.append((f"{before}{key}", _text(value)))
    return rows


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _json(text: str, path: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _broken("JSON", error.msg[:1].lower() + error.msg[1:], path, error.lineno) from None
    except RecursionError:
        raise _broken("JSON", Message("nested too deeply"), path, 1) from None


def _yaml(text: str, path: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise _broken("YAML", str(error.problem), path, mark.line + 1 if mark else 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _broken("YAML", str(error).partition("\n")[0], path, 1) from None


def _toml(text: str, path: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _broken("TOML", Message("nested too deeply"), path, 1) from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\s*\(at line (\d+), column \d+\)", str(error))
        reason = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise _broken(
            "TOML", reason[:1].lower() + reason[1:], path, int(found[1]) if found else text.count("\n") + 1
        ) from None


def _lines(text: str, path: str) -> dict[str, str]:
    values = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.match(line)
        if found is None:
            raise InputError(
                Message("no key with a value: {line!r}", line=line.strip()[:60]),
                what=f"{path}:{number}",
                code="usage",
                hint="write it as key: value",
            )
        values[found[1]] = found[2]
    return values


def _broken(form: str, reason: str, path: str, line: int) -> InputError:
    code = "invalid-json" if form == "JSON" else "invalid-keyed"
    return InputError(
        Message("not valid {form}: {reason}", form=form, reason=reason),
        what=f"{path}:{line}",
        code=code,  # type: ignore[arg-type]
    )
