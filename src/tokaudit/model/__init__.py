"""The domain's types: frozen dataclasses (``record``) and protocols, standard library only."""

from tokaudit.model.errors import (
    ConfigError,
    InputError,
    RuleError,
    TokauditError,
    TokenizerError,
    UnusableModelError,
    UsageError,
)
from tokaudit.model.measure import Encoding, ModelColumn, Tokenizer, TokenizerInfo, TokenizerRef
from tokaudit.model.report import Advice, Cell, Column, Finding, Level, Report, Table, plural
from tokaudit.model.text import Decoding, Document, Place, Segment, Segments, Skipped, Span, first_words

__all__ = [
    "Advice",
    "Cell",
    "Column",
    "ConfigError",
    "Decoding",
    "Document",
    "Encoding",
    "Finding",
    "InputError",
    "Level",
    "ModelColumn",
    "Place",
    "Report",
    "RuleError",
    "Segment",
    "Segments",
    "Skipped",
    "Span",
    "Table",
    "TokauditError",
    "Tokenizer",
    "TokenizerError",
    "TokenizerInfo",
    "TokenizerRef",
    "UnusableModelError",
    "UsageError",
    "first_words",
    "plural",
]
