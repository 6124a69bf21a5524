"""Watermarks in a text without geometry: the same short line on most pages, across what stands there."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from tokaudit.pipeline.pages.columns import width
from tokaudit.pipeline.pages.split import Line, top_lines
from tokaudit.pipeline.patterns import lazy

_LEAST_PAGES, _SHARE = 4, 0.5
_WIDEST = 40
"""Columns of a watermark at most."""
_A_PAGE = 12
"""Of the same on one page, where it is tiled; there are more of what is content."""
_words = lazy(
    r"机密|保密|绝密|秘密|内部(?:资料|文件|使用|参考)|仅供|严禁|禁止|请勿|不得(?:外传|复制|转载)|草稿|草案|征求意见"
    r"|样[本张]|副本|作废|水印|試閱|機密|社外秘|関係者|サンプル|複製"
    r"|\b(?:CONFIDENTIAL|DRAFT|SAMPLE|COPY|SPECIMEN|VOID|INTERNAL|RESTRICTED|PROPRIETARY|WATERMARK|EVALUATION"
    r"|DO NOT (?:COPY|DISTRIBUTE)|NOT FOR (?:DISTRIBUTION|RELEASE)|PREVIEW|TRIAL)\b",
    re.IGNORECASE,
)
"""Words of watermarks. Anything else that is the same on many pages may be content, such as a label of forms."""


def watermarks(text: str, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Line]]:
    """Watermarks with the index of their page.

    They say what watermarks say, or stand in the midst of sentences; and on at least half of the pages.
    """
    if len(places) < _LEAST_PAGES:
        return
    least = max(_LEAST_PAGES, _SHARE * len(places))
    counts = Counter(map(str.strip, text.replace("\f", "\n").split("\n")))
    likely = {said for said, count in counts.items() if count >= least and 2 <= len(said) <= _WIDEST}
    if not likely:
        return
    found: dict[str, list[tuple[int, Line, bool]]] = defaultdict(list)
    for page, (start, end) in enumerate(places):
        there = list(top_lines(text, start, end))
        for at, line in enumerate(there):
            if line.text in likely:
                before = there[at - 1].text if at else ""
                after = there[at + 1].text if at + 1 < len(there) else ""
                found[line.text].append((page, line, _interrupts(before, line.text, after)))
    for said, lines in found.items():
        on = len({page for page, _, _ in lines})
        if on < least or len(lines) > _A_PAGE * on or width(said) > _WIDEST:
            continue
        letters = sum(map(str.isalpha, said))
        if 2 * letters < len(said) or not (
            _words().search(said) or (len(lines) == on and 2 * sum(within for _, _, within in lines) > on)
        ):
            continue
        yield from ((page, line) for page, line, _ in lines)


def _interrupts(before: str, line: str, after: str) -> bool:
    """True if a line stands between two parts of a sentence, both as wide as a page."""
    if width(before) < 40 or len(after) < 2 or line in {before, after}:
        return False
    return before[-1].isalnum() and (after[0].islower() or (not after[0].isascii() and after[0].isalpha()))
