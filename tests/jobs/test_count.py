"""Units of work: however an input is divided and spread, the report is the same."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

from places import SAMPLES
from tokaudit import InputError
from tokaudit.api.count import wanted_of
from tokaudit.features.count.report import report
from tokaudit.features.count.types import BY
from tokaudit.jobs import count as jobs
from tokaudit.jobs import units
from tokaudit.jobs.count import count_result
from tokaudit.jobs.inputs import Reading

MODELS = ["gpt-4o", "qwen3", "deepseek-v3"]


def counted(paths, *, by="file", models=MODELS, top=0, sort="order", **reading):
    wanted = wanted_of(by, top, sort, 0.8)
    result = count_result([str(path) for path in paths], (), models, wanted, Reading(**reading))
    return json.loads(json.dumps(report(result, people=False).data))


def difference(one, other, at="$"):
    """The first place where two JSON documents differ: a comparison of large ones is not readable otherwise."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next((found for key in one if (found := difference(one[key], other[key], f"{at}.{key}"))), None)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next((found for key, (a, b) in pairs if (found := difference(a, b, f"{at}[{key}]"))), None)
    return None if one == other else f"{at}: {str(one)[:200]} and {str(other)[:200]}"


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(units, "CUT_FROM", 1500)
    monkeypatch.setattr(jobs, "PIECE", 500)


@pytest.fixture
def spread(monkeypatch):
    monkeypatch.setattr(jobs, "SPREAD_FROM", 0)


def whole(monkeypatch, *arguments, **keywords):
    """The count with nothing cut."""
    with monkeypatch.context() as patch:
        patch.setattr(units, "CUT_FROM", 1 << 40)
        return counted(*arguments, **keywords)


def mixed_text() -> str:
    """Text with all that a cut could go wrong at: blank lines, indents, long lines, marks, wide and joined letters."""
    generator = random.Random(7)
    lines = [
        f"~{line}" if line else line  # no transcript, which a piece never is
        for name in ("support-chat.zh.txt", "service.log", "rag-prompt.en.txt", "system-prompt.md")
        for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()
    ]
    lines += [
        "",
        "",
        "   ",
        "\t",
        "    indented",
        "/slash",
        "\u3000全角",
        "e\u0301te\u0301",
        "\u0301mark",
        "👩‍👩‍👧",
        "x" * 700,
    ]
    lines += ["<|endoftext|>", "don't", "12345678", "\u00a0nbsp", "\u2028sep"]
    ends = ["\n"] * 8 + ["\r\n", "\n\n", "\n \n", " \n"]
    return "".join(generator.choice(lines) + generator.choice(ends) for _ in range(250))


def records(broken: bool) -> str:
    generator = random.Random(8)
    lines = (SAMPLES / "support-chat.zh.txt").read_text(encoding="utf-8").splitlines()
    found = [
        json.dumps({"id": number, "text": generator.choice(lines), "n": [1, 2.5, None]}, ensure_ascii=False)
        for number in range(120)
    ]
    if broken:
        found[3] = '{"id": 3, '
        found[60] = "not JSON at all"
        found[61] = "[1, 2,]"
        found[119] = '{"cut": "off'
    found.insert(20, "")
    return "\n".join(found) + "\n"


INPUTS = {
    "mixed.txt": mixed_text(),
    "mixed.log": "\n\n" + mixed_text() + "no newline at the end",
    "bom.txt": "\ufeff" + mixed_text(),
    "records.jsonl": records(broken=False),
    "broken.jsonl": records(broken=True),
    "one-line.txt": "没有换行的文字，" * 100,
    "blank.txt": "\n" * 3000,
}


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("name", INPUTS)
def test_pieces_are_the_whole(tmp_path, monkeypatch, small_pieces, by, name):
    path = tmp_path / name
    path.write_text(INPUTS[name], encoding="utf-8", newline="")
    assert difference(counted([path], by=by), whole(monkeypatch, [path], by=by)) is None


@pytest.mark.parametrize(
    ("by", "sort"), [("line", "density"), ("line", "tokens"), ("segment", "chars"), ("line", "name")]
)
def test_the_first_parts_of_pieces_are_those_of_the_whole(tmp_path, monkeypatch, small_pieces, by, sort):
    path = tmp_path / "mixed.txt"
    path.write_text(INPUTS["mixed.txt"], encoding="utf-8", newline="")
    options = {"by": by, "sort": sort, "top": 7, "models": ["gpt-4o", "qwen3"]}
    assert difference(counted([path], **options), whole(monkeypatch, [path], **options)) is None


