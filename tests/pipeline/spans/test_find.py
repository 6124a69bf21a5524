from __future__ import annotations

import pytest

from tokaudit.model.rules import PROTECTED, STRUCTURE
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.spans.find import SpanMatch, find_spans
from tokaudit.store.packs import load_pack

KINDS = ("text", "markdown", "json", "jsonl", "code", "log", "chat", "pdf")


def found(text: str, kind: str, *only: str) -> list[tuple[str, str]]:
    spans = find_spans(text, kind).all
    return [(text[span.start : span.end], span.kind) for span in spans if not only or span.kind in only]


# (text, kind of document, spans that must be there)
BLOCKS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("```py\nx  =  1\n```\nafter", "markdown", [("```py\nx  =  1\n```", "fence")]),
    ("a\n\n\n\n```\nx\n```", "text", [("```\nx\n```", "fence")]),
    ("~~~\n```\n~~~ x\n~~~~\nafter", "chat", [("~~~\n```\n~~~ x\n~~~~", "fence")]),
    ("````\n```\nx\n```\n````\nb", "log", [("````\n```\nx\n```\n````", "fence")]),
    ("   ```\n\tx\n   ```", "markdown", [("   ```\n\tx\n   ```", "fence")]),
    ("> ```\n> x  =  1\n> ```\nafter  x", "markdown", [("> ```\n> x  =  1\n> ```", "fence")]),
    ("> > ~~~\n> > # x\n> after", "markdown", [("> > ~~~\n> > # x\n> after", "fence")]),
    ("> ```\n> x\n\nafter", "markdown", [("> ```\n> x", "fence")]),
    ("- a\n\n      ```sh\n      x  y\n      ```\n", "markdown", [("      ```sh\n      x  y\n      ```", "indented")]),
    ("- a\n\n  ```sh\n  x  y\n  ```\n- b", "markdown", [("  ```sh\n  x  y\n  ```", "fence")]),
    ("1. ```\n   x\n   ```\n2. b", "markdown", [("1. ```\n   x\n   ```", "fence")]),
    ("```\nnever\n\nclosed", "text", [("```\nnever\n\nclosed", "fence")]),
    ("```\r\nx\r\n```\r\nb", "markdown", [("```\r\nx\r\n```", "fence")]),
    ("```\rx\r```\rb", "markdown", [("```\rx\r```", "fence")]),
    ("a\n\n    x  =  1\n\n\n    y\n\nb", "markdown", [("    x  =  1\n\n\n    y", "indented")]),
    ("    first\nb", "text", [("    first", "indented")]),
    ("a\n\n\tx\n\nb", "chat", [("\tx", "indented")]),
    ("# A\n    x\nb", "markdown", [("    x", "indented")]),
    ("a\n\n    ```\n    x\n\nb\n\n```\ny\n```", "markdown", [("    ```\n    x", "indented"), ("```\ny\n```", "fence")]),
    ("- a\n\n  b\n\nc\n\n    x", "markdown", [("    x", "indented")]),
    (">     x  y\n> z", "markdown", [(">     x  y", "indented")]),
    ("---\na: b\nc:\n  - d\n---\n\n# T", "markdown", [("---\na: b\nc:\n  - d\n---", "front-matter")]),
    ("+++\na = 1\n+++\nb", "markdown", [("+++\na = 1\n+++", "front-matter")]),
    ("\ufeff---\na: b\n---\nb", "text", [("\ufeff---\na: b\n---", "front-matter")]),
    ('a\n{\n  "a": [1, 2]\n}\nb', "text", [('{\n  "a": [1, 2]\n}', "json")]),
    ('[\n  {"a": 1}\n]\nb', "markdown", [('[\n  {"a": 1}\n]', "json")]),
    ('10:00 INFO got {"a": {"b": "}"}} from x', "log", [('{"a": {"b": "}"}}', "json")]),
    ("[1, 2]\nb", "text", [("[1, 2]", "json")]),
    ("  <?xml version='1.0'?>\n<a>b  c</a>", "text", [("  <?xml version='1.0'?>\n<a>b  c</a>", "xml")]),
    ("<!DOCTYPE html>\n<p>x", "markdown", [("<!DOCTYPE html>\n<p>x", "xml")]),
    ('{"a":  1}', "json", [('{"a":  1}', "json")]),
    ('{"a":  1}\n{"a": 2}', "jsonl", [('{"a":  1}\n{"a": 2}', "json")]),
    ("x  =  1", "code", [("x  =  1", "code")]),
]
TABLES: list[tuple[str, str, list[tuple[str, str]]]] = [
    (
        "a\n\n| h | i |\n|:--|--:|\n| 1 \\| 2 | 3 |\n\nb",
        "markdown",
        [("| h | i |\n|:--|--:|\n| 1 \\| 2 | 3 |", "table")],
    ),
    ("h | i\n--|--\n1 | 2\nlast\n\nb", "markdown", [("h | i\n--|--\n1 | 2\nlast", "table")]),
    ("h | i\n|---|---|\n| 1 | 2 |", "markdown", [("h | i\n|---|---|\n| 1 | 2 |", "table")]),
    ("- a\n\n  | h |\n  |---|\n  | 1 |\n", "markdown", [("  | h |\n  |---|\n  | 1 |", "table")]),
    ("- | h |\n  |---|\n  | 1 |\n", "markdown", [("- | h |\n  |---|\n  | 1 |", "table")]),
    ("> | h |\n> |---|\n> | 1 |\n", "markdown", [("> | h |\n> |---|\n> | 1 |", "table")]),
    ("| 1 | 2 |\n| 3 | 4 |", "text", [("| 1 | 2 |\n| 3 | 4 |", "table")]),
    ("| 1 | 2 |", "pdf", [("| 1 | 2 |", "table")]),
    ("+---+---+\n| a | b |\n+===+===+\nx", "text", [("+---+---+\n| a | b |\n+===+===+", "table")]),
    ("┌──┐\n│ a│\n└──┘\nx", "text", [("┌──┐\n│ a│\n└──┘", "table")]),
    ("x\nname    age\nbob     12\n张三    13\nx", "text", [("name    age\nbob     12\n张三    13", "table")]),
]
INLINE: list[tuple[str, list[tuple[str, str]]]] = [
    ("a `x  y` b", [("`x  y`", "inline-code")]),
    ("a ``x ` y`` b", [("``x ` y``", "inline-code")]),
    ("a `x\ny` b", [("`x\ny`", "inline-code")]),
    ("a ``x\ny\nz`` b", [("``x\ny\nz``", "inline-code")]),
    ("`a``b` c", [("`a``b`", "inline-code")]),
    ("see https://a.b/c_(d)?x=1#y.", [("https://a.b/c_(d)?x=1#y", "url")]),
    ("(see http://a.b/c)", [("http://a.b/c", "url")]),
    ("见https://x.com/a，然后", [("https://x.com/a", "url")]),
    ("https://x.com/订单", [("https://x.com/", "url")]),
    ("链接：https://x.com/a？b", [("https://x.com/a", "url")]),
    ("git+ssh://h/x and s3://bucket/k", [("git+ssh://h/x", "url"), ("s3://bucket/k", "url")]),
    ("www.example.com/a, mailto:me@x.com", [("www.example.com/a", "url"), ("mailto:me@x.com", "url")]),
    ("example.com/docs", [("example.com/docs", "url")]),
    ("<https://a.b/c>", [("https://a.b/c", "url")]),
    ("<me@x.com>", [("me@x.com", "email")]),
    ("[a](http://x/y_(z)?utm_source=b&c=d)", [("http://x/y_(z)?utm_source=b&c=d", "url")]),
    ('[a](/b/c "t") ![i](i.png)', [("/b/c", "url"), ("i.png", "url"), ('"t"', "quote")]),
    ("[a](<b c>)", [("<b c>", "url")]),
    ("[https://a.b](https://c.d)", [("https://a.b", "url"), ("https://c.d", "url")]),
    ("写信给first.last+x@mail.example.cn。", [("first.last+x@mail.example.cn", "email")]),
    ("in /usr/bin/x, ~/y/z or ./a/b.", [("/usr/bin/x", "path"), ("~/y/z", "path"), ("./a/b", "path")]),
    ("../a src/a/b.py lib/x.js @org/pkg/x", [("../a", "path"), ("src/a/b.py", "path"), ("lib/x.js", "path")]),
    ("文件在/usr/bin下", [("/usr/bin", "path")]),
    ("run main.py: or a.tar.gz.", [("main.py", "path"), ("a.tar.gz", "path")]),
    ("C:\\a\\b c", [("C:\\a\\b", "path")]),
    ("\\\\server\\share\\x y", [("\\\\server\\share\\x", "path")]),
    ("他说“好呢！”了", [("“好呢！”", "quote")]),
    ("「a『b』c」", [("「a『b』c」", "quote"), ("『b』", "quote")]),
    ("读《来吧，孩子》了", [("《来吧，孩子》", "quote")]),
    ("‘a’ «b» ＂c＂", [("‘a’", "quote"), ("«b»", "quote"), ("＂c＂", "quote")]),
    ("“don’t\nworry”", [("“don’t\nworry”", "quote")]),
    ('use "in order to" here', [('"in order to"', "quote")]),
    ('a 5" disk said "hi"', [('" disk said "', "quote"), ('"hi"', "quote")]),
    ('"a https://b.c {x}"', [('"a https://b.c {x}"', "quote"), ("https://b.c", "url"), ("{x}", "placeholder")]),
    ("{name} {{ name }} {{a | b}} ${X}", [(x, "placeholder") for x in ("{name}", "{{ name }}", "{{a | b}}", "${X}")]),
    ("%s %d %(a)s %(b)d %05.2f $VAR {0}", [(x, "placeholder") for x in ("%s", "%(b)d", "%05.2f", "$VAR", "{0}")]),
    ("{x!r:>10} {} [[x]] {% if a %} {# b #}", [(x, "placeholder") for x in ("{}", "[[x]]", "{% if a %}", "{# b #}")]),
    (
        "<slot> <your name> {嗯} <用户名> {姓名}",
        [(x, "placeholder") for x in ("<slot>", "<your name>", "{嗯}", "<用户名>")],
    ),
    ("<|im_start|>user", [("<|im_start|>", "placeholder")]),
    ('<b>x</b> <img\nsrc="a">', [("<b>", "tag"), ("</b>", "tag"), ('<img\nsrc="a">', "tag")]),
    ("<context>x</context>", [("<context>", "tag"), ("</context>", "tag")]),
    ("a <!-- b\nc --> d", [("<!-- b\nc -->", "html-comment")]),
    ("<!-- tokaudit:off -->\na\n<!-- tokaudit:on --> b", [("<!-- tokaudit:off -->\na\n<!-- tokaudit:on -->", "off")]),
    ("a\n# tokaudit:off\nb\n# tokaudit:on\nc", [("# tokaudit:off\nb\n# tokaudit:on", "off")]),
    ("a\n/* x tokaudit:off */ b", [("/* x tokaudit:off */ b", "off")]),
    ("// tokaudit:off\nb", [("// tokaudit:off\nb", "off")]),
    ("-- tokaudit:off\nb\n-- tokaudit:on", [("-- tokaudit:off\nb\n-- tokaudit:on", "off")]),
    (";; tokaudit:off\nb", [(";; tokaudit:off\nb", "off")]),
    ("% tokaudit:off\nb", [("% tokaudit:off\nb", "off")]),
    ("{# tokaudit:off #}b{# tokaudit:on #}c", [("{# tokaudit:off #}b{# tokaudit:on #}", "off")]),
]
STRUCTURES: list[tuple[str, list[tuple[str, str]]]] = [
    ("# a\nb\n### c", [("# a", "heading"), ("### c", "heading")]),
    ("#角色\nb", [("#角色", "heading")]),
    ("a\n===\nb\n---\n", [("a\n===", "heading"), ("b\n---", "heading")]),
    ("- a\n  * b\n1. c\n2) d", [("- a", "list"), ("  * b", "list"), ("1. c", "list"), ("2) d", "list")]),
    ("（1）甲\n一、乙\n①丙\n1、丁", [("（1）甲", "list"), ("一、乙", "list"), ("①丙", "list"), ("1、丁", "list")]),
    ("a\n> b\n> c\nd", [("> b\n> c", "block-quote")]),
    ("床前明月光，\n疑是地上霜。\n举头望明月，", [("床前明月光，\n疑是地上霜。\n举头望明月，", "verse")]),
]


