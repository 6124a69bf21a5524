"""The manuals of Debian that tests read: unpacked from their packages, which are not part of this project.

The variable TOKAUDIT_MANUALS names a folder with the packages (*.deb) or with what is in them (usr/share/...). Where it
is not set, `apt-get download` fetches the packages into the user's cache, once; where there is no apt-get, or no
network, there are no manuals, and tests that need them are skipped.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tokaudit.model.pages import Page


class Manual(NamedTuple):
    """A manual and its edition in HTML."""

    package: str
    pdf: str
    """Below usr/share."""
    html: str
    """A pattern of files below usr/share."""


_GUIDE = "doc/installation-guide-amd64"
MANUALS = {
    "install-zh": Manual("installation-guide-amd64", f"{_GUIDE}/zh_CN/install.zh_CN.pdf.gz", f"{_GUIDE}/zh_CN/*.html"),
    "install-en": Manual("installation-guide-amd64", f"{_GUIDE}/en/install.en.pdf.gz", f"{_GUIDE}/en/*.html"),
    "reference-zh": Manual(
        "debian-reference-zh-cn", "debian-reference/debian-reference.zh-cn.pdf", "debian-reference/*.zh-cn.html"
    ),
    "maint-zh": Manual(
        "maint-guide-zh-cn", "doc/maint-guide-zh-cn/maint-guide.zh-cn.pdf", "doc/maint-guide-zh-cn/html/*.html"
    ),
    "debmake-zh": Manual("debmake-doc", "doc/debmake-doc/debmake-doc.zh-cn.pdf", "doc/debmake-doc/html/*.zh-cn.html"),
    "debmake-en": Manual("debmake-doc", "doc/debmake-doc/debmake-doc.en.pdf", "doc/debmake-doc/html/*.en.html"),
    "policy": Manual("debian-policy", "doc/debian-policy/policy.pdf.gz", "doc/debian-policy/policy.html/*.html"),
    "fhs": Manual("debian-policy", "doc/debian-policy/fhs/fhs-3.0.pdf.gz", "doc/debian-policy/fhs/*.html*"),
}
SECONDS = 120
"""For one package to arrive."""


def pdf_of(name: str) -> bytes:
    """A manual's PDF; the test is skipped where there is none."""
    path = _share(MANUALS[name].package) / MANUALS[name].pdf
    if not path.is_file():
        pytest.skip(f"{MANUALS[name].package} has no {MANUALS[name].pdf} in this version")
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def html_of(name: str) -> list[str]:
    """The files of a manual's edition in HTML."""
    found = sorted(_share(MANUALS[name].package).glob(MANUALS[name].html))
    return [
        (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode("utf-8", "replace")
        for path in found
    ]


@lru_cache(maxsize=8)
def pages_of(name: str) -> Sequence[Page]:
    """A manual's pages as they are read, tables as lines."""
    pytest.importorskip("pypdfium2")
    from tokaudit.sources.pdf.read import read_pages

    return read_pages(pdf_of(name), tables=False, page_seconds=60).pages


@lru_cache(maxsize=8)
def _share(package: str) -> Path:
    named = os.environ.get("TOKAUDIT_MANUALS")
    if named and (Path(named) / "usr/share").is_dir():
        return Path(named) / "usr/share"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tokaudit-manuals"
    unpacked = cache / package
    if not unpacked.is_dir():
        _unpack(_deb(package, Path(named) if named else cache / "packages", fetch=not named), unpacked)
    return unpacked / "usr/share"


def _deb(package: str, folder: Path, *, fetch: bool) -> Path:
    if not (found := sorted(folder.glob(f"{package}_*.deb"))) and fetch and shutil.which("apt-get"):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=folder, check=False, capture_output=True, timeout=SECONDS)
        found = sorted(folder.glob(f"{package}_*.deb"))
    if not found:
        pytest.skip(f"the package {package} is not there: name a folder that has it by TOKAUDIT_MANUALS")
    return found[-1]


def _unpack(deb: Path, folder: Path) -> None:
    if not shutil.which("dpkg-deb"):
        pytest.skip("there is no dpkg-deb to unpack the manuals")
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    part.mkdir(parents=True, exist_ok=True)
    subprocess.run(["dpkg-deb", "-x", str(deb), str(part)], check=True, timeout=SECONDS)
    if folder.is_dir():
        shutil.rmtree(part)  # another process was first
    else:
        part.rename(folder)
