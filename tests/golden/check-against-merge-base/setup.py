from gated import CONFIG, GROWN, RULES, SYSTEM
from repository import commit, git, write

write("tokaudit.toml", CONFIG)
write("prompts/退款.md", RULES)
write("prompts/reply.md", SYSTEM)
commit()
git("checkout", "-qb", "topic")
write("prompts/退款.md", GROWN)
commit("two")
git("checkout", "-q", "main")
write("prompts/reply.md", "# Reply writer\n")
commit("three")
git("checkout", "-q", "topic")
