from gated import project
from repository import write

project()
write("prompts/chatty.md", "订 单 号 已 经 记 录 了，　　请您稍等。\n\n１２３４５６　已经发货。\n")
