"""Real text for the benchmarks: English prose, Chinese prose, code and JSON Lines, none of which repeats.

Nothing of it is kept in the repository: ``packages.py`` has the packages, in fixed versions. Chinese is reviews,
newspaper text, law, manuals and poems; English is manuals and docstrings; code is Python; JSON Lines are descriptions
of services and chat-like records made of English and code, in turns. A paragraph (of code: a file) that was there
before is left out, also where it differs in white space only. Documents come in a random, fixed order, so that a part
of a corpus is made like the whole. A kind that has less than asked for has what there is, and says so.

    python benchmarks/corpus.py [--mb 100] [--corpus DIR]
"""

from __future__ import annotations

import argparse
import ast
import gzip
import html as entities
import json
import random
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import accumulate, zip_longest
from pathlib import Path

from packages import CHINESE, CODE, ENGLISH, JSON, files_of

KINDS = ("chinese", "english", "code", "json")
SUFFIX = {"chinese": ".txt", "english": ".txt", "code": ".py", "json": ".jsonl"}
DEFAULT = Path(tempfile.gettempdir()) / "tokaudit-corpus"
FILE = 1_000_000
"""Bytes of one file of the corpus, about; of code a file is as large as it was."""
MOST = 110_000_000
DOCUMENT = 40_000
"""Most characters of a document that is put into the random order, beyond the paragraph that begins there."""

BLOCK = re.compile(r"(?i)</?(?:p|div|h\d|li|ul|ol|dl|dt|dd|tr|table|section|title|note|item|page|br)\b[^>]*>")


def build(folder: Path, megabytes: int, kinds: tuple[str, ...] = KINDS) -> dict[str, list[Path]]:
    """Write ``megabytes`` (10^6 bytes) of each kind below ``folder`` (once) and return the files of each."""
    found = {}
    for kind in kinds:
        target = folder / f"{kind}-{megabytes}"
        if not target.exists():
            part = folder / f"{kind}-{megabytes}.part"
            part.mkdir(parents=True, exist_ok=True)
            size = _write(part, kind, folder, megabytes * 1_000_000)
            if size < megabytes * 999_000:
                print(f"  {kind}: there are {size / 1e6:.1f} MB that do not repeat", file=sys.stderr)
            part.rename(target)
        found[kind] = sorted(target.iterdir())
    return found


def text_of(files: list[Path], size: int) -> bytes:
    """The first bytes of a kind as one text, whole lines; fewer where there are fewer."""
    parts, held = [], 0
    for path in files:
        if held >= size:
            break
        parts.append(path.read_bytes())
        held += len(parts[-1])
    text = b"".join(parts)[:size]
    return text[: text.rfind(b"\n") + 1]


def documents(kind: str, folder: Path) -> list[str]:
    """Documents of a kind, ``MOST`` bytes at most, in a fixed random order; kept in ``folder`` from then on."""
    cache = folder / f"documents-{kind}.json.gz"
    if not cache.exists():
        texts = list(_json(folder) if kind == "json" else _fresh(kind, folder))
        random.Random(kind).shuffle(texts)
        ends = accumulate(len(text.encode()) for text in texts)
        texts = [text for text, end in zip(texts, ends, strict=True) if end < MOST]
        cache.write_bytes(gzip.compress(json.dumps(texts, ensure_ascii=False).encode("utf-8", "ignore"), 1))
    return json.loads(gzip.decompress(cache.read_bytes()))


def _write(folder: Path, kind: str, corpus: Path, size: int) -> int:
    total = held = 0
    texts: list[str] = []
    least = 0 if kind == "code" else FILE
    for text in [*documents(kind, corpus), ""]:
        texts.append(text)
        held += len(text.encode())
        if held > min(least, size - total) or not text:
            (folder / f"{total:09}{SUFFIX[kind]}").write_text("".join(texts), "utf-8", newline="")
            total, held, texts = total + held, 0, []
            if total >= size:
                break
    return total


def _fresh(kind: str, folder: Path) -> Iterator[str]:
    """Documents whose paragraphs were not there before."""
    packages = {"chinese": CHINESE, "english": ENGLISH, "code": CODE}[kind]
    seen: set[int] = set()

    def fresh(text: str) -> bool:
        key = hash("".join(text.split()))
        known = key in seen
        seen.add(key)
        return not known

    for package in packages:
        form: Callable[[bytes], Iterator[str]] = globals()[f"_{package.form}"]
        for data in files_of(package, folder):
            for text in form(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data):
                if kind == "code":
                    if 200 < len(text) < 400_000 and fresh(text):
                        yield text if text.endswith("\n") else text + "\n"
                else:
                    parts = (part.strip("\n") for part in re.split(r"\n[ \t]*\n", text))
                    yield from _documents([p for p in parts if fresh(p) and (kind == "english" or _is_chinese(p))])


def _documents(paragraphs: list[str]) -> Iterator[str]:
    """Paragraphs as documents of at most about ``DOCUMENT`` characters."""
    held: list[str] = []
    for paragraph in paragraphs:
        held.append(paragraph)
        if sum(map(len, held)) > DOCUMENT:
            yield "\n\n".join(held) + "\n\n"
            held = []
    if sum(map(len, held)) > 80:
        yield "\n\n".join(held) + "\n\n"


