"""Files that tools own: manifests, lock files, notebooks and configuration, which only their tools should rewrite."""

from __future__ import annotations

import re

from tokaudit.sources.file_names import TOOL_FILES

_PATTERNS = re.compile(
    r".+\.(?:lock|ipynb|lockb|csproj|fsproj|vbproj|vcxproj|sln|code-workspace|sublime-project|iml|webmanifest)"
    r"|(?:tsconfig|appsettings|angular|project|launch|tasks)[.-][\w.-]*json|tsconfig\.json"
    r"|.+\.(?:config|lock)\.(?:json|jsonc|json5|toml|ya?ml)|.+-lock\.(?:json|ya?ml)"
)
_DATA = (".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".xml", ".properties")
"""Suffixes of files that are configuration where they are hidden, or in a hidden folder."""
_FOLDERS = frozenset(("prompts", "agents", "commands", "skills"))
"""Folders within hidden ones, such as ``.github/prompts``, whose files are meant for models."""


def is_tool_file(path: str) -> bool:
    """Check whether a tool owns a file, by its path below the folder that was named, with forward slashes."""
    *folders, name = path.lower().split("/")
    if name in TOOL_FILES or _PATTERNS.fullmatch(name):
        return True
    hidden = name.startswith(".") or any(folder.startswith(".") and folder.strip(".") for folder in folders)
    return hidden and name.endswith(_DATA) and not _FOLDERS.intersection(folders) and ".prompt." not in name
