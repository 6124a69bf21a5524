"""YAML and TOML: values as segments, named by their keys; those that are meant for a model are prompts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tokaudit.model import Segments, Skipped
from tokaudit.model.message import Message
from tokaudit.pipeline.spans.keyed_text import LIMIT, prompts_of, values_of
from tokaudit.pipeline.spans.keyed_values import BrokenError, Value
from tokaudit.sources import plain
from tokaudit.sources.columns import LineNumbers, whole

Divided = tuple[str, str, Segments, Segments, Sequence[Skipped]]
_INK = re.compile(r"\S").search
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:\.[^/]*/.*|\.[^/]+|(?:docker-)?compose[\w.-]*\.ya?ml|action\.ya?ml|mkdocs\.ya?ml|chart\.yaml|values\.yaml|"
    r"pnpm-[\w-]+\.yaml|azure-pipelines\.ya?ml|cloudbuild\.ya?ml|appveyor\.ya?ml|codecov\.ya?ml|environment\.ya?ml|"
    r"pubspec\.(?:yaml|lock)|[\w-]*openapi[\w.-]*\.ya?ml|swagger\.ya?ml|dependabot\.ya?ml|"
    r"(?:pyproject|cargo|tokaudit|pipfile|netlify|wrangler|fly|rustfmt|ruff|uv|poetry|config|book|hugo|gopkg)\.toml|pipfile)$",
    re.IGNORECASE,
).search


def is_configuration(path: str) -> bool:
    """True for a file that by its name sets up a tool."""
    return _CONFIGURATION(path.replace("\\", "/").removeprefix("./")) is not None


def document(path: str, text: str, kind: str, *, first_line: int = 1) -> Divided:
    """A document of YAML or TOML: segments are its values, each with its key, sections what is at the top.

    One that is not valid is counted as plain text, and reported; one that is beyond ``LIMIT`` is one part.
    """
    try:
        values = values_of(text, kind)
    except BrokenError as broken:
        place = f"{path}:{broken.line + first_line - 1}:{broken.column}"
        reason = Message("not valid {kind}: {reason}; counted as text", kind=kind.upper(), reason=broken.reason)
        return text, "text", *plain.divide(path, text, first_line), (Skipped(place, reason, code="keyed-as-text"),)
    single = whole(path, text, kind, first_line)
    if not values:
        reason = Message("longer than {limit:,} characters; not divided", limit=LIMIT)
        skipped = (Skipped(path, reason, code="undivided"),) if len(text) > LIMIT else ()
        return text, kind, single, single, skipped
    prompts = set() if is_configuration(path) else {value.low for value in prompts_of(text, kind)}
    starts = _starts(text, values)
    names = _unique([value.path or "$" for value in values])
    kinds = ["prompt" if value.low in prompts else "field" for value in values]
    segments = _segments(path, text, starts, kinds, names, first_line)
    tops = [0, *(at for at in range(1, len(values)) if _top(values[at].path) != _top(values[at - 1].path))]
    top_names = _unique([_top(values[index].path) or "$" for index in tops])
    sections = _segments(path, text, [starts[index] for index in tops], ("field",), top_names, first_line)
    return text, kind, segments, sections, ()


def _segments(
    path: str, text: str, starts: Sequence[int], kinds: Sequence[str], names: Sequence[str], first_line: int
) -> Segments:
    lines = LineNumbers(text, starts, first_line)
    return Segments(path, text, starts, kinds, labels=names, ids=names, lines=lines)


def _top(path: str) -> str:
    """The key at the top, or the item: ``prompts[0]`` of ``prompts[0].content``."""
    return path.partition(".")[0]


def _starts(text: str, values: Sequence[Value]) -> list[int]:
    """The start of each value's part: on the line after the value before, or at its key on the same line."""
    starts = [0]
    for before, value in pairwise(values):
        newline = text.find("\n", max(before.low, before.high - 1), value.low) + 1
        inked = _INK(text, newline) if newline else None
        start = text.rfind("\n", before.high - 1, inked.start()) + 1 if inked else value.start
        starts.append(max(start or newline, starts[-1] + 1, before.high if not newline else 0))
    return starts


def _unique(names: Sequence[str]) -> list[str]:
    used: dict[str, int] = {}
    found = []
    for name in names:
        used[name] = used.get(name, 0) + 1
        found.append(name if used[name] == 1 else f"{name}~{used[name]}")
    return found
