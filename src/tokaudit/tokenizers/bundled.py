"""The vocabularies that travel with the package, and those that an extra or another package brings."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokaudit.model.message import Message
from tokaudit.model.record import record

FOLDER = Path(__file__).parent / "vocabularies"
_OLDEST = (3, 10)
"""Version of Python from which on this package runs."""


@lru_cache(maxsize=1)
def manifest() -> Mapping[str, Mapping[str, Any]]:
    """``vocabularies/manifest.json``: what is known of each bundled vocabulary, by tokenizer name."""
    import json

    loaded: dict[str, dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["vocabularies"]
    return loaded


def table_path(name: str) -> Path:
    """Path of the table of a bundled byte-level vocabulary."""
    return FOLDER / "tables" / f"{manifest()[name].get('table', name)}.table"


@record
class ExternalTokenizer:
    """A tokenizer that may not be bundled, and how to get it."""

    backend: str
    package: str
    """Distribution that brings it."""
    module: str
    """Top-level module of that distribution."""
    command: str
    """The one command that makes the tokenizer usable."""
    licence: str
    size: int
    exact: bool = True
    file: str = ""
    """Path of the vocabulary inside the module's folder, for a package that is only read, never imported."""
    sha256: str = ""
    """Of that file, unzipped; of splintr's, of the ordinary tokens as a rank file (for llama-3 that is Meta's own)."""
    python: tuple[int, int] = _OLDEST
    """The least version of Python that the package takes."""

    @property
    def needs(self) -> str:
        """Condition for the command to help, a newer Python than this one; else nothing."""
        if sys.version_info[:2] >= self.python:
            return ""
        here, needed = (".".join(map(str, version)) for version in (sys.version_info[:2], self.python))
        return Message(
            "install tokaudit with Python {needed} or newer (this is {here}), then {command}",
            needed=needed,
            here=here,
            command=self.command,
        )

    @property
    def to_do(self) -> str:
        """Step that makes the tokenizer usable: ``needs``, or else ``command``."""
        return self.needs or self.command


@lru_cache(maxsize=1)
def external() -> Mapping[str, ExternalTokenizer]:
    """``external.json``: the tokenizers that may not be bundled, by name."""
    import json

    rows = json.loads(Path(__file__).with_name("external.json").read_text("utf-8"))
    return {
        name: ExternalTokenizer(**{**row, "python": tuple(row.get("python", _OLDEST))}) for name, row in rows.items()
    }


def package_file(entry: ExternalTokenizer) -> Path | None:
    """The vocabulary file of an installed package, found without importing the package."""
    from importlib.util import find_spec

    spec = find_spec(entry.module)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / entry.file
    return path if path.is_file() else None


def usable(entry: ExternalTokenizer) -> bool:
    """Check whether the package that brings a tokenizer is installed."""
    from importlib.util import find_spec

    if entry.file:
        return package_file(entry) is not None
    return find_spec(entry.module) is not None
