"""The places of keys in a TOML text, which the parser of the standard library does not give."""

from __future__ import annotations

from tokaudit.pipeline.spans.toml_values import Path, parts_of


def key_places(text: str) -> dict[Path, tuple[int, int]]:
    """Line and column (1-based, in code points) of each table header, each key and each element of a valid TOML text.

    Args:
        text: A text that the parser accepted; of another one, the answer may miss keys.

    Returns:
        Full path of a key, such as ``("tool", "tokaudit", "models")``, to its place. Elements of lists have their
        index, from 0, in the path, be it a list of values or an array of tables: ``("budget", 0, "paths", 1)``.
    """
    places: dict[Path, tuple[int, int]] = {}
    for part in parts_of(text):
        path = tuple(key[1:-1] if isinstance(key, str) and key[0] in "\"'" else key for key in part.path)
        place = text.count("\n", 0, part.start) + 1, part.start - text.rfind("\n", 0, part.start)
        if path and isinstance(path[-1], int):
            places.setdefault(path[:-1], place)  # of a list of tables, that of its first one
        places.setdefault(path, place)
    return places
