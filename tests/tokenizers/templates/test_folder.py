"""The chat template of a Hugging Face model's folder."""

import json

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from tokaudit.model import TokenizerError
from tokaudit.model.framing import FramingOptions
from tokaudit.tokenizers.templates import framing_of

SIMPLE = "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
USER = [{"role": "user", "content": "hi <|user|>"}]


@pytest.fixture
def folder(tmp_path):
    made = tokenizers.Tokenizer(models.BPE(vocab={char: at for at, char in enumerate("hi <|user>Ġabs/")}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.add_special_tokens(["<s>", "<|user|>"])
    made.save(str(tmp_path / "tokenizer.json"))

    def write(template, **files):
        settings = {"bos_token": {"content": "<s>"}, **({"chat_template": template} if template else {})}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
        for name, text in files.items():
            (tmp_path / f"chat_template.{name}").write_text(text)
        framing_of.cache_clear()
        return framing_of(str(tmp_path))

    return write


def test_a_template_of_the_configuration(folder):
    counted = folder(SIMPLE).measure(USER, [], FramingOptions())
    assert counted.text == "<s><|user|>hi <|user|>"
    assert (counted.total, counted.typed_controls, counted.exact) == (6, 1, True)
    assert counted.tokens_of("content") == 4


def test_named_templates(folder):
    tools = [{"type": "function", "function": {"name": "f"}}]
    framing = folder([{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}])
    assert framing.measure(USER, [], FramingOptions()).text == "a"
    assert framing.measure(USER, tools, FramingOptions()).text == "b"


def test_files_come_before_the_configuration(folder):
    assert folder("a", json='{"chat_template": "b"}').measure(USER, [], FramingOptions()).text == "b"
    assert folder("a", jinja="h").measure(USER, [], FramingOptions()).text == "h"


def test_a_folder_without_a_template_counts_contents(folder):
    counted = folder(None).measure([{"role": "user", "content": "hi"}], [], FramingOptions())
    assert (counted.total, counted.exact) == (2, False)
    assert counted.notes


def test_what_a_template_refuses_names_its_file_and_line(folder):
    framing = folder("a\n{{ raise_exception('no user') }}")
    with pytest.raises(TokenizerError, match=r"tokenizer_config\.json:2: .*no user"):
        framing.measure(USER, [], FramingOptions())
    with pytest.raises(TokenizerError, match=r"tokenizer_config\.json:1"):
        folder("{% if %}")


def test_a_template_that_wants_other_shapes_gets_them(folder):
    framing = folder(
        "{% for m in messages %}{{ m.content[0].text }}{% if m.content is string %}{{ 1 + 'a' }}{% endif %}{% endfor %}"
    )
    assert framing.measure(USER, [], FramingOptions()).text == "hi <|user|>"
