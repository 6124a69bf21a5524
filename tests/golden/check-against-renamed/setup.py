from gated import CONFIG, GROWN, RULES, SYSTEM
from repository import commit, git, write

write("tokaudit.toml", CONFIG)
write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
git("mv", "prompts/退款.md", "prompts/退换.md")
write("prompts/退换.md", GROWN)
