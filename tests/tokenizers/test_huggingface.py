"""tokenizer.json files, folders, and the hub's local cache, all made here."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokenizers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from tokaudit.model import TokenizerError
from tokaudit.tokenizers import load_tokenizer

TRAINING = ["hello world", "the quick brown fox", "你好世界 你好", "hello hello the the the world"] * 5


def byte_level() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        TRAINING, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    )
    made.add_special_tokens([AddedToken("<think>", special=True)])
    return made


@pytest.fixture(scope="module")
def document() -> str:
    return byte_level().to_str()


@pytest.fixture
def path(tmp_path: Path, document: str) -> Path:
    target = tmp_path / "tokenizer.json"
    target.write_text(document, "utf-8")
    return target


def test_a_tokenizer_json(path: Path, document: str) -> None:
    tokenizer = load_tokenizer(str(path))
    assert tokenizer.info.ref.backend == "tokenizers"
    assert tokenizer.info.ref.exact
    fast = Tokenizer.from_str(document)
    for text in ("hello world", "你好世界", "é\0\r\n", "", "  the  "):
        assert list(tokenizer.encode(text)) == fast.encode(text).ids
        assert tokenizer.count(text) == len(tokenizer.spans(text))


def test_typed_special_tokens(path: Path) -> None:
    plain, special = load_tokenizer(str(path)), load_tokenizer(str(path), special=True)
    assert plain.count("<think>") > 1
    assert special.count("<think>") == 1
    assert special.count("a<think>b") == 3


def test_truncation_and_padding_are_off(path: Path) -> None:
    fast = byte_level()
    fast.enable_truncation(2)
    fast.enable_padding(length=64)
    path.write_text(fast.to_str(), "utf-8")
    text = "a b c d e f g h"
    assert load_tokenizer(str(path)).count(text) == len(byte_level().encode(text).ids)


def test_places(path: Path) -> None:
    tokenizer = load_tokenizer(str(path))
    text = "hello 你好 é😀 world"
    spans = tokenizer.spans(text)
    data = text.encode()
    assert b"".join(data[start:end] for start, end in spans) == data
    assert all(start <= end for start, end in spans)
    assert data[slice(*spans[0])] == b"hello"
    assert list(tokenizer.encoding(text).within([0, len(data)])) == [len(spans), 0]


@pytest.mark.parametrize("damage", ["", "{", "[]", '"x"', "{}", '{"model": {"type": "None"}}', "\xff"])
def test_damaged_tokenizer_json(path: Path, damage: str) -> None:
    path.write_bytes(damage.encode("latin-1"))
    with pytest.raises(TokenizerError, match=r"not a tokenizer\.json, or truncated") as caught:
        load_tokenizer(str(path))
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


def test_truncated_tokenizer_json(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(TokenizerError, match="truncated"):
        load_tokenizer(str(path))


def test_a_folder_with_tokenizer_json(path: Path) -> None:
    assert list(load_tokenizer(str(path.parent)).encode("hello")) == list(load_tokenizer(str(path)).encode("hello"))


def test_a_folder_with_nothing_of_the_kind(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing")
    with pytest.raises(TokenizerError, match="no tokenizer in this folder"):
        load_tokenizer(str(tmp_path))


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    folder = tmp_path / "bert"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "wor", "##ld", "##s", "你", "好", ",", "a"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    return folder


def test_a_folder_with_a_vocabulary_only(bert: Path) -> None:
    """transformers makes the tokenizer of it."""
    tokenizer = load_tokenizer(str(bert))
    assert tokenizer.info.ref.backend == "transformers"
    assert list(tokenizer.encode("Hello worlds, 你好")) == [5, 6, 9, 12, 10, 11]
    assert tokenizer.count("hello") == 1  # no [CLS] and [SEP]
    assert list(tokenizer.spans("hello a")) == [(0, 6), (6, 7)]
    assert 4 not in list(tokenizer.encode("[MASK]"))
    assert len(tokenizer.info.ref.sha256) == 64


def test_a_folder_that_transformers_cannot_load(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(TokenizerError, match="transformers cannot load") as caught:
        load_tokenizer(str(tmp_path))
    assert "\n" not in caught.value.message


# --- the hub ---------------------------------------------------------------------------------------------------------

COUNT = """
import sys
from tokaudit.tokenizers import load_tokenizer
from tokaudit.model import TokenizerError
try:
    print(load_tokenizer(sys.argv[1], download=len(sys.argv) > 2).count("hello world"))
