from gated import baseline, binary, project

project()
baseline()
binary("prompts/reply.md")
