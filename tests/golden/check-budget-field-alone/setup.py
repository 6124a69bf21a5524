from repository import write

write(
    "tokaudit.toml",
    """models = ["gpt-4o"]
[[budget]]
paths = ["tools.json"]
segment = "$.tools"
max_tokens = 5
""",
)
write("tools.json", '{"tools": [{"name": "find", "description": "查找运单"}]}\n')
