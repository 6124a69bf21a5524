"""Remarks of rules on a text beside their edits: where it cannot be read, even if they are not applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.model.message import Message
from tokaudit.model.rules import PROTECTED, Rule
from tokaudit.pipeline.engine.proposals import outside
from tokaudit.pipeline.pages.unreadable import UNREADABLE, garbled_paragraphs, unreadable_pages
from tokaudit.pipeline.spans.find import find_spans

REMARKING = frozenset(("unreadable-glyphs", "garbled-paragraphs"))
"""Ops whose rules make remarks."""


class Remark(NamedTuple):
    """One remark on a text."""

    level: Literal["note", "warning"]
    message: str
    start: int
    """0-based code point at which its subject begins."""
    measured: float | None = None
    limit: float | None = None
    page: bool = False
    """True if its subject is a whole page."""


def remarks(text: str, kind: str, rule: Rule, *, applied: bool) -> Iterator[Remark]:
    """The remarks of a rule on a text; ``applied`` if its edits are made."""
    if rule.op == "unreadable-glyphs":
        yield from _of_glyphs(list(unreadable_pages(text)), applied=applied)
    elif rule.op == "garbled-paragraphs":
        yield from _of_paragraphs(text, kind, rule, applied=applied)


def _of_glyphs(found: Sequence[tuple[int, int, int, float]], *, applied: bool) -> Iterator[Remark]:
    if not found:
        return
    count = sum(page[2] for page in found)
    glyphs = (
        Message("1 glyph has no character")
        if count == 1
        else Message("{count:,} glyphs have no character", count=count)
    )
    where = "" if len(found) == 1 else Message(", on {n:,} pages", n=len(found))
    do = "" if applied else Message("; --lossy takes them out")
    yield Remark(
        "note",
        Message("{glyphs} ((cid:n), U+FFFD or private use){where}{do}", glyphs=glyphs, where=where, do=do),
        found[0][0],
        count,
    )
    for start, _, _, share in found:
        if share > UNREADABLE:
            what = Message(
                "needs OCR: {share:.0%} of what is there are glyphs without a character; nothing of them is deleted",
                share=share,
            )
            yield Remark("warning", what, start, round(share, 4), UNREADABLE, page=True)


def _of_paragraphs(text: str, kind: str, rule: Rule, *, applied: bool) -> Iterator[Remark]:
    found = [Edit(start, end, "") for start, end in garbled_paragraphs(text)]
    if not found:
        return
    protected = find_spans(text, kind).merged((frozenset(PROTECTED) - rule.enters) | rule.avoids)
    for start, end, _ in outside(found, text, *protected):
        size = end - start
        do = "" if applied else Message("; --select {id} deletes it", id=rule.id)
        yield Remark(
            "note", Message("a paragraph of {size:,} characters cannot be read{do}", size=size, do=do), start, size
        )
