"""Traditional Chinese becomes simplified, by OpenCC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Convert Chinese between its scripts, by OpenCC: python -m pip install opencc."
PARAMETERS: Parameters = {
    "config": Parameter(
        "choice",
        "OpenCC's conversion: from Traditional Chinese in general (t2s), of Taiwan (tw2s) or of Hong Kong (hk2s) to "
        "simplified characters.",
        default="t2s",
        choices=("t2s", "tw2s", "hk2s"),
    ),
    **KEEP,
}
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]+")


def prepare(values: Values) -> Find:
    """A finder of characters that are converted, one edit for those next to each other.

    Raises:
        RuleError: From the finder, at the first text with ideographs, where OpenCC is not installed.
    """
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)
    converters: list[Callable[[str], str]] = []

    def find(view: View) -> Edits:
        text = view.text
        for match in _HAN.finditer(text):
            if not converters:
                converters.append(_converter(values["config"]))
            old, base = match[0], match.start()
            new = converters[0](old)
            if len(new) != len(old):
                continue  # a word became a longer one: no character has a place of its own
            for start, end in _changed(old, new):
                if not keep_words.touches(text, base + start, base + end):
                    yield Edit(base + start, base + end, new[start:end])

    return find


def _converter(config: str) -> Callable[[str], str]:
    try:
        import opencc
    except ImportError as error:
        raise RuleError("converting Chinese needs the library 'opencc'", hint="python -m pip install opencc") from error
    converter = opencc.OpenCC(config)
    return converter.convert  # type: ignore[no-any-return]


def _changed(old: str, new: str) -> Iterator[tuple[int, int]]:
    """Stretches in which two texts of the same length differ."""
    start = -1
    for at, (before, after) in enumerate(zip(old, new, strict=True)):
        if before != after and start < 0:
            start = at
        elif before == after and start >= 0:
            yield start, at
            start = -1
    if start >= 0:
        yield start, len(old)
