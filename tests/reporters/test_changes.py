from __future__ import annotations

from tokaudit.model.edits import Edit, Ledger, SlimResult, Step, apply_edits
from tokaudit.reporters.changes import render_changes


def shown(before, *steps, color=False, path="a.txt", kind=""):
    text, done = before, []
    for rule, *edits in steps:
        done.append(Step(rule, [Edit(*edit) for edit in edits]))
        text = apply_edits(text, done[-1].edits)
    return render_changes(
        path, SlimResult(before, text, done, (), Ledger(lambda _: {}, before, text)), color=color, kind=kind
    )


def test_nothing_is_shown_of_a_text_that_stays():
    assert shown("abc") == ""
    assert shown("abc", ("r", (0, 1, "a"))) == ""


def test_a_line_with_what_goes_and_what_comes_and_the_rules():
    assert shown("一\n二三四\n", ("r.a", (2, 3, "")), ("r.b", (3, 4, "五"))) == (
        "a.txt\n     2: [-二-]三[-四-]{+五+}  (r.a, r.b)\n"
    )


def test_lines_apart_and_lines_joined():
    assert shown("ax\nb\ncx\n", ("r", (1, 2, ""), (6, 7, ""))) == "a.txt\n     1: a[-x-]  (r)\n     3: c[-x-]  (r)\n"
    assert shown("a\nb c\n", ("r", (1, 2, " "))) == "a.txt\n     1: a[-⏎-]{+·+}b c  (r)\n"
    assert shown("a\n\n\n\nb\n", ("r", (2, 4, ""))) == "a.txt\n     2: [-⏎⏎-]  (r)\n"


def test_colours_and_signs():
    text = shown("a\tb\u3000\u200bc\x1b[1m", ("r", (1, 2, ""), (3, 5, "")), color=True)
    assert text == (
        "\x1b[1ma.txt\x1b[0m\n     1: a\x1b[41m⇥\x1b[0mb\x1b[41m□\x1b[0m"
        "\x1b[9;31m<U+200B>\x1b[0mc<U+001B>[1m  \x1b[2mr\x1b[0m\n"
    )
    assert "\x1b" not in shown("ab", ("r", (0, 1, "")), path="\x1b]0;x\x07.txt")


def test_long_lines_are_shown_around_what_changes():
    text = shown("a" * 100 + "x" + "b" * 100 + "y" + "c" * 100, ("r", (100, 101, ""), (201, 202, "")))
    assert text == (f"a.txt\n     1: …{'a' * 30}[-x-]{'b' * 30}…{'b' * 30}[-y-]{'c' * 30}…  (r)\n")
    text = shown("x" * 1000 + "b", ("r", (0, 1000, "")))
    assert text == f"a.txt\n     1: [-{'x' * 100} … 800 characters … {'x' * 100}-]b  (r)\n"


def test_changes_over_many_lines_are_cut_into_several():
    before = "[\n" + "  1,\n" * 100 + "]\n"
    edits = [(at, at + 3, "") for at in range(1, len(before) - 3) if before[at : at + 3] == "\n  "]
    lines = shown(before, ("json", *edits)).splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) < 1200
    assert sum(line.count("[-⏎") for line in lines) == 100
    assert "1,[-⏎··-]1," in lines[1]


def test_every_change_is_shown_once():
    before = "".join(f"{number}x\n" for number in range(50))
    edits = [(at, at + 1, "") for at, char in enumerate(before) if char == "x"]
    lines = shown(before, ("r", *edits)).splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines] == [str(number) for number in range(1, 51)]


def test_json_without_its_blanks_is_shown_before_and_after():
    before = '{\n  "a": 1,\n  "b": 2\n}\n'
    edits = [(at, at + size, "") for at, size in ((1, 3), (8, 1), (11, 3), (18, 1), (20, 1))]
    for kind, rule in (("json", "my.rule"), ("markdown", "md.minify")):
        assert shown(before, (rule, *edits), kind=kind) == (
            'a.txt\n     1: [-{⏎··"a": 1,⏎··"b": 2⏎}-]\n        {+{"a":1,"b":2}+}  (' + rule + ")\n"
        )
    lines = shown('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', ("json.minify", (5, 6, ""), (8, 9, ""), (22, 23, ""),
                  (25, 26, "")), kind="jsonl").splitlines()  # fmt: skip
    assert [line[:8] for line in lines[1:]] == ["     1: ", " " * 8, "     2: ", " " * 8]
