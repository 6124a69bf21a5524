"""Small PDF files for tests: lines of Helvetica at given places, perhaps encrypted, all by hand."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import md5

PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
IDENTITY = b"0123456789abcdef"
Line = tuple[float, float, str]
"""Left, baseline (from the foot of the page), text."""


def rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def content_of(lines: Sequence[Line], size: float = 11) -> bytes:
    shown = []
    for x, y, text in lines:
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        shown.append(f"BT /F1 {size:g} Tf {x:g} {y:g} Td ({escaped}) Tj ET")
    return "\n".join(shown).encode("cp1252")


def small_pdf(contents: Sequence[bytes], password: str = "") -> bytes:
    """A PDF of pages with these contents; encrypted (RC4, 40 bits) where there is a password."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    key, trailer = b"", ""
    if password:
        padded = (password.encode() + PADDING)[:32]
        owner = rc4(md5(padded).digest()[:5], padded)
        key = md5(padded + owner + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + IDENTITY).digest()[:5]
        encrypt = f"/Filter /Standard /V 1 /R 2 /P -4 /O <{owner.hex()}> /U <{rc4(key, PADDING).hex()}>"
        trailer = f"/Encrypt << {encrypt} >> /ID [<{IDENTITY.hex()}> <{IDENTITY.hex()}>]"
    for at, content in enumerate(contents):
        number = 5 + 2 * at
        place = f"/Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number} 0 R"
        objects.append(f"<< /Type /Page {place} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        if key:
            content = rc4(md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], content)  # noqa: PLW2901
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
    data = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(data)


SENTENCES = (
    "The pump is switched off before the cover is opened.",
    "A filter that is older than two years must be replaced.",
    "Readings are taken twice a day and written into the log.",
    "When the lamp stays red the valve has not closed fully.",
    "Spare seals are kept in the drawer below the bench.",
    "Nobody works on the line alone after eight in the evening.",
    "The pressure must never be higher than four bar.",
    "Oil that was spilled is taken up with the grey cloths.",
)


def manual(pages: int = 8, password: str = "") -> bytes:
    """A manual: on each page a running header, a few lines of body, and a page number."""
    contents = []
    for page in range(pages):
        body = [SENTENCES[(page * 3 + at) % len(SENTENCES)] for at in range(5)]
        lines = [(72.0, 800.0, "Pump Station Manual, Edition 4")]
        lines += [(72.0, 700.0 - 16 * at, f"{page + 1}.{at + 1} {text}") for at, text in enumerate(body)]
        lines.append((290.0, 40.0, str(page + 1)))
        contents.append(content_of(lines))
    return small_pdf(contents, password)


SCAN = small_pdf([b"0.5 g 72 72 400 600 re f"] * 2)
"""Two pages without any text."""
DAMAGED = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog" + b"\0\xff" * 200
