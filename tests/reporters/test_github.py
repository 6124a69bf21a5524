from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokaudit.model import Finding, Place, Report, Skipped
from tokaudit.reporters import render
from tokaudit.reporters.cells import one_line

LINES = re.compile(r"\r\n|\r|\n")
TEXT = st.text(st.characters() | st.sampled_from("%:,=\r\n#[]25 3AD0"), max_size=20)
PATH = st.text(st.characters(codec="utf-8", exclude_characters="\0") | st.sampled_from("%:,= ./<>"), min_size=1)


def unescaped(text: str, *codes: str) -> str:
    """What the runner makes of a value: each code in turn, the percent sign last."""
    for code in (*codes, "%25"):
        text = text.replace(code, chr(int(code[1:], 16)))
    return text


def commands(output: str) -> tuple[list[tuple[str, dict[str, str], str]], list[str]]:
    """The commands of an output and its plain lines, as the runner of GitHub Actions reads them."""
    found, plain = [], []
    assert output.endswith("\n")
    for line in LINES.split(output[:-1]):
        text = line.lstrip()
        end = text.find("::", 2)
        if not text.startswith("::") or end < 0:
            assert "##[" not in line
            plain.append(line)
            continue
        name, _, written = text[2:end].partition(" ")
        properties = {}
        for pair in written.strip().split(","):
            key, _, value = pair.partition("=")
            value = value.lstrip("=")
            if value:
                properties[key] = unescaped(value, "%0D", "%0A", "%3A", "%2C")
        found.append((name, properties, unescaped(text[end + 2 :], "%0D", "%0A")))
    return found, plain


def test_findings_are_annotations_and_the_last_line_sums_up(check_of):
    output = render(check_of(skipped=(Skipped("a.png", "binary file", code="binary"),)), "github")
    assert output.splitlines()[1] == (
        "::error file=prompts/b%2Cc%3Ad%25.md,line=3,col=4,title=tokaudit max-growth::"
        "prompts/b,c:d%25.md:3:4: grew by 12%25: {0} and [x](1)"
    )
    found, plain = commands(output)
    assert [name for name, _, _ in found] == ["error"] * 5 + ["warning"] * 5 + ["notice"]
    assert found[0] == (
        "error",
        {"file": "prompts/系统/客服 规则.md", "line": "12", "title": "tokaudit max-tokens"},
        "prompts/系统/客服 规则.md:12: 1,205 tokens (gpt-4o), 5 too many",
    )
    assert ("warning", {"title": "tokaudit incomparable"}, "qwen3: another vocabulary") in found
    assert plain == [
        "skipped a.png: binary file",
        "tokaudit check failed: 5 errors, 5 warnings, 1 note, 1 skipped (4 files)",
    ]


def test_a_check_without_findings_is_one_line():
    report = Report("check", [], {"outcome": "passed", "files": [{"path": "a.md"}]})
    assert render(report, "github") == "tokaudit check passed: nothing to report (1 file)\n"
    assert render(Report("count", [], {}), "github") == "tokaudit count: nothing to report\n"


def test_paths_are_from_the_top_of_the_repository(check_of, finding_of):
    found = [finding_of("new", "note", "m", path) for path in ("a.md", "../b.md", "../../../c.md", "/d.md", "<stdin>")]
    annotations, _ = commands(render(check_of(*found, prefix="sub/dir"), "github"))
    assert [properties.get("file") for _, properties, _ in annotations] == ["sub/dir/a.md", "sub/b.md", *[None] * 3]


@pytest.mark.parametrize(("number", "shown"), [(10, 10), (11, 9), (500, 9)])
def test_more_than_github_shows_are_summed_up_and_listed(check_of, finding_of, number, shown):
    found = [finding_of("max-tokens", "error", f"message {n}", "a.md", n + 1) for n in range(number)]
    annotations, plain = commands(render(check_of(*found, finding_of("new", "note", "m", "b.md")), "github"))
    errors = [data for name, _, data in annotations if name == "error"]
    assert len(errors) == 10
    assert plain[:-1] == [f"error a.md:{n + 1}: message {n}" for n in range(shown, number)]
    assert errors[-1].startswith(f"{number - shown:,} more errors") is (number > 10)
    assert annotations[-1][0] == "notice"


def test_models_share_an_annotation(check_of, finding_of):
    found = [
        finding_of("max-tokens", "error", f"{model}: too many", f"{number:02}.md", 3, fingerprint=model, group="g")
        for number in range(12)
        for model in ("gpt-4o", "qwen3")
    ]
    found.append(finding_of("max-tokens", "error", "qwen3: elsewhere", "00.md", 4, group="g"))
    annotations, plain = commands(render(check_of(*found), "github"))
    assert annotations[0][2] == "00.md:3: gpt-4o: too many\nqwen3: too many"
    assert annotations[9][2].startswith("4 more errors")
    assert plain[0] == "error 09.md:3: gpt-4o: too many; qwen3: too many"
    assert plain[3] == "error 00.md:4: qwen3: elsewhere"
    assert plain[-1].startswith("tokaudit check failed: 25 errors")


def test_many_skipped_inputs_are_not_all_listed(check_of):
    skipped = tuple(Skipped(f"{n}.png", "binary file", code="binary") for n in range(30))
    _, plain = commands(render(check_of(skipped=skipped), "github"))
    assert plain[-3:-1] == ["skipped 9.png: binary file", "and 20 more"]


@given(TEXT, PATH, st.sampled_from(["error", "warning", "note"]))
@example("::error::x\n::set-output name=a::b", "=a.md", "error")
@example("%0A%250A", "a%2C.md ", "warning")
@example("\ud800", "a\udcff.md", "note")
def test_what_the_runner_reads_is_what_was_found(message, path, level):
    report = Report("check", [], {}, [Finding("max-tokens", level, message, f"d/{path}", Place(7))])
    output = render(report, "github")
    output.encode()
    (name, properties, data), *more = commands(output)[0]
    assert not more
    assert name == {"error": "error", "warning": "warning", "note": "notice"}[level]
    shown = "\n".join(one_line(line) for line in LINES.split(f"d/{path}:7: {message}"))
    assert data == shown
    assert properties.pop("title") == "tokaudit max-tokens"
    assert properties.pop("line", "7") == "7"
    assert set(properties) <= {"file"}


@given(st.text(st.sampled_from("ab=,:% 客\\./"), min_size=1, max_size=12))
@example("=")
@example("==a")
def test_a_path_arrives_as_it_is(path):
    report = Report("check", [], {}, [Finding("new", "note", "m", path, Place(1))])
    ((_, properties, _),) = commands(render(report, "github"))[0]
    import posixpath

    wanted = posixpath.normpath(path)
    if path.startswith("/") or re.match("[a-z]:/", path) or wanted == "." or wanted.split("/")[0] == "..":
        assert "file" not in properties
    else:
        assert posixpath.normpath(properties["file"]) == wanted


@given(TEXT)
@example("##[error]x")
@example("::error::x")
def test_nothing_that_is_listed_is_a_command(text):
    found = [Finding("new", "note", text, text, Place()) for _ in range(15)]
    output = render(Report("check", [], {}, found, [Skipped(text, text, code="binary")]), "github")
    annotations, plain = commands(output)
    assert len(annotations) == 10
    assert len(plain) == 8
