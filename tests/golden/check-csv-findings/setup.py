from gated import CONFIG, binary, project
from repository import write

budgets = """requests_per_month = 1000

[[budget]]
paths = ["prompts/*.md"]
max_tokens = { "gpt-4o" = 30, "*" = 90 }
total = true

[[budget]]
paths = ["prompts/reply.md"]
max_density = 0.9

[[budget]]
paths = ["missing/*.md"]
max_tokens = 5
"""
project(CONFIG + budgets)
write('notes, "all".md', "- 退款\n")
binary("prompts/logo.png")
