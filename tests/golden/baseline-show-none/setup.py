from gated import project

project()
