"""The second run of the tests, without the core, leaves out what it does not depend on, and nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import engine_use
from references import NATIVE

FILES = {
    "test_counts.py": "from tokaudit import load_tokenizer\n"
    "def test_it(): assert load_tokenizer('r50k_base').count('x')",
    # The same tokenizer once more: loaded, and kept, by another file's test.
    "test_counts_again.py": "from tokaudit import load_tokenizer\nimport tokaudit\n"
    "def test_plain(): pass\ndef test_it(): assert tokaudit.count('hello', ['r50k_base'])",
    "test_engine.py": "from tokaudit.tokenizers import native\ndef test_it(): native.engine_name()",
    "test_process.py": "import subprocess, sys\ndef test_it(): subprocess.run([sys.executable, '-c', ''], check=True)",
    "test_child.py": "import os\ndef test_it():\n    child = os.fork() if hasattr(os, 'fork') else os.system('')\n"
    "    if not child and hasattr(os, 'fork'): os._exit(0)\n    if child: os.waitpid(child, 0)",
    "test_fixture.py": "import pytest\nfrom tokaudit import load_tokenizer\n"
    "@pytest.fixture(scope='module')\ndef counted(): return load_tokenizer('r50k_base').count('x')\n"
    "def test_it(counted): assert counted == 1",
    "test_plain.py": "def test_one(): pass\ndef test_two(): pass",
    "test_knows.py": "NATIVE = True\ndef test_it(): assert NATIVE",
    "test_at_import.py": "from tokaudit.tokenizers.native import engine_name\n"
    "NAME = engine_name()\ndef test_it(): assert NAME",
    "test_all.py": "from tokaudit import load_tokenizer\nALL_ENGINES = True\n"
    "def test_it(): assert load_tokenizer('r50k_base').count('x')",
    "test_reads.py": "import json\ndef test_it(): assert json.loads('1')",
}
PLAIN = {"test_all.py", "test_plain.py", "test_reads.py"}
USED = {*FILES} - PLAIN


def run(folder: Path, *options: str, **environment: str) -> str:
    paths = [str(Path(engine_use.__file__).parent)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "engine_use", "-p", "no:cacheprovider", "-v", *options, str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTEST_ADDOPTS": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not NATIVE, reason="the first run is one with the core")
@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two"])
def test_what_does_not_depend_on_the_core_runs_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    notes = tmp_path / "notes.json"
    run(tmp_path, *options, TOKAUDIT_ENGINE_USE=str(notes))
    assert json.loads(notes.read_text("utf-8")) == {name: name in USED for name in FILES}
    (tmp_path / "test_new.py").write_text("def test_it(): pass", "utf-8")
    second = run(tmp_path, *options, TOKAUDIT_ENGINE_USE=str(notes), TOKAUDIT_NATIVE="0")
    assert {*re.findall(r"(test_\w+\.py)::", second)} == {*USED, "test_new.py"}
    assert "left out, as nothing of them depends on the core: test_all.py, test_plain.py, test_reads.py\n" in second
