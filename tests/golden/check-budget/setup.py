from gated import GROWN, project
from repository import write

project(
    """models = ["gpt-4o", "qwen3"]
requests_per_month = 50000
prices = { "gpt-4o" = 2.5 }

[[budget]]
paths = ["prompts/*.md"]
max_tokens = { "gpt-4o" = 80, qwen3 = 1200 }
note = "sent with every request"
"""
)
write("prompts/退款.md", GROWN)
