"""Ctrl-C while the command starts, and where signals are not to be had."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from installed import environment
from places import ROOT

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
INTERRUPTED = (130, b"", b"tokaudit: interrupted\n")
# Interrupts itself as soon as a module is asked for: what a person does, at a place of our choice.
AT_IMPORT = """
import os, signal, sys, time

signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may run where it is ignored
module, times, *sys.argv[1:] = sys.argv[1:]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            for _ in range(int(times)):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0)
        return None

sys.meta_path.insert(0, Interrupting())
from tokaudit.cli.start import run
run()
"""
COUNT = ["count", "--text", "hello", "-m", "gpt-4o", "--by", "line", "-o", "out.json"]


def outcome(tmp_path: Path, *arguments: str, program: str = AT_IMPORT) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@posix
@pytest.mark.parametrize("times", ["1", "2"])
@pytest.mark.parametrize(
    "module",
    [
        "tokaudit.cli.main",
        "typer",
        "click",
        "tokaudit.api.count",
        "tokaudit.cli.count",
        "tokaudit.tokenizers.byte_bpe",
        "regex",
    ],
)
def test_an_interrupt_during_an_import(tmp_path, module, times):
    code, out, err = outcome(tmp_path, module, times, *COUNT)
    if code == 0:
        assert module in {"regex", "click"}  # which is not always needed
        return
    assert (code, out, err) == INTERRUPTED
    assert not [*tmp_path.iterdir()]


SWALLOWED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from tokaudit.cli import main, start

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def app(**_):
    {body}
    return 0

main.app = app
start.run()
"""


@posix
@pytest.mark.parametrize(
    "body",
    [
        # It met a finalizer.
        "Finalized(); [x for x in range(100_000)]; __import__('time').sleep(300)",
        "raise type('PanicException', (BaseException,), {})('at an import') if not os.kill(os.getpid(), 2) else 1",
        "exec('import os, signal; os.kill(os.getpid(), signal.SIGINT)')",  # for which Python ends by the signal
        "\n    try: os.kill(os.getpid(), 2); __import__('time').sleep(99)\n    except BaseException: raise ImportError",
    ],
)
def test_an_interrupt_that_a_library_makes_something_else_of(tmp_path, body):
    assert outcome(tmp_path, program=SWALLOWED.format(body=body)) == INTERRUPTED


def test_a_panic_without_an_interrupt_is_a_bug(tmp_path):
    body = "raise type('PanicException', (BaseException,), {})('it broke')"
    code, out, err = outcome(tmp_path, program=SWALLOWED.format(body=body))
    assert (code, out) == (70, b"")
    assert b"internal error: PanicException: it broke" in err
    assert b"Traceback" not in err


@posix
def test_a_process_that_ignores_interrupts_goes_on_to(tmp_path):
    program = AT_IMPORT.replace("signal.default_int_handler", "signal.SIG_IGN")
    code, _, err = outcome(tmp_path, "typer", "1", *COUNT, program=program)
    assert (code, err) == (0, b"")


def test_from_another_thread(tmp_path):
    program = """
import sys, threading
from tokaudit.cli.start import run
def work():
    try:
        run()
    except SystemExit as error:
        print(error.code)
sys.argv[1:] = ["--version"]
thread = threading.Thread(target=work); thread.start(); thread.join()
"""
    code, out, err = outcome(tmp_path, program=program)
    assert (code, out.splitlines()[-1], err) == (0, b"0", b"")


def test_importing_the_command_line_takes_no_signal(tmp_path):
    program = """
import signal
before = signal.getsignal(signal.SIGINT)
import tokaudit.cli.main, tokaudit.cli.start
print(signal.getsignal(signal.SIGINT) is before)
"""
    assert outcome(tmp_path, program=program) == (0, b"True\n", b"")


def test_the_entry_point_is_declared():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'tokaudit = "tokaudit.cli.start:run"' in text
    assert [point for point in entry_points(group="console_scripts") if point.name == "tokaudit"]


ENDING = """
import atexit, sys, threading, time
from tokaudit.cli import main, start

class Traced:
    def __del__(self):
        print("taken apart", flush=True)

kept = Traced()
atexit.register(print, "atexit")
def app(**_):
    {body}
    print("done", end=" ")
    return 7
main.app = app
{run}
"""


@pytest.mark.parametrize(
    ("body", "run", "shown"),
    [
        ("pass", "start.run()", "done atexit\n"),
        (
            "threading.Thread(target=lambda: (time.sleep(0.3), print('thread', end=' '))).start()",
            "start.run()",
            "done thread atexit\ntaken apart\n",
        ),
        ("pass", "(lambda: start.run())()", "done atexit\ntaken apart\n"),
        ("pass", "try: start.run()\nexcept SystemExit as error: print(error.code)", "done atexit\n"),
    ],
    ids=["program", "thread", "called", "handled"],
)
def test_objects_are_not_taken_apart_where_the_command_is_all_of_the_process(tmp_path, body, run, shown):
    code, out, err = outcome(tmp_path, program=ENDING.format(body=body, run=run))
    assert (code, out.decode().replace("\r\n", "\n"), err) == (7, shown, b"")


def test_a_profiler_sees_the_end(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "cProfile", "-m", "tokaudit", "--version"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=True,
    )
    assert b"function calls" in done.stdout


@posix
def test_an_output_that_cannot_be_written_at_the_end(tmp_path):
    program = """
import os, sys
from tokaudit.cli import main, start
def outcome():
    os.close(1)
    print("lost")
    return 0
main.outcome = outcome
start.run()
"""
    code, _, err = outcome(tmp_path, program=program)
    assert code == 120
    assert b"Bad file descriptor" in err
