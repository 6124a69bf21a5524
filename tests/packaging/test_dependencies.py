"""Each dependency that is declared is imported somewhere, and what is imported is declared."""

from __future__ import annotations

import ast
import re
import sys
import tomllib

from places import ROOT

NAMES = {"pyyaml": "yaml", "markdown-it-py": "markdown_it", "splintr-rs": "splintr"}
"""Names under which packages are imported, where that is not their own."""


def declared(requirements: list[str]) -> set[str]:
    names = {re.split(r"[^A-Za-z0-9_.-]", requirement)[0] for requirement in requirements}
    return {NAMES.get(name, name.replace("-", "_")) for name in names}


def test_imports_and_dependencies_are_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = declared(project["dependencies"])
    extras = project["optional-dependencies"]
    optional = declared([*extras["more"], *extras["claude"], *extras["opencc"], *extras["test"]])
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add((node.module or "").partition(".")[0])
    foreign = imported - sys.stdlib_module_names - {"tokaudit", "_signal"}
    assert required - foreign == set()
    assert foreign - required - optional == set()
