from pathlib import Path

from gated import GROWN, baseline, project
from repository import write

project()
baseline()
write("prompts/退换.md", GROWN.replace("礼貌、简短", "礼貌、简短、准确"))
Path("prompts/退款.md").unlink()
