from __future__ import annotations

import json

import pytest

from tokaudit.model import Document, Skipped
from tokaudit.sources import load
from work import assert_linear


def parts(document: Document) -> list[tuple[str, str, int | None]]:
    return [
        (one.id.partition("#")[2], document.text[one.span.start : one.span.end], one.place.line)
        for one in document.segments
    ]


def test_json_lines() -> None:
    text = '\n{"id": 1, "messages": [{"a": 1}], "x y": "{,}"}\r\n\n  {}  \n[1, 2]\n{"\\u4f60": null , "b":{"c":1}}'
    document = load(text, "a.jsonl")
    assert document.text == text
    assert parts(document) == [
        ("record-2.id", '\n{"id": 1, ', 2),
        ("record-2.messages", '"messages": [{"a": 1}], ', 2),
        ('record-2.["x y"]', '"x y": "{,}"}\r\n\n', 2),
        ("record-4", "  {}  \n", 4),
        ("record-5", "[1, 2]\n", 5),
        ("record-6.你", '{"\\u4f60": null , ', 6),
        ("record-6.b", '"b":{"c":1}}', 6),
    ]
    assert [one.kind for one in document.segments] == ["field"] * 3 + ["record"] * 2 + ["field"] * 2
    assert [one.label for one in document.segments][:3] == ["$.id", "$.messages", '$["x y"]']
    assert [(one.id, one.place.line) for one in document.sections] == [
        (f"a.jsonl#record-{line}", line) for line in (2, 4, 5, 6)
    ]
    assert [one.label for one in document.sections][1:3] == ["{}", "[1, 2]"]  # the record's own first words
    assert len(document.skipped) == 0


BROKEN = [
    "{",
    '{"a": 1',
    '{"a": 1}}',
    '{"a": 1} x',
    '{"a" 1}',
    '{"a": }',
    '{"a": 1,}',
    '{"a": 1]',
    '{"a": "x',
    "{'a': 1}",
    "  nope",
    "[1, 2",
    '{"a": 1, 2}',
    '{"a\\q": 1}',
    '{"a": [1, }',
    '"x" "y"',
]


@pytest.mark.parametrize("line", BROKEN)
@pytest.mark.parametrize("structure", [True, False])
def test_a_broken_line_is_left_out_and_reported(line: str, structure: bool) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(line)
    column = caught.value.pos + 1
    good = '{"a": 1, "b": 2}\n'
    document = load(f"{good}\n{line}\n{good}", "d/a.jsonl", structure=structure)
    assert document.text == f"{good}\n{good}"
    (skipped,) = document.skipped
    assert skipped.what == f"d/a.jsonl:3:{column}"
    assert skipped.reason.startswith("not valid JSON: ")
    if structure:
        assert [one.place.line for one in document.segments] == [1, 1, 4, 4]
        assert [one.id for one in document.sections] == ["d/a.jsonl#record-1", "d/a.jsonl#record-4"]
        assert parts(document)[2:] == [("record-4.a", '{"a": 1, ', 4), ("record-4.b", '"b": 2}\n', 4)]
    # As the first line, as the last one without a newline, and alone.
    assert load(f"{line}\n{good}", "a.jsonl", structure=structure).text == good
    assert load(f"{good}{line}", "a.jsonl", structure=structure).text == good
    assert load(line, "a.jsonl", structure=structure).text == ""


def test_lines_of_a_later_piece() -> None:
    document = load('{"a":1}\nbad\n{"b":2}\n', "a.jsonl", first_line=100)
    assert [one.what for one in document.skipped] == ["a.jsonl:101:1"]
    assert [one.id for one in document.segments] == ["a.jsonl#record-100.a", "a.jsonl#record-102.b"]


STRANGE = [
    '{"a": 1, "a": 1, "a": 2}',
    '{"a": 1.0, "b": 1, "c": 12345678901234567890, "d": 1e999}',
    '{"a": NaN, "b": Infinity, "c": -Infinity}',
    '{"a": "\\ud800", "\\udc00": 1}',
    '{"": 1, "a.b": 2, "a\\nb": 3, "\\"": 4}',
    '{"n": ' + "9" * 10_000 + "}",
    '{"' + "k" * 10_000 + '": 1}',
    '{"a": {"b": {"c": [[[[]]]]}}}',
]


