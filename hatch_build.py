"""Build hook: lays out the vocabulary tables from the compressed rank files, and the rule packs as JSON.

It does so for wheels and editable installs, when the package is built, so that no first use ever pays for it or needs a
writable installation.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VOCABULARIES = Path("src/tokaudit/tokenizers/vocabularies")
RULES = Path("src/tokaudit/rules")
RANK_FILES = ("cl100k_base", "kimi-k2", "o200k_base", "p50k_base", "qwen3", "r50k_base", "tekken")
"""Vocabularies that the bulk path loads as a rank file: writing one takes a quarter of its loading."""


class TableBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Writes ``vocabularies/tables/*.table`` and ``rules/*.json`` into the source tree and has them packed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing or older than what it is made of."""
        del version
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "src"))
        try:
            self._build_tables(root)
            self._build_packs(root)
        finally:
            sys.path.remove(str(root / "src"))
        build_data["artifacts"].append(str(VOCABULARIES / "tables" / "*.table"))
        build_data["artifacts"].append(str(VOCABULARIES / "tables" / "*.tiktoken"))
        build_data["artifacts"].append(str(RULES / "*.json"))
        for pack in sorted((root / "rules").glob("*.yaml")):
            build_data["force_include"][str(pack)] = f"tokaudit/rules/{pack.name}"

    def _build_packs(self, root: Path) -> None:
        """The compiled packs of the rule packs (``store/pack_compiler.py``), by the code of this very tree."""
        from tokaudit.store.pack_compiler import compile_packs  # noqa: PLC0415 - needs the path

        compile_packs(root / RULES)

    def _build_tables(self, root: Path) -> None:
        folder = root / VOCABULARIES
        from tokaudit.tokenizers import table  # noqa: PLC0415 - needs the path

        builder = Path(table.__file__)
        (folder / "tables").mkdir(exist_ok=True)
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        for name, entry in manifest["vocabularies"].items():
            if entry["format"] != "ranks":
                continue
            packed = folder / f"{name}.ranks.xz"
            target = folder / "tables" / f"{name}.table"
            newest = max(packed.stat().st_mtime, builder.stat().st_mtime)
            ranks = [target.with_suffix(".tiktoken")] if name in RANK_FILES else []
            if all(path.exists() and path.stat().st_mtime >= newest for path in (target, *ranks)):
                continue
            tokens, splits = table.unpack_ranks(packed.read_bytes())
            for path in ranks:
                _write(path, table.rank_file(table.without_holes(tokens)))
            _write(target, table.build_table(tokens, splits))


def _write(path: Path, data: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)
