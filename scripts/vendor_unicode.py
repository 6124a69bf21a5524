r"""Write ``src/tokaudit/tokenizers/unicode.bin``: the character classes of the reference engines, range by range.

Pre-tokenization patterns speak of ``\p{L}`` and the like, and every engine means another Unicode version by it. The
``small`` path must agree with the reference libraries for every code point, so their classes are read off them once
(tiktoken, which must agree with Hugging Face tokenizers here, or this script stops) and pinned in a file.
The classes of ``count --by class`` come from the same run, read off the ``regex`` module's scripts.

Run: ``python scripts/vendor_unicode.py``; needs the package's own dependencies.
"""

from __future__ import annotations

import struct
import sys
import unicodedata
from pathlib import Path

import regex
import tiktoken
from tokenizers import Regex, normalizers, pre_tokenizers

TARGET = Path(__file__).parents[1] / "src/tokaudit/tokenizers/unicode.bin"
CODE_POINTS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
TEXT = "".join(CODE_POINTS)
# Order is the file's: the index is the class code. "upper" is Lu and Lt, "other" what no class below has.
GENERAL = {
    "upper": r"[\p{Lu}\p{Lt}]",
    "lower": r"\p{Ll}",
    "letter": r"[\p{Lm}\p{Lo}]",
    "mark": r"\p{M}",
    "number": r"\p{N}",
    "punctuation": r"\p{P}",
    "symbol": r"\p{S}",
    "space": r"\s",
}
HAN = r"\p{Han}"
DEEPSEEK_CJK = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]"
SCRIPTS = {  # the class of the first that matches; the names are those of tokaudit.tokenizers.unicode_classes
    "space": r"[\s\p{Zs}\p{Zl}\p{Zp}\u200b\ufeff]",
    "digit": r"\p{N}",
    "emoji": r"[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u200d\ufe0f\u20e3]",
    "han": r"\p{Script=Han}",
    "latin": r"\p{Script=Latin}",
    "punctuation": r"[\p{P}\p{S}]",
}


def tiktoken_class(pattern: str) -> set[str]:
    """The code points that ``pattern`` matches in tiktoken, which drops what its pattern does not match."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return set(encoding.decode_bytes(encoding.encode_ordinary(TEXT)).decode())


def tokenizers_class(pattern: str) -> set[str]:
    """The code points that ``pattern`` matches in Hugging Face tokenizers."""
    split = pre_tokenizers.Split(Regex(pattern), behavior="removed")
    return set(CODE_POINTS) - set("".join(piece for piece, _ in split.pre_tokenize_str(TEXT)))


def agreed_class(pattern: str) -> set[str]:
    """The code points of ``pattern``, on which both references must agree."""
    one, other = tiktoken_class(pattern), tokenizers_class(pattern)
    if one != other:
        raise SystemExit(f"the references differ on {pattern}: {sorted(one ^ other)[:10]}")
    return one


def inert_for_nfc() -> set[str]:
    """Characters that Hugging Face's NFC leaves alone and that a newer Unicode reorders or composes.

    Its tables are older than those of any supported Python, so in it these are plain starters. They are found by
    comparing with the newest tables at hand (``unicodedata2`` where it is installed).
    """
    try:
        import unicodedata2 as newest  # noqa: PLC0415 - optional
    except ImportError:
        newest = unicodedata  # type: ignore[assignment,unused-ignore]
        print("unicodedata2 is not installed: using", unicodedata.unidata_version)
    reference = normalizers.NFC()
    contexts = ["{}", "q\u0323{}", "q{}\u0323", "q{}\u0301", "q\u0345{}", "q{}\u0334", "{}\u0338"]
    inert = set()
    plain = [char for char in CODE_POINTS if char != "\n"]
    for context in contexts:
        text = "\n".join(context.format(char) for char in plain)
        theirs = reference.normalize_str(text).split("\n")
        ours = newest.normalize("NFC", text).split("\n")
        inert |= {char for char, one, other in zip(plain, theirs, ours, strict=True) if one != other}
    for char in plain:  # a composition that the reference does not know: its first part must not meet the second
        parts = newest.normalize("NFD", char)
        if reference.normalize_str(parts) != newest.normalize("NFC", parts):
            inert |= {char, parts[0]}
    for char in inert:
        for context in contexts:
            text = context.format(char)
            pieces = [unicodedata.normalize("NFC", piece) for piece in text.split(char)]
            if reference.normalize_str(text) != char.join(pieces):
                raise SystemExit(f"U+{ord(char):04X} is not inert in the reference's NFC")
    return inert


def settled_for_nfc(inert: set[str]) -> set[str]:
    """Characters that NFC never changes, whatever stands beside them: starters that compose and decompose with none."""
    composed = "".join(unicodedata.normalize("NFD", char) for char in CODE_POINTS)
    loose = {char for char in composed if unicodedata.combining(char)} | inert
    for char in CODE_POINTS:
        if unicodedata.normalize("NFC", char) != char:
            loose.add(char)
        parts = unicodedata.normalize("NFD", char)
        if parts != char:
            loose |= set(parts[1:])  # it may be the second of a composition
    return set(CODE_POINTS) - loose - {char for char in CODE_POINTS if unicodedata.combining(char)}


def main() -> None:
    """Write the file: ``u32 start, u8 flags, u8 script`` a range."""
    general = {name: agreed_class(pattern) for name, pattern in GENERAL.items()}
    han, cjk = agreed_class(HAN), agreed_class(DEEPSEEK_CJK)
    scripts = [set(regex.findall(pattern, TEXT)) for pattern in SCRIPTS.values()]
    # ASCII emoji bases (# * 0-9) are digits and punctuation to a reader.
    inert = inert_for_nfc()
    settled = settled_for_nfc(inert)
    names = list(general)
    rows: list[tuple[int, int, int]] = []
    for char in CODE_POINTS:
        code = next((index for index, name in enumerate(names) if char in general[name]), len(names))
        flags = code | (char in han) << 4 | (char in cjk) << 5 | (char in inert) << 6 | (char in settled) << 7
        script = next((index for index, members in enumerate(scripts) if char in members), len(scripts))
        if not rows or rows[-1][1:] != (flags, script):
            rows.append((ord(char), flags, script))
    TARGET.write_bytes(b"".join(struct.pack("<IBB", *row) for row in rows))
    combinations = {flags & 0x3F for _, flags, _ in rows}
    print(f"{len(rows)} ranges, {len(combinations)} combinations, {len(inert)} inert for NFC -> {TARGET.name}")


if __name__ == "__main__":
    main()
