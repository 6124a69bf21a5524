"""One of the prompts of `project`, grown."""

from gated import GROWN
from repository import write

write("prompts/退款.md", GROWN)
