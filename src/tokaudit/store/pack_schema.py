"""The keys of a rule pack, and the JSON Schema that editors use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from tokaudit.model.record import record
from tokaudit.model.rules import FACTS, GUARDS, LANGUAGES, PROTECTED, RULE_CLASSES, STAGES, STRUCTURE

SCHEMA = "tokaudit.rules/1"
DOCUMENT_KINDS = ("text", "markdown", "json", "jsonl", "yaml", "toml", "code", "log", "chat", "pdf", "template")
PACK_NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
RULE_ID = rf"{PACK_NAME}\.[a-z0-9]+(?:-[a-z0-9]+)*"
VERSION = r"[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?"


@record
class Key:
    """One key of a pack, a rule or an example."""

    type: Literal["text", "flag", "whole", "choice", "choices", "texts", "lists", "rules", "examples"]
    what: str
    required: bool = False
    choices: Sequence[str] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other words for a choice."""
    pattern: str = ""
    """Pattern that the whole text must match."""
    form: str = ""
    """``pattern`` in words."""


PACK_KEYS: Mapping[str, Key] = {
    "schema": Key("text", f"The version of this format: {SCHEMA}.", required=True),
    "pack": Key(
        "text",
        "The pack's name, with which the ids of its rules begin.",
        required=True,
        pattern=PACK_NAME,
        form="a name of lower-case letters and digits, with single hyphens",
    ),
    "version": Key(
        "text",
        "The pack's own version, which every report names.",
        required=True,
        pattern=VERSION,
        form="a version such as 1.0.0",
    ),
    "prefix": Key(
        "text",
        "What the ids of its rules begin with, where that is not the pack's name.",
        pattern=PACK_NAME,
        form="a name of lower-case letters and digits, with single hyphens",
    ),
    "title": Key("text", "One line: what texts the pack is for.", required=True),
    "extends": Key("texts", "Packs whose rules come first: names of built-in ones, or paths relative to this file."),
    "lists": Key("lists", "Named lists of texts, for parameters that take one."),
    "rules": Key("rules", "The rules, in the order in which they are applied within their stage.", required=True),
}
RULE_KEYS: Mapping[str, Key] = {
    "id": Key(
        "text",
        "The pack's name, a dot and a name: cn.final-particle. The id of a rule of an extended pack changes that rule.",
        required=True,
        pattern=RULE_ID,
        form="the pack's name, a dot, and a name of lower-case letters and digits with single hyphens",
    ),
    "title": Key("text", "One line: what the rule does.", required=True),
    "why": Key("text", "Why it saves tokens, and why it is safe.", required=True),
    "not_when": Key("text", "When not to use it."),
    "class": Key(
        "choice",
        "lossless: the same content, checked by machine; near: layout and form only; lossy: content is deleted.",
        required=True,
        choices=RULE_CLASSES,
        aliases={"near-lossless": "near"},
    ),
    "stage": Key("choice", "When it is applied; the stages follow one another.", required=True, choices=STAGES),
    "default": Key("flag", "Whether it is applied without being selected, where its class is; true where absent."),
    "langs": Key("choices", "Languages of the texts it is for; all where absent.", choices=LANGUAGES),
    "kinds": Key(
        "choices",
        "Kinds of documents it is for; text, markdown, log, chat and pdf where absent.",
        choices=DOCUMENT_KINDS,
    ),
    "enters": Key("choices", "Protected spans that it may change; none where absent.", choices=PROTECTED[1:]),
    "avoids": Key("choices", "Parts of the structure that it stays out of.", choices=STRUCTURE),
    "guard": Key(
        "choice",
        "When a change is kept. saves (where absent): fewer tokens in all and more for no tokenizer; any: fewer for "
        "one; all: fewer for each; never: always.",
        choices=GUARDS,
    ),
    "removes": Key("choices", "Kinds of facts that it may remove or rewrite on purpose.", choices=FACTS),
    "timeout_ms": Key("whole", "Milliseconds that it may take for a megabyte of text; 500 where absent."),
    "saves": Key("text", "What it was measured to save."),
    "op": Key("text", "What kind of rule it is; each has parameters of its own, which are keys beside it."),
    "examples": Key("examples", "What it does and what it leaves alone; `tokaudit rules test` runs them."),
}
EXAMPLE_KEYS: Mapping[str, Key] = {
    "in": Key("text", "A text.", required=True),
    "out": Key("text", "What becomes of it."),
    "same": Key("flag", "true: it must not change."),
    "todo": Key("flag", "true: a known gap, which fails today and is told once it no longer does."),
    "kind": Key("choice", "The kind of document that the text is of; text where absent.", choices=DOCUMENT_KINDS),
}

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_PARAMETERS: Mapping[str, dict[str, Any]] = {
    "pattern": {**_TEXT, "minLength": 1},
    "template": _TEXT,
    "text": _TEXT,
    "texts": {"anyOf": [_TEXTS, _TEXT]},
    "mapping": {"type": "object", "additionalProperties": _TEXT},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "choice": _TEXT,
}


