from gated import GROWN, project
from repository import write

project(
    """models = ["gpt-4o", "qwen3"]

[[budget]]
paths = ["prompts/退款.md"]
max_density = 0.6475
"""
)
write("prompts/退款.md", GROWN)
