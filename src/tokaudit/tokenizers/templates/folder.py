"""The chat template of a Hugging Face model's folder, which is a stranger's code and is run in bounds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokaudit.model import TokenizerError
from tokaudit.model.framing import Framing, FramingOptions
from tokaudit.model.message import Message
from tokaudit.tokenizers.registry import load_tokenizer
from tokaudit.tokenizers.templates.chat_template import ANY_SHAPE, JinjaTemplate, Messages
from tokaudit.tokenizers.templates.controls import Controls
from tokaudit.tokenizers.templates.kinds import TemplateFraming
from tokaudit.tokenizers.templates.measuring import PartCounter
from tokaudit.tokenizers.templates.programs import program_of
from tokaudit.tokenizers.templates.stream import Key

_LARGEST = 1 << 24
"""Bytes of the largest configuration file that is read."""
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""Special tokens that a template may write by name (``PreTrainedTokenizerBase.SPECIAL_TOKENS_ATTRIBUTES``)."""


class _Named:
    """Several templates of one model: ``tool_use`` for requests with tools, else ``default``."""

    def __init__(self, templates: Mapping[str, JinjaTemplate], what: str) -> None:
        self._templates = templates
        self._what = what

    def render(self, messages: Messages, tools: Messages, options: FramingOptions) -> tuple[list[str], list[Key]]:
        found = self._templates.get("tool_use") if tools else None
        found = found or self._templates.get("default")
        if found is None:
            names = tuple(sorted(self._templates))
            raise TokenizerError(
                Message("no chat template is called default; there are {names}", names=names), what=self._what
            )
        return found.render(messages, tools, options)


def folder_framing(name: str, folder: Path) -> Framing | None:
    """The framing of a folder; None where it has no chat template.

    As transformers reads it: ``chat_template.jinja``, else ``chat_template.json``, else ``chat_template`` of
    ``tokenizer_config.json``, a text or a list of named ones; ``additional_chat_templates/NAME.jinja`` are named too.

    Raises:
        TokenizerError: A file is damaged, or a template is none; it names file and line.
    """
    settings = _object(folder / "tokenizer_config.json")
    sources, file = _sources(folder, settings)
    if not sources:
        return None
    variables = {key: token for key in _SPECIAL if (token := _content(settings.get(key)))}
    templates = {
        key: JinjaTemplate(text, place, variables=variables, program=program_of(place, "", text), shapes=ANY_SHAPE)
        for key, (text, place) in sources.items()
    }
    tokenizer = load_tokenizer(name)
    counter = PartCounter(tokenizer, Controls(_controls(folder, settings)))
    return TemplateFraming(name, _Named(templates, file), counter, exact=tokenizer.info.ref.exact, source=file)


def _sources(folder: Path, settings: Mapping[str, Any]) -> tuple[dict[str, tuple[str, str]], str]:
    """Text and place of each template by name, and the file of the default one."""
    found: dict[str, tuple[str, str]] = {}
    path = folder / "chat_template.jinja"
    value: Any = _text(path) if path.is_file() else None
    if value is None:
        path = folder / "chat_template.json"
        value = _object(path).get("chat_template")
    if value is None:
        path = folder / "tokenizer_config.json"
        value = settings.get("chat_template")
    for one in value if isinstance(value, list) else [{"name": "default", "template": value}]:
        if isinstance(one, Mapping) and isinstance(one.get("template"), str):
            found[str(one.get("name", "default"))] = (one["template"], path.as_posix())
    for other in sorted((folder / "additional_chat_templates").glob("*.jinja")):
        found.setdefault(other.stem, (_text(other), other.as_posix()))
    return found, path.as_posix()


def _controls(folder: Path, settings: Mapping[str, Any]) -> set[str]:
    """The tokens that the folder adds to its vocabulary, each of which is one token wherever it stands."""
    added = list(_object(folder / "tokenizer.json", limit=1 << 28).get("added_tokens") or ())
    decoder = settings.get("added_tokens_decoder")
    added += decoder.values() if isinstance(decoder, Mapping) else ()
    return {text for token in added if (text := _content(token)) and _is_control(token)}


def _is_control(token: Any) -> bool:
    from tokaudit.tokenizers.model_folder import is_control

    return isinstance(token, Mapping) and is_control(token)


def _content(value: Any) -> str:
    value = value.get("content") if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else ""


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise TokenizerError(Message("larger than {n:,} bytes", n=_LARGEST), what=path.as_posix())
        return path.read_text("utf-8")
    except OSError as error:
        raise TokenizerError.unreadable(error, path, hint="check the path") from error
    except UnicodeDecodeError as error:
        raise TokenizerError(Message("not UTF-8: {error}", error=error), what=path.as_posix()) from error


def _object(path: Path, *, limit: int = _LARGEST) -> Mapping[str, Any]:
    """The object of a JSON file; an empty one where there is none."""
    if not path.is_file() or path.stat().st_size > limit:
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise TokenizerError(
            Message("not JSON, or truncated: {error}", error=error),
            what=path.as_posix(),
            hint="download the file again",
        ) from error
    return found if isinstance(found, dict) else {}