@pytest.mark.parametrize("by", BY)
def test_structured_files_are_not_cut(tmp_path, monkeypatch, small_pieces, by):
    paths = [SAMPLES / name for name in ("system-prompt.md", "tool-result.json", "inventory.py")]
    assert difference(counted(paths, by=by), whole(monkeypatch, paths, by=by)) is None


def test_tokenizers_that_may_not_be_cut_are_not(tmp_path, monkeypatch, small_pieces):
    path = tmp_path / "mixed.txt"
    path.write_text(INPUTS["mixed.txt"], encoding="utf-8", newline="")
    models = ["gpt-4o", "mistral-v1"]
    assert difference(counted([path], models=models), whole(monkeypatch, [path], models=models)) is None


@pytest.mark.parametrize("charset", ["gb18030", "utf-16", "utf-8"])
def test_other_charsets(tmp_path, monkeypatch, small_pieces, charset):
    path = tmp_path / "mixed.txt"
    path.write_bytes(INPUTS["mixed.txt"].encode(charset))
    for named in (None, charset):
        one, other = (
            count([path], by="line", charset=named) for count in (counted, lambda *a, **k: whole(monkeypatch, *a, **k))
        )
        assert difference(one, other) is None


def test_invalid_bytes_in_a_later_piece(tmp_path, small_pieces):
    path = tmp_path / "bad.txt"
    text = INPUTS["mixed.txt"].encode()
    path.write_bytes(text + b"\nbroken \xff\xfe bytes\n" + text)
    with pytest.raises(InputError) as caught:
        counted([path], models=["gpt-4o"])
    assert f"at byte {len(text) + 8} (0xff), line {text.count(10) + 2}" in caught.value.message


def test_a_large_file_in_another_charset(tmp_path, monkeypatch, small_pieces):
    path = tmp_path / "gb.txt"
    path.write_bytes(((SAMPLES / "support-chat.zh.txt").read_text(encoding="utf-8") * 3).encode("gb18030"))
    assert difference(counted([path]), whole(monkeypatch, [path])) is None
    assert counted([path])["documents"][0]["charset"] == "gb18030"


@pytest.mark.parametrize("by", ["file", "class", "line", "segment"])
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes_change_nothing(tmp_path, monkeypatch, small_pieces, spread, by, start):
    if start == "fork" and sys.platform != "linux":
        pytest.skip("forking is of Linux")
    if start == "spawn" and by in {"line", "segment"}:
        pytest.skip("a new interpreter for each costs time, and two show it")
    for name, text in INPUTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\r")
    options = {"by": by, "models": ["gpt-4o", "qwen3"]}
    alone = counted([tmp_path], jobs=1, **options)
    monkeypatch.setattr("tokaudit.processes.may_fork", lambda: start == "fork")
    assert difference(counted([tmp_path], jobs=2, **options), alone) is None
    assert len(alone["documents"]) == len(INPUTS)
    assert len(alone["skipped"]) == 5


def test_a_corpus(tmp_path, monkeypatch):
    """20 MB of files and a large text and JSONL file, as they come: uncut, in one process, in two."""
    text = "".join((SAMPLES / name).read_text(encoding="utf-8") for name in ("support-chat.zh.txt", "service.log"))
    generator = random.Random(9)
    lines = [f"{line} {number}\n" for number, line in enumerate(text.splitlines() * 20)]
    (tmp_path / "large.txt").write_text("".join(generator.choices(lines, k=120_000)), encoding="utf-8")
    rows = [json.dumps({"id": at, "text": line}, ensure_ascii=False) + "\n" for at, line in enumerate(lines)]
    rows[1000] = '{"id": \n'
    (tmp_path / "large.jsonl").write_text("".join(generator.choices(rows, k=95_000)), encoding="utf-8")
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text("".join(generator.choices(lines, k=500)), encoding="utf-8")
    assert (tmp_path / "large.txt").stat().st_size > units.CUT_FROM
    assert (tmp_path / "large.jsonl").stat().st_size > units.CUT_FROM
    alone = counted([tmp_path], jobs=1, models=["qwen3"])
    assert alone["totals"]["bytes"] > 20_000_000
    assert any("large.jsonl" in item["what"] for item in alone["skipped"])
    assert difference(counted([tmp_path], jobs=2, models=["qwen3"]), alone) is None
    assert difference(whole(monkeypatch, [tmp_path], jobs=1, models=["qwen3"]), alone) is None


