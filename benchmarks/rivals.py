"""Other tokenizers over the texts of the benchmarks, each as a process of its own.

    python benchmarks/rivals.py FOLDER tiktoken|gigatoken [-p PROCESSES] [-m MODELS] FILE...

``write_vocabularies`` lays the vocabularies of tokaudit into FOLDER in the forms that these read fastest: rank files,
and for gigatoken a tokenizer.json where it takes no rank file. A run loads them, reads the files and prints the tokens
of each model. Nothing of tokaudit is imported by a run.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

MODELS = ("o200k_base", "qwen3", "deepseek-v3", "glm-4.5")
SCHEMES = {"o200k_base": "o200k", "qwen3": "qwen2"}
"""gigatoken's names of the patterns, for vocabularies that it takes as rank files."""
DEEPSEEK = (
    r"\p{N}{1,3}|[一-龥぀-ゟ゠-ヿ]+|[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+|."
)
"""DeepSeek's pattern is three in a row, which tiktoken cannot have: it gets the nearest single one."""


def write_vocabularies(folder: Path) -> None:
    """Write the vocabularies for ``run``; needs tokaudit."""
    from tokaudit.tokenizers.bundled import manifest, table_path
    from tokaudit.tokenizers.table import Table, rank_file

    folder.mkdir(parents=True, exist_ok=True)
    patterns = {}
    for name in MODELS:
        found = manifest()[name]["pattern_regex"]
        listed = [found] if isinstance(found, str) else found
        patterns[name] = listed[0] if len(listed) == 1 else DEEPSEEK
        table = Table(table_path(name))
        tokens = table.tokens()
        (folder / f"{name}.tiktoken").write_bytes(rank_file(tokens))
        if name not in SCHEMES:
            (folder / f"{name}.json").write_text(json.dumps(_tokenizer_json(tokens, table.splits, listed)), "utf-8")
    (folder / "patterns.json").write_text(json.dumps(patterns), "utf-8")


def _tokenizer_json(tokens: list[bytes], splits: object, patterns: list[str]) -> dict:
    """The vocabulary as a Hugging Face tokenizer.json; one without listed merges lists all pairs that make a token."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    chars = {byte: byte for byte in printable}
    chars |= {byte: 256 + index for index, byte in enumerate(byte for byte in range(256) if byte not in chars)}
    names = [token.decode("latin-1").translate(chars) for token in tokens]
    vocabulary = {name: rank for rank, name in enumerate(names) if name}
    if splits is None:
        pairs = ((name[:at], name[at:]) for name in names for at in range(1, len(name)))
        merges = [f"{one} {two}" for one, two in pairs if one in vocabulary and two in vocabulary]
    else:
        merges = [f"{name[:at]} {name[at:]}" for name, at in zip(names, splits, strict=True) if at]
    steps: list[dict] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns
    ]
    steps.append({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False})
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "fuse_unk": False}
    model |= {"end_of_word_suffix": "", "byte_fallback": False, "ignore_merges": splits is None}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {**model, "vocab": vocabulary, "merges": merges},
    }


def tiktoken_encoder(folder: Path, name: str) -> Callable[[str], int]:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    pattern = json.loads((folder / "patterns.json").read_text("utf-8"))[name]
    ranks = load_tiktoken_bpe(str(folder / f"{name}.tiktoken"))
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def gigatoken_encoder(folder: Path, name: str) -> Callable[[str], int]:
    from gigatoken import gigatoken_rs as engine

    if name in SCHEMES:
        loaded = engine.BPETokenizer.from_tiktoken(folder / f"{name}.tiktoken", SCHEMES[name], {})
    else:
        loaded = engine.load_hf_json((folder / f"{name}.json").read_text("utf-8"))
    return lambda text: len(loaded.encode(text))


def run(folder: Path, engine: str, models: list[str], files: list[Path]) -> list[int]:
    """Tokens of the files for each model, loading included."""
    make = {"tiktoken": tiktoken_encoder, "gigatoken": gigatoken_encoder}[engine]
    encoders = [(name.startswith("qwen"), make(folder, name)) for name in models]
    counts = [0] * len(models)
    for path in files:
        text = path.read_bytes().decode()
        composed = unicodedata.normalize("NFC", text) if any(nfc for nfc, _ in encoders) else text
        for at, (nfc, encode) in enumerate(encoders):
            counts[at] += encode(composed if nfc else text)
    return counts


def main() -> None:
    from multiprocessing import Pool

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("engine", choices=("tiktoken", "gigatoken"))
    parser.add_argument("-p", "--processes", type=int, default=1)
    parser.add_argument("-m", "--models", default=",".join(MODELS))
    parser.add_argument("files", type=Path, nargs="+", help="files, or one folder")
    arguments = parser.parse_args()
    files = sorted(arguments.files[0].iterdir()) if arguments.files[0].is_dir() else arguments.files
    models = arguments.models.split(",")
    parts = [files[start :: arguments.processes] for start in range(arguments.processes)]
    if len(parts) == 1:
        counts = [run(arguments.folder, arguments.engine, models, files)]
    else:
        with Pool(len(parts)) as pool:
            counts = pool.starmap(run, [(arguments.folder, arguments.engine, models, part) for part in parts])
    print(json.dumps({name: sum(part[at] for part in counts) for at, name in enumerate(models)}))


if __name__ == "__main__":
    main()
