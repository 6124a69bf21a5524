from __future__ import annotations

import sys
from importlib import import_module

from hypothesis import given
from hypothesis import strategies as st

from tokaudit.store.toml_places import key_places

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
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
ARRAYS = '''[[b]]
paths = ["a", # ]
  'x#, [', """]
"""]
[b.max_tokens]
q = 1
[[b]]
  max_tokens = { "gpt-4o" = 1, q = { tokens = 2 } }
[[b.c]]
[[b.c]]
d.e = 1
[other]
x = [[1, 2], [{y = 3}]]
'''


def test_places_of_keys_headers_and_elements_and_of_nothing_else():
    assert key_places(TEXT) == {
        ("title",): (2, 1),
        ("indented",): (3, 3),
        ("multi",): (4, 1),
        ("literal",): (8, 1),
        ("list",): (11, 1),
        ("list", 0): (12, 3),
        ("list", 1): (12, 9),
        ("list", 2): (13, 3),
        ("list", 2, "deep"): (13, 5),
        ("after",): (15, 1),
        ("a", "b", "c d"): (16, 1),
        ("tool", "tokaudit"): (18, 1),
        ("tool", "tokaudit", "models"): (19, 1),
        ("tool", "tokaudit", "models", 0): (19, 11),
        ("many",): (21, 1),
        ("many", 0): (21, 1),
        ("many", 0, "x"): (22, 1),
        ("many", 0, "中文"): (23, 1),
    }


def test_arrays_of_tables_and_what_is_below_them():
    assert key_places(ARRAYS) == {
        ("b",): (1, 1),
        ("b", 0): (1, 1),
        ("b", 0, "paths"): (2, 1),
        ("b", 0, "paths", 0): (2, 10),
        ("b", 0, "paths", 1): (3, 3),
        ("b", 0, "paths", 2): (3, 12),
        ("b", 0, "max_tokens"): (5, 1),
        ("b", 0, "max_tokens", "q"): (6, 1),
        ("b", 1): (7, 1),
        ("b", 1, "max_tokens"): (8, 3),
        ("b", 1, "max_tokens", "gpt-4o"): (8, 18),
        ("b", 1, "max_tokens", "q"): (8, 32),
        ("b", 1, "max_tokens", "q", "tokens"): (8, 38),
        ("b", 1, "c"): (9, 1),
        ("b", 1, "c", 0): (9, 1),
        ("b", 1, "c", 1): (10, 1),
        ("b", 1, "c", 1, "d", "e"): (11, 1),
        ("other",): (12, 1),
        ("other", "x"): (13, 1),
        ("other", "x", 0): (13, 6),
        ("other", "x", 0, 0): (13, 7),
        ("other", "x", 0, 1): (13, 10),
        ("other", "x", 1): (13, 14),
        ("other", "x", 1, 0): (13, 15),
        ("other", "x", 1, 0, "y"): (13, 16),
    }


def test_windows_line_ends_and_no_last_newline():
    assert key_places("a = 1\r\n\r\n[t]\r\nb = [\r\n1]\r\nc = 2") == {
        ("a",): (1, 1),
        ("t",): (3, 1),
        ("t", "b"): (4, 1),
        ("t", "b", 0): (5, 1),
        ("t", "c"): (6, 1),
    }


def test_empty_and_broken_texts_end():
    assert key_places("") == {}
    assert key_places('a = "open') == {("a",): (1, 1)}


SCALARS = st.sampled_from(
    [
        "1",
        "-2.5",
        "true",
        "1979-05-27 07:32:00Z",
        '"x, ] } # y"',
        "'#'",
        '"""\n[h]\nk = 1\n"""',
        "'''it's \n[x]'''",
        '""',
        '"""""two"""""',
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[ " + ",\n # , ]\n".join(items) + " ]")
        | st.lists(inner, max_size=3).map(
            lambda items: "{ " + ", ".join(f"k{at} = {item}" for at, item in enumerate(items)) + " }"
        )
    ),
    max_leaves=8,
)


def paths_in(value, path=()):
    """The paths of all keys and elements of what the parser found."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, item in inside:
        yield (*path, part)
        yield from paths_in(item, (*path, part))


@given(st.lists(st.tuples(st.sampled_from(["[[t]]", "[[t.u]]", ""]), VALUES), min_size=1, max_size=6))
def test_every_key_and_element_has_a_place_and_nothing_else_has(items):
    lines = ["[[t]]"]
    for number, (header, value) in enumerate(items):
        lines += [header, f"key{number} = {value} # [[t]]"]
    text = "\n".join(lines)
    places = key_places(text)
    assert set(places) == set(paths_in(TOML.loads(text)))
    rows = text.split("\n")
    for path, (line, column) in places.items():
        if str(path[-1]).startswith("k"):
            assert rows[line - 1][column - 1 :].startswith(f"{path[-1]} =")


@given(st.text(alphabet="[]{}=,.#'\"\\ab \n", max_size=60))
def test_any_text_ends(text):
    key_places(text)
