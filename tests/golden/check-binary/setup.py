from gated import baseline, binary, project

project()
baseline()
binary("prompts/logo.md")
