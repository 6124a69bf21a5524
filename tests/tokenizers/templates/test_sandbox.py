"""A template of a stranger ends: with its text, or with an error that names file and line."""

from datetime import UTC, datetime

import pytest

from tokaudit.model import TokenizerError
from tokaudit.tokenizers.templates.sandbox import SandboxedTemplate

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NEST = "{% set ns = namespace(a=[1]) %}" + "{% set ns.a = [ns.a, ns.a] %}" * 60
HOSTILE = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "range": "{% for a in range(10**9) %}{% endfor %}",
    "concatenation": "{% set ns = namespace(a='x') %}" + "{% set ns.a = ns.a ~ ns.a %}" * 60 + "{{ ns.a }}",
    "addition": "{% set ns = namespace(a='x') %}" + "{% set ns.a = ns.a + ns.a %}" * 60 + "{{ ns.a }}",
    "multiplication": "{{ 'a' * 10000000000 }}",
    "power": "{{ 9 ** 9 ** 9 ** 9 }}",
    "numbers": "{% set ns = namespace(a=9) %}" + "{% set ns.a = ns.a * ns.a %}" * 40 + "{{ ns.a }}",
    "nested json": NEST + "{{ ns.a | tojson }}",
    "nested text": NEST + "{{ (ns.a | string) | length }}",
    "nested dict": "{% set ns = namespace(a={}) %}" + "{% set ns.a = dict(a=ns.a, b=ns.a) %}" * 60 + "{{ ns.a }}",
    "recursion": "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
    "two recursions": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(40) }}",
    "replace": "{% set ns = namespace(a='aaaaaaaaaa') %}"
    + "{% set ns.a = ns.a.replace('a', 'aaaaaaaaaa') %}" * 20
    + "{{ ns.a }}",
    "center": "{{ 'a' | center(9999999999) }}",
    "percent": "{{ '%9999999999d' % 1 }}",
    "format": "{{ '{:>9999999999}'.format(1) }}",
    "ljust": "{{ 'x'.ljust(9999999999) }}",
    "class": "{{ ''.__class__.__mro__ }}",
    "globals": "{{ cycler.__init__.__globals__ }}",
    "append": "{{ messages.append(1) }}",
    "import": "{% import 'os' as x %}{{ x }}",
    "indent": "{{ messages | tojson(indent=99999999) }}",
    "undefined": "{{ messages[0].nope.nope }}",
    "recursive loop": "{% for m in messages recursive %}{{ loop(messages) }}{% endfor %}",
    "nesting": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_is_an_error(name):
    with pytest.raises(TokenizerError) as caught:
        SandboxedTemplate(HOSTILE[name], "a.jinja").render({"messages": [{"content": "x"}]}, NOW, 1 << 20)
    assert caught.value.what.startswith("a.jinja")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ messages[0].content | upper }}", "X"),
        ("{% generation %}a{{ 1 + 2 }}{% endgeneration %}", "a3"),
        ("{{ strftime_now('%Y-%m-%d') }}", "2026-12-01"),
        ("{{ {'a': '<你>'} | tojson }}", '{"a": "<你>"}'),
        ("{% for m in messages %}{% continue %}{% endfor %}b", "b"),
        ("{% for m in messages %}\n  {{- loop.index ~ m.content ~ none }}\n{% endfor %}", "1xNone\n"),
        ("{{ ['a', messages[0].content] | join('-') }}", "a-x"),
    ],
)
def test_what_transformers_offers_works(source, text):
    assert SandboxedTemplate(source, "a.jinja").render({"messages": [{"content": "x"}]}, NOW, 1 << 20) == text


def test_an_error_names_the_line():
    with pytest.raises(TokenizerError, match=r"a\.jinja:3: .*no roles"):
        SandboxedTemplate("a\nb\n{{ raise_exception('no roles') }}", "a.jinja").render({}, NOW, 100)
    with pytest.raises(TokenizerError, match=r"a\.jinja:2"):
        SandboxedTemplate("a\n{% if %}", "a.jinja")
