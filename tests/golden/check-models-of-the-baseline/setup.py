from gated import baseline, project

project(config="")
baseline("-m", "glm-4.5")
