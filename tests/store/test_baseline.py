from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokaudit.model import ConfigError, Skipped, TokenizerRef
from tokaudit.model.gates import Baseline, MeasuredFile, MeasuredPart
from tokaudit.store.baseline import DEFAULT_NAME, baseline_text, fault_of, find_baseline, paths_in
from tokaudit.store.baseline_reader import read_baseline
from work import assert_linear

O200K = TokenizerRef("o200k_base", "byte-bpe", "a" * 64, exact=True)
QWEN = TokenizerRef("qwen3", "byte-bpe", "b" * 64, exact=True)
CLAUDE = TokenizerRef("claude", "ctok", "", exact=False, error="about 5%; see x")
SHA = "0" * 64


def part(local, chars, tokens, *, path="b.md", label="", level=0, kind="section"):
    return MeasuredPart(f"{path}#{local}", kind, label, None, chars, tokens, level)


SIMPLE = Baseline(
    (O200K, QWEN),
    (
        MeasuredFile("a.txt", SHA, 3, (1, None)),
        MeasuredFile(
            "b.md", "1" * 64, 30, (8, 9), (part("规则", 20, (5, 6), label="规则", level=2), part("z", 10, (3, 3)))
        ),
    ),
)
TEXT = f"""{{
"schema_version": "1.1",
"tool": {{"name": "tokaudit", "version": "9.9"}},
"tokenizers": [
{{"name": "o200k_base", "backend": "byte-bpe", "sha256": "{"a" * 64}", "exact": true}},
{{"name": "qwen3", "backend": "byte-bpe", "sha256": "{"b" * 64}", "exact": true}}
],
"entries": [
{{"path": "a.txt", "sha256": "{SHA}", "chars": 3, "tokens": {{"o200k_base": 1}}}},
{{"path": "b.md", "sha256": "{"1" * 64}", "chars": 30, "tokens": {{"o200k_base": 8, "qwen3": 9}}}},
{{"id": "b.md#规则", "kind": "section", "label": "规则", "level": 2, "chars": 20, "tokens": {{"o200k_base": 5, "qwen3": 6}}}},
{{"id": "b.md#z", "kind": "section", "chars": 10, "tokens": {{"o200k_base": 3, "qwen3": 3}}}}
]
}}
"""  # noqa: E501


def read(folder, text) -> Baseline:
    path = folder / DEFAULT_NAME
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_baseline(path, "sub/base.json")


def error_of(folder, text) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(folder, text)
    assert caught.value.path == "sub/base.json"
    assert "tokaudit baseline write" in caught.value.hint
    return caught.value


def test_the_text_is_one_entry_a_line_in_a_fixed_order(tmp_path):
    assert baseline_text(SIMPLE, "9.9") == TEXT
    lines = [replace(item, line=7) for item in SIMPLE.files[1].parts]
    backwards = replace(SIMPLE, files=[replace(SIMPLE.files[1], parts=lines), SIMPLE.files[0]])
    assert baseline_text(backwards, "9.9") == TEXT
    assert json.loads(TEXT)
    assert read(tmp_path, TEXT) == SIMPLE


def test_windows_line_ends_a_bom_and_another_layout_are_read(tmp_path):
    wanted = read(tmp_path, TEXT)
    assert read(tmp_path, "\ufeff" + TEXT.replace("\n", "\r\n")) == wanted
    assert read(tmp_path, json.dumps(json.loads(TEXT), indent=2)) == wanted
    assert read(tmp_path, json.dumps(json.loads(TEXT))) == wanted


def test_unknown_fields_of_a_minor_version_are_ignored(tmp_path):
    wanted = read(tmp_path, TEXT)
    newer = TEXT.replace('"1.1"', '"1.7"').replace('"chars"', '"more": [1, {}], "chars"')
    assert (
        read(tmp_path, newer.replace('"exact"', '"new": 1, "exact"').replace('"tool"', '"new": {}, "tool"')) == wanted
    )


def test_another_major_version_is_refused(tmp_path):
    error = error_of(tmp_path, TEXT.replace('"1.1"', '"2.0"'))
    assert "schema version 2.0" in error.message
    assert error.line == 2


def test_what_was_skipped_and_approximations_are_kept(tmp_path):
    skipped = [Skipped("b", "not text", "exclude it", code="binary"), Skipped("a", "gone", code="missing")]
    baseline = Baseline([CLAUDE], [MeasuredFile("x", SHA, 1, (1,))], skipped)
    read_back = read(tmp_path, baseline_text(baseline, "1"))
    assert read_back.tokenizers == (CLAUDE,)
    assert read_back.skipped == (skipped[1], skipped[0])


