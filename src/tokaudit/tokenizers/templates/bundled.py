"""The chat templates that travel with the package, and those that another package brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "jinja"
PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of ``manifest.json``."""

    name: str
    kind: str
    """jinja, or the name of a program of ours: deepseek-v4, mistral."""
    tokenizer: str
    models: tuple[str, ...]
    """Models of the catalog that use it."""
    source: str
    """Package, version and file that it was taken from."""
    licence: str
    owner: str
    sha256: str = ""
    """Of the template's UTF-8."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    """Special tokens that it writes."""
    ordinary: tuple[str, ...] = ()
    """Patterns of control tokens of the vocabulary that are ordinary text to this model."""
    added: tuple[str, ...] = ()
    """Control tokens that the vocabulary's manifest does not name."""
    shape: Mapping[str, bool] = field(default_factory=dict)
    """What it wants of messages (``chat_template.Shape``)."""
    thinking: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The variable that asks for reasoning, with its values for yes and no; ``enable_thinking`` where it is empty."""
    file: str = ""
    """Path within the package that brings a template without a licence to travel."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of a program of ours."""
    writes_tools: bool = True
    """False where the template leaves tool definitions out."""
    note: str = ""

    def controls(self, special: Mapping[str, int] | tuple[str, ...]) -> set[str]:
        """The control tokens of the model, from those of its vocabulary."""
        found = {token for token in special if not any(fnmatchcase(token, one) for one in self.ordinary)}
        return found | set(self.added)


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """All rows by name."""
    import json

    rows: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("manifest.json").read_text("utf-8"))[
        "templates"
    ]
    tuples = ("models", "ordinary", "added")
    found = {}
    for name, row in rows.items():
        values: dict[str, Any] = {key: tuple(value) if key in tuples else value for key, value in row.items()}
        found[name] = Entry(name=name, **values)
    return found


@lru_cache(maxsize=1)
def by_model() -> Mapping[str, Entry]:
    """The row of each model of the catalog that has one."""
    return {model: entry for entry in entries().values() for model in entry.models}


def template_text(entry: Entry) -> str | None:
    """The template; None where the package that brings it is not installed."""
    if not entry.file:
        return (FOLDER / f"{entry.name}.jinja").read_text("utf-8")
    from importlib.util import find_spec

    module, _, path = entry.file.partition("/")
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    found = Path(next(iter(spec.submodule_search_locations))) / path
    if not found.is_file():
        return None
    text = found.read_text("utf-8")
    if found.suffix == ".json":
        import json

        text = json.loads(text)["chat_template"]
    return text
