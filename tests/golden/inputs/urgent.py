"""One of the prompts of `project`, grown by a chatty sentence too."""

from gated import GROWN
from repository import write

write("prompts/退款.md", GROWN + "\n客户着急时先安抚，说我们马上处理！！！\n")
