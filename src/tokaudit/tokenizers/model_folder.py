"""A model's folder that has a SentencePiece model, and what its configuration says of ordinary text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokaudit.model import TokenizerError
from tokaudit.model.message import Message
from tokaudit.model.record import record

MODELS = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model")
"""Names of a SentencePiece model in folders, the most usual first."""
_TYPES = frozenset(
    ("llama", "code_llama", "gemma", "gemma2", "gemma3", "mistral", "mixtral", "t5", "mt5", "phi3", "yi")
)
"""Types of models whose tokenizer does no more with ordinary text than its SentencePiece model does; in others a class
folds letters or numbers its pieces otherwise, or code of the folder runs."""
_CLASSES = frozenset(("Llama", "CodeLlama", "Gemma", "T5", "PreTrained"))
"""The same of classes of tokenizers, without ``Tokenizer`` or ``TokenizerFast``."""
_TAG = re.compile(r"<[^\s<>]+>|\[[A-Z_/]+\]|<\uff5c.*\uff5c>")


@record
class SentencePieceFolder:
    """The SentencePiece model of a folder."""

    path: Path
    prefix: bool | None
    """A space is put before a text; None for what the model says."""
    differs: str
    """Steps that the folder asks for and the model alone does not do; empty where it is all."""


def is_control(token: Mapping[str, Any]) -> bool:
    """Check whether an added token is a control token: declared special, or written like a tag."""
    return bool(token.get("special")) or _TAG.fullmatch(str(token["content"]).strip()) is not None


def sentencepiece_folder(folder: Path) -> SentencePieceFolder | None:
    """The SentencePiece model of a folder, or None where it has none. ``legacy`` is about control tokens only.

    Raises:
        TokenizerError: A configuration file is not JSON.
    """
    path = next((folder / name for name in MODELS if (folder / name).is_file()), None)
    if path is None:
        return None
    settings, about = _object(folder / "tokenizer_config.json"), _object(folder / "config.json")
    prefix = settings.get("add_prefix_space")
    reasons = _other_class(settings, about)
    if settings.get("do_lower_case"):
        reasons.append("lower case")
    added = sorted({str(token["content"]) for token in _added(folder, settings) if not is_control(token)})
    if added:
        reasons.append(Message("added tokens ({n}, such as {added!r})", n=len(added), added=added[0]))
    return SentencePieceFolder(path, prefix if isinstance(prefix, bool) else None, ", ".join(reasons))


def _other_class(settings: Mapping[str, Any], about: Mapping[str, Any]) -> list[str]:
    """The class, or the type of model where no class is named, that may do more than its SentencePiece model."""
    named = str(settings.get("tokenizer_class") or about.get("tokenizer_class") or "")
    if named:
        bare = re.sub(r"Tokenizer(Fast)?\Z", "", named)
        return [] if bare in _CLASSES else [named]
    kind = str(about.get("model_type") or "")
    return [] if not kind or kind in _TYPES else [Message("a tokenizer of {kind}", kind=kind)]


def _added(folder: Path, settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tokens that the folder adds to its model."""
    decoder = settings.get("added_tokens_decoder")
    for token in decoder.values() if isinstance(decoder, dict) else ():
        if isinstance(token, dict) and "content" in token:
            yield token
    known = {str(token) for token in settings.get("additional_special_tokens") or ()}
    yield from ({"content": token, "special": token in known} for token in _object(folder / "added_tokens.json"))


def _object(path: Path) -> Mapping[str, Any]:
    """The object of a JSON file; an empty one where there is no such file."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TokenizerError.unreadable(error, path, hint="check the path") from error
    except (ValueError, RecursionError) as error:
        raise TokenizerError(
            Message("not JSON, or truncated: {error}", error=error), what=str(path), hint="download the file again"
        ) from error
    return found if isinstance(found, dict) else {}
