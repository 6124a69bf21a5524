from gated import baseline, project
from repository import write

project()
baseline()
write("a.md", "x\n")
