"""Places of findings in the git repository, and fingerprints that stay the same from run to run."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping

from tokaudit.model import Finding, Report

_ELSEWHERE = re.compile(r"/|[A-Za-z]:/|<(?:stdin|text)>\Z")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")


def repository_path(report: Report, path: str) -> str:
    """The path of a file from the top of the git repository; empty where it is none, or outside of the repository.

    ``data["prefix"]`` of the report is the path from the top to the folder that its paths are relative to.
    """
    if not path or _ELSEWHERE.match(path) or path == _revision(report):
        return ""
    joined = posixpath.normpath(posixpath.join(_prefix(report), path))
    return "" if joined == "." or joined.split("/", 1)[0] == ".." else joined


def fingerprints(report: Report) -> list[str]:
    """For each finding 32 hexadecimal digits: stable from run to run, and no two alike in a repository.

    Figures, lines and messages do not go into them; those that are alike otherwise are numbered in order.
    """
    found = []
    seen: Counter[str] = Counter()
    prefix = _prefix(report)
    for finding in report.findings:
        mark = finding.fingerprint or f"{finding.rule}\0{finding.path}"
        if prefix or not _FINGERPRINT.fullmatch(mark):
            mark = _digest(f"{prefix}\0{mark}")
        seen[mark] += 1
        found.append(mark if seen[mark] == 1 else _digest(f"{mark}\0{seen[mark]}"))
    return found


def line_of(finding: Finding) -> int:
    """The line to show a finding at; of a whole file the first."""
    return finding.place.line or 1


def _revision(report: Report) -> str:
    """The revision that files were compared with: what is to be said of it as a whole is in no file."""
    before = report.data.get("before")
    return str(before.get("name")) if isinstance(before, Mapping) and before.get("kind") == "revision" else ""


def _prefix(report: Report) -> str:
    return str(report.data.get("prefix") or "").strip("/")


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode(errors="backslashreplace")).hexdigest()[:32]
