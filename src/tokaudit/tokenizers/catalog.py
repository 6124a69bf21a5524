"""The catalog of models: which tokenizer each uses, and how much it takes.

The data is ``catalog.json``, one model a line; ``docs/catalog.md`` says where each figure comes from. Nothing is read
before the first question, because most runs name a tokenizer and need no catalog.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tokaudit.model.record import record

_PATH = Path(__file__).with_name("catalog.json")

# What stands before a slash, by whose models may follow it. A prefix that is not here is somebody's own model or a
# path, and its last part says nothing about the tokenizer.
_PREFIXES: dict[str, frozenset[str]] = {
    "anthropic": frozenset({"anthropic"}),
    "bytedance": frozenset({"bytedance", "doubao", "volcengine"}),
    "deepseek": frozenset({"deepseek", "deepseek-ai"}),
    "google": frozenset({"gemini", "google"}),
    "meta": frozenset({"meta", "meta-llama", "meta_llama"}),
    "minimax": frozenset({"minimax", "minimaxai"}),
    "mistral": frozenset({"mistral", "mistralai"}),
    "moonshot": frozenset({"kimi", "moonshot", "moonshotai"}),
    "openai": frozenset({"openai"}),
    "qwen": frozenset({"alibaba", "dashscope", "qwen", "qwencloud"}),
    "zhipu": frozenset({"bigmodel", "thudm", "z-ai", "zai", "zai-org", "zhipu", "zhipuai"}),
}
# These serve everybody's models.
_ROUTERS = frozenset(
    {
        *("azure", "azure_ai", "baseten", "bedrock", "deepinfra", "fireworks_ai", "github", "groq", "huggingface"),
        *("litellm", "nebius", "novita", "openrouter", "ovhcloud", "replicate", "sambanova", "siliconflow"),
        *("together_ai", "vercel_ai_gateway", "vertex_ai"),
    }
)
# Patterns are compiled where one is needed: most names are those of the catalog.
_FOLDERS = r"(?:accounts/[a-z-]+/models|publishers/[a-z-]+/models|models)/"
"""Folders in which interfaces keep their models: models/gemini-2.0-flash, accounts/fireworks/models/...."""
_BEDROCK = r"(?a:(?:(?:apac|au|ca|eu|global|jp|us|us-gov)\.)?([a-z]+)\.(.+?)(?:-v?\d+)?(?::\d+)?)"
"""anthropic.claude-3-haiku-20240307-v1:0, us.meta.llama3-1-8b-instruct-v1:0"""
_TUNED = r"ft:([^:]+)(?::.*)?"
"""ft:gpt-4o-mini-2024-07-18:organisation::id: the tokenizer of what was tuned."""

# A snapshot is named by its date: -2024-08-06, -20250929, -260915 or -0905 (month and day), after "-" or "@". Four
# digits of year and month (-2407, -2512) name another model at Mistral and Qwen, and never match: no month is 24.
_MONTH, _DAY = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_DATE = rf"(?a:[-@](?:20[2-9]\d-{_MONTH}-{_DAY}|20[2-9]\d{_MONTH}{_DAY}|[2-9]\d{_MONTH}{_DAY}|{_MONTH}{_DAY})\Z)"


@record
class Model:
    """A model of the catalog.

    Attributes:
        id: The name that the provider's interface takes, in lower case.
        provider: Who makes the model.
        tokenizer: The name of a tokenizer, or None where none is known: such a model cannot be counted.
        exact: The provider publishes this tokenizer as this model's. False with a tokenizer means an approximation.
        aliases: Other names of this model; a family's name belongs to one of its models.
        context: The most tokens that it takes, or None where no source says.
        max_output: The most tokens that it writes, or None where no source says.
        source: The packages, versions, files and entries that the row was read from.
        checked: The date of that reading, as YYYY-MM-DD.
        note: What a reader of a count must know; may be empty.
    """

    id: str
    provider: str
    tokenizer: str | None
    exact: bool
    aliases: tuple[str, ...]
    context: int | None
    max_output: int | None
    source: str
    checked: str
    note: str


@cache
def _catalog() -> dict[str, Any]:
    import json

    loaded: dict[str, Any] = json.loads(_PATH.read_text(encoding="utf-8"))
    return loaded


def families() -> Mapping[str, Sequence[str]]:
    """For each tokenizer the names under which its users know it; every one can be asked for with ``-m``."""
    found: dict[str, list[str]] = _catalog()["families"]
    return found


@cache
def models() -> tuple[Model, ...]:
    """Return the whole catalog, sorted by provider, then by id."""
    rows = _catalog()["models"]
    return tuple(Model(**{**row, "aliases": tuple(row["aliases"])}) for row in rows)


@cache
def _index() -> dict[str, Model]:
    """Every id and alias in lower case."""
    return {name.lower(): model for model in models() for name in (model.id, *model.aliases)}


def find_model(name: str) -> Model | None:
    """Find a model by id or alias, without regard to case.

    What interfaces put around a name is understood: a provider's or a router's prefix (``openai/gpt-4o``,
    ``anthropic.claude-3-haiku-20240307-v1:0``, ``models/gemini-2.0-flash``), the date of a snapshot
    (``gpt-4o-2024-08-06``), a tuned model (``ft:gpt-4o:mine``). Nothing else is ever taken off a name: a name that is
    only similar is not found.
    """
    name = name.strip().lower()
    if name.startswith("ft:") and (tuned := re.fullmatch(_TUNED, name)):
        name = tuned[1]
    first, slash, rest = name.partition("/")
    routed = bool(slash) and first in _ROUTERS
    if routed:
        # openrouter/openai/gpt-4o: the router's prefix says nothing, but the provider's must still be right.
        name = rest
    foldered = re.match(_FOLDERS, name) if "/" in name else None
    if foldered:
        name = name[foldered.end() :]
    prefix, slash, bare = name.rpartition("/")
    if slash:
        model = _find_bare(bare)
        return model if model is not None and prefix in _PREFIXES[model.provider] else None
    return _find_bare(bare) or _find_hosted(bare)


def _find_hosted(name: str) -> Model | None:
    """The model of a name as Bedrock has it: the provider's with a dot before, a version after."""
    parts = re.fullmatch(_BEDROCK, name)
    if parts is None:
        return None
    model = _find_bare(parts[2])
    return model if model is not None and parts[1] in _PREFIXES[model.provider] else None


