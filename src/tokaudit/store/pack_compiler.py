"""Compiles the built-in packs when the package is built (``hatch_build.py``)."""

from __future__ import annotations

import json
from pathlib import Path

from tokaudit.store.compiled_packs import FOLDER, FORMAT
from tokaudit.store.pack_files import builtin_folder, builtin_names
from tokaudit.store.packs import checked_data


def compile_packs(folder: Path = FOLDER) -> None:
    """Write the compiled packs of all built-in packs into a folder, and remove those of packs that are gone.

    Raises:
        RuleError: One of them cannot be loaded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in builtin_names():
        compile_pack(name, folder)
    for path in folder.glob("*.json"):
        if path.stem not in builtin_names():
            path.unlink()


def compile_pack(name: str, folder: Path) -> None:
    """Write the compiled pack of one built-in pack. Raises ``RuleError`` if it cannot be loaded."""
    digest, data = checked_data(builtin_folder() / f"{name}.yaml")
    content = {"format": FORMAT, "sha256": digest, "pack": data}
    path = folder / f"{name}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    part.replace(path)
