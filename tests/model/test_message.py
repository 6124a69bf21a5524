"""Messages that can be said in another language."""

from __future__ import annotations

import pickle

from tokaudit.model.message import Message, counted, joined, translated

WORDS = {
    "{n:,} files": "{n:,} 个文件",
    "{files} of {names}": "{names}的{files}",
    ", ": "、",
    ":": "：",
    "at line {line}": "第 {line} 行",
}


def test_it_is_its_text():
    message = Message("{files} of {names}", files=counted(2000, "1 file", "{n:,} files"), names=("a", "b"))
    assert message == "2,000 files of a, b"
    assert isinstance(message, str)
    assert Message("100% {of} it") == "100% {of} it"


def test_it_is_translated_with_its_values():
    message = Message("{files} of {names}", files=counted(2000, "1 file", "{n:,} files"), names=("a", "b"))
    assert translated(message, WORDS) == "a、b的2,000 个文件"
    assert translated(joined(": ", "", "x", "y"), WORDS) == "x：y"
    assert translated("total", {"total": "合计"}) == "合计"
    assert translated(Message("{error}", error=ValueError(Message("at line {line}", line=3))), WORDS) == "第 3 行"
    assert translated(Message("not there {n}", n=1), WORDS) == "not there 1"


def test_a_sum_keeps_both():
    place = Message("at line {line}", line=3)
    assert place + "!" == "at line 3!"
    assert translated("x, " + place, WORDS) == "x, 第 3 行"
    place += place
    assert translated(place, WORDS) == "第 3 行第 3 行"
    assert pickle.loads(pickle.dumps(place)) == place


def test_it_goes_to_other_processes():
    message = pickle.loads(pickle.dumps(Message("{n:,} files", n=2)))
    assert translated(message, WORDS) == "2 个文件"
