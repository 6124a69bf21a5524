from __future__ import annotations

import pytest

from tokaudit import slim
from tokaudit.pipeline.spans.keyed_text import values_of
from tokaudit.sources import load
from tokaudit.sources.slim_kinds import slim_kind_of

PROMPTFOO = """# yaml-language-server: x
description: 'a  test'
prompts:
  - role: system
    # keep
    content: |
      You are a helpful assistant.　　请您回答！！

        - {{ topic }}   is １２３４５６７８
  - "Say \\"hello\\" to {{name}} ， ＡＢＣＤＥＦＧＨ １２３４５６"
  - >-
    Folded text １２３４５６ that goes on
    for two lines.
providers: [openai:gpt-4o, "b"]
"""
TOML = '''# c
model = "gpt-4o"
[prompt]
system = """
You are a helpful assistant ＡＢＣＤＥＦＧＨ.
\\tTab "quoted" text."""
user = '请您务必回答下面的问题，编号 １２３４５６７８，２０２４年：{q}'   # why
[[messages]]
role = "user"
content = "Hello there, how are you?"
[[messages]]
tags = ["a", {k = "v", n = 1}, "c"]
'''
KUBERNETES = """apiVersion: v1
kind: ConfigMap
data:
  prompt: "You are a helpful assistant ＡＢＣＤＥＦＧＨ that does things"
"""


def parts(text: str, name: str) -> list[tuple[str, str]]:
    document = load(text, name)
    assert "".join(document.text[one.span.start : one.span.end] for one in document.segments) == text
    return [(one.kind, one.id.partition("#")[2]) for one in document.segments]


def test_keys_of_yaml_are_segments() -> None:
    assert parts(PROMPTFOO, "p.yaml") == [
        ("field", "description"),
        ("field", "prompts[0].role"),
        ("prompt", "prompts[0].content"),
        ("prompt", "prompts[1]"),
        ("prompt", "prompts[2]"),
        ("field", "providers[0]"),
        ("field", "providers[1]"),
    ]


def test_keys_of_toml_are_segments() -> None:
    assert parts(TOML, "p.toml") == [
        ("field", "model"),
        ("prompt", "prompt.system"),
        ("prompt", "prompt.user"),
        ("field", "messages[0].role"),
        ("prompt", "messages[0].content"),
        ("field", "messages[1].tags[0]"),
        ("field", "messages[1].tags[1].k"),
        ("field", "messages[1].tags[1].n"),
        ("field", "messages[1].tags[2]"),
    ]


@pytest.mark.parametrize(("text", "kind"), [(PROMPTFOO, "yaml"), (TOML, "toml")])
def test_only_the_words_of_prompts_change(text: str, kind: str) -> None:
    import yaml

    from tokaudit.pipeline.spans.keyed_text import prompts_of

    after = slim(text, kind=kind, models=["gpt-4o"]).text
    assert after != text
    prompts = {value.path for value in prompts_of(text, kind)}
    old, new = values_of(text, kind), values_of(after, kind)
    assert [(one.path, one.style) for one in old] == [(one.path, one.style) for one in new]
    assert all(one.text == two.text for one, two in zip(old, new, strict=True) if one.path not in prompts)
    assert "# keep" in after or "# why" in after
    if kind == "yaml":
        assert yaml.safe_load(after)["prompts"][1].startswith('Say "hello" to {{name}}')


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("p.yaml", PROMPTFOO, "yaml"),
        ("p.toml", TOML, "toml"),
        ("p.yaml", KUBERNETES, "code"),
        ("docker-compose.yml", PROMPTFOO, "code"),
        (".github/workflows/ci.yml", PROMPTFOO, "code"),
        ("pyproject.toml", TOML, "code"),
        ("p.yaml", "a: 1\n", "code"),
        ("p.prompty", "---\nname: x\n---\nsystem:\nHello {{ name }}\n", "template"),
    ],
)
def test_configuration_is_left_alone(name: str, text: str, kind: str) -> None:
    assert slim_kind_of(name, text) == kind


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [("a.yaml", "a: b\nc: [1,\nd: x\n", "a.yaml:4:1"), ("a.toml", "a = 1\nb = \n", "a.toml:2:5")],
)
def test_what_is_broken_is_said_once_with_its_line(name: str, text: str, place: str) -> None:
    document = load(text, name)
    assert [(one.what, one.code) for one in document.skipped] == [(place, "keyed-as-text")]
    assert document.kind == "text"


def test_aliases_are_not_followed() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert len(load("\n".join(lines), "bomb.yaml").segments) == 9


@pytest.mark.parametrize("text", ["[" * 50_000, "- " * 50_000, "{a: " * 20_000, "? " * 20_000, "a:\n" * 10_000])
def test_hostile_yaml_ends(text: str) -> None:
    assert load(text, "a.yaml").text == text
