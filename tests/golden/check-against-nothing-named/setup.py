from gated import RULES, SYSTEM
from repository import commit, write

write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
