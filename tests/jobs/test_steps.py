"""Progress of one input: after each tokenizer."""

from __future__ import annotations

from tokaudit.features.count.types import Wanted
from tokaudit.jobs.count import count_result
from tokaudit.jobs.inputs import Reading


def followed(by, *texts):
    seen = []
    inputs = [(f"<text {number}>", text) for number, text in enumerate(texts, 1)]
    models = ["gpt-4o", "qwen3", "gpt-4.1"]  # the last has the tokenizer of the first
    count_result([], inputs, models, Wanted(by), Reading(), progress=lambda done, total: seen.append((done, total)))
    return seen


def test_each_tokenizer_is_a_step():
    assert followed("file", "a" * 100) == [(50, 100), (100, 100), (100, 100)]
    assert followed("line", "a\n" * 50) == [(50, 100), (100, 100), (100, 100)]


def test_the_steps_of_several_inputs_go_on():
    assert [done for done, _ in followed("file", "a" * 60, "b" * 40)] == [30, 60, 60, 80, 100, 100]
