"""Lines of logs: their time stamps and levels, and what of them only tells who wrote them."""

from __future__ import annotations

import re

from tokaudit.pipeline.patterns import lazy

_DATE = r"\d{4}[-/.]\d\d[-/.]\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z\b|[ ]?[+-]\d\d:?\d\d(?!\d))?"
# 2025-03-02 02:00:00.014, 02/Mar/2025:02:00:00 +0000, Mar  2 02:00:00, 02:00:00.
_STAMP = rf"({_DATE}[T ]|\d\d/[A-Z][a-z][a-z]/\d{{4}}:|[A-Z][a-z][a-z] [ \d]\d )?({_TIME})"
# sshd[4127]: and [worker-3], [http-nio-8080-exec-7].
_brackets = lazy(r"\[(?:(?<=[a-z]\[)\d+\](?=:)|[A-Za-z][\w.-]*?[-_#]\d+\])")
_WORDS = ("pid", "tid", "hread", "goroutine")
_numbered = lazy(r"\b(?:pid|tid|[Tt]hread|goroutine)[-=:# ]{1,2}\d+")
stamp_pattern = lazy(
    rf"^(?:[\[(<]?|[^\s\d]{{1,40}}[ ]+\|?[ ]*|\S{{1,64}} \S{{1,64}} \S{{1,64}} \[)({_STAMP})", re.MULTILINE
)
"""A line's time stamp (1), its date if it has one (2) and its time (3), after a few marks or an address at most."""
date_pattern = lazy(rf"^\[?({_DATE}[T ])({_TIME})", re.MULTILINE)
"""A line that begins with a time stamp: its date with what stands between date and time (1), the time (2)."""
alarm_pattern = lazy(
    r"(?<![A-Za-z])(?:warn(?:ing)?|error|err|fatal|critical|crit|severe|alert|emerg(?:ency)?|panic|exception|traceback)"
    r"(?![A-Za-z])|警告|告警|错误|严重|致命|异常|失败",
    re.IGNORECASE,
)
"""Marks of a line that matters: a level from warning on."""


def without_writers(text: str) -> str:
    """The text with a NUL for each line's time stamp and for numbers of processes and threads, line for line."""
    masked = _brackets().sub("\0", stamp_pattern().sub(_mask, text))
    # Looked for only where there are any: it is slow, since such words begin with common letters.
    return _numbered().sub("\0", masked) if any(word in text for word in _WORDS) else masked


def _mask(match: re.Match[str]) -> str:
    start = match.start()
    return match[0][: match.start(1) - start] + "\0"
