"""Five prompts with a baseline for the default models, a budget and a limit of growth."""

from gated import baseline
from repository import write

RULE = "1. 回答必须引用来源，并附上链接。Always cite your sources, with a link to each of them.\n"

write(
    "tokaudit.toml",
    """[[budget]]
paths = ["prompts/*.md"]
max_tokens = 340
warn_at = "90%"
max_growth = "50%"
""",
)
for number in range(1, 6):
    write(f"prompts/客服-{number}.md", "# 客服\n\n" + RULE * (7 + number))
baseline()
