from gated import GROWN, project
from repository import write

project(
    """models = ["gpt-4o", "qwen3"]

[[budget]]
paths = ["prompt/*.md"]
max_tokens = 40
"""
)
write("prompts/退款.md", GROWN)
