"""Images, recordings and files in requests: what their first bytes say, for the providers' rules of prices."""

from __future__ import annotations

import re
import struct
from typing import Any

from tokaudit.model.request import Media, MediaKind

_HEAD = 1 << 16
"""Characters of base64 that are decoded for the header."""
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+=-]+)*?)(;base64)?,")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_QUERY = re.compile(r"[?#].*|(?<=://)[^/@]*@", re.DOTALL)


def of_url(url: str, kind: MediaKind = "image", *, detail: str = "auto") -> Media:
    """What an address is, which may be a ``data:`` one."""
    match = _DATA.match(url[:256])
    if match is None:
        return Media(kind, detail=detail, reference=_QUERY.sub("", url[:512]))
    return of_base64(url[match.end() :], kind, mime=match[1] or "", detail=detail)


def of_base64(data: str, kind: MediaKind = "image", *, mime: str = "", detail: str = "auto") -> Media:
    """What base64 holds; a header that says nothing leaves its figures 0."""
    encoded = len(data)
    size = max(0, encoded * 3 // 4 - data[-2:].count("="))
    head = _decoded(data[:_HEAD])
    seen, width, height = image_size(head)
    if seen:
        return Media("image", seen, width, height, detail, size=size, encoded=encoded)
    if head.startswith(b"%PDF-"):
        whole = _decoded(data)
        pages = len(re.findall(rb"/Type\s*/Page(?![A-Za-z])", whole))
        return Media("file", "application/pdf", pages=pages, detail=detail, size=size, encoded=encoded)
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return Media("audio", "audio/wav", seconds=_wave_seconds(head, size), size=size, encoded=encoded)
    if mime and not mime.startswith(kind):
        kind = _kind_of(mime)
    return Media(kind, mime, detail=detail, size=size, encoded=encoded)


def _decoded(data: str) -> bytes:
    match = _BASE64.match(data)
    text = (match[0] if match else "").rstrip("=").replace("-", "+").replace("_", "/")
    import base64
    import binascii

    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except binascii.Error:
        return b""


def image_size(head: bytes) -> tuple[str, int, int]:
    """Type, width and height in pixels of an image, by its first bytes; an empty type where they are none.

    Formats: PNG (IHDR), GIF (logical screen), JPEG (start of frame), WebP (VP8, VP8L, VP8X), BMP.
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return ("image/png", *struct.unpack(">II", head[16:24]))
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return ("image/gif", *struct.unpack("<HH", head[6:10]))
    if head.startswith(b"\xff\xd8"):
        return ("image/jpeg", *_jpeg_size(head))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return ("image/webp", *_webp_size(head))
    if head.startswith(b"BM") and len(head) >= 26:
        width, height = struct.unpack("<ii", head[18:26])
        return "image/bmp", abs(width), abs(height)
    return "", 0, 0


def _jpeg_size(head: bytes) -> tuple[int, int]:
    """Of the first start of frame (markers C0 to CF but C4, C8 and CC); 0 where it lies behind the header read."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:  # fill bytes
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        at += 2 if 0xD0 <= marker <= 0xD8 or marker == 1 else 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return 0, 0


def _webp_size(head: bytes) -> tuple[int, int]:
    chunk = head[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _wave_seconds(head: bytes, size: int) -> float:
    """Length by the byte rate of the ``fmt`` chunk and the size of the whole."""
    at = head.find(b"fmt ")
    rate = int.from_bytes(head[at + 16 : at + 20], "little") if 0 < at <= len(head) - 20 else 0
    return round((size - 44) / rate, 3) if rate and size > 44 else 0.0


def media_of(part: dict[str, Any]) -> Media | None:
    """The medium that a content part of OpenAI, Anthropic or Gemini is; None where it is none."""
    kind: Any = part["type"] if isinstance(part.get("type"), str) else ""
    detail = part.get("detail") if isinstance(part.get("detail"), str) else "auto"
    assert isinstance(detail, str)
    if kind in {"image_url", "input_image", "video_url", "audio_url", "file_url"}:
        inner = part.get("image_url", part.get("video_url", part.get("audio_url", part.get("file_url"))))
        if isinstance(inner, dict):
            detail = inner["detail"] if isinstance(inner.get("detail"), str) else detail
            inner = inner.get("url")
        what: MediaKind = "video" if kind == "video_url" else "audio" if kind == "audio_url" else "image"
        return of_url(inner, what, detail=detail) if isinstance(inner, str) else _by_id(part, what, detail)
    if kind == "input_audio":
        inner = part.get("input_audio", part)
        data = inner.get("data") if isinstance(inner, dict) else None
        mime = f"audio/{inner.get('format', '')}" if isinstance(inner, dict) else ""
        return of_base64(data, "audio", mime=mime) if isinstance(data, str) else _by_id(part, "audio", detail)
    if kind in {"file", "input_file"}:
        inner = part["file"] if isinstance(part.get("file"), dict) else part
        data = inner.get("file_data")
        return of_url(data, "file") if isinstance(data, str) else _by_id(inner, "file", detail)
    if kind in {"image", "document", "video", "audio"} and isinstance(part.get("source"), dict):
        return _anthropic(part["source"], "file" if kind == "document" else kind, detail)
    for key in ("inlineData", "inline_data"):
        if isinstance(part.get(key), dict):
            inner = part[key]
            mime = str(inner.get("mimeType") or inner.get("mime_type") or "")
            return of_base64(str(inner.get("data", "")), _kind_of(mime), mime=mime)
    for key in ("fileData", "file_data"):
        if isinstance(part.get(key), dict):
            mime = str(part[key].get("mimeType") or part[key].get("mime_type") or "")
            return Media(_kind_of(mime), mime, reference=_QUERY.sub("", str(part[key].get("fileUri", ""))[:512]))
    if kind in {"image", "video", "audio"}:
        inner = part.get(kind, part.get("url", part.get("data")))
        return of_url(inner, kind, detail=detail) if isinstance(inner, str) else Media(kind, detail=detail)
    return None


def _anthropic(source: dict[str, Any], kind: MediaKind, detail: str) -> Media | None:
    if source.get("type") == "base64":
        return of_base64(str(source.get("data", "")), kind, mime=str(source.get("media_type", "")), detail=detail)
    if source.get("type") == "url":
        return of_url(str(source.get("url", "")), kind, detail=detail)
    if source.get("type") == "file":
        return Media(kind, detail=detail, reference=str(source.get("file_id", "")))
    return None  # text, which is counted as such


def _by_id(part: dict[str, Any], kind: MediaKind, detail: str) -> Media:
    return Media(kind, detail=detail, reference=str(part.get("file_id") or part.get("id") or ""))


def _kind_of(mime: str) -> MediaKind:
    family = mime.partition("/")[0]
    return family if family in {"image", "audio", "video"} else "file"  # type: ignore[return-value]
