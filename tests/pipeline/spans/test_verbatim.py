"""What is code or another region of its own without a fence: nothing in it changes."""

from __future__ import annotations

import pytest

from tokaudit import slim
from tokaudit.pipeline.spans.code_shapes import POINTS, group_of
from tokaudit.pipeline.spans.find import find_spans
from work import assert_linear

DIFF = """\
diff --git a/x.py b/x.py
index 1111111..2222222 100644
--- a/x.py
+++ b/x.py
@@ -1,6 +1,6 @@
 def f():
-    s = "a   b"   # c！！！
+    s = "a  b"
 \n \n   return  x
     y  =  1
"""
PYTHON = "def f():\n    s = 'a   b！！！'\n\n    if s:\n        return   '１２３'\n"
INNER = "a   b！！！ １２３ \n   c    d"
ELEMENTS = "pre textarea script style svg listing xmp nowiki syntaxhighlight code PRE".split()  # noqa: SIM905
ENVIRONMENTS = "verbatim verbatim* Verbatim lstlisting minted alltt comment".split()  # noqa: SIM905
VERBATIM: dict[str, str] = {
    "diff": DIFF,
    "diff without git": "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a  b\n-c   d！！！\n+c  d\n \n",
    "diff among text": f"请看补丁：\n\n{DIFF}\n谢谢\n",
    "pre with code": f"<pre><code>\n{INNER}\n</code></pre>",
    "verb": "用 \\verb|a   b！！！| 表示",
    "directive": "说明\n\n.. code-block:: python\n\n  a   b！！！ \n\n  c    d\n",
    "literal": "例子::\n\n  a   b！！！\n   c    d\n",
    "rst table": "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n",
    "asciidoc": f"[source,python]\n----\n{INNER}\n----\n",
    "asciidoc dots": f"= 标题\n\n....\n{INNER}\n....\n",
    "org": f"#+BEGIN_SRC python\n{INNER}\n#+END_SRC\n",
    "here document": f"cat <<EOF\n{INNER}\nEOF\n",
    "jinja raw": f"{{% raw %}}{INNER}{{% endraw %}}",
    "triple": f'文本：\n"""\n{INNER}\n"""\n',
    "triple single": f"文本：\n'''{INNER}'''\n",
    "python": f"请修复下面的代码：\n{PYTHON}",
    "python and thanks": f"请修复下面的代码：\n{PYTHON}\n谢谢",
    "command": "grep  -E  'a  b'  file.txt",
    "session": "$ cat  a.txt   | grep 'x  y'\n$ ls   -l\n",
    "yaml": "name: x\nservices:\n  web:\n    image:  'a   b'\n    command:  a   ！！！\n    ports:\n      - 80\n",
    "yaml block": "desc: |\n  a   b！！！\n    c    １２３\nother: x\n",
    "sql": "SELECT  a,   '１２３'\nFROM  t\nWHERE  b = 'x   y！！！'\nORDER BY  a;\n",
    "json with comments": '{\n  // 注释   ！！！\n  "a":  \'x   y\',\n  "b":   １２３,\n}\n',
    "traceback": 'Traceback (most recent call last):\n  File "a.py", line 3\n    foo(a,   b)\nValueError: a   b\n',
    "ini": "[main]\na =  x   y！！！\nb   = １２３\n",
    "environment": "A=x   y\nB='１２３'\nC=！！！\n",
    "toml": '[a.b]\nx = "a   b"\ny   =   [1,  2]\n',
    "make": "all: x\n\tgcc  -o  x  x.c\n\n.PHONY: all\n",
    "css": "a {\n  color:   red;\n  content: '！！！';\n}\n",
    "po": 'msgid "a   b"\nmsgstr "１２３！！！"\n',
    "cron": "*/5  *  *  *  *  /bin/x   'a  b'\n0 1   * * *   y\n",
    "javascript": "const a = 'x   y';\nfunction f(b) {\n  return   b  +  １２３;\n}\n",
    "java": 'public class A {\n    int   x  =  1;\n    String s = "！！！";\n}\n',
    "go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("a   b")\n}\n',
    "csv": "姓名,电话,备注\n张三,,无   \n李四,１２３,！！！\n",
    "tsv": "a\tb\tc\n张三\t\t\n李四\t１２３\t！！！\n",
    "psv": "a|b|c\n张三||无   \n李四|１２３|！！！\n",
    "tree": "src\n├──  a\n│    └──  b\n└──  c\n",
    "box": "+----+----+\n| a  |  b |\n+----+----+\n",
    "poem": "春   眠\n    不觉晓\n        处处\n",
    "chess": "8  r n b q k b n r\n7  p p p p p p p p\n6  .  .  .  .  .  .  .  .\n",
    "sudoku": "5 3 . | . 7 . | . . .\n6 . . | 1 9 5 | . . .\n------+-------+------\n8 . . | . 6 . | . . 3\n",
    "ledger": "2024-01-01   食品     12.00\n2024-01-02   交通      3.50\n2024-01-03   房租   3000.00\n",
    "tab": "e|--0---3--|\nB|----1----|\nG|--2------|\n",
    "vcard": "BEGIN:VCARD\nFN:张  三\nEND:VCARD\n",
    "signature": "你好\n\n-- \n张三\n",
    "single quotes": "说 'a   b' 了",
    **{f"<{name}>": f"看看：\n<{name} class='x'>\n{INNER}\n</{name}>\n" for name in ELEMENTS},
    **{f"\\begin{{{name}}}": f"文本\n\\begin{{{name}}}\n{INNER}\n\\end{{{name}}}\n" for name in ENVIRONMENTS},
}