def test_progress_ends_with_all(tmp_path, small_pieces):
    for name, text in INPUTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    seen = []
    wanted = wanted_of("file", 0, "order", 0.8)
    count_result([tmp_path], (), ["gpt-4o"], wanted, Reading(), progress=lambda *told: seen.append(told))
    assert len(seen) > 3 * len(INPUTS)
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == pytest.approx(seen[-1][1], abs=3)  # but for a byte-order mark


def test_a_file_that_vanishes_is_skipped(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    real = units.read

    def read(file, **options):
        if file.path.endswith("b.txt"):
            (tmp_path / "b.txt").unlink()
        return real(file, **options)

    monkeypatch.setattr(units, "read", read)
    data = counted([tmp_path], models=["gpt-4o"])
    assert [Path(document["path"]).name for document in data["documents"]] == ["a.txt"]
    assert "vanished" in data["skipped"][0]["reason"]


def test_a_large_file_that_shrinks_is_no_crash(tmp_path, monkeypatch, small_pieces):
    path = tmp_path / "a.txt"
    path.write_text(INPUTS["mixed.txt"], encoding="utf-8", newline="")
    real = units.cut_points

    def cut(location, size, piece, **more):
        found = real(location, size, piece, **more)
        path.write_text("short\n")
        return found

    monkeypatch.setattr(units, "cut_points", cut)
    data = counted([path], models=["gpt-4o"])
    assert [(one["chars"], one["counts"]["gpt-4o"]["tokens"]) for one in data["documents"]] == [(6, 2)]


@pytest.mark.parametrize("by", BY)
def test_broken_lines_do_not_move_what_is_around_them(tmp_path, monkeypatch, by):
    # A broken line with blank lines after it, at which a piece may begin: the same text whole and in pieces.
    record = '{"a":1}\n\n' + "BAD " * 60 + "\n\n" + '  {"b": 2}\n' + "BAD\n" + '   {"c": 3}\n\n\n'
    path = tmp_path / "many.jsonl"
    path.write_text(record * 30, encoding="utf-8", newline="")
    expected = whole(monkeypatch, [path], by=by)
    for size in (90, 250, 700):
        monkeypatch.setattr(units, "CUT_FROM", 1)
        monkeypatch.setattr(jobs, "PIECE", size)
        assert difference(counted([path], by=by), expected) is None


def request_lines() -> str:
    """Requests of which some have notes, base64, roles and kinds that others have not; and a line that is none."""

    def line(*messages):
        return json.dumps(
            {"messages": [{"role": role, "content": said} for role, said in messages]}, ensure_ascii=False
        )

    lines = [line(("system", f"s{n}"), ("user", f"问题 {n} " * 3), ("assistant", "a")) for n in range(60)]
    lines[10] = line(("user", "长" * 900), ("user", [{"type": "text", "text": "q?"}, {"type": "odd", "text": "x"}]))
    lines[11] = '{"note": "no request at all"}'
    lines[13] = line(("user", "QUJD" * 200))
    lines[14:50:3] = [line(("robot", f"hello {n}")) for n in range(12)]
    lines[52] = json.dumps({"messages": [{"role": "assistant", "tool_calls": [CALL]}]})
    return "\n".join([*lines, "{broken", lines[0], ""])


CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}


@pytest.mark.parametrize("size", [1, 500, 1500])
@pytest.mark.parametrize("by", ["file", "segment", "role", "kind", "turn"])
def test_requests_in_pieces_are_those_of_the_whole(tmp_path, monkeypatch, by, size):
    # A piece of one byte is one line: a request by itself.
    path = tmp_path / "many.jsonl"
    path.write_text(request_lines(), encoding="utf-8", newline="")
    models = ["gpt-4o", "qwen3-8b"]
    expected = whole(monkeypatch, [path], models=models, by=by)
    assert expected["documents"][0]["request"]["requests"] == 60
    monkeypatch.setattr(units, "CUT_FROM", 1)
    monkeypatch.setattr(jobs, "PIECE", size)
    assert difference(counted([path], models=models, by=by), expected) is None


def test_lines_of_json_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('\n\n{"a":1}\nBAD\n\n\n{"b":2}\n\n{"c":3}\n', encoding="utf-8", newline="")
    (document,) = counted([path], by="line")["documents"]
    assert [part["line"] for part in document["segments"]] == [1, 2, 3, 5, 6, 7, 8, 9]
    assert len({part["id"] for part in document["segments"]}) == 8
    (document,) = counted([path], by="section")["documents"]
    assert [part["line"] for part in document["segments"]] == [3, 7, 9]


def test_a_file_without_a_good_line_is_no_zero(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("{bad\n{worse\n", encoding="utf-8")
    with pytest.raises(InputError, match="nothing in it can be read"):
        counted([path])
