"""A baseline with the marks of a merge that was not finished."""

from pathlib import Path

from repository import write

path = Path("tokaudit-baseline.json")
text = path.read_text(encoding="utf-8")
write(path, text.replace('"entries": [\n', '"entries": [\n<<<<<<< HEAD\n', 1) + ">>>>>>> topic\n")
