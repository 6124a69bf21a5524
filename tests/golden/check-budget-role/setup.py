from repository import write

write(
    "tokaudit.toml",
    """models = ["gpt-4o"]
[[budget]]
paths = ["chat.json"]
role = "system"
max_tokens = 10
""",
)
write(
    "chat.json",
    """{"model": "gpt-4o", "messages": [
  {"role": "system", "content": "你是一个乐于助人的助手，请始终用简体中文回答。"},
  {"role": "user", "content": "你好"},
  {"role": "system", "content": "Be brief."}
]}
""",
)
