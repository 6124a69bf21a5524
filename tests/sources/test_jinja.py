from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokaudit import slim
from tokaudit.model import Document, Skipped
from tokaudit.pipeline.spans.find import find_spans
from tokaudit.pipeline.spans.template_tags import find_tags
from tokaudit.sources import load
from tokaudit.tokenizers import load_tokenizer
from work import assert_linear

PROMPT = """# 角色

你是“{{ company }}”的客服助手。

{# 给自己看：先别改 #}
{%- if vip -%}
尊贵的客户，您好！
{% else %}
您好！
{% endif %}
{% raw %}写成 {{ name }} 即可。{% endraw %}
"""
PIECES = ["{{", "}}", "{%", "%}", "{#", "#}", "{%-", "-%}", "{{-", "-}}", "+%}", "{", "}", "(", ")", "[", "]", "%", "#"]
PIECES += [
    '"',
    "'",
    "\\",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\u3000",
    "\x1c",
    "!",
    "!=",
    "?",
    "@",
    "~",
    ":",
    "1",
    "0x",
    "的",
    "a",
]
PIECES += [
    "{{ a }}",
    "{% if b %}",
    "{% raw %}",
    "{%- raw -%}",
    "{% endraw %}",
    "{%-endraw+%}",
    "{# c #}",
    "{% raw a %}",
]
PIECES += ['{{ "}}" }}', "{{ {'a': {}} }}", "# x\n", "## y\n", "- z", "\n---\n", "\n\n", "    "]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=2)), max_size=14).map("".join)
SETTINGS = settings(max_examples=600, deadline=None)


def parts(document: Document) -> list[tuple[str, str, int | None]]:
    return [(one.kind, document.text[one.span.start : one.span.end], one.place.line) for one in document.segments]


def ids(document: Document) -> list[str]:
    return [one.id.partition("#")[2] for one in document.segments]


def test_parts() -> None:
    document = load(PROMPT, "prompts/a.j2")
    assert (document.kind, document.text, list(document.skipped)) == ("template", PROMPT, [])
    assert parts(document) == [
        ("text", "# 角色\n\n", 1),
        ("text", "你是“", 3),
        ("expression", "{{ company }}", 3),
        ("text", "”的客服助手。\n\n", 3),
        ("comment", "{# 给自己看：先别改 #}\n", 5),
        ("statement", "{%- if vip -%}\n", 6),
        ("text", "尊贵的客户，您好！\n", 7),
        ("statement", "{% else %}", 8),
        ("text", "\n您好！\n", 9),
        ("statement", "{% endif %}\n", 10),
        ("statement", "{% raw %}", 11),
        ("text", "写成 {{ name }} 即可。", 11),
        ("statement", "{% endraw %}\n", 11),
    ]
    assert ids(document)[:6] == ["text-1", "text-2", "expression-1", "text-3", "comment-1", "statement-1"]
    assert [(one.id, one.label) for one in document.sections] == [("prompts/a.j2#document", "(whole text)")]


@pytest.mark.parametrize("name", ["a.j2", "a.jinja", "A.JINJA2", "a.md.j2", "a.html.j2", "a.py.jinja"])
def test_names(name: str) -> None:
    assert load("{{ a }}", name).kind == "template"
    assert load("{{ a }}", name, structure=False).kind == "template"
    assert load("", name).kind == "template"


def test_kind_that_is_asked_for() -> None:
    assert load("{{ a }}", "a.txt", kind="template").segments[0].kind == "expression"
    assert [one.label for one in load("# A\n{{ a }}\n# B\n", "a.md", kind="template").sections] == ["A", "B"]
    assert load("{{ a }}", "a.j2", kind="text").segments[0].kind == "paragraph"


def test_sections_are_headings_outside_of_tags() -> None:
    text = (
        "{# # 说明 #}\n# {{ title }} 规则\n第一\n{% if x %}\n---\n{% endif %}{% if y %}## 细则\n{% endif %}\n"
        "{{ f('\n# no') }}\n{% raw %}\n# {{ raw }}\n{% endraw %}\n"
    )
    document = load(text, "a.md.j2")
    assert [(one.id.partition("#")[2], one.label, one.place.line) for one in document.sections] == [
        ("title-规则", "{{ title }} 规则", 1),
        ("细则", "细则", 6),
        ("raw", "{{ raw }}", 11),
    ]
    assert "".join(text[one.span.start : one.span.end] for one in document.sections) == text
    assert text[document.sections[1].span.start :].startswith("## 细则")
    assert ids(document)[:3] == ["title-规则/comment-1", "title-规则/text-1", "title-规则/expression-1"]
    assert "细则/text-1" in ids(document)


