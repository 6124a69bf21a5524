from gated import GROWN, baseline, project
from repository import write

project()
baseline()
write("prompts/新.md", GROWN)
