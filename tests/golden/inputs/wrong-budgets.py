from gated import GROWN, project
from repository import write

project(
    """models = ["gpt-4o", "qwen3"]

[[budget]]
paths = ["prompts/*.md"]
max_token = 40

[[budget]]
paths = "prompts"
max_growth = "-5%"
"""
)
write("prompts/退款.md", GROWN)
