"""A prompt with a broken line."""

from repository import write

write("prompts/a.jsonl", '{"a": 1}\n{"a": \n')
