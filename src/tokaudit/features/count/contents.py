"""The contents of a request alone, without what a chat template puts around them (``--no-template``)."""

from __future__ import annotations

import json

from tokaudit.model import Tokenizer
from tokaudit.model.request import FramedCount, Request


class ContentsAlone:
    """Counts each content by itself; a :class:`~tokaudit.model.request.Framing` that adds nothing."""

    name = "contents"

    def __init__(self, tokenizer: Tokenizer, error: str = "") -> None:
        """``error`` says why nothing is added, where something should be."""
        self._count = tokenizer.count
        self.error = error

    def measure(self, request: Request) -> FramedCount:
        """Count texts, names and arguments of calls, and the JSON of tools and schema as it is shortest."""
        count = self._count
        contents = [
            [count(content.name) + count(content.text) for content in message.contents] for message in request.messages
        ]
        tools = sum(count(as_json(tool["function"])) for tool in request.tools)
        schema = count(as_json(request.schema)) if request.schema is not None else 0
        return FramedCount(tools + schema + sum(map(sum, contents)), contents, tools, schema)


def as_json(value: object) -> str:
    """JSON as it is shortest, without escapes of other scripts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
