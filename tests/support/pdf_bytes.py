"""Small PDFs, written byte by byte: what the tests need and nothing else."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def written(objects: Mapping[int, bytes], root: int = 1, trailer: str = "") -> bytes:
    """A file of objects with its cross-reference table."""
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    out += f"trailer\n<< /Size {size} /Root {root} 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def stream(data: bytes, more: str = "") -> bytes:
    """A stream object."""
    return f"<< /Length {len(data)} {more} >>\nstream\n".encode() + data + b"\nendstream"


def deflated(data: bytes) -> bytes:
    """A compressed stream object."""
    return stream(zlib.compress(data, 9), "/Filter /FlateDecode")


def pdf(
    contents: Sequence[str],
    *,
    fonts: Mapping[str, str] | None = None,
    more: Mapping[int, bytes] | None = None,
    page: str = "",
    box: str = "0 0 600 800",
) -> bytes:
    """A PDF with a page for each content stream. Fonts are /F1 (Helvetica) and those given; more objects from 1000."""
    named = {"F1": FONT, **(fonts or {})}
    resources = "<< /Font << " + " ".join(f"/{name} {body}" for name, body in named.items()) + " >> >>"
    objects: dict[int, bytes] = {1: b"<< /Type /Catalog /Pages 2 0 R >>", **(more or {})}
    kids = []
    for index, content in enumerate(contents):
        number = 3 + 2 * index
        kids.append(f"{number} 0 R")
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Resources {resources}"
            f" /Contents {number + 1} 0 R {page} >>"
        ).encode()
        objects[number + 1] = stream(content.encode("cp1252"))
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    return written(objects)


def show(text: str, x: float, y: float, size: float = 10, *, font: str = "F1", matrix: str = "1 0 0 1") -> str:
    """Operators that show a text with its baseline at a place, from the bottom left corner."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {size:g} Tf {matrix} {x:g} {y:g} Tm ({escaped}) Tj ET\n"


def shown(lines: Sequence[str], x: float, y: float, size: float = 10, step: float = 12) -> str:
    """Operators for lines one below the other."""
    return "".join(show(line, x, y - index * step, size) for index, line in enumerate(lines))


def line(x: float, y: float, u: float, v: float) -> str:
    """Operators that draw a line."""
    return f"0.5 w {x:g} {y:g} m {u:g} {v:g} l S\n"


def cid_font(to_unicode: Mapping[int, str], number: int) -> tuple[str, dict[int, bytes]]:
    """A font of two-byte glyphs, each a full size wide, with characters for some of them; its objects."""
    pairs = "\n".join(f"<{code:04X}> <{text.encode('utf-16-be').hex()}>" for code, text in to_unicode.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
        "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        f"{len(to_unicode)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )
    descriptor = (
        "<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0"
        " /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    descendant = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 1000"
        " /CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        f" /FontDescriptor {number + 2} 0 R >>"
    )
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H"
        f" /DescendantFonts [{number} 0 R] /ToUnicode {number + 1} 0 R >>"
    )
    return font, {number: descendant.encode(), number + 1: stream(cmap.encode()), number + 2: descriptor.encode()}
