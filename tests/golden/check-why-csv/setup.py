from gated import CONFIG, GROWN, RULES, SYSTEM
from repository import commit, git, write

write("tokaudit.toml", CONFIG)
write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
git("checkout", "-qb", "topic")
write("prompts/退款.md", GROWN + "\n客户着急时先安抚，说我们马上处理！！！\n")
