"""Compiled chat templates: those of the package as they were built with it, others when they are first used."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from tokaudit.tokenizers.templates.program import Program


def module_name(name: str) -> str:
    """Name of the module in which the program of a bundled template stands."""
    return "t_" + "".join(char if char.isalnum() else "_" for char in name)


def program_of(name: str, sha256: str, source: str) -> Program | None:
    """The program of a template; None where the sandbox must render it.

    Args:
        name: Of a bundled template, or a file, for errors.
        sha256: Of the template, by which the built program is known to be its own; empty for none that is bundled.
        source: Its text.

    Raises:
        TokenizerError: It is no template, with the line.
    """
    if sha256:
        try:
            module = import_module(f"{__name__}.{module_name(name)}")
        except ImportError:
            pass
        else:
            if sha256 == module.SOURCE:
                return cast("Program | None", module.render)
    text = program_source(source, name)
    return None if text is None else _executed(text, name)


def program_source(source: str, name: str) -> str | None:
    """The Python source of a template's program; None for one that cannot be compiled."""
    from tokaudit.tokenizers.templates.compiler import NotCompilable, compile_template
    from tokaudit.tokenizers.templates.sandbox import parse

    try:
        return compile_template(parse(source, name))
    except (NotCompilable, RecursionError):
        return None


def _executed(text: str, name: str) -> Program | None:
    """Run the definition that our compiler has written: it has calls of our runtime in it, and constants."""
    names: dict[str, Any] = {
        "__builtins__": {"enumerate": enumerate, "len": len, "type": type, "str": str, "dict": dict}
    }
    try:
        exec(compile(text, f"<program of {name}>", "exec"), names)  # noqa: S102
    except (SyntaxError, RecursionError, MemoryError):  # nested deeper than Python takes
        return None
    return cast("Program", names["render"])


def build_programs(templates: Path, manifest: dict[str, Any], target: Path) -> list[Path]:
    """Write the modules of bundled templates, for the build of the package; returns their paths."""
    made = []
    for name, row in manifest.items():
        file = templates / f"{name}.jinja"
        if row["kind"] != "jinja" or not file.is_file():
            continue
        source = file.read_text("utf-8")
        text = program_source(source, name) or "render = None\n"
        path = target / f"{module_name(name)}.py"
        digest = hashlib.sha256(source.encode()).hexdigest()
        head = f'"""The program of {name}.jinja, written by templates/compiler.py."""\n\n# mypy: ignore-errors\n\n'
        content = f'{head}SOURCE = "{digest}"\n\n\n{text}'
        if not path.is_file() or path.read_text("utf-8") != content:
            path.write_text(content, "utf-8")
        made.append(path)
    return made
