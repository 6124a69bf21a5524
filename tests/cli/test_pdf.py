"""PDF files through the commands: count, slim and diff, from files, folders and standard input."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from small_pdf import DAMAGED, SCAN, content_of, manual, small_pdf
from tokaudit.sources import load

ONE = ["-m", "gpt-4o"]
HEADER = "Pump Station Manual, Edition 4"
SCHEMA = files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8")
VALIDATOR = Draft202012Validator(json.loads(SCHEMA))


@pytest.fixture
def m_pdf(tmp_path):
    path = tmp_path / "m.pdf"
    path.write_bytes(manual())
    return path


def test_parts_of_pages(tokaudit, m_pdf):
    done = tokaudit("count", "m.pdf", "--by", "segment", *ONE)
    shown = done.stdout.decode()
    assert done.returncode == 0
    assert "p. 1, running: Pump Station Manual" in shown
    assert "p. 3: 3.1 " in shown
    assert "p. 8, number: 8" in shown
    assert "furniture: running lines " in shown
    assert ", page numbers " in shown
    report = json.loads(tokaudit("count", "m.pdf", "--by", "segment", "--json", *ONE).stdout)
    VALIDATOR.validate(report)
    document = report["documents"][0]
    assert (document["kind"], document["charset"]) == ("pdf", None)
    assert {part["page"] for part in document["segments"]} == set(range(1, 9))
    assert {part["line"] for part in document["segments"]} == {None}
    assert {part["kind"] for part in document["segments"]} == {"body", "running", "number"}
    tokens = sum(part["counts"]["gpt-4o"]["tokens"] for part in document["segments"])
    assert tokens == document["counts"]["gpt-4o"]["tokens"]


def test_the_note_is_of_all_parts_whatever_is_shown(tokaudit, m_pdf):
    notes = [
        [line for line in tokaudit("count", "m.pdf", *arguments, *ONE).stdout.decode().splitlines() if "furnit" in line]
        for arguments in (["--by", "segment"], ["--by", "segment", "--top", "2"])
    ]
    assert len(notes[0]) == 1
    assert notes[0] == notes[1]


def test_kinds_and_pages(tokaudit, m_pdf):
    by_kind = json.loads(tokaudit("count", "m.pdf", "--by", "kind", "--json", *ONE).stdout)
    VALIDATOR.validate(by_kind)
    document = by_kind["documents"][0]
    assert [(part["id"], part["start"], part["page"]) for part in document["segments"]] == [
        (f"m.pdf#{kind}", None, None) for kind in ("running", "body", "number")
    ]
    by_page = json.loads(tokaudit("count", "m.pdf", "--by", "page", "--json", *ONE).stdout)
    VALIDATOR.validate(by_page)
    pages = by_page["documents"][0]["segments"]
    assert [(part["kind"], part["page"], part["box"]) for part in pages] == [
        ("page", page, [0, 0, 595, 842]) for page in range(1, 9)
    ]
    for parts in (document["segments"], pages):
        assert sum(part["counts"]["gpt-4o"]["tokens"] for part in parts) == document["counts"]["gpt-4o"]["tokens"]
        assert sum(part["chars"] for part in parts) == document["chars"]
    shown = tokaudit("count", "m.pdf", "--by", "kind", *ONE).stdout.decode()
    assert "tokens by kind" in shown
    assert "furniture" not in shown  # the rows say it


def test_a_text_with_form_feeds_has_pages(tokaudit, tmp_path):
    (tmp_path / "a.txt").write_text("one\n\ftwo\n\f\fthree\n\f", encoding="utf-8")
    done = tokaudit("count", "a.txt", "--by", "page", "--json", *ONE)
    parts = json.loads(done.stdout)["documents"][0]["segments"]
    assert [(part["page"], part["line"], part["label"]) for part in parts] == [
        (1, None, "one"), (2, None, "two"), (3, None, "(blank)"), (4, None, "three"),
    ]  # fmt: skip
    assert "box" not in parts[0]


def test_segments_say_where_they_stand(tokaudit, m_pdf):
    report = json.loads(tokaudit("count", "m.pdf", "--by", "segment", "--json", *ONE).stdout)
    text = load(m_pdf.read_bytes(), "m.pdf").text
    for part in report["documents"][0]["segments"]:
        left, top, right, bottom = part["box"]
        assert 0 <= left < right <= 595
        assert 0 <= top < bottom <= 842
        assert part["sha256"] == hashlib.sha256(text[part["start"] : part["end"]].encode()).hexdigest()
        assert (bottom > 750) == (part["kind"] == "number")


def test_a_page_that_cannot_be_read_says_what_to_do(tokaudit, tmp_path):
    data = small_pdf([content_of([(72, 700, f"page {number}")]) for number in (1, 2, 3)])
    at = data.index(b"6 0 obj\n") + 8
    end = data.index(b"\nendobj", at)
    (tmp_path / "damaged.pdf").write_bytes(data[:at] + b"(no page)".ljust(end - at) + data[end:])
    done = tokaudit("count", "damaged.pdf", *ONE)
    shown = " ".join(done.stdout.decode().split())
    assert done.returncode == 0
    assert "damaged.pdf:page 2: damaged: " in shown
    assert "print the page to a new PDF" in shown
    report = json.loads(tokaudit("count", "damaged.pdf", "--json", *ONE).stdout)
    VALIDATOR.validate(report)
    assert report["documents"][0]["chars"] == len("page 1\f\fpage 3")
    assert [(item["what"], bool(item["hint"])) for item in report["skipped"]] == [("damaged.pdf:page 2", True)]


def test_sections_and_lines_have_pages(tokaudit, m_pdf):
    rows = list(
        csv.DictReader(io.StringIO(tokaudit("count", "m.pdf", "--by", "section", "--format", "csv").stdout.decode()))
    )
    assert [(row["id"], row["page"], row["line"]) for row in rows[:2]] == [
        ("m.pdf#page-1", "1", ""),
        ("m.pdf#page-2", "2", ""),
    ]
    report = json.loads(tokaudit("count", "m.pdf", "--by", "line", "--json", *ONE).stdout)
    lines = report["documents"][0]["segments"]
    assert [line["id"] for line in lines[:8]] == [
        *(f"m.pdf#page-1.line-{at}" for at in range(1, 8)),
        "m.pdf#page-2.line-1",
    ]
    assert lines[7]["label"] == HEADER


@pytest.mark.parametrize("by", ["file", "class"])
def test_other_divisions(tokaudit, m_pdf, by):
    done = tokaudit("count", "m.pdf", "--by", by, *ONE)
    assert done.returncode == 0
    assert b"m.pdf" in done.stdout


def test_standard_input_and_other_names(tokaudit, tmp_path, m_pdf):
    wanted = tokaudit("count", "m.pdf", "-q", *ONE).stdout
    assert tokaudit("count", "-", "-q", *ONE, stdin=m_pdf.read_bytes()).stdout == wanted
    m_pdf.rename(tmp_path / "notes.txt")
    assert tokaudit("count", "notes.txt", "-q", *ONE).stdout == wanted
    assert tokaudit("count", "notes.txt", "-q", "--charset", "utf-8", "--kind", "text", *ONE).stdout == wanted


def test_in_folders(tokaudit, tmp_path, m_pdf):
    for name, data in {"bad": DAMAGED, "scan": SCAN, "locked": manual(3, "secret")}.items():
        (tmp_path / f"{name}.pdf").write_bytes(data)
    report = json.loads(tokaudit("count", ".", "--json", *ONE).stdout)
    assert [document["path"] for document in report["documents"]] == ["m.pdf"]
    reasons = {item["what"]: item["reason"] for item in report["skipped"]}
    assert set(reasons) == {"bad.pdf", "scan.pdf", "locked.pdf"}
    assert "damaged" in reasons["bad.pdf"]
    assert "a scan" in reasons["scan.pdf"]
    assert "encrypted" in reasons["locked.pdf"]
    opened = json.loads(tokaudit("count", ".", "--json", "--password", "secret", *ONE).stdout)
    assert [document["path"] for document in opened["documents"]] == ["locked.pdf", "m.pdf"]


@pytest.mark.parametrize("command", ["count", "slim"])
@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (manual(3, "secret"), "encrypted", "--password"),
        (DAMAGED, "damaged", "open it in a viewer"),
        (SCAN, "no text on any of its 2 pages", "OCR"),
    ],
)
def test_what_cannot_be_read(tokaudit, tmp_path, command, data, message, hint):
    (tmp_path / "x.pdf").write_bytes(data)
    done = tokaudit(command, "x.pdf", *ONE)
    first, second = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert first.startswith("tokaudit: x.pdf: ")
    assert message in first
    assert hint in second


def test_engines(tokaudit, m_pdf):
    counts = {
        tokaudit("count", "m.pdf", "-q", "--pdf-engine", engine, *ONE).stdout
        for engine in ("auto", "pdfium", "pdfplumber")
    }
    assert len(counts) == 1
    assert tokaudit("count", "m.pdf", "-q", "--no-tables", *ONE).stdout in counts
    done = tokaudit("count", "m.pdf", "--pdf-engine", "pdf", *ONE)
    assert done.returncode == 2
    assert b"unknown engine 'pdf'" in done.stderr


def test_slim(tokaudit, tmp_path, m_pdf):
    done = tokaudit("slim", "m.pdf", *ONE)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.count(HEADER) <= 1
    assert "3.2 Oil that was spilled is taken up with the grey cloths." in text
    assert b"m.pdf (pdf)" in done.stderr
    assert tokaudit("slim", "m.pdf", "-o", "out.txt", "-q", *ONE).returncode == 0
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == text
    assert tokaudit("slim", "m.pdf", "-o", "out/", "-q", *ONE).returncode == 0
    assert (tmp_path / "out" / "m.pdf.txt").read_text(encoding="utf-8") == text


def test_slim_shows_pages_and_families(tokaudit, m_pdf):
    shown = tokaudit("slim", "m.pdf", "--diff", "-q", *ONE).stdout.decode().splitlines()
    removed = [line for line in shown if HEADER in line]
    assert [line.split(":")[0].strip() for line in removed] == [f"p. {page}" for page in range(2, 9)]
    assert all("running" in line and "(pdf." in line for line in removed)


def test_slim_never_writes_into_a_pdf(tokaudit, tmp_path, m_pdf):
    (tmp_path / "a.txt").write_text("您好，订单ＡＢＣ１２３到了吗？？？\n", encoding="utf-8")
    before = m_pdf.read_bytes(), (tmp_path / "a.txt").read_bytes()
    done = tokaudit("slim", "a.txt", "m.pdf", "--write", *ONE)
    assert done.returncode == 2
    assert b"cannot be written back into a PDF" in done.stderr
    assert (m_pdf.read_bytes(), (tmp_path / "a.txt").read_bytes()) == before
    done = tokaudit("slim", ".", "--write", *ONE)
    assert done.returncode == 0
    assert m_pdf.read_bytes() == before[0]
    assert (tmp_path / "a.txt").read_bytes() != before[1]
    assert b"m.pdf" in done.stderr


def test_diff(tokaudit, tmp_path, m_pdf):
    (tmp_path / "n.pdf").write_bytes(manual(9))
    report = json.loads(tokaudit("diff", "m.pdf", "n.pdf", "--json", *ONE).stdout)
    VALIDATOR.validate(report)
    document = report["documents"][0]
    assert document["after"]["kind"] == "pdf"
    assert {part["after"]["page"] for part in document["segments"] if part["status"] == "added"} == {9}
    assert {change["after"]["line"] for change in document["changes"]} == {None}
    delta = sum(part["delta"]["gpt-4o"] for part in document["segments"])
    assert delta == document["delta"]["gpt-4o"] > 0
    (tmp_path / "m.txt").write_bytes(tokaudit("slim", "m.pdf", "-q", *ONE).stdout)
    done = tokaudit("diff", "m.pdf", "m.txt", "--word-diff", *ONE)
    assert done.returncode == 0
    assert b"@@ page " in done.stdout
