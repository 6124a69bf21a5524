"""The ``bulk`` path: engines that load a vocabulary once and are then the fastest there is.

gigatoken where it has a wheel; else tiktoken for vocabularies that merge by rank and Hugging Face tokenizers for those
that merge listed pairs. All give the reference's ids; ``tests/equivalence`` runs with and without gigatoken.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from tokaudit.leftovers import noted
from tokaudit.tokenizers.pretokenize import AS_RANKED, RANKED
from tokaudit.tokenizers.table import Table, rank_file, without_holes
from tokaudit.tokenizers.unicode_classes import unassigned_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokaudit.tokenizers.excerpt import Texts
    from tokaudit.tokenizers.rank_file import MemoryTable
    from tokaudit.tokenizers.small import SmallEngine

    Ids = NDArray[np.uint32]


def load_bulk(name: str, table: Table | MemoryTable, entry: Mapping[str, Any]) -> Callable[[str], Ids]:
    """A function from normalized text to ids (ranks, without the vocabulary's offset), for ordinary text."""
    from tokaudit.tokenizers.long_pieces import in_blocks
    from tokaudit.tokenizers.small import SmallEngine

    small = SmallEngine(table, entry["pattern"])
    try:
        _engine()
    except ImportError:
        return in_blocks(_load_reference(name, table, entry, small), small, table)
    if table.splits is None and entry["pattern"] in RANKED and not _is_whole(table):
        return in_blocks(_load_reference(name, table, entry, small), small, table)
    return _guarded(in_blocks(_load_gigatoken(table, entry), small, table), small, entry)


def load_part(table: Table, entry: Mapping[str, Any], texts: Texts) -> Callable[[str], Ids] | None:
    """The same for these texts and parts of them only, loaded faster; None where that cannot be."""
    from tokaudit.tokenizers.long_pieces import in_blocks
    from tokaudit.tokenizers.small import SmallEngine

    try:
        engine = _engine()
    except ImportError:
        return None
    small = SmallEngine(table, entry["pattern"])
    return _guarded(in_blocks(_load_excerpt(engine, table, entry, texts), small, table), small, entry)


def _is_whole(table: Table | MemoryTable) -> bool:
    """Check whether a vocabulary is known to be one that gigatoken loads as a rank file; it panics at others."""
    from tokaudit.tokenizers.bundled import manifest
    from tokaudit.tokenizers.rank_file import KNOWN

    own = {entry["sha256"]: entry.get("pattern") for entry in manifest().values()}
    own |= {sha256: pattern for sha256, (_, pattern) in KNOWN.items()}
    return own.get(table.sha256) in RANKED and (table.splits is None or table.sha256 in AS_RANKED)


# Just after a newline that is the only white space before a letter, digit or ideograph every pattern cuts; all but
# GPT-2's also before a line that is indented.
_LINE = re.compile(r"\S\n(?=[0-9A-Za-z\u4e00-\u9fff])")
_INDENTED_LINE = re.compile(r"\S\n(?=[ \t]*[!-.0-~\u4e00-\u9fff])")


def _guarded(encode: Callable[[str], Ids], small: SmallEngine, entry: Mapping[str, Any]) -> Callable[[str], Ids]:
    """The same, but the lines with characters that only gigatoken's newer Unicode knows go the small path."""
    import numpy as np

    line_end = _LINE if entry["pattern"] == "gpt2" else _INDENTED_LINE

    def guarded(text: str) -> Ids:
        places = unassigned_in(text)
        if not places:
            return encode(text)
        parts = []
        at = 0
        for place in places:
            if place < at:
                continue
            start = max(at, _line_start(line_end, text, place))
            if start > at:
                parts.append(encode(text[at:start]))
            found = line_end.search(text, place)
            at = found.end() if found else len(text)
            parts.append(np.array(small.encode(small.cut(text[start:at])), dtype=np.uint32))
        if at < len(text):
            parts.append(encode(text[at:]))
        return np.concatenate(parts)

    return guarded


def _line_start(line_end: re.Pattern[str], text: str, place: int) -> int:
    """The nearest place at or before ``place`` just after a newline at which every pattern cuts; 0 for none."""
    newline = text.rfind("\n", 0, place)
    while newline > 0 and not line_end.match(text, newline - 1):
        newline = text.rfind("\n", 0, newline)
    return newline + 1 if newline > 0 else 0


def _rank_file_of(table: Table | MemoryTable) -> Path | None:
    """The rank file that the build laid beside the table of a bundled vocabulary."""
    from tokaudit.tokenizers.bundled import manifest, table_path

    for name, entry in manifest().items():
        if entry["sha256"] == table.sha256 and entry["format"] == "ranks":
            path = table_path(name).with_suffix(".tiktoken")
            return path if path.is_file() else None
    return None


def _engine() -> Any:
    """Gigatoken's compiled module by itself: its package imports what costs more than all else here.

    Raises:
        ImportError: It is not installed.
    """
    name = "gigatoken.gigatoken_rs"
    known = sys.modules.get(name)
    if known is not None and sys.modules.get("gigatoken", known) is not None:
        return known
    from importlib.util import find_spec, module_from_spec, spec_from_file_location

    import numpy as np  # noqa: F401 - the engine imports it too, and panics where Ctrl-C meets that import

    package = find_spec("gigatoken")
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        for path in sorted(Path(folder).glob("gigatoken_rs.*")):
            spec = spec_from_file_location(name, path) if path.suffix in {".so", ".pyd"} else None
            if spec is not None and spec.loader is not None:
                module = module_from_spec(spec)
                spec.loader.exec_module(module)
                sys.modules[name] = module  # it may be loaded only once, also where the package is imported later
                return module
    from gigatoken import gigatoken_rs

    return gigatoken_rs


def _load_gigatoken(table: Table | MemoryTable, entry: Mapping[str, Any]) -> Callable[[str], Ids]:
    engine = _engine()
    scheme = RANKED.get(entry["pattern"])
    if scheme is None or not _is_whole(table):
        encode: Callable[[str], Ids] = engine.load_hf_json(tokenizer_json(table.tokens(), table.splits, entry)).encode
        return encode
    prebuilt = _rank_file_of(table)
    if prebuilt is not None:
        ranked: Callable[[str], Ids] = engine.BPETokenizer.from_tiktoken(prebuilt, scheme, {}).encode
        return ranked
    return _of_ranks(engine, rank_file(without_holes(table.tokens())), scheme)


def _of_ranks(engine: Any, ranks: bytes, scheme: str) -> Callable[[str], Ids]:
    with tempfile.TemporaryDirectory(prefix="tokaudit-") as folder, noted(lambda: rmtree(folder)):
        path = Path(folder) / "ranks.tiktoken"
        path.write_bytes(ranks)
        encode: Callable[[str], Ids] = engine.BPETokenizer.from_tiktoken(path, scheme, {}).encode
        return encode


def _load_excerpt(engine: Any, table: Table, entry: Mapping[str, Any], texts: Texts) -> Callable[[str], Ids]:
    """Load what the texts can have of a vocabulary: under ids of their own, since an engine wants them without gaps."""
    import numpy as np

    from tokaudit.tokenizers.excerpt import ids_in

    kept = np.flatnonzero(ids_in(table, texts)).astype(np.uint32)
    blob, offsets = table.blob, np.frombuffer(table.offsets, np.uint32)
    tokens = [blob[start:end] for start, end in zip(offsets[kept].tolist(), offsets[kept + 1].tolist(), strict=True)]
    scheme = RANKED.get(entry["pattern"])
    if scheme is not None and _is_whole(table):
        encode = _of_ranks(engine, rank_file(tokens), scheme)
    else:
        splits = None if table.splits is None else np.frombuffer(table.splits, np.uint16)[kept].tolist()
        encode = engine.load_hf_json(tokenizer_json(tokens, splits, entry)).encode
    return lambda text: kept.take(encode(text))


def _load_reference(
    name: str, table: Table | MemoryTable, entry: Mapping[str, Any], small: SmallEngine
) -> Callable[[str], Ids]:
    """The reference libraries themselves.

    Where one gives up on a text (tiktoken's pattern engine does on a million spaces), the small path counts it.
    """
    import numpy as np

    if table.splits is None:
        import tiktoken

        patterns = entry["pattern_regex"]
        pattern = patterns if isinstance(patterns, str) else patterns[0]
        ranks = {token: rank for rank, token in enumerate(table.tokens()) if token}
        encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        ordinary: Callable[[str], Sequence[int]] = encoding.encode_ordinary
    else:
        import tokenizers

        fast = tokenizers.Tokenizer.from_str(tokenizer_json(table.tokens(), table.splits, entry))
        ordinary = lambda text: fast.encode(text, add_special_tokens=False).ids  # noqa: E731

    def encode(text: str) -> Ids:
        try:
            return np.array(ordinary(text), dtype=np.uint32)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            if type(error).__name__ != "PanicException" and not isinstance(error, Exception):
                raise
            return np.array(small.encode(small.cut(text)), dtype=np.uint32)

    return encode


def tokenizer_json(tokens: Sequence[bytes], splits: Sequence[int] | None, entry: Mapping[str, Any]) -> str:
    """The vocabulary as a Hugging Face tokenizer.json without special tokens and normalization.

    A vocabulary that merges by rank lists every pair whose concatenation is a token, and looks up whole pieces first.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    chars = {byte: byte for byte in printable}
    chars |= {byte: 256 + index for index, byte in enumerate(byte for byte in range(256) if byte not in chars)}
    names = [token.decode("latin-1").translate(chars) for token in tokens]
    vocabulary = {name: rank for rank, name in enumerate(names) if name}
    if splits is not None:
        merges = [f"{name[:at]} {name[at:]}" for name, at in zip(names, splits, strict=True) if at]
    else:
        merges = [
            f"{name[:at]} {name[at:]}"
            for name in names
            for at in range(1, len(name))
            if name[:at] in vocabulary and name[at:] in vocabulary
        ]
    patterns = entry["pattern_regex"]
    steps: list[dict[str, Any]] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in ([patterns] if isinstance(patterns, str) else patterns)
    ]
    steps.append({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False})
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": splits is None,
        "vocab": vocabulary,
        "merges": merges,
    }
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model,
    }
    return json.dumps(document, ensure_ascii=False)
