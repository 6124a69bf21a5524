"""A prompt that is no text."""

from gated import binary

binary("prompts/logo.md")