def _is_chinese(paragraph: str) -> bool:
    """Tell Chinese prose from the menus, indices and English that stand beside it."""
    return 3 * len(re.findall("[\u4e00-\u9fff]", paragraph)) > len(paragraph) and len(paragraph) > 12


def _plain(data: bytes) -> Iterator[str]:
    yield data.decode("utf-8", "ignore").replace("\r\n", "\n")


def _fortunes(data: bytes) -> Iterator[str]:
    text = re.sub("\x1b\\[[0-9;]*m", "", data.decode("utf-8", "ignore"))
    yield text.replace("\n%\n", "\n\n")


def _tagged(data: bytes) -> Iterator[str]:
    """Reviews, and newspaper text whose words have a slash and a part of speech after them."""
    text = data.decode("utf-8", "ignore")
    if "/w " in text[:10_000]:
        text = re.sub(r"/[A-Za-z]+\]?[A-Za-z]*|\[", "", text).replace(" ", "")
    yield "\n\n".join(text.splitlines())


def _laws(data: bytes) -> Iterator[str]:
    """The articles of each law, in their order, of a database."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "laws.db").write_bytes(data)
        connection = sqlite3.connect(Path(name) / "laws.db")
        laws: dict[str, list[str]] = {}
        for law, number, text in connection.execute(
            "select law_name, article_no, article_text from articles order by id"
        ):
            laws.setdefault(law, [law]).append(text if text.startswith(number) else f"{number} {text}")
        connection.close()
    yield from ("\n\n".join(articles) for articles in laws.values())


def _chapters(data: bytes) -> Iterator[str]:
    yield from json.loads(data)


def _poems(data: bytes) -> Iterator[str]:
    for poem in json.loads(data):
        author, lines = poem.get("author") or "", "\n".join(poem["paragraphs"])
        notes = [note for key in ("biography", "notes") for note in [poem.get(key)] if note and isinstance(note, str)]
        yield "\n\n".join([f"{poem['title']}\n{author}\n{lines}", *notes])


def _html(data: bytes) -> Iterator[str]:
    """The text of a page, a paragraph for each block."""
    text = re.sub(r"(?is)<(script|style|head|nav|svg)\b.*?</\1>|<!--.*?-->", "", data.decode("utf-8", "ignore"))
    parts = []
    for part in re.split(r"(?is)(<pre\b.*?</pre>)", text):
        laid = part if part.lower().startswith("<pre") else re.sub(r"\s+", " ", part)
        parts.append(entities.unescape(re.sub(r"<[^>]*>", "", BLOCK.sub("\n\n", laid))))
    yield re.sub(r"\n\s*\n", "\n\n", re.sub(r"[ \t]*\n[ ]*(?=\S)", "\n", "".join(parts)))


def _manual(data: bytes) -> Iterator[str]:
    """The text of a manual page, without the commands of roff."""
    text = re.sub(r"(?m)^[.'](\\\"|[a-z]{2}\b).*$", "", data.decode("utf-8", "ignore"))
    text = re.sub(r"(?m)^\.(PP|P|TP|IP|SH|SS|LP|sp)\b *", "\n", text)
    text = re.sub(r"(?m)^\.[A-Z]+ +", "", text)
    yield re.sub(r"\\f.|\\\((?:em|en)|\\&|\\s[-+]?\d", "", text).replace("\\-", "-").replace("\\", "")


def _docstrings(data: bytes) -> Iterator[str]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    texts = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds))
    yield "\n\n".join(text for text in texts if text and len(text) > 60)


def _described(data: bytes) -> Iterator[str]:
    """The prose in a description of a service."""
    found: list[str] = []
    _walk(json.loads(data), found)
    yield from _html("\n\n".join(found).encode())


def _walk(value: object, found: list[str]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "documentation" and isinstance(inner, str):
                found.append(inner)
            else:
                _walk(inner, found)


def _shapes(data: bytes) -> Iterator[str]:
    """The operations, types and examples that a file describes, each as a line."""
    service = json.loads(data)
    about = {"service": service.get("metadata", {}).get("serviceId", ""), "version": service.get("version", "")}
    for kind in ("operations", "shapes", "examples"):
        for name, value in service.get(kind, {}).items():
            yield json.dumps({**about, "kind": kind, "name": name, "value": value}, ensure_ascii=False) + "\n"


def _json(folder: Path) -> Iterator[str]:
    seen: set[int] = set()
    [package] = JSON
    shapes: list[str] = []
    for data in files_of(package, folder):
        for line in _shapes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data):
            key = hash(line.partition('"kind"')[2])
            if len(line) > 200 and key not in seen:
                seen.add(key)
                shapes.append(line)
    for pair in zip_longest(shapes, _chats(folder)):
        yield from filter(None, pair)


def _chats(folder: Path) -> Iterator[str]:
    """Chat-like records, as an API's log has them; one in eight carries a Chinese line."""
    number = 0
    for kind in ("english", "code"):
        for text in documents(kind, folder):
            lines = [line for line in text.splitlines() if line.strip()][:300]
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--corpus", type=Path, default=DEFAULT)
    arguments = parser.parse_args()
    for kind, files in build(arguments.corpus, arguments.mb).items():
        print(f"{kind:8} {sum(path.stat().st_size for path in files) / 1e6:6.1f} MB in {len(files)} files")
