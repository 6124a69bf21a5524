from gated import project
from repository import write

project()
write("prompts/chatty.md", "订单号已经记录了！！！！　　请您稍等。\n\n１２３４５６　已经发货。\n")
