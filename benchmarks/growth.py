"""Time against text for what slims: twice the text may take at most 2.5 times as long, whatever it is made of.

    python benchmarks/growth.py [--ops collapse,delete,...] [--size 100000] [--rounds 5]

Each op of the pipeline is run with the values of every built-in rule that has it, and find_spans and find_facts with
every kind of document, on texts that repeat one piece: seconds of CPU for once and twice the text, the least of some
rounds, for the piece and the rule that grow most among those that count. What takes next to nothing for a fifth of the
text does not count, and a pair that grows too much is measured again before it is believed. The last line has the
verdict; the exit code is 1 where something grows more than 2.5 times.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

LIMIT = 2.5
LEAST = 0.020
"""Seconds that twice the text must take for its ratio to count: less is the clock and not the text."""
PIECES = {
    "text": (
        " ", "\n", "\t", "\u3000", "a", "1", "-", ".", ",", "`", "&", "{", "[", "/", "@", "的", "一", "！", "😂",
        "a  b ", "a b\n", "a1-", "1,", "111,", "://", "a@", "\\", "是啊，", "２－", "￥1,000.00 ", "a\x02", "Ã©",
        "&amp;", "Please ", "in order to ", "不是", "2024年5月3日", "一月", "订单号：#A-17，", "行行\n", "> a\n",
        "\x1b[", "www.a ", "https://a.b/?", "https://a.b/?utm_a=1&", "https://a.b/%E4%BD",
    ),
    "markdown": (
        "| a |\n|---|\n", "|a|b|\n|-|-|\n|1|2|\n\n", "<table>\n", "<table><tr><td>a</td></tr></table>\n", "<!-- ",
        "- a\n<!-- a -->\n", "# a\n", "*a", "[a](", "![", "```\n", "    a\n", "~~~\na\n~~~\n", "a`` ", "<a ", "]: ",
    ),
    "json": (" ", '{"a": [', "[1, ", '"a": null, ', '{"a": 1}\n'),
    "jsonl": ("{}\n", '{"a": null}\n'),
    "code": ("# a\n", "/* a * ", "// a\n", "'", '"""', "x = 1  # a\n"),
    "log": (
        "08:00:00 INFO a\n", "2025-03-02 08:00:00 a\n", "[a-", "[#####] 10%\n", "10%\r", "=", "aB3+", "  at a.b(c)\n",
        '  File "a", line 1\n    x\n',
    ),
    "chat": ("a: b\n", "[08:00] a: b\n", "您好，"),
    "pdf": (
        "1\n\f", "This is a sentence that is quite long. It is so.\n\f", "net-\nwork ",
        "这一行足够长，有十个字以\n",
    ),
}  # fmt: skip
"""The text that is repeated, by the kind of document."""

SPANNED = frozenset(("drop-empty-json", "json-rows", "minify-json", "table-compact", "table-tsv"))
"""Ops that look at spans, so that finding them belongs to their time."""


class Pair(NamedTuple):
    """The measurements; the largest is the one that grows most."""

    ratio: float
    once: float
    twice: float
    what: str


def seconds(work: Callable[[str], object], text: str) -> float:
    """Seconds of CPU for a text."""
    gc.collect()
    began = time.process_time()
    work(text)
    return time.process_time() - began


def pair(work: Callable[[str], object], piece: str, size: int, rounds: int, what: str) -> Pair:
    """Once and twice the text; one that grows too much is tried again, each time a little longer: no cache has it."""
    tried = seconds(work, piece * (size // 5 // len(piece)))
    if tried < LEAST / 4:
        return Pair(0.0, tried, tried, what)
    once = twice = float("inf")
    for number in range(rounds):
        count = size // len(piece) + number
        once = min(once, seconds(work, piece * count))
        twice = min(twice, seconds(work, piece * (2 * count)))
        if twice <= LIMIT * once or twice < LEAST:
            break
    return Pair(twice / once if twice >= LEAST else 0.0, once, twice, what)


def works(ops: set[str]) -> Iterator[tuple[str, str, str, Callable[[str], object]]]:
    """Name, kind of document, rule, and what is done to a text."""
    from tokaudit import RuleError
    from tokaudit.pipeline.facts.find import find_facts
    from tokaudit.pipeline.ops import NAMES, op
    from tokaudit.pipeline.spans.find import Spans, find_spans
    from tokaudit.pipeline.views.view import View
    from tokaudit.store.pack_files import builtin_names
    from tokaudit.store.packs import load_packs

    for name, function in (("find_spans", find_spans), ("find_facts", find_facts)):
        if name in ops or not ops:
            for kind in PIECES:
                yield name, kind, "", partial(function, kind=kind)

    def edits(find, kind: str, spans: Callable[[str], Spans], text: str) -> object:
        return list(find(View(text, kind, frozenset({"zh", "en", "ja"}), spans(text))))

    rules = [rule for pack in load_packs(list(builtin_names()), examples=False) for rule in pack.rules]
    for name in NAMES:
        for rule in rules:
            if rule.op != name or (ops and name not in ops):
                continue
            find = op(name).prepare(rule.values)
            try:
                list(find(View("訂單", "text", frozenset(), Spans(()))))
            except RuleError:  # a library that is not installed
                continue
            for kind in rule.kinds or PIECES:
                if kind not in PIECES:
                    continue
                spans = partial(find_spans, kind=kind) if name in SPANNED else lambda _: Spans(())
                yield name, kind, rule.id, partial(edits, find, kind, spans)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", default="", help="default: all, with find_spans and find_facts")
    parser.add_argument("--size", type=int, default=100_000, help="characters of a text")
    parser.add_argument("--rounds", type=int, default=5, help="most, for what seems to grow too much")
    arguments = parser.parse_args()
    every: list[Pair] = []
    for name, of_name in groupby(works(set(filter(None, arguments.ops.split(",")))), itemgetter(0)):
        pairs = [
            pair(work, piece, arguments.size, arguments.rounds, f"{rule or kind}, {piece[:20]!r}")
            for _, kind, rule, work in of_name
            for piece in PIECES[kind]
        ]
        counted = [one for one in pairs if one.ratio]
        every += counted
        if counted:
            ratio, once, twice, what = max(counted)
            print(f"{name:20} once {once:7.3f} s   twice {twice:7.3f} s   {ratio:5.2f} x   {what}", flush=True)
        else:
            print(f"{name:20} too little for a ratio on each of {len(pairs)} texts", flush=True)
    worst = max(every, default=Pair(0.0, 0.0, 0.0, "none"))
    verdict = "holds" if worst.ratio <= LIMIT else "BROKEN"
    print(f"at most {LIMIT} x {verdict}: the largest of {len(every)} ratios is {worst.ratio:.2f} x ({worst.what})")
    return int(worst.ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
