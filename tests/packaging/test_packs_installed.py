"""The rule packs of an installation: YAML to read and copy, and JSON compiled of it, which loads without YAML."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT
from tokaudit.store import compiled_packs
from tokaudit.store.pack_compiler import compile_pack
from tokaudit.store.pack_files import builtin_folder, builtin_names

LOAD = """
import sys
from tokaudit.store.packs import load_packs
assert len(load_packs({names}, examples=False)) == {number}
print(*sorted({{"jsonschema", "regex", "yaml"}} & {{*sys.modules}}))
"""


def test_there_are_packs():
    assert builtin_folder().is_dir()
    assert builtin_names()
    for name in builtin_names():
        assert (builtin_folder() / f"{name}.yaml").read_bytes().startswith((b"schema: ", b"# "))


def test_an_installed_package_has_each_compiled():
    if builtin_folder() != compiled_packs.FOLDER:
        pytest.skip("a source tree has them only where it was installed since the packs last changed")
    for name in builtin_names():
        assert (compiled_packs.FOLDER / f"{name}.json").is_file()


def test_compiled_packs_load_without_yaml(tmp_path):
    # A package as it is installed: the modules, with packs and compiled packs side by side.
    import tokaudit

    package = tmp_path / "tokaudit"
    package.mkdir()
    for part in Path(tokaudit.__file__).parent.iterdir():
        if part.name not in {"rules", "__pycache__"}:
            (package / part.name).symlink_to(part)
    (package / "rules").mkdir()
    for name in builtin_names():
        (package / "rules" / f"{name}.yaml").write_bytes((builtin_folder() / f"{name}.yaml").read_bytes())
        compile_pack(name, package / "rules")
    names = list(builtin_names())
    done = subprocess.run(
        [sys.executable, "-c", LOAD.format(names=names, number=len(names))],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []


def test_the_build_packs_yaml_and_compiled_packs(tmp_path):
    pytest.importorskip("hatchling")
    hook = ROOT / "hatch_build.py"
    if not hook.is_file():
        pytest.skip("an installed package has no build hook")
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import hatch_build as b;"
        "b.RULES = Path(sys.argv[2]); b.EXTENSIONS = (); root = sys.argv[1];"
        "hook = b.TokauditBuildHook(root, {}, None, None, sys.argv[2], 'wheel');"
        "data = {'artifacts': [], 'force_include': {}};"
        "hook.initialize('standard', data); print(json.dumps(data))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT), str(tmp_path)],
        env={**os.environ, "TOKAUDIT_NATIVE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    data = json.loads(done.stdout)
    assert {path: f"tokaudit/rules/{Path(path).name}" for path in data["force_include"]} == data["force_include"]
    assert {Path(path).stem for path in data["force_include"]} == {*builtin_names()}
    assert {path.stem for path in tmp_path.glob("*.json")} == {*builtin_names()}
    assert len(data["artifacts"]) == 4  # tables, packs, prices, programs of templates


def test_what_is_written_from_the_packs_is_up_to_date():
    script = ROOT / "scripts" / "write_rules_doc.py"
    if not script.is_file():
        pytest.skip("an installed package has no scripts")
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
