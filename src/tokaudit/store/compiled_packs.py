"""Compiled packs: what the YAML of the built-in packs says, checked and as JSON, which loads in a tenth of the time.

They are written when the package is built (``hatch_build.py``). A compiled pack that is not of the very file is not
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
_FORMAT = 1


def compiled_pack(file: Path, digest: str) -> Data | None:
    """What the compiled pack of a built-in pack says, or None where there is none of this very file."""
    path = FOLDER / f"{file.stem}.json"
    try:
        content: Any = json.loads(path.read_bytes())
        # Only in a source tree do packs and compiled packs lie apart, and only there can what made them change.
        stale = file.parent != FOLDER and path.stat().st_mtime < _newest_maker()
    except (OSError, ValueError):
        return None
    if stale or content.get("format") != _FORMAT or content.get("sha256") != digest:
        return None
    data: Data = content["pack"]
    return data


def compile_packs(folder: Path = FOLDER) -> None:
    """Write the compiled packs of all built-in packs into a folder, and remove those of packs that are gone.

    Raises:
        RuleError: One of them cannot be loaded.
    """
    from tokaudit.store.pack_files import builtin_names

    folder.mkdir(parents=True, exist_ok=True)
    for name in builtin_names():
        compile_pack(name, folder)
    for path in folder.glob("*.json"):
        if path.stem not in builtin_names():
            path.unlink()


def compile_pack(name: str, folder: Path) -> None:
    """Write the compiled pack of one built-in pack. Raises ``RuleError`` if it cannot be loaded."""
    from tokaudit.store.pack_files import builtin_folder
    from tokaudit.store.packs import checked_data

    digest, data = checked_data(builtin_folder() / f"{name}.yaml")
    content = {"format": _FORMAT, "sha256": digest, "pack": data}
    path = folder / f"{name}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    part.replace(path)


def _newest_maker() -> float:
    """When the ops or the loader last changed."""
    newest = 0.0
    for folder in (_PACKAGE / "pipeline" / "ops", _PACKAGE / "store"):
        with os.scandir(folder) as entries:
            newest = max(newest, *(entry.stat().st_mtime for entry in entries if entry.name.endswith(".py")))
    return newest