def test_tokenizers_of_one_name_are_told_apart(tmp_path):
    other = replace(QWEN, sha256="c" * 64)
    files = (MeasuredFile("x", SHA, 1, (1, 2, 3), (part("p", 1, (1, 2, 3), path="x"),)),)
    baseline = Baseline((QWEN, O200K, other), files)
    text = baseline_text(baseline, "1")
    assert '"qwen3@bbbbbbbbbbbb": 1, "o200k_base": 2, "qwen3@cccccccccccc": 3' in text
    assert read(tmp_path, text) == baseline
    twice = Baseline([QWEN, QWEN], [MeasuredFile("x", SHA, 1, (1, 1))])
    assert read(tmp_path, baseline_text(twice, "1")) == Baseline((QWEN,), (MeasuredFile("x", SHA, 1, (1,)),))


@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_merge_conflicts_are_told_with_their_line(tmp_path, style):
    lines = TEXT.split("\n")
    ours, theirs = lines[8], lines[8].replace('"chars": 3', '"chars": 4')
    base = ["||||||| 1234567", ours] if style == "diff3" else []
    lines[8:9] = ["<<<<<<< HEAD", ours, *base, "=======", theirs, ">>>>>>> other"]
    for ends in ("\n", "\r\n"):
        error = error_of(tmp_path, ends.join(lines))
        assert "merge conflict" in error.message
        assert (error.line, error.column) == (9, 1)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"chars": 3,', '"chars": 3', 9, "not JSON"),
        ('"chars": 3,', '"chars": -3,', 9, "a.txt needs 'chars' and 'tokens'"),
        ('"chars": 3,', '"chars": true,', 9, "whole numbers"),
        ('"chars": 3,', '"chars": 3.0,', 9, "whole numbers"),
        ('"chars": 20', '"chars": "20"', 11, "b.md#规则 needs"),
        ('"o200k_base": 8', '"o200k_base": null', 10, "b.md needs"),
        ('"o200k_base": 8', '"cl100k": 8', 10, "tokens of cl100k, which is not among"),
        ('"path": "a.txt"', '"path": "b.md"', 10, "b.md is there twice"),
        ('"path": "a.txt"', '"path": 1', 9, "needs 'path' and 'sha256'"),
        ('"path": "a.txt"', '"file": "a.txt"', 9, "needs 'path', or 'id' and 'kind'"),
        ('"id": "b.md#z"', '"id": "b.md#规则"', 12, "b.md#规则 is there twice"),
        ('"id": "b.md#z"', '"id": "c.md#z"', 12, "c.md#z is not below the entry of its file"),
        ('"level": 2', '"level": 7', 11, "malformed"),
        (f'"sha256": "{SHA}"', '"sha256": "00"', 9, "needs 'path' and 'sha256'"),
        ('"name": "qwen3"', '"name": "o200k_base"', 9, "tokens of o200k_base"),
        ('"name": "qwen3"', '"name": ""', 6, "a tokenizer needs a name"),
        (', "exact": true}\n]', "}\n]", 6, "needs 'sha256' and 'exact'"),
        ('"entries": [', '"entry": [', 2, "no list 'entries'"),
        ('{"id": "b.md#z"', '5, {"id": "b.md#z"', 12, "an entry must be an object"),
    ],
)
def test_malformed_entries_are_told_with_their_line(tmp_path, old, new, line, words):
    assert TEXT.count(old) == 1
    error = error_of(tmp_path, TEXT.replace(old, new))
    assert words in error.message
    assert error.line == line or "not JSON" in words


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", '{"schema_version": 1}', "{" * 100_000, "[" * 100_000, '{"a": ' + "9" * 5000 + "}"]
)
def test_what_is_no_baseline(tmp_path, text):
    error_of(tmp_path, text)


def test_what_cannot_be_read(tmp_path):
    assert error_of(tmp_path, TEXT.encode("gbk")).line == 11
    for path, words in ((tmp_path / "none.json", "there is no baseline"), (tmp_path, "folder")):
        with pytest.raises(ConfigError, match=words):
            read_baseline(path, "base.json")


def test_the_nearest_file_upwards(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / DEFAULT_NAME).mkdir()
    (tmp_path / DEFAULT_NAME).touch()
    assert find_baseline(deep) == (tmp_path / DEFAULT_NAME).resolve()
    (deep / DEFAULT_NAME).touch()
    assert find_baseline(deep) == (deep / DEFAULT_NAME).resolve()


# Names as git may have them: any character, and bytes that are no UTF-8.
NAMES = st.text(
    st.characters(exclude_categories=["Cs"]) | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF), min_size=1
)
COUNTS = st.integers(0, 10**9)