except TokenizerError as error:
    print(error.message, "|", error.hint)
"""
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run(name: str, home: Path, *, endpoint: str = "http://127.0.0.1:9", download: bool = False) -> str:
    """In a process of its own, since huggingface_hub reads its settings when it is imported."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("HF_") and "proxy" not in key.lower()},
        "HF_HOME": str(home), "HF_HUB_CACHE": str(home / "hub"), "HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1",
    }  # fmt: skip
    command = [sys.executable, "-c", COUNT, name, *(["download"] if download else [])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.strip().splitlines()[-1]


def cached(home: Path, document: str) -> None:
    folder = home / "hub" / "models--org--small"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(COMMIT)
    (folder / "snapshots" / COMMIT).mkdir(parents=True)
    (folder / "snapshots" / COMMIT / "tokenizer.json").write_text(document, "utf-8")


def test_the_local_cache_is_read(tmp_path: Path, document: str) -> None:
    cached(tmp_path, document)
    assert run("hf:org/small", tmp_path) == str(len(Tokenizer.from_str(document).encode("hello world").ids))


def test_not_in_the_cache(tmp_path: Path) -> None:
    assert run("hf:org/other", tmp_path) == "hf:org/other: not in the local hub cache | add --download, or give a path"


@pytest.mark.parametrize("name", ["hf:", "hf:a/b/c", "hf:../x", "hf:sp ace/x"])
def test_names_that_no_repository_has(tmp_path: Path, name: str) -> None:
    assert run(name, tmp_path).startswith(f"{name.strip()}: ")


@pytest.fixture
def hub(document: str) -> Iterator[str]:
    """A hub with one repository, as far as a download asks for it."""
    content = document.encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self, body: bytes, kind: str, status: int = 200, **headers: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            for key, value in headers.items():
                self.send_header(key.replace("_", "-"), value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self) -> None:
            if self.path.startswith("/api/models/org/small/tree/"):
                entry = {"type": "file", "path": "tokenizer.json", "size": len(content), "oid": "1" * 40}
                self.reply(json.dumps([entry]).encode(), "application/json")
            elif self.path.startswith("/api/models/org/small"):
                info = {
                    "id": "org/small",
                    "modelId": "org/small",
                    "sha": COMMIT,
                    "siblings": [{"rfilename": "tokenizer.json"}],
                }
                self.reply(json.dumps(info).encode(), "application/json")
            elif self.path.startswith(f"/org/small/resolve/{COMMIT}/tokenizer.json"):
                self.reply(content, "application/json", ETag='"1"', X_Repo_Commit=COMMIT)
            else:
                self.reply(b"{}", "application/json", 404, X_Error_Code="RepoNotFound")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_download(tmp_path: Path, hub: str, document: str) -> None:
    expected = str(len(Tokenizer.from_str(document).encode("hello world").ids))
    assert "not in the local hub cache" in run("hf:org/small", tmp_path, endpoint=hub)
    assert run("hf:org/small", tmp_path, endpoint=hub, download=True) == expected
    assert run("hf:org/small", tmp_path) == expected  # from the cache


def test_download_of_what_is_not_there(tmp_path: Path, hub: str) -> None:
    found = run("hf:org/none", tmp_path, endpoint=hub, download=True)
    assert found.startswith("hf:org/none: cannot be loaded: ")
    assert found.endswith("| check the name, or give a path")


def test_download_without_a_network(tmp_path: Path) -> None:
    found = run("hf:org/small", tmp_path, download=True)
    assert found.startswith("hf:org/small: cannot be downloaded: ")
    assert found.endswith(" | check the network, or give a path")


def test_transformers_does_not_advise(bert: Path) -> None:
    """That there is no PyTorch is no matter of ours."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, str(bert)], capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout.strip().isdigit(), done.stderr) == (True, "")


def test_tokenizers_is_the_library_meant() -> None:
    assert tokenizers.__version__


def test_added_tokens_that_are_ordinary_text_stay(tmp_path: Path) -> None:
    import json

    import tokenizers

    words = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0, "b": 1, " ": 2}, []))
    words.add_tokens([tokenizers.AddedToken("   ", normalized=False), tokenizers.AddedToken("<think>")])
    path = tmp_path / "tokenizer.json"
    words.save(str(path))
    assert len(json.loads(path.read_text())["added_tokens"]) == 2
    assert load_tokenizer(str(path)).encode("a   b") == words.encode("a   b").ids
    assert 4 not in load_tokenizer(str(path)).encode("a<think>b")
