from gated import CONFIG, GROWN, RULES, SYSTEM
from repository import commit, write

write("tokaudit.toml", CONFIG)
write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
write(".gitignore", "reply.md\n")
write("prompts/reply.md", GROWN)