@pytest.mark.parametrize(("text", "kind", "expected"), BLOCKS + TABLES)
def test_blocks(text: str, kind: str, expected: list[tuple[str, str]]) -> None:
    spans = found(text, kind)
    for one in expected:
        assert one in spans


@pytest.mark.parametrize("kind", ["text", "markdown", "chat", "log", "pdf"])
@pytest.mark.parametrize(("text", "expected"), INLINE)
def test_inline(text: str, expected: list[tuple[str, str]], kind: str) -> None:
    spans = found(text, kind)
    for one in expected:
        assert one in spans


@pytest.mark.parametrize(("text", "expected"), STRUCTURES)
def test_structure(text: str, expected: list[tuple[str, str]]) -> None:
    spans = found(text, "markdown", *STRUCTURE)
    for one in expected:
        assert one in spans


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("and/or 1/2 2024/5/20 km/h n/a w/o", "text"),
        ("他/她 是/否 and / or", "text"),
        ("don't it's the dogs' don’t", "text"),
        ("3.14 e.g. 1,299.00 08:00 No. 5", "text"),
        ("50% of 5 % in 100%", "text"),
        ("a < b and c > d", "text"),
        ("$5 $1,299.00 a@b @name", "text"),
        ("a ` b\n\nc ` d", "text"),
        ("“a\n\nb”", "text"),
        ("` `` ```", "text"),
        ("tokaudit:off is a word", "text"),
        ("# tokaudit:offset", "text"),
        ("a\n    b\n    c", "text"),
        ("a\n\n    从前有座山。\n\n    山里有座庙。", "text"),
        ("- a\n\n    b", "markdown"),
        ("1. a\n\n    b\n\n   c", "markdown"),
        ("---\n\na\n\n---\n", "markdown"),
        ("a | b", "markdown"),
        ("[1] 参考文献", "text"),
        ("[INFO] x\n[1, 2] x", "log"),
        ("{ not: json\n", "text"),
        ("08:00 INFO  a\n08:01 WARN  b\n08:02 INFO  c", "log"),
        ("1.  a\n2.  b\n3.  c", "text"),
        ("a.  b\nlonger.  b\nthe longest.  b", "text"),
    ],
)
def test_nothing_is_protected(text: str, kind: str) -> None:
    assert found(text, kind, *PROTECTED) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [("甲乙丙丁戊己庚辛壬癸子丑寅卯\n" * 4, "verse"), ("天\n" * 2, "verse"), ("a - b", "list"), ("3.14 a", "list")],
)
def test_structure_that_there_is_not(text: str, kind: str) -> None:
    assert found(text, "text", kind) == []


