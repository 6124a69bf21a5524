"""Catalogues of messages: for each language a file of texts in it by the text, or template, that the code has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "zh")


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The texts of a language; a message that it lacks is said in English.

    That of English has what is Chinese in the packs.
    """
    import json

    words: dict[str, str] = json.loads(
        (Path(__file__).parents[1] / "languages" / f"{language}.json").read_text("utf-8")
    )
    return words
