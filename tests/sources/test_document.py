from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokaudit.model import Document, InputError, Segments, UsageError
from tokaudit.sources import SourceFile, discover, line_starts, load, read

KINDS = {
    "a.txt": "text",
    "a.log": "text",
    "noname": "text",
    ".gitignore": "text",
    "<stdin>": "text",
    "README.MD": "markdown",
    "d.dir/a.markdown": "markdown",
    "a.json": "json",
    "a.jsonl": "jsonl",
    "a.ndjson": "jsonl",
    "a.py": "code",
    "a.ts": "code",
    "Makefile": "code",
    "a.rb": "code",
    "a.zzz": "text",
}


def covers(segments: Segments, text: str) -> None:
    starts = list(segments.starts)
    assert starts == sorted(set(starts))
    assert starts[:1] == ([0] if text else [])
    assert "".join(text[one.span.start : one.span.end] for one in segments) == text
    ids = [one.id for one in segments]
    assert len(set(ids)) == len(ids)
    for one in segments:
        assert one.label
        assert "\n" not in one.label
        assert len(one.span) > 0
        assert one.label.encode()
        assert one.id.encode()


def parts(document: Document) -> list[tuple[str, str]]:
    return [(one.kind, document.text[one.span.start : one.span.end]) for one in document.segments]


@pytest.mark.parametrize("name", KINDS)
def test_kind_is_told_by_the_name(name: str) -> None:
    assert load("x", name).kind in (KINDS[name], "text" if KINDS[name] == "json" else KINDS[name])
    assert load("{}", name).kind == KINDS[name]
    assert load("{}", name, structure=False).kind == KINDS[name]


def test_kind_only_pygments_knows() -> None:
    assert load("x", "a.abap").kind == "code"


def test_kind_can_be_given() -> None:
    assert load("# a", "x.txt", kind="markdown").segments[0].kind == "heading"
    with pytest.raises(UsageError, match="one of text"):
        load("a", "x", kind="pdf")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("structure", [True, False])
@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "\r\n", "\r", " ", "{}", "a", "\ufeff", "\0", "/", '"'])
def test_small_texts_in_every_kind(name: str, structure: bool, text: str) -> None:
    document = load(text, name, structure=structure)
    covers(document.segments, document.text)
    covers(document.sections, document.text)
    assert document.text == text or document.skipped
    assert document.sha256 == hashlib.sha256(document.text.encode()).hexdigest()
    assert document.charset == ""


def test_hash_is_of_the_text_not_of_the_file() -> None:
    text = "你好，这是测试\r\n"
    for codec in ("utf-8", "utf-8-sig", "utf-16", "gb18030"):
        assert load(text.encode(codec), "a.txt").sha256 == hashlib.sha256(text.encode()).hexdigest()
    broken = load(b'{"a":1}\nbad\n', "a.jsonl")
    assert broken.sha256 == hashlib.sha256(b'{"a":1}\n').hexdigest()


def test_lone_surrogate_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError, match=r"lone surrogate \(U\+D800\) at character 2, line 2"):
        load("a\n\ud800", "<text>")
    with pytest.raises(InputError, match="lone surrogate"):
        load(b"+2AA-", "a.txt", charset="utf-7")


def test_line_starts() -> None:
    assert line_starts("") == []
    assert line_starts("a") == [0]
    assert line_starts("a\r\nb\rc\n\nd\u2028e\n") == [0, 3, 7, 8]
    assert line_starts("\n\n") == [0, 1]


def test_paragraphs() -> None:
    text = "\n\none\r\ntwo\r\n\r\n \t\n  three\n\u3000\nfour\n\n"
    document = load(text, "a.txt")
    assert parts(document) == [
        ("paragraph", "\n\none\r\ntwo\r\n\r\n \t\n"),
        ("paragraph", "  three\n\u3000\n"),
        ("paragraph", "four\n\n"),
    ]
    assert [one.place.line for one in document.segments] == [3, 7, 9]  # of their first ink
    assert [one.id for one in document.segments] == ["a.txt#paragraph-1", "a.txt#paragraph-2", "a.txt#paragraph-3"]
    assert [one.label for one in document.sections] == ["(whole text)"]
    later = load(text, "a.txt", first_line=101)
    assert [one.place.line for one in later.segments] == [103, 107, 109]


def test_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("你好，世界".encode("gbk"))
    (file,) = discover([path]).files
    document = read(file)
    assert (document.text, document.charset, document.path) == ("你好，世界", "gb18030", file.path)
    path.unlink()
    with pytest.raises(InputError, match="vanished"):
        read(file)
    with pytest.raises(InputError, match=r"folder|permission"):
        read(SourceFile("d", str(tmp_path), 0))
    binary = tmp_path / "b.txt"
    binary.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(InputError, match="binary file") as caught:
        read(SourceFile("b.txt", str(binary), 2560))
    assert caught.value.code == "binary"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_read_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(InputError, match="permission denied"):
        read(SourceFile("a.txt", str(path), 1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs procfs")
def test_read_a_file_that_reports_no_size() -> None:
    assert read(SourceFile("status", "/proc/self/status", 0)).text


@pytest.mark.parametrize("unit", [" ", "\t", "\u3000", "a", "^", "的", "-", "\n", "`", "[", "> ", "- ", "|", "{", '"'])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.py", "a.js", "a.json", "a.jsonl"])
def test_long_runs(unit: str, name: str) -> None:
    text = unit * (100_000 // len(unit))
    document = load(text, name)
    covers(document.segments, document.text)
    assert document.text == text or document.skipped


def test_importing_is_cheap() -> None:
    heavy = (
        "json logging hashlib markdown_it pygments charset_normalizer pathspec numpy pathlib difflib glob unicodedata"
    )
    code = f"""
import sys, tokaudit.model
before = set(sys.modules)
import tokaudit.sources
print(*sorted(set({heavy.split()!r}) & (set(sys.modules) - before)))
tokaudit.sources.load(b'one, two', 'a.txt')
print(*sorted({{'json', 'markdown_it', 'pygments', 'pathspec', 'charset_normalizer'}} & (set(sys.modules) - before)))
assert 'tokaudit.sources.pieces' in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
