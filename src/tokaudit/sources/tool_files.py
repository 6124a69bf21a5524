"""Files that tools own: manifests, lock files, notebooks and configuration, which only their tools should rewrite."""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMES = _names(
    "package.json package-lock.json npm-shrinkwrap.json composer.json bower.json component.json lerna.json nx.json "
    "turbo.json rush.json project.json workspace.json angular.json deno.json deno.jsonc jsr.json bunfig.toml "
    "jsconfig.json biome.json renovate.json vercel.json now.json netlify.toml firebase.json wrangler.toml app.json "
    "manifest.json manifest.webmanifest global.json launchsettings.json packages.lock.json project.assets.json "
    "cargo.toml pyproject.toml pipfile setup.cfg tox.ini pdm.toml poetry.toml uv.toml pixi.toml ruff.toml mypy.ini "
    "pytest.ini environment.yml environment.yaml conda.yml conda.yaml meta.yaml go.mod go.sum go.work go.work.sum "
    "pom.xml pubspec.yaml podfile package.resolved package.swift mix.exs project.toml manifest.toml "
    "pnpm-lock.yaml pnpm-workspace.yaml docker-compose.yml docker-compose.yaml compose.yml compose.yaml "
    "mkdocs.yml mkdocs.yaml readthedocs.yml codecov.yml appveyor.yml azure-pipelines.yml netlify.yml "
    "action.yml action.yaml dependabot.yml skaffold.yaml chart.yaml chart.lock taskfile.yml "
    "mcp.json components.json tokaudit.toml tokaudit-baseline.json"
)
"""Names in lower case."""
_PATTERNS = re.compile(
    r".+\.(?:lock|ipynb|lockb|csproj|fsproj|vbproj|vcxproj|sln|code-workspace|sublime-project|iml|webmanifest)"
    r"|(?:tsconfig|appsettings|angular|project|launch|tasks)[.-][\w.-]*json|tsconfig\.json"
    r"|.+\.(?:config|lock)\.(?:json|jsonc|json5|toml|ya?ml)|.+-lock\.(?:json|ya?ml)"
)
_DATA = (".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".xml", ".properties")
"""Suffixes of files that are configuration where they are hidden, or in a hidden folder."""
_FOLDERS = _names("prompts agents commands skills")
"""Folders within hidden ones, such as ``.github/prompts``, whose files are meant for models."""


def is_tool_file(path: str) -> bool:
    """Check whether a tool owns a file, by its path below the folder that was named, with forward slashes."""
    *folders, name = path.lower().split("/")
    if name in _NAMES or _PATTERNS.fullmatch(name):
        return True
    hidden = name.startswith(".") or any(folder.startswith(".") and folder.strip(".") for folder in folders)
    return hidden and name.endswith(_DATA) and not _FOLDERS.intersection(folders) and ".prompt." not in name
