"""Delete comments of Python."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import accumulate

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete comments of Python that neither tools nor their authors still need; other languages are left alone."
PARAMETERS: Parameters = {
    "keep": Parameter("texts", "Beginnings of comments that stay, after their mark, in any case.", default=()),
    "keep_words": Parameter("texts", "Words that a comment which stays has anywhere, as written.", default=()),
}


def prepare(parameters: Values) -> Find:
    starts = tuple(one.lower() for one in parameters["keep"])
    words = [re.escape(word) for word in parameters["keep_words"]]
    has_word = re.compile(rf"\b(?:{'|'.join(words)})\b") if words else re.compile("(?!)")

    def find(view: View) -> Edits:
        text = view.text
        if "#" not in text or not _is_python(text):
            return
        for start, end in _comments(text):
            body = text[start + 1 : end].lstrip("#: \t").lower()
            line = text.rfind("\n", 0, start) + 1
            if text.startswith("#!", start) and line == 0:
                continue
            # What names the charset counts in the first two lines alone, but costs little anywhere.
            if body.startswith(starts) or "coding" in body or has_word.search(text, start, end):
                continue
            if text[line:start].strip():
                yield Edit(line + len(text[line:start].rstrip(" \t")), end, "")
            else:
                yield Edit(line, end + 1, "") if end < len(text) else Edit(line, end, "")

    return find


def _is_python(text: str) -> bool:
    """True if a text is Python; what is not might still look like it to the tokenizer."""
    import ast
    import warnings

    if "\r" in text or "\f" in text:
        return False  # ends of lines that not all readers of Python count the same
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _comments(text: str) -> Iterator[tuple[int, int]]:
    import tokenize

    starts = [0, *accumulate(len(line) for line in io.StringIO(text))]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                start = starts[token.start[0] - 1] + token.start[1]
                yield start, start + len(token.string)
    except (tokenize.TokenError, SyntaxError):
        return
