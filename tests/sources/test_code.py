from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pygments
import pytest
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, String

from tokaudit.sources import code, load
from tokaudit.sources.languages import PATTERNS, Run, family_of

SITE = Path(pygments.__file__).parents[1]

SAMPLES = {
    "a.py": ("# c", 'r"s"', "'t'", '"""d\n# no\n"""', "rb'''x'y'''", "# end '"),
    "a.js": ("// c '", "'s'", '"/* no */"', "/* b \n * c */", "/[\"'/]+/g", "`t\n`"),
    "a.c": ("/* c */", '"s\\""', "'\\''", "// d", "'x'", "'\\x41'"),
    "a.java": ("/** c */", '"s"', "'x'", '"""\n"t"\n"""'),
    "a.go": ("// c", "`raw \\`", '"s"', "'\\n'"),
    "a.cs": ('@"a\\"', '"b"', "// c", "'x'"),
    "a.rs": ("// c", 'r#"a"b"#', '"multi\nline"', "'x'", "/* d */"),
    "a.kt": ('"""a"b"""', "// c", "'x'"),
    "a.swift": ("// c", '"s"', '"""\nm\n"""'),
    "a.dart": ("// c", "'s'", "'''m\nn'''"),
    "a.css": ("/* c */", '"s"'),
    "a.scss": ("// c", "/* d */", "'s'"),
    "a.sh": ("# c", '"s # no\nt"', "'q\\'"),
    "a.mk": ("# c",),
    "a.toml": ("# c", '"s"', "'l\\'", '"""m\n"""'),
    "a.yaml": ("# c", '"s: # no"', "'it''s'"),
    "a.sql": ("-- c", "'it''s'", "/* d */"),
    "a.lua": ("-- c", "--[[ d\n ]]", "[==[ s ]] ]==]", '"t"'),
    "a.hs": ("-- c", "{- d\n -}", '"s"'),
    "a.html": ("<!-- c > -->",),
    "a.ini": ("; c", "# d"),
    "a.rb": ("# c", '"s"', "'t'"),
    "a.php": ("// c", "# d", "/* e */", '"s\n#{t}"', "'u'"),
    "a.ex": ("# c", '"s"', '"""\nd\n"""'),
    "a.jl": ("#= c\n =#", '"s"', "# d"),
    "a.pl": ("# c", '"s"', "'t'"),
    "a.gradle": ("// c", "/* d */", "'s'", '"t"'),
    "a.tf": ("# c", "// d", '"s"'),
    "a.ps1": ("<# c\n #>", "# d", '"s `" t"', "'u'"),
    "a.clj": (";; c", '"s\nt"'),
    "a.erl": ("% c", '"s"'),
    "a.ml": ("(* c\n d *)", '"s"'),
    "a.pas": ("{ c }", "(* d *)", "// e", "'s'"),
    "a.vhd": ("-- c", '"s"'),
    "a.f90": ("! c", '"s"'),
    "a.vb": ("' c", '"s"'),
}
COMMENT = ("#", "//", "/*", "--", "{-", "<!--", ";", "=begin", "<#", "%", "(*", "{ c", "! c", "' c")
# What may stand between without being a comment or string, and what once fooled a scanner.
TRAPS = {
    "a.py": "x = a // b; y_r = 1",
    "a.js": "x = a / b / c; y = (d) / 2; z = e[0] / f",
    "a.c": "#include \"no.h\"\n#error don't\nx = 1'000'000;",
    "a.rs": "fn f<'a>(x: &'a str) -> &'static str",
    "a.sh": "echo ${#x} $# a#b \\# \\' \\\"",
    "a.yaml": "key: don't # that's a comment",
    "a.hs": "f x' = x' --> y",
    "a.scss": "a { background: url(http://x/y) }",
}


def kinds(name: str, text: str) -> list[tuple[str, str]]:
    document = load(text, name, kind="code", by_kind=True)
    return [(one.kind, text[one.span.start : one.span.end].strip()) for one in document.segments]


@pytest.mark.parametrize("name", SAMPLES)
def test_comments_and_strings_are_found(name: str) -> None:
    text = "\n".join(f"\nx = \n{piece}\n" if piece[0] in "#;" else f"\nx = {piece}\n" for piece in SAMPLES[name])
    expected = [("comment" if piece.startswith(COMMENT) else "string", piece) for piece in SAMPLES[name]]
    assert [pair for pair in kinds(name, text) if pair[0] != "code"] == expected


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    found = [kind for kind, _ in kinds(name, TRAPS[name])]
    assert found == (["code", "comment"] if name == "a.yaml" else ["code"])


def test_every_family_has_a_sample() -> None:
    assert {family_of(name) for name in SAMPLES} - {""} == set(PATTERNS)


def lexed(text: str, name: str) -> list[Run]:
    """Comments and strings as Pygments finds them."""
    lexer = get_lexer_for_filename(Path(name).name)
    runs: list[Run] = []
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        if not value or (runs and start < runs[-1][1]):
            continue  # some lexers hand out tokens out of order
        if kind in Comment and kind not in (Comment.Preproc, Comment.PreprocFile):
            runs.append((start, start + len(value), "comment"))
        elif kind in String:
            comment = kind is String.Doc and value.startswith(("/", "--", "#"))
            runs.append((start, start + len(value), "comment" if comment else "string"))
    return runs


