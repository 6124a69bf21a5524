from gated import baseline, binary, project

project()
binary("prompts/logo.png")
baseline()
