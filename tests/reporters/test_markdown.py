from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tokaudit.model import Advice, Column, Report, Skipped, Table
from tokaudit.reporters import render
from tokaudit.reporters.cells import one_line


def markdown_of(*rows: list, notes: tuple[str, ...] = (), skipped: tuple[Skipped, ...] = ()) -> str:
    table = Table("T", [Column("label", "Label"), Column("tokens", "Tokens", "right", ",")], rows, {}, notes)
    return render(Report("count", [table], {}, skipped=skipped), "markdown")


def test_a_table_with_notes_and_skipped():
    skipped = (Skipped("a_b.png", "binary file", code="binary"),)
    assert markdown_of(["a|b", 1234], ["x", None], notes=("# no heading", "≈ 1"), skipped=skipped) == (
        "### T\n\n| Label | Tokens |\n| --- | ---: |\n| a\\|b | 1,234 |\n| x | - |\n\n\\# no heading\n\n≈ 1\n\n"
        "**Skipped (1)**\n\n- a_b.png: binary file\n"
    )


def test_all_skipped_inputs_are_listed():
    assert (
        markdown_of(skipped=tuple(Skipped(f"{n}.png", "binary", code="binary") for n in range(25))).count("\n- ") == 25
    )


@pytest.mark.parametrize("text", ["# h", "- item", "+ item", "1. one", "12) twelve", "=== x", "> q", "```", "---"])
def test_a_note_stays_a_paragraph(text):
    rendered = MarkdownIt("commonmark").enable("table").render(markdown_of(["a", 1], notes=(text,)))
    assert rendered.rstrip().endswith(f"<p>{html.escape(text)}</p>")


LIVELY = (
    *("[a](https://x.y)", "![a](b)", "[a]: b", "<https://x.y>", "<img src=x>", "<!-- a -->", "&lt;", "https://x.y/z"),
    *("http://x.y", "ftp://x", "HTTPS://x.y", "www.x.y", "WWW.x.y", "a@b.cd", "mailto:a@b.cd", "@octo-cat"),
    *(
        "@octo/team",
        "#12",
        "o/r#12",
        "GH-12",
        "gh-1",
        "!12",
        "`x`",
        "**b**",
        "~~s~~",
        "a|b",
        "\\|",
        "\\",
        "$x$",
        "| --- |",
    ),
)
"""What Markdown, or GitHub, would make something of."""
ADDRESS = re.compile(r"(?:https?|ftp)://|\bwww\.|@\w|#[0-9]|\bGH-[0-9]|![0-9]", re.IGNORECASE)


def tokens_of(source: str) -> list:
    """All tokens of a text, also those inside of others."""
    found = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(source)
    return [inner for token in found for inner in (token, *(token.children or ()))]


@given(
    st.lists(st.sampled_from(LIVELY) | st.text(st.characters(codec="utf-8"), max_size=5), max_size=6).map("".join)
    | st.text(st.characters(codec="utf-8") | st.sampled_from("|\\`*_[]<>&~$@#:/w.\n\r"), max_size=30)
)
def test_a_cell_is_one_cell_with_its_text_and_nothing_else(text):
    source = markdown_of([text, 7])
    assert source.count("\n") == 5
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source)
    cells = [html.unescape(cell) for cell in re.findall(r"<td(?: [^>]*)?>(.*?)</td>", rendered)]
    if text.strip():
        # An invisible space of ours is behind what would call somebody; one of the text's own is shown as an escape.
        assert [cell.replace("\u200b", "") for cell in cells] == [one_line(text).strip(), "7"]
        assert not ADDRESS.search(cells[0])
    kinds = {token.type for token in tokens_of(source)}
    assert kinds <= {
        *("heading_open", "heading_close", "inline", "text", "table_open", "table_close", "thead_open", "thead_close"),
        *("tr_open", "tr_close", "th_open", "th_close", "tbody_open", "tbody_close", "td_open", "td_close"),
    }