def test_runs_are_merged() -> None:
    assert kinds("a.py", "# a\n    # b\nx = 1\n\n\n'''d'''\n'e'\n") == [
        ("comment", "# a\n    # b"),
        ("code", "x = 1"),
        ("string", "'''d'''\n'e'"),
    ]
    assert [one.kind for one in load("# a\n", "a.py").sections] == ["code"]


def test_a_heredoc_is_a_string() -> None:
    text = "cat <<'EOF' >x\ndon't\n# no\nEOF\necho # yes\n"
    assert [kind for kind, _ in kinds("a.sh", text)] == ["code", "string", "code", "comment"]


def test_code_in_a_template_is_code() -> None:
    assert kinds("a.js", "x = `a${b + 1}c`") == [
        ("code", "x ="),
        ("string", "`a${"),
        ("code", "b + 1"),
        ("string", "}c`"),
    ]


def test_code_in_an_f_string_is_code() -> None:
    assert kinds("a.py", "x = rf'a{b + 1:>3}{{c}}'") == [
        ("code", "x ="),
        ("string", "rf'a{"),
        ("code", "b + 1"),
        ("string", ":>3}{{c}}'"),
    ]
    assert kinds("a.py", "x = 'a{b}'\ndef f'") == [
        ("code", "x ="),
        ("string", "'a{b}'"),
        ("code", "def"),
        ("string", "f'"),
    ]


def test_a_language_that_nobody_knows_is_all_code() -> None:
    document = load("# a 'b'", "a.unknown", kind="code")
    assert [one.kind for one in document.segments] == ["code"]


@pytest.mark.parametrize("name", [*SAMPLES, "a.pl", "a.php", "a.r"])
@pytest.mark.parametrize(
    "text", ["'", '"', '"""', "'''", "/*", "`", "<!--", "--[[", "{-", 'r#"', "/", "\\", "<<A\n", '"\\']
)
def test_what_is_not_closed(name: str, text: str) -> None:
    document = load(f"x\n{text}", name)
    assert "".join(document.text[one.span.start : one.span.end] for one in document.segments) == f"x\n{text}"


def classes(text: str, runs: Iterable[tuple[int, int, str]]) -> bytearray:
    marks = bytearray(len(text))
    for start, end, kind in runs:
        marks[start:end] = (b"c" if kind == "comment" else b"s") * (end - start)
    return marks


def agreement(files: list[Path]) -> tuple[float, int]:
    """Share of visible characters that the scanner and Pygments class alike, and how many were compared."""
    same = total = 0
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")[:40_000].rpartition("\n")[0]
        ours = classes(text, code._scanned(text, family_of(file.name)))
        theirs = classes(text, lexed(text, file.name))
        skip = preprocessor(text) if file.suffix in (".c", ".h") else bytearray(len(text))
        for char, one, two, left_out in zip(text, ours, theirs, skip, strict=True):
            if not char.isspace() and not left_out:
                total += 1
                same += one == two
    return same / max(total, 1), total


def preprocessor(text: str) -> bytearray:
    """Marks lines for the C preprocessor, whose strings Pygments does not tell from the rest."""
    marks = bytearray(len(text))
    at = 0
    going = False
    for line in text.splitlines(keepends=True):
        going = going or line.lstrip().startswith("#")
        if going:
            marks[at : at + len(line)] = b"p" * len(line)
        going = going and line.rstrip("\n").endswith("\\")
        at += len(line)
    return marks


def test_agreement_with_pygments_on_python() -> None:
    files = sorted(SITE.glob("pygments/*.py")) + sorted(SITE.glob("markdown_it/**/*.py"))
    files += sorted(SITE.glob("hypothesis/*.py"))[:15] + sorted(SITE.glob("tokenizers/**/*.pyi"))
    share, total = agreement(files)
    assert total > 300_000
    assert share >= 0.995


def test_agreement_with_pygments_on_c() -> None:
    files = sorted(SITE.glob("cffi/**/*.[ch]")) + sorted(SITE.glob("numpy/_core/include/numpy/*.h"))
    if not files:
        pytest.skip("no C sources are installed")
    share, total = agreement(files)
    assert total > 20_000
    assert share >= 0.98


JAVASCRIPT = r"""
'use strict' // don't
/** Doc's comment */
import fs from "fs";
const re = /['"`]/g, div = a / b / c, also = x.map(s => /\/\*/.test(s));
function f(a, b = `t ${a} u`) { return /[/'"]+/i.exec(a) ? 'it\'s' : "no // comment"; }
const half = (a + b) / 2; /* 'quoted' */ const q = arr[0] / arr[1];
if (!/^\s*$/.test(x)) { throw new Error(`bad "${x}"`); }
export default class A { get b() { return 'x' + "y" + `z` } }
"""


def test_agreement_with_pygments_on_javascript() -> None:
    text = JAVASCRIPT * 3
    ours = classes(text, code._scanned(text, "javascript"))
    theirs = classes(text, lexed(text, "a.js"))
    same = [one == two for char, one, two in zip(text, ours, theirs, strict=True) if not char.isspace()]
    assert ours.count(b"s") > 250
    assert sum(same) / len(same) >= 0.98


def test_a_segment_of_code_is_on_the_line_of_its_code() -> None:
    document = load('# one\n\nx = 1  # two\n\n\ny = """a"""\n', "a.py", by_kind=True)
    assert [(one.kind, one.place.line) for one in document.segments][:4] == [
        ("comment", 1),
        ("code", 3),
        ("comment", 3),
        ("code", 6),
    ]
