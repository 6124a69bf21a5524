from gated import RULES, baseline, project
from repository import write

project()
baseline()
write("prompts/退款.md", RULES.replace("\n", "\r\n"))
