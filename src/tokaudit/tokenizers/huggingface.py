"""Hugging Face tokenizers: a tokenizer.json, a model's folder, or a repository of the hub's local cache."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokaudit.model import TokenizerError, TokenizerInfo, TokenizerRef
from tokaudit.model.message import Message
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.compiled import load_compiled
from tokaudit.tokenizers.encoding import ListEncoding, byte_starts, checked, unknown_id
from tokaudit.tokenizers.model_folder import MODELS, SentencePieceFolder, is_control, sentencepiece_folder
from tokaudit.tokenizers.native import engine_name
from tokaudit.tokenizers.plain import LibraryTokenizer


def info_of(name: str, backend: str, data: bytes, size: int, source: str) -> TokenizerInfo:
    """Properties of a tokenizer that was loaded from a file."""
    ref = TokenizerRef(name, backend, hashlib.sha256(data).hexdigest(), exact=True)
    return TokenizerInfo(ref, size, source, licence="of the file's owner")


class HuggingFaceTokenizer(LibraryTokenizer):
    """A tokenizer.json, through the tokenizers library."""

    def __init__(self, info: TokenizerInfo, fast: Any, renumbered: Mapping[int, int] | None = None) -> None:
        """``renumbered`` has the file's id of each token to which ``fast`` gives another."""
        super().__init__(info)
        self._fast = fast
        self._renumbered = renumbered or {}
        self._numbered = {theirs: ours for ours, theirs in self._renumbered.items()}

    def ids(self, text: str) -> list[int]:
        return self._ids(self._fast.encode(text, add_special_tokens=False))

    def _ids(self, found: Any) -> list[int]:
        ids: list[int] = found.ids
        return [self._renumbered.get(token, token) for token in ids] if self._renumbered else ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, as the library has it. Raises ``TokenizerError`` for an unknown id."""
        ours = [self._numbered.get(token, token) for token in ids]
        for token, own in zip(ids, ours, strict=True):
            if self._fast.id_to_token(own) is None:
                raise unknown_id(self._info.ref.name, token)
        found: str = self._fast.decode(ours, skip_special_tokens=False)
        return found

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Byte offset at which the character that a token begins in begins."""
        del ids
        found = self._fast.encode(text, add_special_tokens=False)
        return byte_starts(text, (start for start, _ in found.offsets))

    def encoding(self, text: str) -> ListEncoding:
        """The tokens with ids and places, of one call of the library."""
        found = self._fast.encode(checked(text), add_special_tokens=False)
        return ListEncoding(self._ids(found), byte_starts(text, (start for start, _ in found.offsets)))


class TransformersTokenizer(LibraryTokenizer):
    """A model's folder without tokenizer.json, through transformers' own conversion."""

    places = False

    def __init__(self, info: TokenizerInfo, slow: Any) -> None:
        super().__init__(info)
        self._slow = slow

    def ids(self, text: str) -> list[int]:
        found: list[int] = self._slow.encode(text, add_special_tokens=False)
        return found

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, as the library has it."""
        found: str = self._slow.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return found

    def starts(self, text: str, ids: Sequence[int]) -> list[int]:
        """Not known: this tokenizer's Python code gives ids only. Raises ``TokenizerError``."""
        del text, ids
        raise TokenizerError(
            "this tokenizer does not say where its tokens are", what=self._info.ref.name, hint="use --by file"
        )


def load_json(
    name: str, path: Path, *, special: bool = False, data: bytes | None = None
) -> HuggingFaceTokenizer | ByteBpeTokenizer:
    """Load a tokenizer.json, through the native core if that can be. Typed special tokens are text by default, not ids.

    Raises:
        TokenizerError: The file is missing, truncated, or not a tokenizer.json.
    """
    try:
        data = path.read_bytes() if data is None else data
    except OSError as error:
        raise TokenizerError.unreadable(error, path, hint="check the path") from error
    compiled = None if special or engine_name() != "native" else load_compiled(name, data, path.as_posix())
    return compiled or _load_with_library(name, path, data, special=special)


def _load_with_library(name: str, path: Path, data: bytes, *, special: bool) -> HuggingFaceTokenizer:
    import tokenizers

    try:
        document = json.loads(data)
        if not isinstance(document, dict) or "model" not in document:
            raise ValueError("it has no model")  # noqa: TRY301
        if not special:
            # The library turns a typed "<think>" into one id, special or not, as long as it is an added token. Others,
            # such as runs of spaces, belong to the model's way with ordinary text.
            document["added_tokens"] = [token for token in document["added_tokens"] if not is_control(token)]
        document["truncation"] = document["padding"] = None
        fast = tokenizers.Tokenizer.from_str(json.dumps(document, ensure_ascii=False))
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:
        raise TokenizerError(
            Message("not a tokenizer.json, or truncated: {error}", error=error),
            what=str(path),
            hint="download the file again",
        ) from error
    size = fast.get_vocab_size(with_added_tokens=True)
    # Without the control tokens before it, the library gives an added token another id than the file does.
    numbers = {
        own: token["id"]
        for token in document.get("added_tokens") or ()
        if (own := fast.token_to_id(token["content"])) is not None and own != token["id"]
    }
    return HuggingFaceTokenizer(info_of(name, "tokenizers", data, size, path.as_posix()), fast, numbers)


