"""Ctrl-C: during a long count, and at any other place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from installed import command, environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


@pytest.fixture
def long_count(tmp_path):
    line = "这是一行中文，and some English words, 12345; 然后是更多的文字。\n"
    path = tmp_path / "large.txt"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(200):
            stream.write(f"{number} {line}" * 2000)
    return path


def children(group: int) -> list[int]:
    """The processes of a process group that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, of = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(of) == group and state != "Z":
                found.append(int(entry.name))
    return found


def worked(group: int) -> float:
    """Seconds of CPU that the processes of a process group have taken."""
    ticks = 0
    for process in children(group):
        with suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("whom", "jobs"), [("group", "1"), ("group", "2"), ("process", "2")])
def test_ctrl_c(long_count, jobs, whom):
    arguments = [*command(), "count", str(long_count), "--jobs", jobs, "--by", "line", "--json", "-m", "qwen3"]
    arguments += ["-o", "out.json"]
    process = subprocess.Popen(
        arguments,
        cwd=long_count.parent,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    # In the middle of counting: loading takes far less than that, and all of the text far more.
    while process.poll() is None and (len(children(process.pid)) < int(jobs) or worked(process.pid) < 2):
        time.sleep(0.05)
    assert process.poll() is None
    (os.killpg if whom == "group" else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"tokaudit: interrupted\n")
    while children(process.pid):
        time.sleep(0.1)
    assert [path.name for path in long_count.parent.iterdir()] == ["large.txt"]


# The command replaced by one that says where it is, which needs no luck with time.
PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from tokaudit.cli import main, start

def hanging(*_):
    print("there", flush=True)
    {hang}

def outcome():
    {body}

main.outcome = outcome
start.run()
"""
WAITING = "time.sleep(1000)"
CALLING = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"  # one call, which no handler interrupts
BODIES = {
    "writing": "from tokaudit.store.output import write_atomic; os.fsync = hanging; write_atomic('a.txt', 'new')",
    "locked": "from tokaudit.store.file_lock import locked\n    with locked('a.txt', wait=0): hanging()",
    "children": "from tokaudit.processes import Child\n"
    "    hung = Child(lambda pipe: (pipe.send(1), time.sleep(1000)), fork=True); hung.receive(); hanging()",
    "finally": "\n    try: hanging()\n    finally: time.sleep(1000)",
    "swallowed": "\n    try: hanging()\n    except BaseException: time.sleep(1000)",
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("hang", [WAITING, CALLING], ids=["waiting", "calling"])
@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
def test_nothing_is_left(tmp_path, body, hang):
    (tmp_path / "a.txt").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(body=body, hang=hang)],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"tokaudit: interrupted\n")
    while children(process.pid):
        time.sleep(0.1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"
