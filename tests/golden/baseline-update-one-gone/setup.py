from pathlib import Path

from gated import baseline, project

project()
baseline()
Path("prompts/reply.md").unlink()