@st.composite
def baselines(draw):
    refs = draw(
        st.lists(
            st.builds(
                TokenizerRef,
                st.sampled_from(["a", "b", "c@1"]) | NAMES,
                st.sampled_from(["byte-bpe", "ctok"]),
                st.sampled_from(["", "a" * 64, "b" * 64]),
                st.booleans(),
                st.sampled_from(["", "about"]),
            ),
            max_size=3,
            unique_by=lambda ref: (ref.name, ref.sha256),
        ).map(tuple)
    )
    tokens = st.tuples(*[st.none() | COUNTS for _ in refs])
    files = []
    for path in sorted(draw(st.lists(NAMES.filter(lambda name: not fault_of(name)), max_size=4, unique=True))):
        ids = draw(st.lists(NAMES, max_size=4, unique=True))
        kinds, labels = st.sampled_from(["section", "message"]), st.just("") | NAMES
        parts = [
            MeasuredPart(
                f"{path}#{local}", draw(kinds), draw(labels), None, draw(COUNTS), draw(tokens), draw(st.integers(0, 6))
            )
            for local in ids
        ]
        sha256 = draw(st.text("0123456789abcdef", min_size=64, max_size=64))
        files.append(MeasuredFile(path, sha256, draw(COUNTS), draw(tokens), tuple(parts)))
    return Baseline(refs, tuple(files))


@given(baselines())
def test_what_is_written_is_read(tmp_path_factory, baseline):
    text = baseline_text(baseline, "1.2.3")
    assert text.encode()  # no halves of characters
    assert len(text.splitlines()) == text.count("\n")
    entries = sum(1 + len(file.parts) for file in baseline.files)
    assert text.count("\n") == 8 + entries + len(baseline.tokenizers)
    path = tmp_path_factory.getbasetemp() / "round.json"
    path.write_bytes(text.encode())
    assert read_baseline(path, "x") == baseline
    assert baseline_text(read_baseline(path, "x"), "1.2.3") == text


@pytest.mark.parametrize("many", ["files", "parts"])
def test_a_large_baseline_is_read_with_linear_work(tmp_path, many):
    def of(size):
        files, parts = (size, 0) if many == "files" else (1, size)
        measured = []
        for path in (f"prompts/{number:05}.md" for number in range(files)):
            inside = tuple(part(f"s-{n}", 400, (90, 95), path=path, label=f"Section {n}") for n in range(parts))
            measured.append(MeasuredFile(path, SHA, 4000, (900, 950), inside))
        baseline = Baseline((O200K, QWEN), tuple(measured))
        path = tmp_path / f"{size}.json"
        path.write_text(baseline_text(baseline, "1"), encoding="utf-8")
        return path, baseline

    def work(case):
        path, baseline = case
        assert read_baseline(path, "x") == baseline

    assert_linear(work, of, 1_000)


ELSEWHERE = {
    "../a.txt": "leaves the project's folder",
    "x/../../a.txt": "leaves the project's folder",
    "x/..": "leaves the project's folder",
    "..\\a.txt": "leaves the project's folder",
    "x\\..\\a.txt": "leaves the project's folder",
    "/etc/passwd": "is absolute",
    "//server/share/a": "is absolute",
    "\\\\server\\a": "is absolute",
    "C:/a.txt": "is absolute",
    "c:a.txt": "is absolute",
    "C:\\a.txt": "is absolute",
    "x\\a.txt": "has a backslash",
    "a\0.txt": "has a null character",
}


@pytest.mark.parametrize("path", ELSEWHERE)
def test_files_outside_of_the_project_are_refused_with_their_line(tmp_path, path):
    error = error_of(tmp_path, TEXT.replace('"path": "a.txt"', f'"path": {json.dumps(path)}'))
    assert f"'{path}' {ELSEWHERE[path]}" in error.message
    assert (error.line, error.column) == (9, 1)
    scope = TEXT.replace('"entries"', f'"paths": [".", {json.dumps(path)}],\n"entries"')
    error = error_of(tmp_path, scope)
    assert f"'paths' has '{path}', which {ELSEWHERE[path]}" in error.message
    assert error.line == 8
    assert paths_in(tmp_path / DEFAULT_NAME) == (["a.txt", "b.md"], ["."])


@pytest.mark.parametrize("path", ["a..b/..c", "ab:c", "...", "x/\\xff\\u202e.md", "@/~/$"])
def test_names_that_only_look_odd_are_read(tmp_path, path):
    found = read(tmp_path, TEXT.replace('"path": "a.txt"', f'"path": {json.dumps(path)}'))
    assert path in [file.path for file in found.files]