@pytest.mark.parametrize("kind", ["text", "markdown"])
@pytest.mark.parametrize("name", VERBATIM)
def test_it_stays(name: str, kind: str) -> None:
    text = VERBATIM[name]
    assert slim(text, models="o200k_base", kind=kind, classes=("lossless", "near", "lossy")).text == text


def test_a_region_ends_where_it_ends() -> None:
    for text in (
        f"<pre>{INNER}</pre> 一  二",
        f"{DIFF}一  二",
        "```\n<pre>\n```\n一  二 </pre>",
        f"x\n\n{PYTHON}\n一  二",
    ):
        protected = find_spans(text, "text").merged(frozenset(["fence", "code", "indented"]))
        assert all(end <= text.index("一  二") for end in protected[1])


def test_an_element_that_is_only_mentioned() -> None:
    text = "用 `<pre>` 开始， 用 `</pre>` 结束"
    assert [text[s.start : s.end] for s in find_spans(text, "markdown").of("inline-code")] == ["`<pre>`", "`</pre>`"]


@pytest.mark.parametrize(
    "text",
    [
        "the dogs' bowls and the cats' beds",
        "rules:\n  - 不要道歉\n  - 要友好",
        "Options:\n\nThe first one (of two) is:\nnothing; really\nfor example:\nthis one",
        "user: hello there\nassistant: hi\nuser: bye",
        "你好,请问一下\n在吗,我想问,这个\n怎么卖,谢谢",
        "select the files that you want\nfrom the list below\nwhere they are",
        "if you want to:\nwith care:\nread on",
        "# Title\n\n* one\n* two\n\n-- a remark",
    ],
)
def test_prose_is_no_code(text: str) -> None:
    spans = find_spans(text, "text").all
    assert not [span for span in spans if span.kind in {"indented", "table", "quote", "fence"}]


def test_more_code_is_never_less() -> None:
    """No line takes points from a run."""
    assert min(POINTS) == 0
    assert [POINTS[group_of(line)] for line in ("def f():", "x = 1", "words of prose")] == [3, 1, 0]


COMMENTS = [
    *(("<!--", "-->"), ("{{!--", "--}}"), ("{{!", "}}"), ("<%--", "--%>"), ("<#--", "-->"), ("<#", "#>"), ("{#", "#}")),
    *(("/*", "*/"), ("/**", "*/"), ("{/*", "*/}"), ("(*", "*)"), ("{-", "-}"), ("@*", "*@"), ("--[[", "]]")),
    *(("#|", "|#"), ("%{", "%}"), ("[//]: # (", ")"), ('[//]: # "', '"'), ("[comment]: <> (", ")")),
    *((mark, "") for mark in ("//", "--", "#", ";", "%", "!", "'", '"', "..", "::", "REM ", "rem ", "@REM ", '.\\"')),
]


@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize(("opening", "close"), COMMENTS)
def test_comments_that_switch_off(opening: str, close: str, blank: str, indent: str) -> None:
    off, on = (f"{indent}{opening}{blank}tokaudit:{word}{blank}{close}" for word in ("off", "on"))
    text = f"一  二\n{off}\na   b\n{on}\nafter  x"
    found = [text[span.start : span.end] for span in find_spans(text, "text").of("off")]
    assert [part.strip() for part in found] == [f"{off}\na   b\n{on}".strip()]


@pytest.mark.parametrize(
    "text",
    ["say 'tokaudit:off' now", '"tokaudit:off" is a word', "a! tokaudit:off", "(* tokaudit:off", "..tokaudit:offx"],
)
def test_words_that_switch_nothing_off(text: str) -> None:
    assert not find_spans(text, "text").of("off")


HOSTILE = [
    *("(* tokaudit:off tokaudit:on ", "/* tokaudit:off tokaudit:on", "{-tokaudit:off", "'tokaudit:off\n", "<pre>"),
    *("<pre>`", "<code", "<source a", "\\begin{verbatim}", '"""', "'''a ", "<<EOF\n", "#+begin_src\n", "\\verb|a"),
    *("\n::\n\n a", "\n.. code::\n a", "@@ -1,9 +1,9 @@\n", "\n@@ -1 +1 @@\n a\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n"),
    *(
        "\n[source]\n----\n",
        "\n[source]\n",
        "{% raw %}",
        "*** a\n--- b\n***************\n",
        "-- \n",
        "```\n<pre>\n```\n",
    ),
    *("a=1;\n", "key:\n", "{\n", "$ ls -l\n", "# x\na=1\n", "a,b,c\n", "a,b,c", "'", "' a'", "a\tb", "a|b", "x = "),
    *("a\n b=\n\n", "\n  a: b", "a:\n b\n\n", "\n    x\n\n<pre>", "diff --git a\n", "* * "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_of_regions_takes_linear_work(piece: str) -> None:
    for last in ("", "</pre>", "*)", '"""'):
        assert_linear(
            lambda text: find_spans(text, "text"),
            lambda size, last=last: piece * (size // len(piece)) + last,
            4_000,
        )
