"""Processes that read: slow pages, crashes, memory, and that nothing is left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from pdf_bytes import pdf, show
from tokaudit.sources.pdf import PdfError, child, read_pages
from tokaudit.sources.pdf.reader import Reader

forked = pytest.mark.skipif(sys.platform != "linux", reason="the change must reach the process, so that it is forked")


@pytest.fixture(autouse=True)
def may_fork(monkeypatch):
    """Threads of what runs the tests do not count."""
    monkeypatch.setattr(child, "may_fork", lambda: sys.platform == "linux")


_may_fork = child.may_fork


def book(pages: int) -> bytes:
    return pdf([show(f"page {n}", 72, 700) for n in range(1, pages + 1)])


def texts(read) -> list[str]:
    return [page.lines[0].text if page.lines else "" for page in read.pages]


@pytest.fixture
def at(monkeypatch):
    """Do something to a page in the process that reads it."""

    def change(numbers, what):
        read = Reader.page

        def page(self, index):
            if index + 1 in numbers:
                what()
            return read(self, index)

        monkeypatch.setattr(Reader, "page", page)

    return change


def no_child_is_left() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return True


@forked
@pytest.mark.timeout(120)
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_slow_page_is_given_up_and_the_rest_is_read(at, jobs):
    at({4}, lambda: time.sleep(1000))
    read = read_pages(book(30), page_seconds=2, jobs=jobs)
    assert read.pages[3].problem == "took longer than 2 s"
    assert [text for text in texts(read) if text] == [f"page {n}" for n in range(1, 31) if n != 4]
    assert [(problem.what, problem.reason) for problem in read.problems] == [("page 4", "took longer than 2 s")]
    assert no_child_is_left()


@forked
def test_a_crash_is_a_problem_of_its_page(at):
    at({2, 9}, lambda: os.kill(os.getpid(), signal.SIGSEGV))
    read = read_pages(book(20), jobs=2)
    assert [page.number for page in read.pages if page.problem] == [2, 9]
    assert all("broke down" in page.problem for page in read.pages if page.problem)
    assert sum(map(bool, texts(read))) == 18


@forked
def test_an_error_is_a_problem_of_its_page(monkeypatch):
    from tokaudit.sources.pdf import reader

    def fails(sheet, number, tables, others):
        raise ValueError(f"odd page {number}")

    monkeypatch.setattr(reader, "laid_out", fails)
    read = read_pages(book(2), jobs=1)
    assert [page.problem for page in read.pages] == [f"damaged: ValueError: odd page {n}" for n in (1, 2)]


@forked
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
# More than the process that was forked, which may have freed a part of what it has taken, could have left over.
def test_memory_is_bounded(at):
    at({1}, lambda: bytearray(8 * child.MEMORY))
    read = read_pages(book(2), jobs=1)
    assert "too much memory" in read.pages[0].problem
    assert texts(read) == ["", "page 2"]


@forked
@pytest.mark.timeout(120)
def test_a_file_that_is_all_slow_pages_is_given_up(at, monkeypatch):
    monkeypatch.setattr(child, "LOST", 3)
    at(range(100), lambda: time.sleep(1000))
    read = read_pages(book(60), page_seconds=0.3, jobs=2)
    assert all(page.problem for page in read.pages)
    assert read.pages[-1].problem.startswith("not read")
    assert len(read.problems) <= 8


@forked
@pytest.mark.timeout(120)
def test_opening_is_limited(monkeypatch):
    monkeypatch.setattr(child, "OPEN_SECONDS", 0.3)
    monkeypatch.setattr(Reader, "__init__", lambda *_, **__: time.sleep(1000))
    with pytest.raises(PdfError, match=r"opening it took longer than 0\.3 s"):
        read_pages(book(1))
    assert no_child_is_left()


@forked
def test_a_crash_at_opening_is_an_error(monkeypatch):
    monkeypatch.setattr(Reader, "__init__", lambda *_, **__: os.kill(os.getpid(), signal.SIGSEGV))
    with pytest.raises(PdfError, match="broke down"):
        read_pages(book(1))


@forked
def test_processes_are_renewed(monkeypatch):
    monkeypatch.setattr(child, "RENEW", 5)
    assert texts(read_pages(book(40), jobs=2)) == [f"page {n}" for n in range(1, 41)]
    assert no_child_is_left()


def test_with_other_threads_processes_are_spawned(monkeypatch):
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert not _may_fork()
        monkeypatch.setattr(child, "may_fork", _may_fork)
        assert texts(read_pages(book(3), jobs=1)) == ["page 1", "page 2", "page 3"]
    finally:
        stop.set()
        thread.join()


def test_where_no_process_may_be_started_this_one_reads(monkeypatch):
    monkeypatch.setattr(child, "_childless", lambda: True)
    assert texts(read_pages(book(3))) == ["page 1", "page 2", "page 3"]
    with pytest.raises(PdfError, match="damaged"):
        read_pages(b"%PDF-1.7\n")


@forked
def test_an_error_of_the_caller_ends_the_processes():
    def stops(done, count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_pages(book(20), jobs=2, progress=stops)
    assert no_child_is_left()
