"""For ``setup.py`` of scenarios of ``check``: a project with prompts, and its baseline."""

import json
import os
from pathlib import Path

from repository import write

from in_process import run_here

RULES = """# 退款助手

你负责处理退款申请。

## 规则

1. 三个工作日内回复。
2. 金额超过 500 元时转人工。

## 语气

礼貌、简短。
"""
GROWN = RULES.replace(
    "转人工。\n",
    "转人工。\n3. 需要特别注意的是，如果客户在同一封信里提到了多个订单，请逐个说明每个订单的处理进度，不要遗漏。\n",
)
SYSTEM = "# Reply writer\n\nAnswer in at most 120 words.\n\n## Tone\n\nPlain, warm and short.\n"
CONFIG = 'models = ["gpt-4o", "qwen3"]\n'


def baseline(*options):
    """Record what is there, by the command itself."""
    environ = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    ran = run_here(["baseline", "write", "prompts", "--quiet", *options], Path.cwd(), environ)
    assert ran == (0, b"", b""), ran


def project(config=CONFIG):
    """Two prompts and a configuration."""
    write("prompts/退款.md", RULES)
    write("prompts/reply.md", SYSTEM)
    if config:
        write("tokaudit.toml", config)


def binary(path):
    """A file that is no text."""
    Path(path).write_bytes(b"\x89PNG\x00\x00\x01" * 20)


def edited(change):
    """Change the baseline as JSON, and write it as it was laid out."""
    path = Path("tokaudit-baseline.json")
    lines = path.read_text(encoding="utf-8").splitlines()
    content = json.loads("\n".join(lines))
    change(content)
    rows = [f'"schema_version": {json.dumps(content["schema_version"])},', f'"tool": {json.dumps(content["tool"])},']
    for name, end in (("tokenizers", ","), ("entries", "")):
        items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in content[name])
        rows.append(f'"{name}": [\n{items}\n]{end}')
    write(path, "\n".join(["{", *rows, "}"]) + "\n")
