from gated import baseline, project
from repository import write

project()
baseline()
write("prompts/a.jsonl", '{"a": 1}\n{"a": \n')
