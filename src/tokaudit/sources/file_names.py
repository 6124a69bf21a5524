"""Names of files, and what they say of a file: the tables of ``file_names.txt``."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping


def _tables() -> Mapping[str, Mapping[str, list[str]]]:
    """For each table the words of each key."""
    tables: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    path = os.path.join(os.path.dirname(__file__), "file_names.txt")  # noqa: PTH118, PTH120 - pathlib is slow to import
    with open(path, encoding="utf-8") as lines:  # noqa: PTH123
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, _, words = line.partition(" = ")
                table, _, key = name.partition(".")
                tables[table][key] += words.split()
    return tables


def _by_word(table: Mapping[str, list[str]]) -> Mapping[str, str]:
    return {word: key for key, words in table.items() for word in words}


_TABLES = _tables()
KIND_OF_SUFFIX = _by_word(_TABLES["kind"])
COMMENT_STARTS = {family: words[0] for family, words in _TABLES["comment"].items()}
"""First characters of a comment in each family of languages; other matches are code (backslash, hash) or strings."""
FAMILY_OF_SUFFIX, FAMILY_OF_NAME = _by_word(_TABLES["suffix"]), _by_word(_TABLES["name"])
TOOL_FILES = frozenset(_TABLES["tool_file"][""])
VERBATIM_SUFFIXES, VERBATIM_NAMES = map(frozenset, _TABLES["verbatim"].values())
SET_ASIDE = frozenset(_TABLES["set_aside"][""])
