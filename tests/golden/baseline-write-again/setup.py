from pathlib import Path

from gated import GROWN, baseline, project
from repository import write

project()
baseline()
write("prompts/退款.md", GROWN)
write("prompts/新.md", GROWN)
Path("prompts/reply.md").unlink()
