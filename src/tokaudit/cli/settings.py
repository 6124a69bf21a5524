"""Options over ``TOKAUDIT_*`` variables over the nearest configuration file."""

from __future__ import annotations

from tokaudit.store.config import Config, configured


def settled(flags: Config) -> Config:
    """What holds for this run. Raises ``ConfigError`` for a file or variable that is wrong."""
    return configured(flags)[0]
