from gated import GROWN, project
from repository import write

project(
    """models = ["gpt-4o", "qwen3"]

[[budget]]
paths = ["prompts/退*"]
max_tokens = 1000
"""
)
write("prompts/退款.md", GROWN)
