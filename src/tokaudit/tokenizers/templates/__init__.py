"""Chat templates: requests as their models are sent them, counted part by part."""

from tokaudit.tokenizers.templates.framings import framing_of

__all__ = ["framing_of"]
