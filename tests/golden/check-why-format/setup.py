from gated import baseline, project

project()
baseline()
