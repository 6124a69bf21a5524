from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tokaudit.model import Advice, Column, Finding, Place, Report, Skipped, Table
from tokaudit.reporters import render
from tokaudit.reporters.terminal import broken_lines

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def table_of(*tables: Table, width: int = 80, **options: bool) -> str:
    return render(Report("count", tables, {}), "table", width=width, **options)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("models", [1, 4, 6])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_nothing_is_wider_than_the_terminal_and_no_figure_is_lost(report_of, width, models, ascii_only):
    report = report_of(models, skipped=3)
    text = render(report, "table", width=width, ascii_only=ascii_only)
    assert max(map(cell_len, text.splitlines())) <= width
    for row in report.tables[0].rows:
        for figure in row[1:]:
            assert f"{figure:,}" in text
    assert not re.search("[…≈─]", text) if ascii_only else "≈" in text
    assert not ANSI.search(text)


def test_columns_line_up_by_cells_and_not_by_characters(report_of):
    lines = render(report_of(4), "table", width=80).splitlines()
    header, rule, *rows = lines[1:6]
    assert {cell_len(line) for line in (header, rule, *rows)} == {80}
    assert rows[0].startswith("samples/客服对话.md ")
    assert "…" in rows[1]
    assert rows[1].split()[0].endswith(".md")


def test_the_figures_of_many_models_go_into_several_tables(report_of):
    lines = render(report_of(6), "table", width=80).splitlines()
    headers = [line.split() for line in lines if line.startswith("File ")]
    assert headers == [
        ["File", "Chars", "gpt-4o", "qwen3"],
        ["File", "deepseek-v3", "glm-4.5", "kimi-k2", "≈claude-sonnet-4.5"],
    ]
    assert sum(line.startswith("samples/客服对话.md ") for line in lines) == 2


def test_a_verdict_is_whole_in_the_last_of_several_tables():
    models = [Column(f"m{n}", f"model-{n}", "right", ",") for n in range(8)]
    columns = [Column("path", "File"), *models, Column("verdict", "Verdict", firm=True)]
    verdict = "over: budget 340, growth >1%"
    lines = table_of(
        Table("", columns, [[f"提示词/第{n}.md", *[1_000 * n] * 8, verdict] for n in range(1, 5)])
    ).splitlines()
    assert sum(verdict in line for line in lines) == 4
    assert max(map(cell_len, lines)) <= 80


def test_a_long_label_is_cut_before_a_column_goes():
    columns = [Column("p", "File"), Column("chars", "Chars", "right", ","), Column("m", "gpt-4o", "right", ",")]
    bare = Table("", [columns[0], columns[2]], [["文" * 40, 7]])
    table = Table("", columns, [["文" * 40, 12, 7]], narrower=[bare])
    assert "Chars" in table_of(table, width=60)
    assert "Chars" not in table_of(table, width=50)


def test_headers_break_before_the_table_folds():
    columns = [Column("p", "File"), *(Column(f"c{n}", "deepseek-v3 tok/char", "right", ".3f") for n in range(5))]
    lines = table_of(Table("", columns, [["文件.md", *[0.5] * 5]])).splitlines()
    assert len([line for line in lines if "deepseek" in line]) == 1
    assert lines[-1].split() == ["文件.md", *["0.500"] * 5]


def test_colour_only_when_asked_for(report_of):
    report = report_of(4)
    painted = render(report, "table", color=True)
    for code, text in (
        ("32", "700,000"),
        ("31", "700,021"),
        ("33", "1,234"),
        ("1", "Tokens by file"),
        ("2", "samples/"),
    ):
        assert f"\x1b[{code}m{text}" in painted
    assert ANSI.sub("", painted) == render(report, "table", color=False)


def test_colour_does_not_hang_on_the_environment(report_of, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "10")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert not ANSI.search(render(report_of(1), "table", color=False))
    monkeypatch.setenv("NO_COLOR", "1")
    assert ANSI.search(render(report_of(1), "table", color=True))


def test_labels_are_literal_and_harmless():
    table = Table("[b]T[/b]", [Column("l", "[i]L"), Column("n", "N", "right")], [["[red]\x1b[31m:smile:\u202e", 1]])
    text = table_of(table, color=True)
    assert "[red]\\x1b[31m:smile:\\u202e" in text
    assert "[b]T[/b]" in text
    assert "[i]L" in text


def test_ten_skipped_inputs_are_listed_and_the_others_counted(report_of):
    lines = render(report_of(1, skipped=1234), "table").splitlines()
    assert lines[-12:-10] == ["Skipped (1,234)", "  图/0.png: binary file"]
    assert lines[-1] == "  and 1,224 more"
    assert "more" not in render(report_of(1, skipped=10), "table")


def test_a_label_loses_its_end_and_a_path_its_middle():
    table = Table(
        "", [Column("l", "L"), Column("n", "N", "right")], [["退款政策" * 20, 5], ["文档/" + "长" * 60 + "/a.md", 6]]
    )
    label, path = table_of(table, width=40).splitlines()[-2:]
    assert re.match(r"退款政策.*… +5$", label)
    assert re.match(r"文档/.*….*/a\.md +6$", path)