def test_what_stands_in_a_block_is_not_looked_at() -> None:
    text = "a\n```\n# x\n- `y` {z}\n| a |\n> b\n```\n"
    assert found(text, "markdown") == [(text[2:-1], "fence")]


def test_json_too_deep_for_the_parser() -> None:
    json = '{"a": ' * 100_000 + "1" + "}" * 100_000
    assert found(f"{json}\nafter", "text", "json") == [(json, "json")]


def test_json_after_what_was_no_json() -> None:
    assert found('[\n{"a": 1}\nb', "text", "json") == [('{"a": 1}', "json")]


def test_the_end_of_a_line_is_not_of_a_span() -> None:
    assert found("# a\r\n- b\r\n\r\n    c\r\n", "markdown") == [("# a", "heading"), ("- b", "list")]
    assert found("a\r\n\r\n    c\r\n", "markdown") == [("    c", "indented")]


def test_merged_and_of() -> None:
    spans = find_spans('"a https://b.c/d" `x`', "text")
    assert spans.merged(frozenset({"quote", "url"})) == ([0], [17])
    assert spans.of("url", "inline-code") == [SpanMatch(3, 16, "url"), SpanMatch(18, 21, "inline-code")]


def test_no_text() -> None:
    for kind in KINDS:
        assert list(find_spans("", kind).all) == []


