"""Options over ``TOKAUDIT_*`` variables over the nearest configuration file."""

from __future__ import annotations

import os
from pathlib import Path

from tokaudit.store.config import Config, find_config, load_config, resolve


def settled(flags: Config) -> Config:
    """What holds for this run. Raises ``ConfigError`` for a file or variable that is wrong."""
    path = find_config(Path.cwd())
    return resolve(flags, os.environ, load_config(path) if path is not None else None)
