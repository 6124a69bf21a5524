"""Tokenizers and models, shown."""
