"""Keys of ``tokaudit check``: growth, shares, values by model, prices, and savings of packs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tokaudit.model import UsageError
from tokaudit.model.gates import ANY_MODEL, Growth, SlimGate
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.store.key_kinds import BadPartsError, BadValueError, Key, Number, Problem, Texts, described

T = TypeVar("T")

# A share is kept in whole millionths, so that four decimals of a percentage are exact, and more would not be.
_PERCENT = r"[0-9]{1,9}(?:\.[0-9]{1,4})?[ ]?%"
_TOKENS = r"([0-9]{1,15})(?:[ ]?tokens?)?"
_GROWTH_WORDS = "a percentage such as '5%', a number of tokens, or { tokens = 50 }"
_DOTTED = '; a name with a dot needs quotes: "gpt-4.1" = ...'


def parse_growth(text: str) -> Growth:
    """Growth as it is written on the command line: ``5%``, ``50`` or ``50 tokens``. Raises ``UsageError``."""
    try:
        return _growth_of(text)
    except BadValueError as error:
        raise UsageError(
            Message("growth {error}", error=error), hint="as in --max-growth 5% or --max-growth 50"
        ) from error


def parse_slim_gate(text: str) -> SlimGate:
    """A pack and the most that it may save: ``cn=5%``, ``cn=50``; ``cn`` alone: nothing. Raises ``UsageError``."""
    try:
        return _gate_of(text)
    except BadValueError as error:
        raise UsageError(Message("'{key}' {error}", key=text, error=error), hint="as in --slim-check cn=5%") from error


def _growth_of(text: str) -> Growth:
    written = text.strip()
    if match := re.fullmatch(_TOKENS, written):
        return Growth(tokens=int(match[1]))
    return Growth(millionths=_millionths(written, Message("be a percentage such as '5%' or a number of tokens")))


def _millionths(text: str, wanted: str) -> int:
    """A percentage in millionths of the whole, without ever being a float."""
    if re.fullmatch(_PERCENT, text):
        whole, _, decimals = text.rstrip("% ").partition(".")
        return int(whole) * 10_000 + int(decimals.ljust(4, "0"))
    if re.fullmatch(r"[0-9]+\.[0-9]{5,}[ ]?%", text):
        raise BadValueError(Message("must have no more than four decimals, not '{text}'", text=text))
    if re.fullmatch(r"-[0-9.]+[ ]?%?", text):
        raise BadValueError(Message("must not be negative, and is '{text}'", text=text))
    raise BadValueError(Message("must {wanted}, not {text}", wanted=wanted, text=described(text)))


def _gate_of(text: str) -> SlimGate:
    pack, given, allowed = text.rpartition("=")
    pack = (pack if given else allowed).strip()
    if not pack:
        raise BadValueError("must begin with a pack, as in 'cn=5%'")
    return SlimGate(pack, _growth_of(allowed) if given else Growth(millionths=0))


class Allowed(Key):
    """Growth: a percentage, or tokens."""

    @property
    def schema(self) -> dict[str, Any]:
        tokens = {"type": "integer", "minimum": 0}
        return {
            "anyOf": [
                {"type": "string", "pattern": f"^\\s*(?:{_PERCENT}|{_TOKENS})\\s*$"},
                tokens,
                {
                    "type": "object",
                    "properties": {"tokens": tokens},
                    "required": ["tokens"],
                    "additionalProperties": False,
                },
            ]
        }

    def check(self, value: Any) -> Growth:
        if isinstance(value, dict) and set(value) == {"tokens"}:
            value = value["tokens"]
            if not isinstance(value, int) or isinstance(value, bool):
                raise BadValueError(Message("must have a whole number of tokens, not {value}", value=described(value)))
        if isinstance(value, str):
            return _growth_of(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadValueError(
                Message("must be {form}, not {value}", form=Message(_GROWTH_WORDS), value=described(value))
            )
        if value < 0:
            raise BadValueError(Message("must not be negative, and is {value}", value=value))
        return Growth(tokens=value)


class Share(Key):
    """A percentage of more than nothing and at most the whole, as a number of at most 1."""

    @property
    def schema(self) -> dict[str, Any]:
        most = r"(?:0*[0-9]{1,2}(?:\.[0-9]{1,4})?|0*100(?:\.0{1,4})?)[ ]?%"
        return {"type": "string", "pattern": rf"^\s*(?!0+(?:\.0+)?[ ]?%){most}\s*$"}

    def check(self, value: Any) -> float:
        if not isinstance(value, str):
            raise BadValueError(Message("must be a percentage such as '90%', not {value}", value=described(value)))
        millionths = _millionths(value.strip(), Message("be a percentage such as '90%'"))
        if not 0 < millionths <= 1_000_000:
            raise BadValueError(Message("must be above 0% and at most 100%, not '{value}'", value=value))
        return millionths / 1_000_000


class Prices(Key):
    """A table of models with a price each."""

    @property
    def in_file_only(self) -> str:
        return 'prices = { "gpt-4o" = 2.5 }'

    @property
    def schema(self) -> dict[str, Any]:
        return _table_schema(Number("", zero=True))

    def check(self, value: Any) -> dict[str, float]:
        if not isinstance(value, dict):
            raise BadValueError(
                Message('must be a table of models, as in {{ "gpt-4o" = 2.5 }}, not {value}', value=described(value))
            )
        return _by_model("prices", value, Number("", zero=True).check)


@record
class ByModel(Key):
    """A value for every model, or a table with one for each; ``*`` is every model that is not named."""

    name: str
    kind: Key

    @property
    def schema(self) -> dict[str, Any]:
        table = _table_schema(self.kind)
        if isinstance(self.kind, Allowed):
            table["not"] = {"required": ["tokens"]}
        return {"anyOf": [self.kind.schema, table]}

    def check(self, value: Any) -> dict[str, Any]:
        is_limit = isinstance(self.kind, Allowed) and isinstance(value, dict) and "tokens" in value
        if not isinstance(value, dict) or is_limit:
            if is_limit and len(value) > 1:
                raise BadValueError("must be { tokens = 50 } or a table of models, not both")
            return {ANY_MODEL: self.kind.check(value)}
        return _by_model(self.name, value, self.kind.check)


def _table_schema(kind: Key) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": kind.schema,
        "propertyNames": {"minLength": 1},
        "minProperties": 1,
    }


def _by_model(name: str, value: Mapping[str, Any], check: Callable[[Any], T]) -> dict[str, T]:
    if not value:
        raise BadValueError("must name at least one model")
    found: dict[str, T] = {}
    problems: list[Problem] = []
    for model, given in value.items():
        try:
            found[model] = check(given)
            if not model.strip():
                problems.append(
                    ((model,), Message("'{name}' must have the name of a model, not an empty one", name=name))
                )
        except BadValueError as error:
            dotted = Message(_DOTTED) if isinstance(given, dict) else ""
            problems.append(
                (
                    (model,),
                    Message(
                        "'{name}' of '{model}' {error}{dotted}", name=name, model=model, error=error, dotted=dotted
                    ),
                )
            )
    if problems:
        raise BadPartsError(problems)
    return found


class SlimGates(Key):
    """A list of packs, each with the most that it may save."""

    @property
    def schema(self) -> dict[str, Any]:
        pattern = f"^(?:[^=]+|.*[^=\\s].*=\\s*(?:{_PERCENT}|{_TOKENS})\\s*)$"
        return {"type": "array", "items": {"type": "string", "pattern": pattern}}

    def check(self, value: Any) -> tuple[SlimGate, ...]:
        gates: dict[str, SlimGate] = {}
        problems: list[Problem] = []
        for number, text in enumerate(Texts("").check(value)):
            try:
                gate = _gate_of(text)
            except BadValueError as error:
                problems.append(((number,), Message("'slim_check' of '{text}' {error}", text=text, error=error)))
                continue
            if gate.pack in gates:
                problems.append(((number,), Message("'slim_check' names the pack '{pack}' twice", pack=gate.pack)))
            gates[gate.pack] = gate
        if problems:
            raise BadPartsError(problems)
        return tuple(gates.values())

    def parse(self, text: str) -> tuple[SlimGate, ...]:
        return self.check([part.strip() for part in text.split(",") if part.strip()])
