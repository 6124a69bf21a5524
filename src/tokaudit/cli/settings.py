"""Options over ``TOKAUDIT_*`` variables over the nearest configuration file."""

from __future__ import annotations

from tokaudit.store.config import Config, configured


def settled(flags: Config) -> Config:
    """The configuration of this run. Raises ``ConfigError`` for a wrong file or variable."""
    return configured(flags)[0]
