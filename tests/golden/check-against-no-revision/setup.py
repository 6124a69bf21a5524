from gated import CONFIG, RULES, SYSTEM
from repository import commit, write

write("tokaudit.toml", CONFIG)
write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
