"""Prompt templates filled with values."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Template

from tokaudit.model import InputError
from tokaudit.sources.filled import filled

VALUES = {"name": "小王", "n": 3, "order": {"id": 7}, "items": [{"x": 1}, {"x": 2}], "empty": [], "json": '{"a": 1}'}


@pytest.mark.parametrize(
    ("text", "said", "missing"),
    [
        ("Hi {name}, {n:02d} of {order.id}!", "Hi 小王, 03 of 7!", ()),
        ("{{literal}} {name}", "{literal} 小王", ()),
        ('Answer as {"a": 1}; {name}', 'Answer as {"a": 1}; 小王', ()),
        ("{name} {who}", "小王 ", ("who",)),
        ("{{name}} and {{ order.id }}, {{who}}", "小王 and 7, ", ("who",)),
        ("{{#items}}[{{x}}]{{/items}}{{^empty}}none{{/empty}}{{! not said }}", "[1][2]none", ()),
        ("{{{name}}} {{&json}}", '小王 {"a": 1}', ()),
        ("{% for i in items %}{{ i.x }},{% endfor %}{{ name|upper }}{{ who }}", "1,2,小王", ("who",)),
        ("{% if who is defined %}a{% else %}b{% endif %}", "b", ()),
        ("${name} $$ ${who} {name}", "小王 $  {name}", ("who",)),
        ("no placeholders, {1} and { }", "no placeholders, {1} and { }", ()),
    ],
)
def test_forms(text, said, missing):
    found = filled(text, VALUES, "a.txt", "text")
    assert (found.text, found.missing) == (said, missing)


def test_strings_of_json_are_filled_and_stay_json():
    text = '{"messages": [{"role": "user", "content": "Say {json} to {who}"}], "n": 1.50}'
    found = filled(text, VALUES, "a.json", "json")
    assert json.loads(found.text)["messages"][0]["content"] == 'Say {"a": 1} to '
    assert found.text.endswith('"n": 1.50}')
    assert found.missing == ("who",)


def test_a_dump_of_langchain_becomes_its_messages():
    def message(kind, template, form="f-string"):
        prompt = {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "PromptTemplate"],
                  "kwargs": {"template": template, "template_format": form, "input_variables": []}}  # fmt: skip
        return {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", kind], "kwargs": {"prompt": prompt}}

    placeholder = {"lc": 1, "id": ["a", "MessagesPlaceholder"], "kwargs": {"variable_name": "history"}}
    messages = [
        message("SystemMessagePromptTemplate", "You are {name}."),
        placeholder,
        message("HumanMessagePromptTemplate", "{{n}} {{who}}", "mustache"),
    ]
    dump = {"lc": 1, "type": "constructor", "id": ["x", "ChatPromptTemplate"], "kwargs": {"messages": messages}}
    values = {**VALUES, "history": [{"role": "assistant", "content": "So."}]}
    found = filled(json.dumps(dump), values, "prompt.json", "json")
    assert json.loads(found.text)["messages"] == [
        {"role": "system", "content": "You are 小王."},
        {"role": "assistant", "content": "So."},
        {"role": "user", "content": "3 "},
    ]
    assert found.missing == ("who",)
    alone = {"_type": "prompt", "template": "{name}?", "template_format": "f-string"}
    assert json.loads(filled(json.dumps(alone), VALUES, "p.json", "json").text)["messages"] == [
        {"role": "user", "content": "小王?"}
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a\n{% if %}", "a.j2:2"),
        ("{% include 'x' %}", "a.j2:1"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "a.j2:1"),
        ("{% set _ = items.append(1) %}", "a.j2:1"),
        ("{{#items}}", "a.j2:1"),
        ("a\n\n{{/items}}", "a.j2:3"),
    ],
)
def test_what_cannot_be_filled_is_refused(text, place):
    with pytest.raises(InputError, match=rf"^{place}: the template cannot be filled"):
        filled(text, VALUES, "a.j2", "template")


NAMES = st.sampled_from(["name", "n", "city"])
PIECES = st.text("ab中 .,!?\n", max_size=8)
KNOWN = st.fixed_dictionaries({name: st.text("xy字 ", max_size=5) for name in ("name", "n", "city")})


@given(st.lists(st.tuples(PIECES, NAMES), min_size=1), KNOWN)
def test_as_the_libraries_fill(parts, values):
    """The same as ``str.format``, ``string.Template`` and jinja2 where these fill all."""
    single = "".join(f"{text}{{{name}}}" for text, name in parts)
    assert filled(single, values, "a", "text").text == single.format(**values)
    dollar = "".join(f"{text}${{{name}}}" for text, name in parts)
    assert filled(dollar, values, "a", "text").text == string.Template(dollar).substitute(values)
    double = "".join(f"{text}{{{{ {name} }}}}" for text, name in parts)
    assert filled(double, values, "a", "template").text == Template(double).render(values)
