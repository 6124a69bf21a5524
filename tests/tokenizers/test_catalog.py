from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import tiktoken.model

from tokaudit.tokenizers import catalog
from tokaudit.tokenizers.catalog import Model, find_model, models, nearest

TOKENIZERS = {
    *("o200k_base", "o200k_harmony", "cl100k_base", "p50k_base", "r50k_base", "qwen3", "qwen3.5", "deepseek-v3"),
    *("glm-4.5", "glm-5", "kimi-k2", "tekken", "mistral-v1", "mistral-v3"),
    *("llama-2", "llama-3", "gemma-3", "gemma-4", "minimax-m3", "llama-4", "claude-v3", "claude-v4.7", "claude-v4.8"),
}
PROVIDERS = {
    *("openai", "anthropic", "google", "qwen", "deepseek", "zhipu", "moonshot", "minimax", "bytedance", "mistral"),
    "meta",
}
SOURCE = re.compile(r"(tokenizer: )?[a-z][\w-]+ \d+\.\d+\.\d+ \S+( \([\w ]+\))?")


def ids(model: Model) -> str:
    return model.id


def test_names_are_unique_across_the_catalog() -> None:
    names = Counter(name.lower() for model in models() for name in (model.id, *model.aliases))
    assert [name for name, count in names.items() if count > 1] == []


def test_counts() -> None:
    assert len(models()) > 200
    counts = Counter(model.provider for model in models())
    assert set(counts) == PROVIDERS
    assert min(counts.values()) >= 3


@pytest.mark.parametrize("model", models(), ids=ids)
def test_row(model: Model) -> None:
    assert model.id == model.id.lower()
    assert model.tokenizer is None or model.tokenizer in TOKENIZERS
    assert model.source
    assert all(SOURCE.fullmatch(part) for part in model.source.split("; ")), model.source
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", model.checked)
    for limit in (model.context, model.max_output):
        assert limit is None or (type(limit) is int and limit > 0)


@pytest.mark.parametrize("model", models(), ids=ids)
def test_what_is_not_exact_says_why(model: Model) -> None:
    # Whoever sees an approximate sign, or no count, must find the reason in the row; whoever sees an exact count must
    # find the package that says so.
    if model.exact:
        assert model.tokenizer is not None
        assert "tokenizer: " in model.source
    else:
        assert "tokenizer" in model.note or "encoding" in model.note


def test_what_has_no_public_tokenizer_has_none_of_another() -> None:
    assert {model.tokenizer for model in models() if model.provider == "bytedance"} == {None}
    assert not any(model.exact for model in models() if model.provider == "anthropic")


def test_a_name_that_is_also_a_tokenizer_has_that_tokenizer() -> None:
    # -m takes a tokenizer's name first, so a model of the same name must not mean something else.
    for model in models():
        for name in (model.id, *model.aliases):
            if name in TOKENIZERS:
                assert model.tokenizer == name


def test_agreement_with_tiktoken() -> None:
    known = 0
    for model in models():
        for name in (model.id, *model.aliases):
            if name in tiktoken.model.MODEL_TO_ENCODING:
                known += 1
                assert model.tokenizer == tiktoken.model.MODEL_TO_ENCODING[name]
        if model.provider == "openai" and model.exact:
            assert model.tokenizer == tiktoken.model.encoding_name_for_model(
                model.id if "oss" not in model.id else "gpt-oss-"
            )
    assert known >= 10


