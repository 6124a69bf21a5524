"""The build hook's tables: one of an older format is built again, however new the file is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from places import ROOT
from tokaudit.tokenizers import table

BUILD = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from pathlib import Path; import hatch_build as b;"
    "b.VOCABULARIES = Path(sys.argv[3]);"
    "b._is_new = lambda path, sources: path.exists();"
    "b.TokauditBuildHook(sys.argv[1], {}, None, None, sys.argv[3], 'wheel')._build_tables(Path(sys.argv[1]))"
)


@pytest.mark.parametrize("old", [b"TOKTAB02", b"", table.MAGIC + b" kept"])
def test_a_table_of_another_format_is_built_again(tmp_path, old):
    pytest.importorskip("hatchling")
    if not (ROOT / "hatch_build.py").is_file():
        pytest.skip("an installed package has no build hook")
    folder = ROOT / "src/tokaudit/tokenizers/vocabularies"
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))["vocabularies"]
    name = min(
        (name for name, entry in manifest.items() if entry["format"] == "ranks"),
        key=lambda name: (folder / f"{name}.ranks.xz").stat().st_size,
    )
    (tmp_path / f"{name}.ranks.xz").write_bytes((folder / f"{name}.ranks.xz").read_bytes())
    (tmp_path / "manifest.json").write_text(json.dumps({"vocabularies": {name: manifest[name]}}), "utf-8")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "classes.bin").write_bytes(b"")
    target = tmp_path / "tables" / f"{name}.table"
    target.write_bytes(old)
    subprocess.run([sys.executable, "-c", BUILD, str(ROOT), str(ROOT / "src"), str(tmp_path)], check=True)
    if old.startswith(table.MAGIC):
        assert target.read_bytes() == old
    else:
        assert target.read_bytes().startswith(table.MAGIC)
        assert target.stat().st_size > 1000
