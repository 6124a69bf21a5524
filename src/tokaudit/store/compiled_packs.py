"""Compiled packs: the built-in packs, checked and as JSON, which loads in a tenth of the time that YAML takes.

They are written when the package is built (``pack_compiler.py``). A compiled pack that is not of the very file is not
used, and neither is one that is older than what it was made with; the YAML is then read, with the same outcome.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokaudit.store.pack_check import Data

_PACKAGE = Path(__file__).parents[1]
FOLDER = _PACKAGE / "rules"
FORMAT = 1


def compiled_pack(file: Path, digest: str) -> Data | None:
    """The data of the compiled pack of a file; None if there is none, or one of another state of the file."""
    path = FOLDER / f"{file.stem}.json"
    try:
        content: Any = json.loads(path.read_bytes())
        # Only in a source tree do packs and compiled packs lie apart, and only there can what made them change.
        stale = file.parent != FOLDER and path.stat().st_mtime < _newest_maker()
    except (OSError, ValueError):
        return None
    if stale or content.get("format") != FORMAT or content.get("sha256") != digest:
        return None
    data: Data = content["pack"]
    return data


def _newest_maker() -> float:
    """Time of the last change of the ops or the loader."""
    newest = 0.0
    for folder in (_PACKAGE / "pipeline" / "ops", _PACKAGE / "store"):
        with os.scandir(folder) as entries:
            newest = max(newest, *(entry.stat().st_mtime for entry in entries if entry.name.endswith(".py")))
    return newest
