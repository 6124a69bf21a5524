"""Options over ``TOKAUDIT_*`` variables over the nearest configuration file."""

from __future__ import annotations

import os
from pathlib import Path

from tokaudit.model import InputError
from tokaudit.store.config import Config, find_config, load_config, resolve


def settled(flags: Config) -> Config:
    """What holds for this run. Raises ``ConfigError`` for a file or variable that is wrong."""
    try:
        folder = Path.cwd()
    except OSError as error:
        raise InputError("the working directory does not exist any more", hint="cd to one that does") from error
    path = find_config(folder)
    return resolve(flags, os.environ, load_config(path) if path is not None else None)
