"""Work over processes: order, errors, replacement, loss."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from functools import partial

import pytest

from tokaudit.processes import Child, WorkerLostError, answering, spread

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="forking is of Linux")


def square(number):
    if number == 13:
        raise ValueError("thirteen")
    return number * number


def made():
    return square


def large(number):
    return "x" * (number * 100_000)


def made_large():
    return large


def echo(pipe, more):
    while (message := pipe.recv()) != "stop":
        pipe.send((message, more))


def hang(pipe):
    pipe.send(os.getpid())
    time.sleep(1000)


@pytest.fixture(params=["fork", "spawn"])
def started(request, monkeypatch):
    if request.param == "fork" and sys.platform != "linux":
        pytest.skip("forking is of Linux")
    monkeypatch.setattr("tokaudit.processes.may_fork", lambda: request.param == "fork")


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize("take_part", [True, False])
def test_results_are_in_order(take_part):
    found = list(spread(range(12), square, made, processes=2, take_part=take_part))
    assert found == [number * number for number in range(12)]


def test_nothing_to_do():
    assert list(spread([], square, made, processes=1, take_part=True)) == []


@pytest.mark.usefixtures("started")
def test_an_error_is_raised_where_its_result_would_be():
    results = spread(range(10, 20), square, made, processes=1, take_part=False)
    assert [next(results), next(results), next(results)] == [100, 121, 144]
    with pytest.raises(ValueError, match="thirteen"):
        next(results)


def test_results_larger_than_a_pipe(monkeypatch):
    monkeypatch.setattr("tokaudit.processes.may_fork", lambda: sys.platform == "linux")
    found = list(spread(range(30), large, made_large, processes=2, take_part=True))
    assert [len(text) for text in found] == [number * 100_000 for number in range(30)]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a forked process")
def test_a_process_that_is_ended_from_outside(monkeypatch):
    monkeypatch.setattr("tokaudit.processes.may_fork", lambda: True)

    def ended(number):
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(WorkerLostError):
        list(spread(range(6), ended, made, processes=1, take_part=False))


@pytest.mark.timeout(120)
@pytest.mark.skipif(sys.platform != "linux", reason="needs a forked process")
def test_leaving_ends_what_is_under_way(monkeypatch):
    monkeypatch.setattr("tokaudit.processes.may_fork", lambda: True)
    results = spread(range(6), lambda number: time.sleep(number * 1000), made, processes=1, take_part=False)
    next(results)
    results.close()
    assert not multiprocessing.active_children()


def test_a_result_that_cannot_be_sent(monkeypatch):
    monkeypatch.setattr("tokaudit.processes.may_fork", lambda: sys.platform == "linux")
    if sys.platform != "linux":
        pytest.skip("a lambda cannot be sent to a new interpreter")
    with pytest.raises(RuntimeError):
        list(spread([1], lambda _: partial(lambda: 0), made, processes=1, take_part=False))


@pytest.mark.parametrize("fork", [pytest.param(True, marks=on_linux), False])
def test_a_child_answers_until_it_has_ended(fork):
    child = Child(echo, "!", fork=fork)
    try:
        child.send("a")
        assert answering([child], None) == [child]
        assert child.receive() == ("a", "!")
        assert answering([child], 0) == []
        child.send("stop")
        with pytest.raises(WorkerLostError):
            child.receive()
        child.send("b")
    finally:
        child.end()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fork", [pytest.param(True, marks=on_linux), False])
def test_a_child_is_ended_whatever_it_does(fork):
    child = Child(hang, fork=fork)
    number = child.receive()
    child.end()
    if sys.platform != "win32":
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
