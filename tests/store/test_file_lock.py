from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from tokaudit.model.measure import TokenizerRef
from tokaudit.store.file_lock import BusyError, locked
from tokaudit.store.measure_cache import MeasureCache

HOLDING = """
import sys
from tokaudit.store.file_lock import locked
with locked(sys.argv[1], wait=0):
    print("held", flush=True)
    sys.stdin.readline()
"""
ADDING = """
import sys
from pathlib import Path
from tokaudit.store.file_lock import locked
path = Path(sys.argv[1])
for _ in range(200):
    with locked(path, wait=60):
        path.write_text(str(int(path.read_text()) + 1))
"""
CACHING = """
import sys
from pathlib import Path
from tokaudit.model.gates import MeasuredFile
from tokaudit.model.measure import TokenizerRef
from tokaudit.store.measure_cache import MeasureCache
ref = TokenizerRef("a", "byte-bpe", "a" * 64, exact=True)
for number in range(100):
    cache = MeasureCache(Path(sys.argv[1]), "1")
    name = f"{sys.argv[2]}{number}".encode()
    cache.put(cache.key(name, "x.md", ""), [ref], MeasuredFile("", "0" * 64, 1, (number,)))
    cache.save()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has the lock of ``a.json``."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, tmp_path / "a.json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline().strip() == b"held"
    yield process
    process.kill()
    process.communicate()


def test_nothing_is_left_beside_the_file(tmp_path):
    with locked(tmp_path / "a.json", wait=0):
        (lock,) = tmp_path.iterdir()
        assert lock.name.startswith(".tokaudit-")
        assert lock.suffix == ".lock"
    assert not [*tmp_path.iterdir()]


def test_another_process_is_waited_for(tmp_path, holder):
    start = time.monotonic()
    with pytest.raises(BusyError), locked(tmp_path / "a.json", wait=0.1):
        pass
    assert time.monotonic() - start >= 0.1
    with locked(tmp_path / "b.json", wait=0):
        pass
    threading.Timer(0.1, lambda: (holder.stdin.write(b"\n"), holder.stdin.flush())).start()
    with locked(tmp_path / "a.json", wait=60):
        pass


def test_a_process_that_was_killed_leaves_no_lock(tmp_path, holder):
    holder.kill()
    holder.wait()
    with locked(tmp_path / "a.json", wait=0):
        pass
    assert not [*tmp_path.iterdir()]


def test_an_error_ends_it(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "a.json", wait=0):
        raise ZeroDivisionError
    with locked(tmp_path / "a.json", wait=0):
        pass


def test_one_process_has_one_lock_of_a_file_too(tmp_path):
    with locked(tmp_path / "a.json", wait=0), pytest.raises(BusyError), locked(tmp_path / "a.json", wait=0):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="links are of POSIX")
def test_a_link_to_a_file_has_its_lock(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/link.json").symlink_to(tmp_path / "a.json")
    with locked(tmp_path / "a.json", wait=0), pytest.raises(BusyError), locked(tmp_path / "sub/link.json", wait=0):
        pass


def test_where_no_lock_can_be_made_there_is_none(tmp_path):
    with locked(tmp_path / "missing/a.json", wait=0), locked(tmp_path / "missing/a.json", wait=0):
        pass


def test_two_processes_lose_nothing(tmp_path):
    path = tmp_path / "number"
    path.write_text("0")
    both = [subprocess.Popen([sys.executable, "-c", ADDING, path]) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert path.read_text() == "400"


def test_two_runs_at_once_keep_what_both_measured(tmp_path):
    folder = tmp_path / "cache"
    both = [subprocess.Popen([sys.executable, "-c", CACHING, folder, name]) for name in "xy"]
    assert [process.wait() for process in both] == [0, 0]
    cache = MeasureCache(folder, "1")
    ref = TokenizerRef("a", "byte-bpe", "a" * 64, exact=True)
    keys = [cache.key(f"{name}{number}".encode(), "x.md", "") for name in "xy" for number in range(100)]
    assert sum(cache.get(key, [ref]) is not None for key in keys) == 200
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "CACHEDIR.TAG", "measures.bin"]
