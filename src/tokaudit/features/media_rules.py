"""Tokens of images, recordings and files by the rules that providers publish: estimates, never counts of base64.

Each rule has its source; providers round and resize in ways that they describe only in part, so that all are marked ≈.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt

from tokaudit.model.message import Message
from tokaudit.model.request import Media

_UNKNOWN_SIDE = 1024
"""Pixels of each side that are assumed of an image whose size is not in the request, as with an address."""


@dataclass(frozen=True, slots=True)
class MediaCount:
    """Tokens of one medium for one model."""

    tokens: int | None
    """None where no rule is known: never 0."""
    note: str = ""
    """What was assumed, or why there is no figure."""


_TILES: Mapping[str, tuple[int, int]] = {
    "gpt-4o-mini": (2833, 5667),
    "gpt-4o": (85, 170),
    "gpt-4.1": (85, 170),
    "gpt-4.5-preview": (85, 170),
    "gpt-4-turbo": (85, 170),
    "gpt-5": (70, 140),
    "gpt-5-chat-latest": (70, 140),
    "o1": (75, 150),
    "o1-pro": (75, 150),
    "o3": (75, 150),
}
"""Base and tile of OpenAI's models; platform.openai.com/docs/guides/images-vision, "Calculating costs"."""
_PATCHES: Mapping[str, float] = {
    "gpt-4.1-mini": 1.62,
    "gpt-4.1-nano": 2.46,
    "gpt-5-mini": 1.62,
    "gpt-5-nano": 2.46,
    "o4-mini": 1.72,
}
"""Factor of patches of 32 by 32 pixels, at most 1,536 of them (same page)."""


def _tiles(media: Media, base: int, tile: int) -> int:
    """OpenAI's tiles: fitted into 2,048 by 2,048, then the short side to 768, then tiles of 512 (same page)."""
    if media.detail == "low":
        return base
    width, height = _sides(media)
    fit = min(1.0, 2048 / max(width, height))
    fit *= min(1.0, 768 / (min(width, height) * fit))
    across, down = max(1, round(width * fit)), max(1, round(height * fit))
    return base + tile * ceil(across / 512) * ceil(down / 512)


def _patches(media: Media, factor: float) -> int:
    """OpenAI's patches: as many of 32 by 32 as cover the image, scaled down to 1,536 of them at most (same page)."""
    width, height = _sides(media)
    count = ceil(width / 32) * ceil(height / 32)
    if count > 1536:
        shrink = sqrt(32 * 32 * 1536 / (width * height))
        across, down = width * shrink / 32, height * shrink / 32
        # A side that is less than a patch still has one.
        shrink *= min(max(1, int(across)) / across, max(1, int(down)) / down, 1)
        count = ceil(max(1, round(width * shrink)) / 32) * ceil(max(1, round(height * shrink)) / 32)
    return ceil(min(count, 1536) * factor)


def _openai(model: str, media: Media) -> MediaCount:
    if media.kind == "audio" and media.seconds:
        return MediaCount(ceil(media.seconds * 10))  # a token each 100 ms: docs/guides/realtime-costs
    if media.kind != "image":
        return _no_rule(media)
    if model in _PATCHES:
        return _assumed(media, _patches(media, _PATCHES[model]))
    if model in _TILES:
        return _assumed(media, _tiles(media, *_TILES[model]))
    return _no_rule(media)


def _anthropic(_model: str, media: Media) -> MediaCount:
    """Width times height through 750, after a resize to 1,568 pixels and about 1.15 megapixels (1,568 tokens).

    docs.anthropic.com, "Vision". A page of a PDF is 1,500 to 3,000 tokens of text and an image ("PDF support").
    """
    if media.kind == "file" and media.pages:
        low = media.pages * 1500
        return MediaCount(low, Message("a page of a PDF counts 1,500 to 3,000 tokens: the least is taken"))
    if media.kind != "image":
        return _no_rule(media)
    width, height = _sides(media)
    fit = min(1.0, 1568 / max(width, height))
    return _assumed(media, min(1568, ceil(width * fit * height * fit / 750)))


def _google(_model: str, media: Media) -> MediaCount:
    """258 for an image of at most 384 by 384, else 258 for each tile of 768 by 768; 32 a second of sound, 258 a page.

    ai.google.dev/gemini-api/docs/tokens, "Multimodal tokens".
    """
    if media.kind == "audio" and media.seconds:
        return MediaCount(ceil(media.seconds * 32))
    if media.kind == "file" and media.pages:
        return MediaCount(media.pages * 258)
    if media.kind != "image":
        return _no_rule(media)
    width, height = _sides(media)
    if max(width, height) <= 384:
        return _assumed(media, 258)
    unit = max(256, min(768, int(min(width, height) / 1.5)))
    return _assumed(media, 258 * ceil(width / unit) * ceil(height / unit))


_SEEING = ("qwen3.5", "qwen3.6", "qwen3.7", "qwen3.8")
"""Models of Qwen that take images without a name that says so."""


def _qwen(model: str, media: Media) -> MediaCount:
    """One token for 28 by 28 pixels (32 by 32 from Qwen3-VL on), sides rounded to that, 4 to 16,384, and 2 around.

    help.aliyun.com, "Visual understanding": tokens of an image = height * width / (28 * 28) + 2.
    """
    if media.kind != "image" or not ("-vl" in model or model.startswith(_SEEING)):
        return _no_rule(media)
    side = 28 if model.startswith("qwen2") else 32
    width, height = _sides(media)
    across, down = max(1, round(width / side)), max(1, round(height / side))
    return _assumed(media, min(16384, max(4, across * down)) + 2)


def _no_rule(media: Media) -> MediaCount:
    return MediaCount(None, Message("no published rule for {what}", what=Message(media.kind)))


def _sides(media: Media) -> tuple[int, int]:
    return (media.width or _UNKNOWN_SIDE, media.height or _UNKNOWN_SIDE)


def _assumed(media: Media, tokens: int) -> MediaCount:
    if media.width and media.height:
        return MediaCount(tokens)
    return MediaCount(
        tokens, Message("its size is not in the request: {side} by {side} pixels taken", side=_UNKNOWN_SIDE)
    )


_RULES: Mapping[str, Callable[[str, Media], MediaCount]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "qwen": _qwen,
}


def media_tokens(provider: str, model: str, media: Media) -> MediaCount:
    """Tokens that a provider bills for a medium.

    Args:
        provider: Of the model, as in the catalog; empty where it is not known.
        model: Its id in the catalog, in lower case.
        media: What is sent.
    """
    rule = _RULES.get(provider)
    if rule is None:
        return _no_rule(media)
    return rule(model, media)
