"""PDF files that are made to take for ever or to fill the memory: bounded, and the other pages are read."""

from __future__ import annotations

import pickle
import subprocess
import sys
import zlib

import pytest

from pdf_bytes import pdf, show, stream, written
from tokaudit.sources.pdf import PdfError, PdfPages

SECONDS = 2.0
"""That a page may take."""
BOUND = 40
"""Seconds in which all must be over, on a busy machine too."""
MEGABYTES = 2_000


CHILD = """
import pickle, sys
from tokaudit.sources.pdf import PdfError, read_pages

data, seconds = pickle.load(sys.stdin.buffer)
try:
    found = read_pages(data, page_seconds=seconds, jobs=2)
except PdfError as error:
    found = str(error)
try:
    import resource
except ImportError:
    kilobytes = 0
else:
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
pickle.dump((found, kilobytes), sys.stdout.buffer)
"""
"""Reads in a process of its own, whose children are those of this one reading only, and is as small as the product."""


def read(data: bytes) -> PdfPages:
    """Read within bounds."""
    took = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=pickle.dumps((data, SECONDS)),
        stdout=subprocess.PIPE,
        timeout=BOUND,
        check=True,
    )
    found, kilobytes = pickle.loads(took.stdout)
    if sys.platform == "linux":
        assert 0 < kilobytes < MEGABYTES * 1024
    if isinstance(found, str):
        raise PdfError(found)
    assert isinstance(found, PdfPages)
    return found


def form(content: str, more: str) -> bytes:
    return stream(content.encode(), f"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << {more} >>")


def with_objects(objects: dict[int, bytes], content: bytes, resources: str) -> bytes:
    """A page with this content, and one more with the text "after it"."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    return written(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >>",
            3: f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << {resources} >> >>"
            .encode(),
            4: content,
            5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R"
            b" /Resources << /Font << /F1 7 0 R >> >> >>",
            6: stream(show("after it", 72, 700).encode()),
            7: font,
            **objects,
        }
    )  # fmt: skip


def last(found: PdfPages) -> list[str]:
    return [line.text for line in found.pages[-1].lines]


def test_a_form_that_draws_itself():
    loop = {10: form("/X0 Do", "/XObject << /X0 10 0 R >>")}
    assert last(read(with_objects(loop, stream(b"/X0 Do"), "/XObject << /X0 10 0 R >>"))) == ["after it"]


def test_forms_that_draw_each_other_twice():
    # Two to the power of thirty drawings in a few kilobytes.
    forms = {
        number: form("/X0 Do /X0 Do", f"/XObject << /X0 {number + 1} 0 R >>" if number < 40 else "")
        for number in range(10, 41)
    }
    found = read(with_objects(forms, stream(b"/X0 Do"), "/XObject << /X0 10 0 R >>"))
    assert last(found) == ["after it"]


@pytest.mark.parametrize("depth", [100, 20_000])
def test_arrays_and_dictionaries_within_one_another(depth):
    nested = b"[ << /A " * depth + b"0" + b" >> ]" * depth
    found = read(with_objects({10: nested}, stream(nested + b" /P gs"), "/ExtGState << /P 10 0 R >>"))
    assert last(found) == ["after it"]


def test_states_that_are_saved_and_never_restored():
    assert last(read(with_objects({}, stream(b"q " * 1_000_000), ""))) == ["after it"]


def test_a_stream_without_an_end():
    data = pdf([show("one", 72, 700), show("two", 72, 700)])
    cut = data.replace(b"endstream", b"", 1).replace(b"/Length ", b"/Length 99999999999 %", 1)
    try:
        found = read(cut)
    except PdfError:
        return
    assert len(found.pages) <= 2


def test_a_length_that_is_the_stream_itself():
    content = show("text", 72, 700).encode()
    looped = b"<< /Length 4 0 R >>\nstream\n" + content + b"\nendstream"
    assert last(read(with_objects({}, looped, ""))) == ["after it"]


def test_contents_that_contain_themselves():
    assert last(read(with_objects({}, b"[4 0 R 4 0 R 4 0 R]", ""))) == ["after it"]


def test_a_stream_packed_many_times():
    data = b"q Q " * 5_000_000
    for _ in range(3):
        data = zlib.compress(data, 9)
    packed = stream(data, "/Filter [/FlateDecode /FlateDecode /FlateDecode]")
    assert last(read(with_objects({}, packed, ""))) == ["after it"]


def test_a_page_of_very_much_text():
    line = b"BT /F1 10 Tf 10 700 Td (" + b"word " * 200 + b") Tj ET\n"
    content = stream(line * 3_000)
    found = read(with_objects({}, content, "/Font << /F1 7 0 R >>"))
    assert last(found) == ["after it"]
    # Read or given up, but in bounds; what is given up is told, with what to do about it.
    assert found.pages[0].lines or (found.problems and all(problem.hint for problem in found.problems))
