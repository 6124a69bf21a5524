"""Keep the last frame of a progress display."""

from __future__ import annotations

import re
from itertools import pairwise

from tokaudit.model.edits import Edit
from tokaudit.model.text import line_end
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.log_lines import alarm_pattern, is_alarm
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Keep only the last frame of a progress bar or spinner, of lines in a row or between carriage returns."
PARAMETERS: Parameters = {}
_LONGEST = 400
"""Characters of the longest line that may be a frame."""
_SPINNER = "⠁⠂⠄⠈⠐⠠⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⣾⣽⣻⢿⡿⣟⣯⣷◐◓◑◒"
_BAR = (
    r"[#=█▉▊▋▌▍▎▏░▒▓━╸╺■□▪▫●○]{5}|[#=>][-. ]{5,}[\])|]|[\[(|][-. ]{5,}[\])|]|%\|[█▉▊▋▌▍▎▏# ]+\|"
    r"|\.\.\.(?: ?\d{1,3}%(?!\S)|\.{7} \.{10} )"
)
_any = lazy(rf"{_BAR}|[{_SPINNER}]")
"""Texts of which one is in every text with frames on lines of their own."""
_bar = lazy(rf"{_BAR}|^\s*[{_SPINNER}]")
_meter = lazy(r"[\d\s.:%/kKMGTBs-]+")
"""A frame of numbers alone, as curl's."""
_percent = lazy(r"(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%")
# What changes from frame to frame: all but words, and the words of units and times.
_noise = lazy(
    r"[^A-Za-z\u00c0-\u1fff\u3040-\ud7a3]+|\b(?:eta|done|left|remaining|elapsed|[kmgt]?i?b(?:/s|ps)?|it/s|s/it|[dhms])\b",
    re.IGNORECASE,
)

_name = lazy(
    r"(?<!\w)[^\W\d]\w*[-_#]\d\w*|[^\W\d_]{2,}\d+(?!\w)"
    r"|\b(?:order|user|ticket|node|host|session|customer|invoice|job|file|part|disk|epoch)[ :=#]{1,2}\d+",
    re.IGNORECASE,
)
"""What tells one display from another of the same words: node-1, 订单7, layer3, epoch 2."""


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        text = view.text
        if "\r" not in text and not _any().search(text):
            return
        start = 0
        # The frame before, if the line before was one.
        before: tuple[int, str, int] | None = None
        while start < len(text):
            stop = line_end(text, start)
            body = start
            if text.find("\r", start, stop) >= 0:
                body = _last_frame(text, start, stop)
            frame = _frame(text[body:stop]) if stop - body <= _LONGEST else None
            if before and frame and _follows(frame, before) and not is_alarm(text[before[0] : start]):
                yield Edit(before[0], body, "")
            elif body > start:
                yield Edit(start, body, "")
            before = (body, *frame) if frame else None
            start = stop + 1

    return find


def _follows(frame: tuple[str, int], before: tuple[int, str, int]) -> bool:
    """True for a later frame of the same display; one that was full is over, and its results differ from the next's."""
    return frame[0] == before[1] and before[2] <= frame[1] and before[2] < _FULL


def _frame(line: str) -> tuple[str, int] | None:
    """The part that all frames of a display share, and the percentage; None for another line."""
    if not _bar().search(line):
        return None
    percent = _percent().search(line)
    if not percent and not any(character.isdigit() for character in line) and line.lstrip()[:1] < "\u2800":
        return None  # a rule that is drawn, or a heading
    # node-1 and node-2 are two displays.
    names = " ".join(_name().findall(line))
    return f"{names} {' '.join(_noise().sub(' ', line).split())}", int(percent[1]) if percent else 0


_FULL = 100


def _last_frame(text: str, start: int, stop: int) -> int:
    """The start of the frame that a terminal would show at the end of a line; ``start`` if it has no frames."""
    end = stop
    while end > start and text[end - 1] in "\r \t":
        end -= 1
    last = text.rfind("\r", start, end) + 1
    if not last:
        return start
    frames = [frame for frame in text[start:last].split("\r") if frame.strip()]
    if max(map(len, frames), default=0) > _LONGEST or alarm_pattern().search(text, start, last):
        return start
    return last if all(map(_is_shown, frames)) and _is_one_display([*frames, text[last:end]]) else start


def _is_one_display(frames: list[str]) -> bool:
    """False where a percentage falls, or full frames are of different names: the end of one display is a result."""
    shown = [(int(percent[1]), frame) for frame in frames if (percent := _percent().search(frame))]
    full = {" ".join(_name().findall(frame)) for percent, frame in shown if percent >= _FULL}
    return len(full) <= 1 and all(one <= other for (one, _), (other, _) in pairwise(shown))


def _is_shown(frame: str) -> bool:
    """True for what may be a frame between carriage returns."""
    return bool(_percent().search(frame) or _meter().fullmatch(frame) or _frame(frame) is not None)
