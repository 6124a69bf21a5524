"""Recall of the text of real PDF manuals: the words of ``pdftotext -layout`` that ours has too.

    python benchmarks/pdf_recall.py FOLDER [FOLDER ...] [--names policy,valgrind_manual,...] [--show]

The folders have the manuals, anywhere below them, unpacked or ``.gz``: ``apt-get download PACKAGE`` and ``dpkg -x``
bring them. Words are runs of letters or digits, ideographs and kana by themselves; a word that a hyphen divides at the
end of a line is left out on the side of pdftotext, since ours joins it. Of each manual: the share of words that the
whole text has, that it has without page furniture, and the running lines that were taken out though
what they say stands nowhere else.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

NAMES = (
    "policy,fhs-3.0,install.en,install.de,install.zh_CN,install.ja,debmake-doc.en,debmake-doc.zh-cn,debmake-doc.ru,"
    "debian-reference.zh-cn,maint-guide.zh-cn,valgrind_manual,manual,libtasn1,nettle,shared-mime-info-spec,"
    "fontconfig-user,crc-doc.1.0"
)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+|\d+")
_PARTS = re.compile(r"[\d.…]+|\b[ivxl]+$|\b[A-Z]\.")
"""Between the parts of a running line: a chapter's title and a section's, cut perhaps."""
_DIVIDED = re.compile(r"[^\s-]*[-\u00ad\u2010][ \t]*\n\s*\S*")


def manuals(folders: list[Path], names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each manual that is found."""
    for name in names:
        for folder in folders:
            found = sorted(folder.rglob(f"{name}.pdf")) or sorted(folder.rglob(f"{name}.pdf.gz"))
            if found:
                data = found[0].read_bytes()
                yield name, gzip.decompress(data) if found[0].suffix == ".gz" else data
                break


def words(text: str) -> Counter[str]:
    """The words of a text, with ligatures resolved."""
    for ligature, plain in (("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬄ", "ffl")):
        text = text.replace(ligature, plain)
    return Counter(_WORD.findall(text))


def letters(text: str) -> str:
    """The letters of a text."""
    return "".join(filter(str.isalpha, text.casefold()))


def recall(wanted: Counter[str], there: Counter[str]) -> float:
    """Share of words that are there."""
    return sum((wanted & there).values()) / max(1, wanted.total())


def measured(data: bytes) -> tuple[int, float, float, list[str]]:
    """Words, recall of all and of the body, and the lines that stand once and were taken for furniture."""
    import tokaudit

    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(data)
        file.flush()
        took = subprocess.run(["pdftotext", "-layout", file.name, "-"], stdout=subprocess.PIPE, check=True)
        extracted = tokaudit.extract(file.name)
    reference = took.stdout.decode("utf-8", "replace")
    wanted = words(_DIVIDED.sub(" ", reference))
    dropped = [line.text for _, line in extracted.dropped]
    body = words(extracted.text)
    kept = letters(extracted.text)
    running = [line.text for _, line in extracted.dropped if line.kind == "running"]
    once = [line for line in running if not all(letters(part) in kept for part in _PARTS.split(line))]
    return wanted.total(), recall(wanted, body + words("\n".join(dropped))), recall(wanted, body), once


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--names", default=NAMES)
    parser.add_argument("--show", action="store_true", help="print the lines that stand once")
    asked = parser.parse_args()
    print(f"{'manual':<26}{'words':>9}{'recall':>9}{'body':>9}{'once':>6}")
    shares = []
    for name, data in manuals(asked.folders, asked.names.split(",")):
        count, whole, body, once = measured(data)
        shares.append(whole)
        print(f"{name:<26}{count:>9,}{whole:>9.2%}{body:>9.2%}{len(once):>6}", flush=True)
        if asked.show:
            print(*(f"    {line}" for line in once), sep="\n", flush=True)
    print(f"{len(shares)} manuals, median recall {median(shares):.2%}")


if __name__ == "__main__":
    main()