def test_only_tags() -> None:
    document = load("{% include 'a' %}", "a.md.j2")
    assert parts(document) == [("statement", "{% include 'a' %}", 1)]
    assert [one.kind for one in document.sections] == ["template"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("你好\n{{ a ? b }}", 2, "unexpected char '?'"),
        ("你好\n\n{{ name", 3, "the expression is not closed"),
        ("{% if x", 1, "the statement is not closed"),
        ("\r\n{# 说明", 2, "missing end of comment tag"),
        ("{{ (a }}", 1, "unexpected '}', expected ')'"),
        ("a\r\n{% raw %}\n", 2, "missing end of raw directive"),
    ],
)
@pytest.mark.parametrize("structure", [True, False])
def test_what_the_lexer_refuses_is_text(text: str, line: int, reason: str, structure: bool) -> None:
    document = load(text, "a.j2", structure=structure)
    assert (document.kind, document.text) == ("text", text)
    assert list(document.skipped) == [
        Skipped(f"a.j2:{line}", f"not a valid Jinja template: {reason}; counted as text", code="template-as-text")
    ]
    assert load(text, "a.j2", structure=structure, first_line=11).skipped[0].what == f"a.j2:{line + 10}"


@SETTINGS
@given(TEXTS, st.sampled_from(["a.j2", "a.md.j2"]))
def test_segments_cover_every_template(text: str, name: str) -> None:
    document = load(text, name)
    assert document.text == text
    for segments in (document.segments, document.sections):
        starts = list(segments.starts)
        assert starts == sorted(set(starts))
        assert starts[:1] == ([0] if text else [])
        assert len({one.id for one in segments}) == len(starts)
        for one in segments:
            assert one.place.line
    assert set(document.sections.starts) <= set(document.segments.starts)
    assert load(text, name, structure=False).kind == document.kind


@SETTINGS
@given(TEXTS)
@example("{{% if b %}}}")
@example("{{ {a %}%}} {{ (b%}) }}")
def test_tags_are_those_of_the_lexer(text: str) -> None:
    tags, whole = find_tags(text)
    document = load(text, "a.j2")
    assert whole == (document.kind == "template")
    if whole and text.strip():
        found = [(one.span.start, one.kind) for one in document.segments if one.kind != "text"]
        if tags and not text[: tags[0].start].strip() and found:
            found[0] = (tags[0].start, found[0][1])  # with the blanks before it
        assert found == [(tag.start, tag.kind) for tag in tags]
        # The lexer's end of a tag may have blanks with it.
        lexed = "".join(
            value for _, _, value in jinja2.Environment().lex(text.replace("\r\n", "\n").replace("\r", "\n"))
        )
        assert "".join(lexed.split()) == "".join(text.split())
    for tag in tags:
        assert text[tag.start] == "{"
        assert not whole or text[tag.end - 1] == "}"


def test_tags_take_linear_work() -> None:
    for before, unit in (("", "{{ a }}"), ("", "{%- a -%} \n"), ("", "{"), ("{{ ", "("), ("", "{# ")):
        assert_linear(find_tags, lambda units, before=before, unit=unit: before + unit * units, 2_000)
    document = load("x   {%- a -%}   " * 20_000, "a.j2")
    assert len(document.segments) == 40_000
    assert len(load("{{ a }}\n\n# b\n\n" * 2_000, "a.md.j2").sections) == 2_001


