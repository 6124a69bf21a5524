from gated import project
from repository import write

project()
write("prompts/a.json", '{"a": 1,\n')
write("prompts/b.json", '{"b": \n')
