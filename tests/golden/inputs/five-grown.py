"""Five prompts that have all grown, most of them over their budget, some by too much."""

from pathlib import Path

RULE = "1. 回答必须引用来源，并附上链接。Always cite your sources, with a link to each of them.\n"

for path in sorted(Path("prompts").iterdir()):
    path.write_text(path.read_text(encoding="utf-8") + RULE * 6, encoding="utf-8", newline="\n")
