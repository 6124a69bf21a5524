from pathlib import Path

from gated import baseline, project
from repository import write

project()
baseline()
path = Path("tokaudit-baseline.json")
text = path.read_text(encoding="utf-8")
write(path, text.replace('"entries": [\n', '"entries": [\n<<<<<<< HEAD\n', 1) + ">>>>>>> topic\n")