@pytest.mark.parametrize("line", STRANGE)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_strange_values_are_counted_as_they_stand(line: str, name: str) -> None:
    document = load(line, name)
    assert (document.text, len(document.skipped)) == (line, 0)
    assert len(document.segments) == line.count('": ') if "{" not in line[1:] else 1
    ids = [one.id for one in document.segments]
    assert len(set(ids)) == len(ids)
    for one in document.segments:
        assert one.label.isprintable()
        assert one.id.encode()
        assert len(one.label) < 100


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("2]]]", "expecting ',' delimiter"),
        ("x", "expecting value"),
        ("1 2", "expecting ','"),
    ],
)
def test_deep_and_broken(depth: int, end: str, reason: str) -> None:
    broken = '{"a": [' + "[" * depth + "1, [], {}" + "]" * depth + ', {"b" : 1}, ' + end
    document = load(broken, "a.json")
    assert (document.kind, [item.code for item in document.skipped]) == ("text", ["json-as-text"])
    assert reason in document.skipped[0].reason
    document = load(f'{{"x":1}}\n{broken}\n{{"z":1}}\n', "a.jsonl")
    assert document.text == '{"x":1}\n{"z":1}\n'
    assert [item.what.split(":")[:2] for item in document.skipped] == [["a.jsonl", "2"]]


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_depth(depth: int, name: str) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    document = load(deep, name)
    assert (document.text, len(document.segments), len(document.skipped)) == (deep, 1, 0)
    if name == "a.jsonl":
        document = load(f'{{"x":1,"y":2}}\n{deep}\n{{"z":1}}\n', name)
        assert len(document.segments) == 4
        assert [one.place.line for one in document.segments] == [1, 1, 2, 3]


def test_array() -> None:
    text = ' [\n {"a": 1,\n  "b": [1,\n 2]},\n 3, {} , "x" ]\n'
    document = load(text, "a.json")
    assert parts(document) == [
        ("record-1.a", ' [\n {"a": 1,\n  ', 1),
        ("record-1.b", '"b": [1,\n 2]},\n ', 3),
        ("record-2", "3, ", 5),
        ("record-3", "{} , ", 5),
        ("record-4", '"x" ]\n', 5),
    ]
    assert [(one.id, one.label, one.kind) for one in document.sections] == [
        (f"a.json#record-{n + 1}", f"$[{n}]", "record") for n in range(4)
    ]


def test_object() -> None:
    document = load('{\n "a": {"x": [1]},\n "b": 2\n}\n', "a.json")
    assert parts(document) == [("a", '{\n "a": {"x": [1]},\n ', 1), ("b", '"b": 2\n}\n', 3)]
    assert list(document.sections) == list(document.segments)


@pytest.mark.parametrize("text", ["{}", "[]", "[ ]\n", "3", '"x"', "null", " {\n}\n"])
def test_nothing_to_divide(text: str) -> None:
    document = load(text, "a.json")
    assert [(one.kind, one.label) for one in document.segments] == [("record", "$")]
    assert (document.text, document.kind, [*document.skipped]) == (text, "json", [])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n "b": }\n', "2:7"),
        ("[1, 2\n", "1:6"),
        ("[1}", "1:3"),
        ('{"a": 1} x', "1:10"),
        ("nope", "1:1"),
        ("// c\n{}", "1:1"),
    ],
)
def test_a_broken_document_is_counted_as_text(text: str, place: str) -> None:
    document = load(text + "\n\nmore", "d/a.json")
    assert (document.text, document.kind) == (text + "\n\nmore", "text")
    assert [one.kind for one in document.segments] == ["paragraph", "paragraph"]
    (skipped,) = document.skipped
    assert isinstance(skipped, Skipped)
    assert skipped.what.startswith("d/a.json:")
    assert skipped.reason.endswith("counted as text")
    assert load(text, "d/a.json").skipped[0].what == f"d/a.json:{place}"


def test_ids_of_fields_never_collide() -> None:
    document = load('{"a":1,"a":2,"a-2":3,"a":4}', "a.json")
    ids = [one.id for one in document.segments]
    assert ids == ["a.json#a", "a.json#a-2", "a.json#a-2-2", "a.json#a-3"]


def test_many_fields_take_linear_work() -> None:
    def work(text: str) -> int:
        return len({one.id for one in load(text, "a.json").segments})

    def of(fields: int) -> str:
        return "{" + ",".join(f'"k{number}":{number}' for number in range(fields)) + "}"

    assert work(of(3_000)) == 3_000
    assert_linear(work, of, 1_000)  # the square, were each id found among those before it


@pytest.mark.parametrize(
    ("text", "kept", "numbers"),
    [
        ('{"a":1}\n{"b": 2,}\n\n{"c":3}\nnull\n{"d"\n', '{"a":1}\n\n{"c":3}\nnull\n', [1, 4, 5]),
        ("{\n\n\n{}\n", "\n\n{}\n", [4]),
        ("{}\n\n{\n{\n\n3", "{}\n\n\n3", [1, 6]),
        ("{}\n{\n\n \n", "{}\n\n \n", [1]),
    ],
)
def test_exactly_the_broken_line_goes(text: str, kept: str, numbers: list[int]) -> None:
    document = load(text, "a.jsonl")
    assert document.text == kept
    assert [one.place.line for one in document.sections] == numbers
    assert "".join(kept[one.span.start : one.span.end] for one in document.segments) == kept


def test_fields_of_elements_are_labelled_with_their_element() -> None:
    document = load('[{"a":1,"b":{"c":2}},{"a":3}, 5, {"x y":1}]', "a.json")
    assert [one.label for one in document.segments] == ["$[0].a", "$[0].b", "$[1].a", "$[2]", '$[3]["x y"]']