def pack_schema() -> dict[str, Any]:
    """JSON Schema of a rule pack, for editors; published as ``schemas/rules.schema.json``."""
    from tokaudit.pipeline.ops import NAMES

    rule: dict[str, Any] = {
        "type": "object",
        "properties": {name: _key_schema(key) for name, key in RULE_KEYS.items()},
        "required": ["id"],
        # With an op it is a whole rule; without, it changes a rule of a pack that this one extends.
        "if": {"required": ["op"]},
        "then": {"required": [name for name, key in RULE_KEYS.items() if key.required], "oneOf": _op_schemas()},
    }
    rule["properties"]["op"]["enum"] = list(NAMES)
    properties = {name: _key_schema(key) for name, key in PACK_KEYS.items()}
    properties["schema"] = {"description": PACK_KEYS["schema"].what, "const": SCHEMA}
    properties["lists"] |= {"type": "object", "additionalProperties": _TEXTS}
    properties["rules"] |= {"type": "array", "items": rule}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:tokaudit:schema:rules",
        "title": "Rule pack of tokaudit",
        "description": "A list of rules that make texts shorter, with their examples.",
        "type": "object",
        "properties": properties,
        "required": [name for name, key in PACK_KEYS.items() if key.required],
        "additionalProperties": False,
    }


def _key_schema(key: Key) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": key.what}
    if key.type in {"text", "choice"}:
        schema["type"] = "string"
    elif key.type == "flag":
        schema["type"] = "boolean"
    elif key.type == "whole":
        schema |= {"type": "integer", "minimum": 1}
    elif key.type == "texts":
        schema |= _TEXTS
    elif key.type == "choices":
        schema |= {"type": "array", "items": {**_TEXT, "enum": list(key.choices)}, "uniqueItems": True}
    elif key.type == "examples":
        example = {
            "type": "object",
            "properties": {name: _key_schema(part) for name, part in EXAMPLE_KEYS.items()},
            "required": ["in"],
            "oneOf": [{"required": ["out"]}, {"required": ["same"]}],
            "additionalProperties": False,
        }
        schema |= {"type": "array", "items": example}
    if key.type == "choice":
        schema["enum"] = [*key.choices, *key.aliases]
    if key.pattern:
        schema["pattern"] = f"^{key.pattern}$"
    return schema


def _op_schemas() -> list[dict[str, Any]]:
    """One schema an op: its parameters beside the keys that every rule has."""
    from tokaudit.pipeline.ops import NAMES, op

    schemas = []
    for name in NAMES:
        parameters = op(name).PARAMETERS
        properties: dict[str, Any] = {"op": {"const": name, "description": op(name).SUMMARY}}
        for key, parameter in parameters.items():
            properties[key] = {"description": parameter.what, **_PARAMETERS[parameter.type]}
            if parameter.choices:
                properties[key]["enum"] = list(parameter.choices)
        schemas.append(
            {
                "properties": {**dict.fromkeys(RULE_KEYS, True), **properties},
                "required": ["op", *(key for key, parameter in parameters.items() if parameter.required)],
                "additionalProperties": False,
            }
        )
    return schemas
