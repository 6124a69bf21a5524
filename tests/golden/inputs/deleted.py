"""One of the prompts of `project`, deleted."""

from pathlib import Path

Path("prompts/reply.md").unlink()