@pytest.mark.parametrize("text", LIVELY)
def test_texts_of_prompts_stay_texts_wherever_they_are(text, check_of, finding_of):
    report = check_of(
        finding_of("max-growth", "error", text, f"p/{text}.md"), skipped=(Skipped(text, text, code="binary"),)
    )
    table = Table(text, [Column("label", text)], [[text]], notes=[text])
    source = render(replace(report, tables=[table], verdict=text), "markdown")
    source = source.replace("<details><summary>Details</summary>", "").replace("</details>", "")
    assert not {token.type for token in tokens_of(source)} & {
        *("link_open", "image", "html_block", "html_inline", "code_inline", "s_open", "em_open", "fence", "code_block"),
    }
    assert not ADDRESS.search(html.unescape(MarkdownIt("commonmark").enable("table").render(source)))


def test_a_gate_is_a_comment_that_begins_with_its_verdict(check_of):
    report = check_of(skipped=(Skipped("a.png", "binary file", code="binary"),))
    table = Table("What grew", [Column("path", "File")], [["@bob"]])
    source = render(replace(report, tables=[table], verdict="failed: 2 of 3 files"), "markdown")
    blocks = source.removesuffix("\n").split("\n\n")
    assert blocks[:2] == ["## tokaudit check failed", "failed: 2 of 3 files"]
    assert blocks[2:4] == ["### What grew", "| File |\n| --- |\n| @&#8203;bob |"]
    assert "- ❔ not judged: incomparable: qwen3: another vocabulary" in blocks[4].splitlines()
    assert blocks[5].startswith("- ⚠️ **prompts/a.md** warn-at: 95% used, @&#8203;alice and #&#8203;12\n")
    assert blocks[6] == "<details><summary>Details</summary>"
    assert blocks[7].splitlines()[:2] == [
        "- ❌ **prompts/系统/客服 规则.md:12** max-tokens: 1,205 tokens (gpt-4o), 5 too many",
        r"- ❌ **prompts/b,c:d%.md:3:4** max-growth: grew by 12%: {0} and \[x\](1)",
    ]
    assert blocks[8:12] == [
        "</details>",
        "<details><summary>Notes</summary>",
        "- ℹ️ **prompts/a.md** new: a new file",
        "</details>",
    ]
    assert blocks[12:] == ["**Skipped (1)**", "- a.png: binary file"]


def test_commands_are_code_and_other_backquotes_are_not(check_of, finding_of):
    message = "`x` of [a](b): `tokaudit slim 'a_b@c #1.md'` or `tokaudit ` tick"
    advice = [
        Advice("to accept it", "tokaudit baseline update", [f"{n}.md" for n in range(7)]),
        Advice("to see it", "tokaudit check --why", ["'b`c.md'"]),
    ]
    table = Table("T", [Column("t", "T")], [["`tokaudit slim a|b`"]], notes=[message], advice=advice)
    text = render(replace(check_of(finding_of("max-tokens", "error", message, "a.md")), tables=[table]), "markdown")
    lines = text.splitlines()
    shown = r"\`x\` of \[a\](b): `tokaudit slim 'a_b@c #1.md'` or `tokaudit ` tick"
    assert f"- ❌ **a.md** max-tokens: {shown}" in lines
    assert shown in lines
    assert r"| \`tokaudit slim a\|b\` |" in lines
    assert "to accept it: `tokaudit baseline update 0.md 1.md 2.md 3.md 4.md 5.md 6.md`" in lines
    assert r"to see it: tokaudit check --why 'b\`c.md'" in lines


@pytest.mark.parametrize(
    ("outcome", "heading"), [("passed", "passed"), ("failed", "failed"), ("unmeasured", "could not judge everything")]
)
def test_a_comment_says_how_the_gate_ended(outcome, heading):
    report = Report("check", [], {"outcome": outcome, "files": []})
    assert render(report, "markdown") == f"## tokaudit check {heading}\n"


def test_a_comment_is_not_longer_than_github_takes(check_of, finding_of):
    found = [finding_of(rule, level, "客" * 300, "路径/" * 20, 1) for rule, level in [("slim", "error")] * 500]
    rendered = render(check_of(*found), "markdown")
    assert len(rendered) < 65_536
    assert "- and 450 more errors" in rendered


def test_signs_that_a_charset_lacks_are_words(check_of):
    rendered = render(check_of(), "markdown", ascii_only=True)
    assert "- error: **prompts/b,c:d%.md:3** max-growth: grew by 13% (qwen3)" in rendered
    assert "❌" not in rendered
