"""Models that are asked for together: one that cannot be used is left out, and said so."""

from __future__ import annotations

import pytest

import tokaudit
from tokaudit.jobs.inputs import Reading, usable_models
from tokaudit.model import TokenizerError, UnusableModelError


def test_a_model_without_a_tokenizer_is_left_out_with_its_reason() -> None:
    models, tokenizers, left_out = usable_models(["doubao", "gpt-4o", "qwen3"], Reading())
    assert [model.name for model in models] == ["gpt-4o", "qwen3"]
    assert [model.column for model in models] == [0, 1]
    assert len(tokenizers) == 2
    (skipped,) = left_out
    assert skipped.what == "doubao"
    assert skipped.reason.startswith("cannot be counted: ")
    assert skipped.hint


@pytest.mark.parametrize("models", [["doubao"], ["doubao", "muse-spark"]])
def test_it_ends_the_run_where_no_other_is_asked_for(models: list[str]) -> None:
    with pytest.raises(UnusableModelError, match="doubao cannot be counted"):
        usable_models(models, Reading())


def test_a_mistyped_name_ends_the_run() -> None:
    with pytest.raises(TokenizerError, match="unknown model 'gpt-4oo'"):
        usable_models(["gpt-4o", "gpt-4oo"], Reading())


def test_count_and_diff_say_what_they_left_out() -> None:
    counted = tokaudit.count("你好", ["gpt-4o", "doubao"])
    assert list(counted["totals"]["counts"]) == ["gpt-4o"]
    assert [item["what"] for item in counted["skipped"]] == ["doubao"]
    compared = tokaudit.diff("你好", "您好", ["gpt-4o", "doubao"])
    assert [item["what"] for item in compared["skipped"]] == ["doubao"]


def test_a_repository_that_is_not_in_the_catalog_is_no_path() -> None:
    with pytest.raises(TokenizerError) as caught:
        tokaudit.count("a", ["Qwen/Qwen9-7B"])
    assert caught.value.message == "no model, file or folder 'Qwen/Qwen9-7B'"
    assert "hf:Qwen/Qwen9-7B" in caught.value.hint
