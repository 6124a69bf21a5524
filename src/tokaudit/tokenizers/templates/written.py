"""Framings that are programs and no templates, by the name that the manifest has for them."""

from __future__ import annotations

from tokaudit.tokenizers.templates.bundled import Entry
from tokaudit.tokenizers.templates.chat_template import ChatTemplate


def written_template(entry: Entry) -> ChatTemplate:
    """The program of a row whose kind is none of Jinja's."""
    if entry.kind == "deepseek":
        from tokaudit.tokenizers.templates.deepseek import DeepSeekTemplate

        return DeepSeekTemplate(entry.settings)
    from tokaudit.tokenizers.templates.mistral import MistralTemplate

    return MistralTemplate(str(entry.settings["version"]))
