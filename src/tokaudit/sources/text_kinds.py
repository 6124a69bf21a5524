"""The kind of a plain text by the structure of its lines, with the evidence for it: log, chat, pages (pdf) or text."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.model.evidence import Evidence
from tokaudit.model.message import Message
from tokaudit.pipeline.patterns import lazy

_HEAD, _LINES = 1 << 14, 200
"""Code points and lines that are looked at."""
_WIDTH = 400
"""Code points of a line that are looked at."""
_FEW = 3
"""Least number of lines for a kind."""
_SHARE, _TERMINAL_SHARE = 0.5, 0.2
"""Least share of the lines. Fewer are enough of what a terminal was sent: no prose has escape sequences."""
_SHOWN = 3
"""Line numbers that are named as examples."""

_DAY = r"[A-Z][a-z]{2},? +\d{1,2}"
_TIME = r"\d{1,2}:\d\d:\d\d"
_STAMP = (
    rf"(?:(?:\d{{4}}[-/.](?:\d\d|[A-Z][a-z]{{2}})[-/.]\d\d|\d\d/[A-Z][a-z]{{2}}/\d{{4}}"
    rf"|\d{{1,2}}[-/ ][A-Z][a-z]{{2}}[-/ ]\d{{4}}|\d{{1,2}}/\d{{1,2}}/\d{{4}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日"
    rf"|\d\d[-/.]\d\d(?:[-/.]\d{{2,4}})?|{_DAY}(?:,? \d{{4}})?|\d{{8}})[-T: ,]*\d{{1,2}}[:.]\d{{1,2}}[:.]\d{{1,2}}"
    rf"|\d\d:\d\d:\d\d|{_DAY} \d\d:\d\d|\d{{8}}T\d{{6}}"
    # Seconds since 1970 before more words, 081109 203615 148 INFO, I0301 09:00:00, [    0.000000].
    r"|1\d{9}(?:\.\d{1,9})?(?= \S+ \S+ \S)|\d{6} \d{6} \d+ [A-Z]|[IWEF]\d{4} \d\d:|(?<=\[) *\d{1,6}\.\d{6}\])"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)"
_logged = lazy(
    # At most five words before the time: a source, a number of the line, an address. The first of them is no word of
    # a sentence: it has more than letters in it, or capitals only.
    rf"(?a:\W{{0,3}}(?:(?=[A-Za-z]*[^A-Za-z\s]|[A-Z]+\s)\S{{1,80}}[ \t|]+"
    rf"(?:\S{{1,80}}[ \t|]+){{0,4}}\W{{0,2}})?{_STAMP})"
    rf"|\W{{0,3}}{_LEVEL}\b|[VDIWEF]/[\w.]+ *[(:]|(?:ts|time|level|lvl)=\S"
)
_terminal = lazy(
    r"\x1b[\[\]()]|\r *\d[\d .:kMG-]{20}|[^\n]*\.{3} ?\d{1,3}%\s*$"
    # pytest and unittest
    r"|={5,} .* ={3,}$|\S+\.py [.FEsxX]+ *\[ *\d+%\]$|\S{1,200}::\S{1,200} (?:PASSED"
    r"|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b"
    r"|(?:FAILED|ERROR) \S+::|_{5,} .* _{5,}$|E   +\S|(?:ok|FAIL|---? (?:PASS|FAIL):)[\t ]+\S+[\t ].*\ds\)?$"
    # dpkg, apt, pip, npm, docker, git, make
    r"|Selecting previously |Preparing to unpack |Unpacking \S+ |Setting up \S+ \(|Processing triggers for "
    r"|(?:Get|Hit|Ign|Err):\d+ |Reading package lists|Building dependency tree|Reading state information"
    r"|Requirement already |Collecting \S+$|Installing collected |npm (?:WARN|ERR!|notice|info)\b"
    r"|[0-9a-f]{12}: (?:Pulling|Waiting|Downloading|Extracting|Verifying|Pull complete|Already exists)| *\d+K [. ,]{20}"
    r"|Step \d+/\d+ : | ---> |#\d+ (?:\[|DONE|CACHED|\d)|remote: |(?:Receiving objects|Resolving deltas): "
    r"|make(?:\[\d+\])?: |\[ *\d+%\] (?:Building|Linking|Built)\b| +Compiling \S+ v\d"
)
_event = lazy(r"data: ?[\[{\"]|event: ?[\w.-]+\r?$|(?:id|retry): ?\d+\r?$")
_percent = lazy(r"\d ?%")
_log_name = lazy(r"\.log(?:\.\d+)?$")
_escape = lazy(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z])")
_turn = lazy(
    r"[*_\[【「]{0,2}(机器人|我|你|[A-Za-z][\w .-]{0,20}|[\u4e00-\u9fff]{2,4})"
    r"[\]】」*_]{0,2}(?:\s?[(（]?\d\d?:\d\d[^:：]{0,6})?\s?(?:：|:(?!(?<=\d:)\d\d(?!\d)))"
)
"""A line that begins with a speaker; the colon is not that of a time."""


def text_evidence(text: str, name: str = "") -> list[Evidence]:
    """What speaks for the kinds that a plain text may be: that of the kind that it is first, then the others.

    Args:
        text: Only its beginning is looked at.
        name: Of the file, in lower case. One that ends in .log is a log, unless its lines are a chat's.
    """
    head = text[:_HEAD]
    evidence = _line_evidence(head)
    log, terminal, stream, chat = evidence
    if "\f" in head:
        pages = Evidence("pdf", Message("form feeds between pages"))
        return [pages, *_found(evidence)]
    logs = Evidence("log", "", log.lines + terminal.lines + stream.lines, log.of)
    framed = terminal.lines and "\r" in head.replace("\r\n", "")
    if _is_enough(logs) and logs.share > chat.share:
        first = max(log, terminal, stream, key=lambda one: one.lines)
    elif _is_enough(chat):
        first = chat
    elif terminal.share >= _TERMINAL_SHARE and (terminal.lines >= _FEW or framed):
        first = terminal
    elif _log_name().search(name) and log.of:
        first = Evidence("log", Message("the name ends in .log"))
    else:
        first = Evidence("text", Message("no other kind has at least {n} lines and half of all", n=_FEW))
    return [first, *_found([one for one in evidence if one is not first])]


def _found(evidence: Sequence[Evidence]) -> list[Evidence]:
    return sorted((one for one in evidence if one.lines), key=lambda one: -one.lines)


def _is_enough(one: Evidence) -> bool:
    return one.lines >= _FEW and one.share >= _SHARE


def _line_evidence(head: str) -> tuple[Evidence, Evidence, Evidence, Evidence]:
    """What speaks for a log, a terminal, a stream and a chat, in this order; a line is of one of them at most."""
    logged: list[int] = []
    terminal: list[int] = []
    events: list[int] = []
    turns: list[int] = []
    speakers: set[str] = set()
    count = 0
    begun = False
    for number, whole in enumerate(head.split("\n")[:_LINES], 1):
        line = whole[:_WIDTH]
        if not whole.strip():
            continue
        plain = _escape().sub("", line) if "\x1b" in line else line
        if _logged().match(plain):
            logged.append(number)
            begun = True
        elif _event().match(line):
            events.append(number)
        elif _terminal().match(line) or plain is not line or _is_drawn(whole):
            terminal.append(number)
        elif begun and line[0] in " \t":
            continue  # belongs to the line of the log before
        elif match := _turn().match(line):
            turns.append(number)
            speakers.add(match[1])
            begun = False
        else:
            begun = False
        count += 1
    if len(speakers) == len(turns):
        turns = []  # fields of a form: nobody speaks twice
    sent = Message("lines of a terminal: colours, progress, results of tests, packages")
    return (
        _evidence("log", Message("lines with a time stamp or a level at their beginning"), logged, count),
        _evidence("log", sent, terminal, count),
        _evidence("log", Message("lines of server-sent events"), events, count),
        _evidence("chat", Message("lines that begin with a speaker, some more than once"), turns, count),
    )


def _is_drawn(line: str) -> bool:
    """True for a line with frames of progress between carriage returns."""
    frames = line.rstrip("\r").split("\r")[:-1]
    return any(_percent().search(frame[:_WIDTH]) for frame in frames[:_SHOWN])


def _evidence(kind: str, what: str, numbers: Sequence[int], count: int) -> Evidence:
    return Evidence(kind, what, len(numbers), count, numbers[:_SHOWN])