def test_the_engine_is_not_imported_for_plain_tags(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text(PROMPT, encoding="utf-8")
    program = (
        "import sys; from tokaudit import count; from tokaudit.sources import load; "
        "load(open('a.j2', encoding='utf-8').read(), 'a.j2', structure=False); "
        "print('jinja2' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ}, capture_output=True, check=True, text=True
    )
    assert done.stdout == "False\n"


def test_slimmed_template_has_the_same_tags() -> None:
    text = (
        "你是  “{{ company }}”  的助手呢。\n{# 这是  注释！！！！！！ #}\n"
        "{% if  vip  %}\n您好啊，请说。\u200b{{ user.name | default('客户　　！！！！') }}，谢谢您的理解哦。\n"
        "{% endif %}\n"
    )
    result = slim(text, ["chat"], "gpt-4o", kind="template", classes=("lossless", "near", "lossy"))
    assert result.text != text
    assert [text[tag.start : tag.end] for tag in find_tags(text)[0]] == [
        result.text[tag.start : tag.end] for tag in find_tags(result.text)[0]
    ]
    values = {"company": "某公司", "vip": True, "user": {}}
    rendered = [jinja2.Template(one).render(values) for one in (text, result.text)]
    # The same edits, made in what comes of the template.
    expected = rendered[0]
    for old, new in (("助手呢", "助手"), ("您好啊", "您好"), ("理解哦", "理解"), ("\u200b", "")):
        expected = expected.replace(old, new)
    assert rendered[1] == expected


def test_no_rule_for_lines_is_for_templates() -> None:
    """What is alike in the source may stand in two branches, of which one is rendered."""
    line = "2024-01-01 10:00:00 INFO 一样的一行"
    text = f"{{% if a %}}\n{line}\n{{% else %}}\n{line}\n{{% endif %}}\n" * 3
    result = slim(
        text, ["log", "markdown", "cn", "json"], "gpt-4o", kind="template", classes=("lossless", "near", "lossy")
    )
    assert result.text.count("一样的一行") == 6
    hard_break = "第一行  \n第二行 {{ a }}  \n"
    assert slim(hard_break, kind="template", models="gpt-4o").text == hard_break


def test_an_edit_that_makes_a_tag_is_not_made(tmp_path: Path) -> None:
    pack = tmp_path / "p.yaml"
    pack.write_text(
        "schema: tokaudit.rules/1\npack: p\nversion: 1.0.0\ntitle: P\nrules:\n"
        "  - {id: p.x, title: X, why: x, class: near, stage: lexical, guard: never, op: delete, pattern: 删}\n",
        encoding="utf-8",
    )
    assert slim("a删b {{ x }}", str(pack), "gpt-4o", kind="template").text == "ab {{ x }}"
    assert slim("a删b {删{ x }}", str(pack), "gpt-4o", kind="template").text == "ab {删{ x }}"  # the ledger has it
    for text in ("a删b\n{删#\nx #}", "a删b\n{删%\nx %}"):
        assert slim(text, str(pack), "gpt-4o", kind="template").text == text
    assert slim("{{ '删' }} {# 删 #} 删", str(pack), "gpt-4o", kind="template").text == "{{ '删' }} {# 删 #} "
    for broken in ("{{ '删' ", "{% raw %} 删", "{# 删", "{{ ? }} 删"):
        assert slim(f"删{broken}", str(pack), "gpt-4o", kind="template").text == broken


def test_tags_are_protected_in_templates_only() -> None:
    text = "a {{ '长' * 3 }} b {# c #}"
    assert [(one.start, one.end) for one in find_spans(text, "template").of("off")] == [(2, 15), (18, 25)]
    assert not find_spans(text, "text").of("off")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "你好啊。",
                "  ",
                "！！！！",
                "{{ a }}",
                "{% if b %}",
                "{% endif %}",
                "{# 　　 #}",
                "\n",
                "\u200b",
                "{",
                "#",
                "%",
                "x  y",
            ]
        ),
        max_size=20,
    ).map("".join)
)
def test_no_tag_changes(text: str) -> None:
    result = slim(text, kind="template", models="o200k_base", classes=("lossless", "near", "lossy"))
    before, after = ([one[tag.start : tag.end] for tag in find_tags(one)[0]] for one in (text, result.text))
    assert before == after
    assert (
        slim(result.text, kind="template", models="o200k_base", classes=("lossless", "near", "lossy")).text
        == result.text
    )


@pytest.mark.parametrize("name", ["a.j2", "a.md.j2"])
def test_tokens_of_the_segments_sum_to_those_of_the_template(name: str) -> None:
    from tokaudit.features.count.divisions import byte_offsets

    document = load(PROMPT, name)
    encoding = load_tokenizer("o200k_base").encoding(PROMPT)
    for segments in (document.segments, document.sections):
        offsets = byte_offsets(PROMPT, PROMPT.encode(), segments.starts)
        assert sum(encoding.within(offsets)) == len(encoding)