def test_what_was_not_judged_is_no_warning():
    found = [
        Finding("unmatched", "warning", "matches no files", "a.md", Place()),
        Finding("warn-at", "warning", "95%", "b.md", Place(line=3)),
    ]
    text = render(Report("check", [], {"outcome": "unmeasured"}, found), "table")
    assert text == "not judged a.md: matches no files\nwarning b.md:3: 95%\n"
    assert render(Report("count", [], {}, found[:1]), "table") == "warning a.md: matches no files\n"


def test_a_command_is_never_broken():
    update = "tokaudit baseline update"
    few = Advice("to accept it", update, ["a.md", "b.md"])
    many = Advice("to accept it", update, [f"提示词/很长的名字{number}.md" for number in range(7)])
    note = f"say `{update} 提示词/很长的名字很长的名字.md`, or not"
    lines = table_of(Table("T", [], [], notes=[note], advice=[few, many]), width=45).splitlines()
    assert lines == [
        "T",
        "say",
        f"`{update} 提示词/很长的名字很长的名字.md`,",
        "or not",
        "to accept it:",
        f"  {update} a.md b.md",
        "to accept it:",
        f"  {update} {' '.join(many.arguments)}",
    ]
    assert f"to accept it: {update} a.md b.md" in table_of(Table("T", [], [], advice=[few])).splitlines()


def test_a_change_of_nothing_has_no_sign():
    assert table_of(Table("", [Column("n", "N", "right", "+,")], [[0], [5], [0.0]])).split()[-3:] == ["0", "+5", "0.0"]


def test_a_path_is_cut_after_the_text_beside_it():
    path = "提示词/系统/客户服务/很长的文件名称.md"
    columns = [Column("path", "File"), Column("what", "What"), Column("n", "N", "right")]
    text = table_of(Table("", columns, [[path, "一段很长的说明" * 9, 5]]))
    assert path in text
    assert path not in table_of(Table("", columns, [[path, "一段很长的说明" * 9, 5]]), width=50)


cells = st.text(st.sampled_from("中文字，。A b/-_\x1b\n\u202e\u0301\u200d👨👩🇩🇪️é"), max_size=40) | st.text(max_size=30)
figure = st.integers(-(10**12), 10**12) | st.floats(0, 10**6) | st.none()


@settings(max_examples=150)
@given(st.data(), st.integers(20, 130), st.integers(0, 7), st.integers(0, 2), st.booleans())
def test_no_line_is_ever_wider(data, width, numbers, texts, ascii_only):
    names = data.draw(st.lists(cells, min_size=numbers + texts, max_size=numbers + texts))
    columns = [Column(f"c{n}", name, "right" if n >= texts else "left") for n, name in enumerate(names)]
    row = st.tuples(*[cells] * texts, *[figure] * numbers)
    rows = data.draw(st.lists(row, max_size=4))
    table = Table(data.draw(cells), columns, rows, {}, [data.draw(cells)])
    skipped = [Skipped(data.draw(cells), data.draw(cells), code="binary")]
    report = Report("count", [table], {}, skipped=skipped)
    for line in render(report, "table", width=width, ascii_only=ascii_only).splitlines():
        assert cell_len(line) <= width, line


def test_long_lines_of_a_page_are_broken_and_short_ones_stay():
    text = "# a.rule\n\n全角字母、数字一个就要一到三个 token，改成半角后整个词往往只要一两个。\n\n"
    text += "- **Guard**: kept where it saves tokens\n- `a  b`\n"
    broken = broken_lines(text, width=30)
    assert max(map(cell_len, broken.splitlines())) <= 30
    assert "\n  saves tokens\n- `a  b`\n" in broken
    assert broken.startswith("# a.rule\n\n全角")
    assert re.sub(r"\s", "", broken) == re.sub(r"\s", "", text)
    assert broken_lines(text, width=200) == text


def test_more_than_two_findings_about_the_same_are_one_and_a_number():
    def shown(number):
        findings = [
            Finding(
                "incomparable", "warning", f"no counts of model {n}", "a.json", Place(), fingerprint=f"{n}", group="g"
            )
            for n in range(number)
        ]
        other = Finding("density", "warning", "too dense", "b.md", Place(), fingerprint="other")
        return render(Report("check", [], {}, [*findings, other]), "table").splitlines()

    assert shown(2) == [
        "warning a.json: no counts of model 0",
        "warning a.json: no counts of model 1",
        "warning b.md: too dense",
    ]
    assert shown(5) == [
        "warning a.json: no counts of model 0",
        "  and 4 more like it; --format json has all",
        "warning b.md: too dense",
    ]


@pytest.mark.parametrize("width", range(60, 120, 7))
def test_a_command_that_installs_is_on_one_line(width):
    command = "python -m pip install --no-deps llama-models==0.3.0"
    hint = f"needs Python 3.12 or newer (this is 3.11): then {command}, and again"
    item = Skipped("llama-4", "needs a package", hint, code="no-places")
    lines = render(Report("count", [], {}, skipped=[item]), "table", width=width).splitlines()
    assert any(command in line for line in lines)
    assert max(map(cell_len, lines)) <= width