def _find_bare(name: str) -> Model | None:
    index = _index()
    if name in index:
        return index[name]
    base = re.sub(_DATE, "", name)
    model = index.get(base) if base != name else None
    if model is None or re.search(_DATE, model.id):  # a row for one date says nothing about another date's limits
        return None
    # A family's bare name has no snapshots: claude-20250929 names nothing.
    return model if base == model.id or re.search(r"\d", base) else None


def vendor_names(name: str) -> tuple[str, tuple[str, ...]]:
    """The provider that a name's prefix tells of (or nothing), and the names of the model in the provider's own list.

    The names are the one given, and that without the date of a snapshot, both without the prefix. There are none for
    what another one bills: models of routers and hosts (``azure/gpt-4o``), and tuned ones.
    """
    name = name.strip().lower()
    if name.startswith("ft:") or name.partition("/")[0] in _ROUTERS:
        return "", ()
    prefix, slash, bare = name.removeprefix("models/").rpartition("/")
    provider = next((known for known, prefixes in _PREFIXES.items() if prefix in prefixes), "")
    if slash and not provider:
        return "", ()
    return provider, tuple(dict.fromkeys((bare, re.sub(_DATE, "", bare))))


def nearest(name: str, candidates: Iterable[str], n: int = 3) -> list[str]:
    """At most ``n`` candidates like a mistyped name, best first, as they are spelled."""
    import difflib

    spelled: dict[str, str] = {}
    for candidate in candidates:
        spelled.setdefault(candidate.lower(), candidate)
    typed = name.strip().lower()
    # A name that goes on where the typed one stops is nearer than one that differs in its middle.
    longer = sorted(
        (known for known in spelled if typed and known.startswith(typed)), key=lambda known: (len(known), known)
    )
    close = difflib.get_close_matches(typed, spelled, n=n, cutoff=0.6)
    return [spelled[match] for match in dict.fromkeys([*longer[:n], *close])][:n]