# What would take hours if any part of it were looked at again and again.
HOSTILE = (
    '` `` < <a <!-- [ [[ { {{ {% {# % %( " “ 「 」 ( ]( ](a / // a/ a:// @ a@ a@b. . .py a.py - | ~ \\ \\\\a $A www. ) '
)
HOSTILE += 'http://) <a> </a> <用 {"a": https://a.b]( tokaudit:off #tokaudit:off;tokaudit:on #tokaudit:on 的 \u3000'
LINES = [
    "\n",
    "\n ",
    "\n    a",
    "\n\n    a",
    "> ```\n",
    "```\n",
    "```x\n",
    "~~~\n",
    "\n[",
    "\n[1,",
    '\n{"a":',
    "|\n",
    "|-|\n",
]
LINES += [
    "a|b\n-|-\n",
    "-|-\n",
    "a\n==\n",
    "- a\n\n      b\n",
    "  a",
    "   a\n",
    " ",
    "\t",
    "- ",
    "> ",
    "的\n",
    "`a\n",
    "\r",
    "\f",
]
LINES += ["# a\n    b\n", "[[[{", "\n- [", "(((", "1. ", "+--\n", "│\n", "a  b\n", "天，\n", "[1,\n", "\n\t\u3000"]


@pytest.mark.parametrize("piece", [*HOSTILE.split(" "), *LINES])
def test_a_hostile_text_ends(piece: str) -> None:
    text = piece * (500_000 // len(piece)) + "x"
    assert find_spans(text, "text").all is not None


def test_hostile_mixtures_end() -> None:
    text = "".join(a + b for a in HOSTILE.split(" ") for b in LINES)
    for kind in ("markdown", "log"):
        assert find_spans(text * (2_000_000 // len(text)), kind).all is not None


INNER_RUN = next(rule for rule in load_pack("common").rules if rule.id == "common.inner-run")


@pytest.mark.parametrize("name", ["prompt", " System", "system-prompt", "提示词"])
def test_a_fence_around_a_prompt_holds_text(name):
    text = f"Use this:\n\n```{name}\nWe went  to the shop  and bought bread there. Use `a b`.\n```\n\nend\n"
    found = {(text[span.start : span.end], span.kind) for span in find_spans(text, "markdown").all}
    assert {(f"```{name}", "fence"), ("```", "fence"), ("`a b`", "inline-code")} <= found
    assert slim_text(text, [INNER_RUN], kind="markdown").text == text.replace(
        "went  to the shop  and", "went to the shop and"
    )


@pytest.mark.parametrize(
    "text",
    [
        "```python\nWe went  to the shop  and bought bread there.\n```\n",
        "```\nWe went  to the shop  and bought bread there.\n```\n",
        "```prompt of a shell\nWe went  to the shop  and bought bread there.\n```\n",
        "```prompt\nWe went  to the shop  and bought bread there.\n",
        "> ```prompt\n> We went  to the shop  and bought bread there.\n> ```\n",
        "````prompt\n```\nWe went  to the shop  and bought bread there.\n```\n",
    ],
)
def test_other_fences_hold_code(text):
    assert slim_text(text, [INNER_RUN], kind="markdown").text == text
