"""A baseline that another vocabulary of qwen3 was counted with."""

from gated import edited


def change(content):
    content["tokenizers"][1]["sha256"] = "0" * 64


edited(change)
