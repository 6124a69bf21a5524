"""Whole files: what opens, what does not, and what is said of it."""

from __future__ import annotations

import io

import pytest

from pdf_bytes import deflated, pdf, show, stream, written
from tokaudit.model.errors import InputError, UsageError
from tokaudit.sources.pdf import PdfError, read_pages


def book(pages: int) -> bytes:
    return pdf([show(f"page {n} of the book", 72, 700) for n in range(1, pages + 1)])


def page_object(contents: int, font: int) -> bytes:
    resources = f"<< /Font << /F1 {font} 0 R >> >>"
    box = "/Parent 2 0 R /MediaBox [0 0 600 800]"
    return f"<< /Type /Page {box} /Contents {contents} 0 R /Resources {resources} >>".encode()


def all_texts(read) -> list[str]:
    return ["\n".join(line.text for line in page.lines) for page in read.pages]


@pytest.mark.parametrize("engine", ["auto", "pdfium", "pdfplumber"])
def test_pages_come_in_order_whatever_the_processes(engine):
    data = book(41)
    expected = [f"page {n} of the book" for n in range(1, 42)]
    one = read_pages(data, engine=engine, jobs=1)
    assert all_texts(one) == expected
    assert [page.number for page in one.pages] == list(range(1, 42))
    assert not one.problems
    assert not one.encrypted
    assert read_pages(data, engine=engine, jobs=3).pages == one.pages


def test_progress_is_told():
    told = []
    read_pages(book(20), jobs=2, progress=lambda done, count: told.append((done, count)))
    assert told == [(done, 20) for done in range(1, 21)]


def test_an_unknown_engine():
    with pytest.raises(UsageError, match="no PDF engine 'mupdf'"):
        read_pages(book(1), engine="mupdf")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"Just text", "not a PDF"),
        (b"%PDF-1.7\n", "damaged"),
        (b"%PDF-1.7\n" + b"\x00" * 5000, "damaged"),
        (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>", "damaged|no pages"),
    ],
)
def test_what_cannot_be_opened_is_named(data, message):
    with pytest.raises(PdfError, match=message) as caught:
        read_pages(data)
    assert isinstance(caught.value, InputError)


def test_a_pdf_without_pages():
    data = written({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 0 >>"})
    with pytest.raises(PdfError, match=r"no pages|damaged"):
        read_pages(data)


def test_bytes_before_the_header():
    assert all_texts(read_pages(b"\n\n" + book(1))) == ["page 1 of the book"]


def test_a_truncated_file_is_read_as_far_as_it_goes():
    data = book(9)
    read = read_pages(data[: int(len(data) * 0.7)])
    assert "page 1 of the book" in all_texts(read)


def test_a_page_without_text_is_a_page():
    read = read_pages(pdf(["", show("text", 72, 700)]))
    assert all_texts(read) == ["", "text"]
    assert [page.glyphs for page in read.pages] == [0, 4]
    assert not read.problems


def test_a_damaged_page_does_not_stop_the_others():
    broken = written(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R 7 0 R 5 0 R] /Count 3 >>",
            3: page_object(4, 6),
            4: stream(show("one", 72, 700).encode()),
            5: page_object(4, 6),
            6: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        }
    )
    read = read_pages(broken)
    found = all_texts(read)
    assert found[0] == "one"
    assert found.count("one") == 2


def test_a_circular_page_tree():
    data = written(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 5 >>",
            3: b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 4 >>",
        }
    )
    try:
        read = read_pages(data)
    except PdfError:
        return
    assert all(not page.lines for page in read.pages)


def test_deep_nesting():
    nest = b"[" * 200_000 + b"]" * 200_000
    data = pdf([show("text", 72, 700)], more={900: nest}, page="/Extra 900 0 R")
    assert all_texts(read_pages(data)) == ["text"]


def test_a_page_count_that_is_a_lie():
    data = written({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 2000000000 >>"})
    try:
        read = read_pages(data, page_seconds=5)
    except PdfError:
        return
    assert len(read.pages) <= 50_000
    assert read.problems


def test_a_stream_that_unpacks_to_very_much():
    bomb = deflated(b"q Q " * 10_000_000)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>",
        4: bomb,
        5: page_object(6, 7),
        6: stream(show("after it", 72, 700).encode()),
        7: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
    read = read_pages(written(objects), page_seconds=2)
    assert all_texts(read)[1] == "after it"


def encrypted(user: str, owner: str) -> bytes:
    """The same page, encrypted by the first scheme of the format (RC4, 40 bits), which needs the fewest lines."""
    from hashlib import md5

    pad = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
    padded = {name: (word.encode() + pad)[:32] for name, word in (("user", user), ("owner", owner))}
    file_id, rights = b"0123456789abcdef", -4
    o = rc4(md5(padded["owner"]).digest()[:5], padded["user"])
    key = md5(padded["user"] + o + rights.to_bytes(4, "little", signed=True) + file_id).digest()[:5]
    content = show("a secret", 72, 700).encode()
    own = md5(key + (4).to_bytes(3, "little") + b"\0\0").digest()[:10]
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: page_object(4, 6),
        4: stream(rc4(own, content)),
        5: f"<< /Filter /Standard /V 1 /R 2 /P {rights} /O <{o.hex()}> /U <{rc4(key, pad).hex()}> >>".encode(),
        6: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
    return written(objects, trailer=f"/Encrypt 5 0 R /ID [<{file_id.hex()}> <{file_id.hex()}>]")


def rc4(key: bytes, data: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = io.BytesIO(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.write(bytes([byte ^ box[(box[i] + box[j]) % 256]]))
    return out.getvalue()


@pytest.mark.parametrize("engine", ["auto", "pdfplumber"])
def test_an_encrypted_file(engine):
    data = encrypted("open", "sesame")
    with pytest.raises(PdfError, match="the PDF is encrypted") as caught:
        read_pages(data, engine=engine)
    assert caught.value.hint.startswith("--password")
    with pytest.raises(PdfError, match="password is wrong"):
        read_pages(data, password="guess", engine=engine)
    read = read_pages(data, password="open", engine=engine)
    assert all_texts(read) == ["a secret"]
    assert read.encrypted


def test_a_file_that_is_encrypted_for_no_one_opens():
    read = read_pages(encrypted("", "sesame"))
    assert all_texts(read) == ["a secret"]
    assert read.encrypted
