from __future__ import annotations

from tokaudit.store.toml_places import key_places

TEXT = '''# models = 1
title = "models = 2" # x = 3
  indented   = 1
multi = """
inside = 1
[header]
"""
literal = \'\'\'
also = "2
\'\'\'
list = [ # comment with ] and [
  "a]", 'b',
  { deep = 1 },
]
after = 1
a.b . "c d" = 2

[ tool . 'tokaudit' ] # [no]
models = ["x"]

[[many]]
x = 1
"中文" = 2
'''


def test_places_of_keys_and_headers_and_of_nothing_else():
    assert key_places(TEXT) == {
        ("title",): (2, 1),
        ("indented",): (3, 3),
        ("multi",): (4, 1),
        ("literal",): (8, 1),
        ("list",): (11, 1),
        ("after",): (15, 1),
        ("a", "b", "c d"): (16, 1),
        ("tool", "tokaudit"): (18, 1),
        ("tool", "tokaudit", "models"): (19, 1),
        ("many",): (21, 1),
        ("many", "x"): (22, 1),
        ("many", "中文"): (23, 1),
    }


def test_windows_line_ends_and_no_last_newline():
    assert key_places("a = 1\r\n\r\n[t]\r\nb = [\r\n1]\r\nc = 2") == {
        ("a",): (1, 1),
        ("t",): (3, 1),
        ("t", "b"): (4, 1),
        ("t", "c"): (6, 1),
    }


def test_empty_and_broken_texts_end():
    assert key_places("") == {}
    assert key_places('a = "open') == {("a",): (1, 1)}
