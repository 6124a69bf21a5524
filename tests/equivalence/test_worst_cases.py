"""Texts that crash or hang other tokenizers: the ids of every path equal the reference's, at a million characters.

By default the tokenizers of the default models are compared at a million on the five required cases, all tokenizers at
20,000 on all cases, and the small path, which a text of a million characters never takes, at 20,000. With
TOKAUDIT_FULL=1 everything is compared at a million. Where the reference gives up (tiktoken's o200k pattern on a million
spaces), the paths must agree with each other, and the reference is asked about a smaller text.
"""

from __future__ import annotations

import pytest
from references import FULL, NAMES, Subject, compare
from texts import MILLION, REQUIRED, WORST

DEFAULT_MODELS = ("o200k_base", "qwen3", "deepseek-v3", "glm-4.5", "mistral-v3")


@pytest.mark.parametrize("case", WORST)
def test_small_enough_for_every_engine(subject: Subject, case: str) -> None:
    text = WORST[case](20_000)
    expected = subject.survives(text)
    assert expected is not None
    for path, encode in subject.paths:
        assert encode(text) == expected, path


@pytest.mark.parametrize("case", WORST if FULL else REQUIRED)
@pytest.mark.parametrize("subject", NAMES if FULL else DEFAULT_MODELS, indirect=True)
def test_a_million(subject: Subject, case: str) -> None:
    text = WORST[case](MILLION)
    expected = subject.survives(text)
    found = {path: encode for path, encode in subject.paths if FULL or path != "small"}
    if expected is None:
        expected = found.popitem()[1](text)  # without gigatoken: the small path takes over where tiktoken gives up
    for path, encode in found.items():
        assert encode(text) == expected, path


def test_short_oddities(subject: Subject) -> None:
    texts = ["\0", "\r", "\r\r\n", "e\u0301", "\u0301", "\u200d", "\ufeff", "\ufeffa", " ", "  ", "\n", "", "\ufffd", "\x85"]
    texts += [f"a{text}b" for text in texts] + [f"{text} {text}" for text in texts] + [f"\n{text}\n" for text in texts]
    for path, encode in subject.paths:
        compare(subject, path, encode, texts)


def test_no_tokens_of_no_text(subject: Subject) -> None:
    assert [encode("") for _, encode in subject.paths] == [[] for _ in subject.paths]