def test_what_tiktoken_does_not_know_is_not_exact() -> None:
    for model in models():
        if model.provider == "openai" and not model.exact:
            with pytest.raises(KeyError):
                tiktoken.model.encoding_name_for_model(model.id)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gpt-4o", "gpt-4o"),
        ("GPT-4o", "gpt-4o"),
        (" gpt-4o ", "gpt-4o"),
        ("openai/gpt-4o", "gpt-4o"),
        ("azure/gpt-4o", "gpt-4o"),
        ("openrouter/openai/gpt-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4-0613", "gpt-4"),
        ("o3-2025-04-16", "o3"),
        ("gpt-5.5-2026-04-23", "gpt-5.5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("vertex_ai/claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"),
        ("moonshotai/Kimi-K2-Instruct-0905", "kimi-k2"),
        ("Qwen/Qwen3-32B", "qwen3-32b"),
        ("qwen-plus-2025-07-28", "qwen-plus"),
        ("doubao-seed-2.1-pro", "doubao-seed-2-1-pro-260915"),
        ("zai/glm-5.2", "glm-5.2"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct"),
        ("glm-4", "glm-4"),
        ("claude-3-haiku", "claude-3-haiku"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("gemini-2.0-flash", "gemini-2.0-flash"),
        ("models/gemini-2.0-flash", "gemini-2.0-flash"),
        ("vertex_ai/publishers/google/models/gemini-2.0-flash", "gemini-2.0-flash"),
        ("gemma-2-9b", "gemma-2-9b"),
        ("minimax-text-01", "minimax-text-01"),
        ("deepseek-reasoner", "deepseek-reasoner"),
        ("deepseek-v3.1", "deepseek-v3.1"),
        ("qwen-turbo", "qwen-turbo"),
        ("text-embedding-ada-002", "text-embedding-ada-002"),
        ("o3-pro", "o3-pro"),
        ("o3-pro-2025-06-10", "o3-pro"),
        ("gpt-4-32k", "gpt-4-32k"),
        ("gpt-4-32k-0613", "gpt-4-32k"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct"),
        ("together_ai/Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct"),
        ("anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us.meta.llama3-1-8b-instruct-v1:0", "llama-3.1-8b-instruct"),
        ("openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
        ("fireworks_ai/accounts/fireworks/models/qwen3-32b", "qwen3-32b"),
        ("ft:gpt-4o-mini-2024-07-18:mine::8abc", "gpt-4o-mini"),
    ],
)
def test_found(name: str, found: str) -> None:
    model = find_model(name)
    assert model is not None
    assert model.id == found


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "/", "-2024-08-06", "openai/", "/gpt-4o"),
        *("qwen3.1-max", "gpt-4oo", "gpt-4o-"),
        *("gpt-4o-fake", "gpt-4o-turbo", "my-gpt-4o", "gpt-4o-latest", "gpt-4o-2024"),
        *("someone.gpt-4o", "openai.gpt-4oo-v1:0", "models/", "ft:", "anthropic.gpt-4o", "models/someone/gpt-4o"),
        *("gpt-4o-2024-13-06", "gpt-4o-2024-08-32", "gpt-4o-9999", "gpt-4o-2024-08-06-2024-08-06"),
        *("deepseek/gpt-4o", "someone/gpt-4o", "openrouter/someone/gpt-4o", "openai/a/gpt-4o", "prompts/gpt-4o"),
        *("claude-20250929", "glm-2025-01-01", "qwen-260915"),  # a family's name has no snapshots
        "doubao-seed-2-1-pro-260628",  # another date's limits are not known to be the same
        *("mistral-large-2407", "qwen3-32b-2507"),  # a year and a month name another model
        "gpt-4o-２０２４-08-06",  # full-width digits are no date of a provider's
    ],
)
def test_not_found(name: str) -> None:
    assert find_model(name) is None


@pytest.mark.parametrize(
    ("family", "tokenizer"),
    [
        ("gpt", "o200k_base"),
        ("gpt-oss", "o200k_harmony"),
        ("claude", "claude-v4.8"),
        ("gemini", "gemma-4"),
        ("gemma", "gemma-4"),
        ("qwen", "qwen3.5"),
        ("qwen3", "qwen3"),
        ("qwen2.5", "qwen3"),
        ("deepseek", "deepseek-v3"),
        ("glm", "glm-5"),
        ("kimi", "kimi-k2"),
        ("minimax", "minimax-m3"),
        ("doubao", None),
        ("mistral", "tekken"),
        ("mixtral", "mistral-v1"),
        ("llama", "llama-3"),
    ],
)
def test_families(family: str, tokenizer: str | None) -> None:
    model = find_model(family)
    assert model is not None
    assert model.tokenizer == tokenizer


def test_nearest() -> None:
    names = [model.id for model in models()]
    assert "gpt-4o" in nearest("gpt-4oo", names)
    assert "qwen3-max" in nearest("Qwen3.1-Max", names)
    assert nearest("MINIMAX-m3", ["MiniMax-M3", "glm"]) == ["MiniMax-M3"]
    assert len(nearest("gpt-5", names, n=2)) == 2
    assert nearest("完全不同", names) == []


def test_the_file_is_as_the_refresh_script_writes_it() -> None:
    path = Path(catalog.__file__).with_name("catalog.json")
    text = path.read_bytes().decode()
    data = json.loads(text)
    assert list(data) == ["schema", "checked", "families", "models"]
    assert data["schema"] == "tokaudit.catalog/1"
    assert [row["checked"] for row in data["models"]] == [data["checked"]] * len(data["models"])
    rows = sorted(data["models"], key=lambda row: (row["provider"], row["id"]))
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    head = json.dumps({"schema": data["schema"], "checked": data["checked"]})[:-1]
    named = ",\n".join(f" {json.dumps(name)}: {json.dumps(family)}" for name, family in data["families"].items())
    assert text == f'{head}, "families": {{\n{named}\n}}, "models": [\n' + ",\n".join(lines) + "\n]}\n"


@pytest.mark.parametrize("tokenizer", sorted(TOKENIZERS))
def test_what_tokenizers_names_can_be_asked_for(tokenizer: str) -> None:
    for name in catalog.families()[tokenizer]:
        model = find_model(name)
        assert name.lower() == tokenizer or (model is not None and model.tokenizer == tokenizer), name


def test_import_is_cheap() -> None:
    code = (
        "import sys, tokaudit.tokenizers.catalog as c; before = set(sys.modules); "
        "print(sorted({'json', 'difflib', 'regex', 'tiktoken'} & before)); c.find_model('gpt-4o'); "
        "print('json' in sys.modules, 'difflib' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["[]", "True False"]
