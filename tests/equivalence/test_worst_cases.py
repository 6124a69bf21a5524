"""Texts that crash or hang other tokenizers: the ids of every path equal the reference's, at a million characters.

By default the tokenizers of the default models are compared at a million on the five required cases, all tokenizers at
10,000 on all cases by every path. With TOKAUDIT_FULL=1 everything is compared at a million. Where the reference gives
up (tiktoken's o200k pattern on a million spaces), the paths must agree with each other.
"""

from __future__ import annotations

import pytest

from references import FULL, NAMES, NATIVE, Subject, compare
from texts import MILLION, REQUIRED, WORST

DEFAULT_MODELS = ("o200k_base", "qwen3", "deepseek-v3", "glm-4.5", "mistral-v3")


@pytest.mark.parametrize("case", WORST)
def test_small_enough_for_every_engine(subject: Subject, case: str) -> None:
    text = WORST[case](10_000)
    expected = subject.survives(text)
    assert expected is not None
    for path, encode in subject.paths:
        assert encode(text) == expected, path


@pytest.mark.parametrize("case", WORST if FULL else REQUIRED)
@pytest.mark.parametrize("subject", NAMES if FULL else DEFAULT_MODELS, indirect=True)
def test_a_million(subject: Subject, case: str) -> None:
    text = WORST[case](MILLION)
    fast = {"sentencepiece", "native" if NATIVE else "fallback"}
    found = {path: encode(text) for path, encode in subject.paths if FULL or path in fast}
    expected = subject.survives(text)
    if expected is None:  # then all paths must agree, and the next test asks the reference about less
        expected = subject.small(text) if subject.name == "o200k_base" or FULL else subject.fastest(text)
    for path, ids in found.items():
        assert ids == expected, path


@pytest.mark.parametrize("subject", ["o200k_base"], indirect=True)
def test_where_the_reference_gives_up(subject: Subject) -> None:
    """tiktoken's engine panics at a million spaces in o200k's pattern; there Python takes over."""
    text = " " * MILLION + "x"
    assert subject.survives(text) is None
    assert subject.fallback(text) == subject.fastest(text) == subject.small(text)


def test_short_oddities(subject: Subject) -> None:
    texts = [
        "\0",
        "\r",
        "\r\r\n",
        "e\u0301",
        "\u0301",
        "\u200d",
        "\ufeff",
        "\ufeffa",
        " ",
        "  ",
        "\n",
        "",
        "\ufffd",
        "\x85",
    ]
    texts += [f"a{text}b" for text in texts] + [f"{text} {text}" for text in texts] + [f"\n{text}\n" for text in texts]
    for path, encode in subject.paths:
        compare(subject, path, encode, texts)


def test_no_tokens_of_no_text(subject: Subject) -> None:
    assert [encode("") for _, encode in subject.paths] == [[] for _ in subject.paths]
