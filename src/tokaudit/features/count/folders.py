"""Tokens by folder, each with all that is below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tokaudit.features.count.merge import added_words
from tokaudit.features.count.types import CountResult, Sort


@dataclass
class Folder:
    """A folder with the sums of all files in and below it."""

    path: str
    """From the working directory, with forward slashes; ``.`` for that itself, ``-`` for texts that are no files."""
    depth: int = 0
    """0 for the deepest folder that holds everything."""
    files: int = 0
    chars: int = 0
    size: int = 0
    """UTF-8 bytes."""
    words: int | None = 0
    """None where they are not counted."""
    tokens: list[int] = field(default_factory=list)
    """For each tokenizer."""
    inside: dict[str, Folder] = field(default_factory=dict)
    """By name."""


def folders_of(result: CountResult, *, most: int = 0) -> list[Folder]:
    """The folders of a run as a tree, in depth-first order; of each folder the one with most tokens is first.

    Args:
        result: With the greatest depth, and the order where it is by name, characters or density.
        most: The largest so many; 0 for all. A folder never has more than the one that it is in, so they are a tree.
    """
    found = list(_walked(_tree(result), result.wanted.sort))
    if result.wanted.depth is not None:
        found = [folder for folder in found if folder.depth <= result.wanted.depth]
    if most and len(found) > most:
        large = sorted(found, key=lambda folder: (-max(folder.tokens), folder.depth))[:most]
        kept = {id(folder) for folder in large}
        found = [folder for folder in found if id(folder) in kept]
    return found


def _tree(result: CountResult) -> Folder:
    parents = [_parents(document.path) for document in result.documents]
    shared = 0
    while all(len(names) > shared and names[shared] == parents[0][shared] for names in parents):
        shared += 1
    width = len(result.documents[0].tokens)
    root = Folder(_joined(parents[0][:shared]), tokens=[0] * width)
    for document, names in zip(result.documents, parents, strict=True):
        folder = root
        for at in range(shared, len(names) + 1):
            folder.files += 1
            folder.chars += document.chars
            folder.size += document.size
            folder.words = added_words((folder.words, document.words))
            folder.tokens = [sum(pair) for pair in zip(folder.tokens, document.tokens, strict=True)]
            if at < len(names):
                path = _joined(names[: at + 1])
                new = Folder(path, folder.depth + 1, tokens=[0] * width)
                folder = folder.inside.setdefault(names[at], new)
    return root


def _parents(path: str) -> Sequence[str]:
    return ("-",) if path.startswith("<") else PurePosixPath(path).parts[:-1]


def _joined(names: Sequence[str]) -> str:
    return str(PurePosixPath(*names))


def _walked(folder: Folder, sort: Sort) -> Iterator[Folder]:
    yield folder
    for inner in sorted(folder.inside.values(), key=lambda inner: _order(inner, sort)):
        yield from _walked(inner, sort)


def _order(folder: Folder, sort: Sort) -> tuple[float, str]:
    most = max(folder.tokens, default=0)
    value = {"name": 0.0, "chars": folder.chars, "density": most / folder.chars if folder.chars else 0.0}
    return -value.get(sort, most), folder.path