def load_folder(name: str, folder: Path, *, special: bool = False) -> LibraryTokenizer | ByteBpeTokenizer:
    """Load a model's folder: its tokenizer.json, else its SentencePiece model, else what transformers makes of it.

    Where the folder asks for more than its SentencePiece model does, transformers is asked first; where that fails, the
    model counts alone, marked as an approximation that says what is missing.

    Raises:
        TokenizerError: The folder holds no tokenizer, or a damaged one.
    """
    path = folder / "tokenizer.json"
    if path.is_file():
        return load_json(name, path, special=special)
    pieces = sentencepiece_folder(folder)
    if pieces is not None and not pieces.differs:
        return _load_pieces(name, pieces, special=special)
    files = sorted(item for item in folder.iterdir() if item.is_file())
    if not any(item.name in {"tokenizer_config.json", "vocab.txt", "vocab.json", *MODELS} for item in files):
        raise TokenizerError(
            "no tokenizer in this folder",
            what=str(folder),
            hint="a model's folder has tokenizer.json or tokenizer.model",
        )
    try:
        return _load_with_transformers(name, folder, files, special=special)
    except TokenizerError:
        if pieces is None:
            raise
        return _load_pieces(name, pieces, special=special)


def _load_pieces(name: str, pieces: SentencePieceFolder, *, special: bool) -> LibraryTokenizer:
    """The SentencePiece model of a folder, through the sentencepiece library."""
    from tokaudit.tokenizers.sentencepiece_model import SentencePieceTokenizer

    try:
        data = pieces.path.read_bytes()
    except OSError as error:
        raise TokenizerError.unreadable(error, pieces.path, hint="check the path") from error
    info = info_of(name, "sentencepiece", data, 0, pieces.path.as_posix())
    if pieces.differs:
        error_text = Message(
            "its SentencePiece model alone counts; the folder asks for more: {differs}", differs=pieces.differs
        )
        info = replace(info, ref=replace(info.ref, exact=False, error=error_text))
    return SentencePieceTokenizer(info, pieces.path, special=special, prefix=pieces.prefix)


def _load_with_transformers(name: str, folder: Path, files: Sequence[Path], *, special: bool) -> LibraryTokenizer:
    transformers = _transformers()
    try:
        loaded = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, split_special_tokens=not special
        )
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:
        raise TokenizerError(
            Message("transformers cannot load this tokenizer: {error}", error=_first_line(error)),
            what=str(folder),
            hint="give the path of its tokenizer.json",
        ) from error
    data = b"".join(item.name.encode() + item.read_bytes() for item in files if item.stat().st_size < 1 << 26)
    if getattr(loaded, "is_fast", False):
        text = loaded.backend_tokenizer.to_str()
        made = _load_with_library(name, folder / "tokenizer.json", text.encode(), special=special)
        return HuggingFaceTokenizer(
            info_of(name, "transformers", data, made.info.vocabulary_size, folder.as_posix()),
            made._fast,  # noqa: SLF001
            made._renumbered,  # noqa: SLF001
        )
    return TransformersTokenizer(info_of(name, "transformers", data, len(loaded), folder.as_posix()), loaded)


def _transformers() -> Any:
    """The library, which at its import advises to install PyTorch: no tokenizer needs it."""
    quiet = "TRANSFORMERS_NO_ADVISORY_WARNINGS"
    before = os.environ.get(quiet)
    os.environ[quiet] = "1"
    try:
        import transformers
    finally:
        if before is None:
            del os.environ[quiet]
        else:
            os.environ[quiet] = before
    transformers.logging.set_verbosity_error()
    return transformers


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def load_hub(
    name: str, repository: str, *, special: bool = False, download: bool = False
) -> LibraryTokenizer | ByteBpeTokenizer:
    """Load ``org/repo`` from the local hub cache; from the hub itself only with ``download``.

    Raises:
        TokenizerError: It is not in the cache, or the download failed.
    """
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    wanted = ["tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt", "added_tokens.json"]
    try:
        folder = huggingface_hub.snapshot_download(
            repository, allow_patterns=[*wanted, *MODELS, "*.tiktoken", "config.json"], local_files_only=not download
        )
    except LocalEntryNotFoundError as error:
        if download:  # neither on the hub nor, therefore, in the cache
            raise TokenizerError(
                Message("cannot be downloaded: {reason}", reason=_first_line(error.__cause__ or error)),
                what=f"hf:{repository}",
                hint="check the network, or give a path",
            ) from error
        raise TokenizerError(
            "not in the local hub cache", what=f"hf:{repository}", hint="add --download, or give a path"
        ) from error
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise TokenizerError(
            Message("cannot be loaded: {reason}", reason=_first_line(error)),
            what=f"hf:{repository}",
            hint="check the name, or give a path",
        ) from error
    return load_folder(name, Path(folder), special=special)
