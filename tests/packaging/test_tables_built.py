"""The build hook: tables of an older format, trees that cannot be written, compilers that fail."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from places import ROOT
from tokaudit.tokenizers import table

BUILD = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from pathlib import Path; import hatch_build as b;"
    "b.VOCABULARIES = Path(sys.argv[3]);"
    "b._is_new = lambda path, sources: path.exists();"
    "root = Path(sys.argv[1]);"
    "b.TokauditBuildHook(sys.argv[1], {}, None, None, sys.argv[3], 'wheel')._build_tables(root, root)"
)


@pytest.fixture
def hook_module():
    pytest.importorskip("hatchling")
    if not (ROOT / "hatch_build.py").is_file():
        pytest.skip("an installed package has no build hook")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


@pytest.mark.parametrize("read_only", [False, True])
def test_a_tree_that_cannot_be_written_is_left_as_it_is(tmp_path, hook_module, monkeypatch, read_only):
    """A mount that is read-only is needed to see it whole, as is one for a user without rights: root may write all."""
    tables = tmp_path / hook_module.VOCABULARIES / "tables"
    tables.mkdir(parents=True)
    (tables / "kept.table").write_bytes(b"kept")
    folders = [folder for folder, _, _ in hook_module.EXTENSIONS]
    for folder in (*folders, hook_module.STORE, hook_module.PROGRAMS):
        (tmp_path / folder).mkdir(parents=True)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    hook = hook_module.TokauditBuildHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel")
    monkeypatch.setattr(hook, "_build_tables", lambda root, out: (out / tables.relative_to(root) / "new").touch())
    monkeypatch.setattr(hook, "_build_packs", lambda out: None)
    monkeypatch.setattr(hook, "_build_programs", lambda root, out: None)
    monkeypatch.setattr(hook, "_build_extensions", lambda root, out: [])
    if read_only:
        monkeypatch.setattr(tempfile, "TemporaryFile", _refused)
    data = {"artifacts": [], "force_include": {}}
    hook.initialize("standard", data)
    if not read_only:
        assert (tables / "new").is_file()
        assert data["force_include"] == {}
        return
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    folder = "tokaudit/tokenizers/vocabularies/tables"
    prices = "tokaudit/store/prices.json"
    assert sorted(data["force_include"].values()) == [prices, f"{folder}/kept.table", f"{folder}/new"]
    assert all(Path(path).is_file() for path in data["force_include"])
    with pytest.raises(OSError, match="an editable installation builds into its source tree: no"):
        hook.initialize("editable", data)


def _refused(**_):
    raise OSError("no")


def test_a_compiler_that_fails_is_one_short_line(tmp_path, monkeypatch):
    pytest.importorskip("hatchling")
    pytest.importorskip("setuptools")
    if not (ROOT / "hatch_build.py").is_file() or sys.platform == "win32":
        pytest.skip("an installed package has no build hook, and Windows names compilers otherwise")
    monkeypatch.setenv("CC", "/bin/false")
    monkeypatch.delenv("TOKAUDIT_NATIVE", raising=False)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import hatch_build as b\n"
        "class App:\n    display_warning = staticmethod(lambda text: print('WARNING', text))\n"
        "hook = b.TokauditBuildHook(sys.argv[1], {}, None, None, '', 'wheel', App())\n"
        "assert hook._build_extensions(Path(sys.argv[1]), Path(sys.argv[2])) == []"
    )
    command = [sys.executable, "-c", code, str(ROOT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (warning,) = [line for line in done.stdout.splitlines() if line.startswith("WARNING")]
    assert warning.startswith("WARNING without the native core, which cannot be compiled here: ")
    assert "false" in warning
    assert warning.endswith("failed with exit code 1")
    assert len(warning) < 120


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (subprocess.CalledProcessError(1, ["/bin/cc", "-O3", "-I/usr/include"]), "/bin/cc failed with exit code 1"),
        (subprocess.CalledProcessError(4, "cl.exe"), "cl.exe failed with exit code 4"),
        (OSError("the compiler has written nothing"), "compiling\nfailed"),
    ],
)
def test_the_reason_is_the_program_that_failed(hook_module, cause, reason):
    error = ValueError("compiling\nfailed")
    error.__cause__ = cause
    assert hook_module._reason(error) == reason.partition("\n")[0]
    assert hook_module._reason(ValueError()) == "ValueError"
