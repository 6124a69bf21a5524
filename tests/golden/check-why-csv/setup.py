from gated import CONFIG, GROWN, RULES, SYSTEM
from repository import commit, git, write

write("tokaudit.toml", CONFIG)
write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
git("checkout", "-qb", "topic")
write("prompts/退款.md", GROWN + "\n请 稍 等 一 下 哦。\n")
