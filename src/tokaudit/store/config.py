"""Configuration: options over ``TOKAUDIT_*`` variables over the nearest ``tokaudit.toml`` or ``[tool.tokaudit]``."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokaudit.model import ConfigError, InputError
from tokaudit.model.message import Message, joined, reason_of
from tokaudit.model.record import record

if TYPE_CHECKING:
    from tokaudit.model.gates import Budget, Growth, SlimGate
    from tokaudit.store.slim_keys import SlimConfig
    from tokaudit.store.window_keys import WindowConfig

# Most runs have no configuration: the modules that check one are imported only where there is one.

DEFAULT_MODELS = ("gpt-4o", "qwen3", "deepseek-v3", "glm-4.5")
"""One of each large family, for when nobody names a model."""

PREFIX = "TOKAUDIT_"
_VOCABULARIES = (".json", ".model", ".tiktoken")
_PACKS = (".yaml", ".yml")
_BY_MODEL = ("max_tokens", "max_growth")
"""Of the keys of a budget those that may be tables by model."""
_IN_PYPROJECT = ("tool", "tokaudit")
_TOOL = "unknown key 'tool'; in this file keys are without 'tool.tokaudit'"
_TABLE = re.compile(rb"^[ \t]*(?:\[[ \t]*){0,2}tool[ \t]*\.[ \t]*tokaudit[ \t]*[\].=]", re.MULTILINE)

Where = tuple[str | int, ...]
"""Path of a key in a TOML text, with the indexes of tables and elements in lists."""


@record
class Config:
    """The configuration, None for what is unset. ``keys.KEYS`` describes each field."""

    models: tuple[str, ...] | None = None
    charset: str | None = None
    errors: str | None = None
    density_threshold: float | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    max_file_size: int | None = None
    format: str | None = None
    color: str | None = None
    jobs: int | None = None
    special: bool | None = None
    gitignore: bool | None = None
    download: bool | None = None
    budget: tuple[Budget, ...] | None = None
    max_growth: Growth | None = None
    baseline: str | None = None
    line_ends: str | None = None
    slim_check: tuple[SlimGate, ...] | None = None
    slim: SlimConfig | None = None
    window: WindowConfig | None = None
    lang: str | None = None
    requests_per_month: int | None = None
    prices: Mapping[str, float] | None = None
    currency: str | None = None
    cache: bool | None = None
    pdf_engine: str | None = None
    pdf_tables: bool | None = None


def find_config(start: Path) -> Path | None:
    """The nearest configuration file, from a folder (or a file's folder) upwards.

    In one folder ``tokaudit.toml`` goes before a ``pyproject.toml`` that has ``[tool.tokaudit]``. Nothing is parsed.
    """
    origin = Path(start).resolve()
    for folder in (origin, *origin.parents):
        own = folder / "tokaudit.toml"
        if _is_file(own):
            return own
        shared = folder / "pyproject.toml"
        if _is_file(shared) and _mentions(shared):
            return shared
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder above that we may not look into
        return False


def _mentions(pyproject: Path) -> bool:
    try:
        content = pyproject.read_bytes()
    except OSError:  # a folder above that is not ours
        return False
    return b"tool.tokaudit" in content and _TABLE.search(content) is not None


def load_config(path: Path) -> Config:
    """The configuration in a file.

    Args:
        path: A ``pyproject.toml``, of which only ``[tool.tokaudit]`` counts, or any other TOML file.

    Raises:
        ConfigError: The file cannot be read, is not TOML, or has unknown keys or wrong values. All of the latter are
            in one message, a line each; path, line and column of the error are those of the first.
    """
    from tokaudit.store.key_kinds import checked_table
    from tokaudit.store.keys import KEYS

    name = _relative(path)
    text = _read(path, name)
    content: Any = _parsed(text, name)
    prefix = _IN_PYPROJECT if path.name == "pyproject.toml" else ()
    for part in prefix:
        content = content.get(part, {}) if isinstance(content, dict) else content
    if not isinstance(content, dict):
        raise _collected([(prefix, "must be a table")], text, name)
    values, problems = checked_table(content, KEYS)
    wrong = [((*prefix, *inside), _TOOL if inside == ("tool",) else message) for inside, message in problems]
    if wrong:
        raise _collected(wrong, text, name)
    return Config(**_placed(values, path.parent, text, prefix))


def refuse_models(
    path: Path, budgets: Sequence[Budget], prices: Mapping[str, float], fault: Callable[[str], str]
) -> None:
    """Refuse limits and prices of unknown models, which would be ignored in silence.

    ``fault`` gives the reason that a name is of no model; empty where it is of one. Raises ``ConfigError`` with all
    that are wrong, as ``load_config`` does.
    """
    tables: list[tuple[Where, Mapping[str, Any]]] = [(("prices",), prices)]
    tables += [
        (("budget", number, key), getattr(budget, key)) for number, budget in enumerate(budgets) for key in _BY_MODEL
    ]
    faults = {model: fault(model) for model in dict.fromkeys(model for _, table in tables for model in table)}
    wrong = [
        ((*where, model), Message("'{key}': {fault}", key=where[-1], fault=faults[model]))
        for where, table in tables
        for model in table
        if faults[model]
    ]
    if wrong:
        prefix = _IN_PYPROJECT if path.name == "pyproject.toml" else ()
        name = _relative(path)
        raise _collected([((*prefix, *where), message) for where, message in wrong], _read(path, name), name)


def environment_config(environ: Mapping[str, str]) -> Config:
    """The configuration in ``TOKAUDIT_*`` variables, one for each key; an empty variable counts as unset.

    Tables have none. A variable of another name is not ours to judge, unless it is almost one of these.

    Raises:
        ConfigError: A value is malformed, or a variable's name is nearly that of a key. All are in one message.
    """
    ours = {name: text.strip() for name, text in sorted(environ.items()) if name.startswith(PREFIX) and text.strip()}
    if not ours:
        return Config()
    from difflib import get_close_matches

    from tokaudit.store.key_kinds import BadPartsError, BadValueError
    from tokaudit.store.keys import KEYS

    values: dict[str, Any] = {}
    wrong: list[str] = []
    for variable, text in ours.items():
        name = variable[len(PREFIX) :].lower()
        if name in KEYS and (written := KEYS[name].in_file_only):
            wrong.append(
                Message(
                    "{variable} cannot be set by a variable; write {written} in the configuration file",
                    variable=variable,
                    written=written,
                )
            )
        elif name in KEYS:
            try:
                values[name] = KEYS[name].parse(text)
            except BadPartsError as error:
                wrong += [joined(": ", variable, message) for _, message in error.problems]
            except BadValueError as error:
                wrong.append(Message("{variable} {error}", variable=variable, error=error))
        elif near := get_close_matches(name, KEYS, n=1, cutoff=0.8):
            wrong.append(
                Message(
                    "unknown variable {variable}; did you mean {prefix}{near}?",
                    variable=variable,
                    prefix=PREFIX,
                    near=near[0].upper(),
                )
            )
    if wrong:
        raise ConfigError(joined("\n", *wrong))
    return Config(**values)


def resolve(flags: Config, environ: Mapping[str, str], file: Config | None = None) -> Config:
    """The value of each key: the flag, else the variable, else the file, else None. Raises ``ConfigError``."""
    layers = [flags, environment_config(environ), *([file] if file else [])]
    values = {item.name: [getattr(layer, item.name) for layer in layers] for item in fields(Config)}
    return Config(**{name: next((v for v in found if v is not None), None) for name, found in values.items()})


def configured(flags: Config) -> tuple[Config, Path | None]:
    """The configuration of this run, options over variables over the nearest file; and that file.

    Raises:
        ConfigError: A file or a variable is wrong.
        InputError: The working directory does not exist any more.
    """
    try:
        folder = Path.cwd()
    except OSError as error:
        raise InputError("the working directory does not exist any more", hint="cd to one that does") from error
    path = find_config(folder)
    return resolve(flags, os.environ, load_config(path) if path is not None else None), path


def config_schema() -> dict[str, Any]:
    """JSON Schema of ``tokaudit.toml`` and of ``[tool.tokaudit]``; published as ``schemas/config.schema.json``."""
    from tokaudit.store.keys import KEYS

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:tokaudit:schema:config",
        "title": "Configuration of tokaudit",
        "description": "The keys of tokaudit.toml, or of the table [tool.tokaudit] in pyproject.toml.",
        "type": "object",
        "properties": {name: {"description": key.summary, **key.schema} for name, key in KEYS.items()},
        "additionalProperties": False,
    }


def _read(path: Path, name: str) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            Message("cannot read the configuration: {reason}", reason=reason_of(error)), path=name
        ) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError("the file is not UTF-8", hint="save it as UTF-8", path=name, line=line) from error


def _parsed(text: str, name: str) -> dict[str, Any]:
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        content: dict[str, Any] = toml.loads(text)
    except toml.TOMLDecodeError as error:
        # Python 3.14 has the place as attributes; before, it is only in the message, as it is in tomli's.
        message = re.sub(r"\s*\(at (?:line \d+, column \d+|end of document)\)$", "", str(error))
        found = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
        end = text.rstrip("\n")
        line = int(found[1]) if found else end.count("\n") + 1
        column = int(found[2]) if found else len(end) - end.rfind("\n")
        hint = Message('mend the line; a text stands in quotes, a list in brackets: models = ["gpt-4o", "qwen3"]')
        raise ConfigError(
            Message("not valid TOML: {reason}", reason=message), hint=hint, path=name, line=line, column=column
        ) from error
    return content


def _placed(values: dict[str, Any], folder: Path, text: str, prefix: tuple[str, ...]) -> dict[str, Any]:
    """The values of a file with paths for a run in another folder, and with the lines of the budgets."""
    if "models" in values:
        values["models"] = tuple(_from_here(model, folder, _VOCABULARIES) for model in values["models"])
    if values.get("prices"):
        values["prices"] = _by_model_from_here(values["prices"], folder)
    if "slim_check" in values:
        gates = values["slim_check"]
        values["slim_check"] = tuple(replace(gate, pack=_from_here(gate.pack, folder, _PACKS)) for gate in gates)
    if "slim" in values and values["slim"].rules:
        slim = values["slim"]
        values["slim"] = replace(slim, rules=tuple(_pack_from_here(name, folder) for name in slim.rules))
    if values.get("budget"):
        from tokaudit.store.toml_places import key_places

        places = key_places(text)
        values["budget"] = tuple(
            replace(
                budget,
                **{key: _by_model_from_here(getattr(budget, key), folder) for key in _BY_MODEL},
                line=_nearest_place((*prefix, "budget", number), places)[0],
            )
            for number, budget in enumerate(values["budget"])
        )
    return values


def _collected(wrong: list[tuple[Where, str]], text: str, name: str) -> ConfigError:
    """One error of all that is wrong, in the order of the file."""
    from tokaudit.store.toml_places import key_places

    places = key_places(text)
    placed = sorted((_nearest_place(path, places), reason) for path, reason in wrong)
    (line, column), message = placed[0]
    rest = [joined(": ", f"{name}:{place[0]}:{place[1]}", reason) for place, reason in placed[1:]]
    return ConfigError(joined("\n", message, *rest), path=name, line=line, column=column)


def _nearest_place(path: Where, places: Mapping[Where, tuple[int, int]]) -> tuple[int, int]:
    """Place of a key; of the first key below it where it is only implied, as ``a`` is by ``a.b``; of its table."""
    below = [place for known, place in places.items() if known[: len(path)] == path]
    if below:
        return min(below)
    return _nearest_place(path[:-1], places) if path else (1, 1)


def _from_here(name: str, folder: Path, suffixes: tuple[str, ...]) -> str:
    """A model or pack as named, or the path of its file beside the configuration, for a run in another folder."""
    is_path = "/" in name or name.endswith(suffixes)
    if not is_path or name.startswith("hf:") or Path(name).is_absolute() or not (folder / name).exists():
        return name
    return _relative(folder / name)


def _pack_from_here(name: str, folder: Path) -> str:
    plus = "+" if name.startswith("+") else ""
    return plus + _from_here(name.removeprefix("+"), folder, _PACKS)


def _by_model_from_here(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A table by model, whose names are as those of ``models``."""
    return {_from_here(model, folder, _VOCABULARIES): value for model, value in table.items()}


def _relative(path: Path) -> str:
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()
