"""Pages of real PDF files a second: ours with tables off and on, beside pdfplumber's ``extract_text``.

    python benchmarks/pdf.py FOLDER [--pages 30] [--names policy,debmake-doc.zh-cn] [--repeat 3]

FOLDER has the manuals (tests/support/debian_manuals.py names the Debian packages), anywhere below it, unpacked or
``.gz``. Of each the same pages are read by all: a stretch from its middle, written as a PDF of its own. Wall time: ours
starts its processes for every file, as ``tokaudit count`` does, and ``--jobs 1`` leaves it one. pdfplumber extracts
with the tolerance that keeps words apart. Ours is the best of ``--repeat`` runs, pdfplumber is run once.
"""

from __future__ import annotations

import argparse
import gzip
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path

NAMES = "install.zh_CN,debian-reference.zh-cn,policy,debmake-doc.zh-cn,maint-guide.zh-cn"


def manuals(folder: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each manual that is found."""
    for name in names:
        found = sorted(folder.rglob(f"{name}.pdf")) or sorted(folder.rglob(f"{name}.pdf.gz"))
        if found:
            data = found[0].read_bytes()
            yield name, gzip.decompress(data) if found[0].suffix == ".gz" else data


def stretch(data: bytes, pages: int) -> tuple[bytes, int]:
    """Pages from the middle of a PDF, and how many."""
    import pypdfium2

    whole = pypdfium2.PdfDocument(data)
    count = min(pages, len(whole))
    start = (len(whole) - count) // 2
    part = pypdfium2.PdfDocument.new()
    part.import_pages(whole, list(range(start, start + count)))
    buffer = io.BytesIO()
    part.save(buffer)
    part.close()
    whole.close()
    return buffer.getvalue(), count


def ours(data: bytes, *, tables: bool, jobs: int) -> None:
    from tokaudit.sources import PdfOptions, load

    load(data, "manual.pdf", pdf=PdfOptions(tables=tables, jobs=jobs))


def pdfplumber_text(data: bytes) -> None:
    import pdfplumber

    with pdfplumber.open(io.BytesIO(data)) as pdf:
        for page in pdf.pages:
            page.extract_text(x_tolerance_ratio=0.15)


def best(work: Callable[[], None], repeat: int) -> float:
    """Seconds of the fastest run."""
    seconds = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--names", default=NAMES)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=0, help="processes of ours; 0 for all cores")
    asked = parser.parse_args()
    head = f"{'manual':<26}{'pages':>6}{'pdfplumber':>12}{'no tables':>12}{'':>8}{'tables':>10}{'':>8}"
    print(f"{head}   pages a second")
    for name, data in manuals(asked.folder, asked.names.split(",")):
        part, count = stretch(data, asked.pages)
        slow = count / best(lambda part=part: pdfplumber_text(part), 1)
        fast = count / best(lambda part=part: ours(part, tables=False, jobs=asked.jobs), asked.repeat)
        full = count / best(lambda part=part: ours(part, tables=True, jobs=asked.jobs), asked.repeat)
        print(f"{name:<26}{count:>6}{slow:>12.1f}{fast:>12.1f}{fast / slow:>7.1f}x{full:>10.1f}{full / slow:>7.1f}x")


if __name__ == "__main__":
    main()
