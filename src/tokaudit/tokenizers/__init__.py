"""Text to token ids and spans: the catalog, the vocabularies, and one module a backend."""

from tokaudit.tokenizers.catalog import Model, models
from tokaudit.tokenizers.registry import Listed, listing, load_tokenizer

__all__ = ["Listed", "Model", "listing", "load_tokenizer", "models"]
