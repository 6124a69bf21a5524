"""Kinds of plain texts by the structure of their lines."""

from __future__ import annotations

import time

import pytest

from log_samples import SETS, log_of
from tokaudit.sources.text_kinds import text_evidence


def kind(text: str, name: str = "") -> str:
    return text_evidence(text, name)[0].kind


@pytest.mark.parametrize("name", SETS)
def test_logs_of_every_system_are_told_without_a_name(name: str):
    first, *others = text_evidence(log_of(name))
    assert (first.kind, first.share, list(first.examples)) == ("log", 1.0, [1, 2, 3])
    assert first.lines > 30
    assert others == []


@pytest.mark.parametrize(
    "line",
    [
        '10.0.0.1 - - [02/Mar/2025:02:00:00 +0000] "GET /a HTTP/1.1" 200 12',
        "time=2025-03-02T08:00:00Z level=info msg=ok",
        "web-1  | 2025-03-02T08:00:00.123Z listening",
        "I0301 09:00:00.123456 12345 server.go:12] ok",
        "[    0.000000] Linux version 6.1",
        "INFO:root:ok",
        "[2025-Sep-20 19:03:41.618999] <error>: (ClientPool.h:114:Pop) no",
        "Thrift: Sat Sep 20 19:03:41 2025 TSocket::open() connect()",
        "\x1b[32m2025-03-02 08:00:00\x1b[0m ok",
        "D/Activity( 123): onCreate",
        "【2025-03-02 08:00:00】订单创建成功",
        "1234:M 02 Mar 2025 08:00:00.123 * Ready",
        "02-Mar-2025 08:00:00.123 INFO [main] org.a.B ok",
        "Mar 02, 2025 8:00:00 AM org.a.B run",
        "3/2/2025 8:00:00 AM, Information, ok",
        "2025年3月2日 08:00:00 订单创建成功",
        "APPREAD 1117869872 2005.06.04 R04-M1-N4-I:J18-U11 ok",
        '[GIN] 2025/03/02 - 08:00:00 | 200 | 1ms | 10.0.0.1 | GET "/a"',
    ],
)
def test_lines_of_logs(line: str):
    evidence = text_evidence(f"{line}\n" * 3)[0]
    assert (evidence.kind, evidence.lines) == ("log", 3)


@pytest.mark.parametrize(
    "text",
    [
        "a.py \x1b[32m.\x1b[0m\n" * 3,
        "Reading 5%\rReading 10%\rReading done\nThe rest\nis here\n",
        "============= test session starts =============\ntests/test_a.py ..F.s    [ 50%]\nFAILED tests/test_a.py::b\n",
        "Selecting previously unselected package a.\nPreparing to unpack .../a.deb ...\nUnpacking a (1) ...\n",
        "(Reading database ... 5%\n(Reading database ... 9%\n(Reading database ... 12 files)\nUnpacking a (1) ...\n",
        "  % Total\n   Dload\n\r  0     0    0     0    0     0      0\r100  1000  100  1000    0     0    500\n",
        "4f4fb700ef54: Downloading [=>     ]\n4f4fb700ef54: Extracting\n4f4fb700ef54: Pull complete\n",
        "\x1b[1mA\x1b[0m\nb\nc\nd\n" * 3,
    ],
)
def test_what_a_terminal_was_sent_is_a_log(text: str):
    assert kind(text) == "log"


@pytest.mark.parametrize(
    "text",
    [
        "We met on 2025-03-02 08:00:00 there.\n" * 3,
        "On 2025-03-02 at 08:00 we met.\n" * 3,
        "2025-03-02 午饭 35\n2025-03-03 打车 20\n2025-03-04 书 80\n",
        "本周 100% 完成\r\n下周 50%\r\n再下周 20%\r\n",
        "Name: a\nAge: b\nCity: c\n",
        "=====\nResults\n=====\nWarning: do not\nNote: that\n",
        "one \x1b[1mbold\x1b[0m word\n" + "and prose without any\n" * 30,
        "Collecting data takes time\nSetting up a team (again) is work\nUnpacking it all\n",
    ],
)
def test_other_texts_are_no_log(text: str):
    assert kind(text) == "text"


def test_a_log_in_a_prompt_is_no_log_of_its_own():
    evidence = text_evidence("Find the fault in this log:\n" + "Some words.\n" * 5 + "08:00:00 a\n" * 4)
    assert [(one.kind, one.lines) for one in evidence] == [("text", 0), ("log", 4)]


def test_lines_below_a_line_of_a_log_belong_to_it():
    trace = "2025-03-02 08:00:00 ERROR x\n" + "\tat com.shop.Stock.take(Stock.java:58)\n" * 9
    assert text_evidence(trace * 3)[0][:4:2] == ("log", 3)


def test_a_chat_with_times_is_a_chat_by_its_speakers():
    evidence = text_evidence("小王：在吗\n小李：在\n小王：好的\n08:00:00 x\n")
    assert [(one.kind, one.lines, list(one.examples)) for one in evidence] == [("chat", 3, [1, 2, 3]), ("log", 1, [4])]


@pytest.mark.parametrize(("name", "wanted"), [("a.log", "log"), ("a.log.3", "log"), ("a.txt", "text"), ("log", "text")])
def test_a_name_counts_where_lines_say_nothing(name: str, wanted: str):
    assert kind("compiled a\ncompiled b\n", name) == wanted
    assert kind("小王：在吗\n小李：在\n小王：好的\n", name) == "chat"


@pytest.mark.parametrize(
    "line", ["5% ", "a::", "_____ ", "ok 1", "1", "[a] ", "\r5%", "1 E ", "GET ", "a.py ....", "x: ", "\x1b[1m", "= "]
)
def test_work_is_linear_in_long_lines(line: str):
    begun = time.process_time()
    text_evidence(line * (20_000 // len(line)))
    text_evidence(f"{line * 100}\n" * 200)
    assert time.process_time() - begun < 2  # of CPU time; it takes hundredths


def test_the_kind_is_told_by_the_beginning():
    assert kind("08:00:00 a\n" * 300 + "prose\n" * 10_000) == "log"
