from __future__ import annotations

import pytest

from tokaudit.sources.kinds import kind_of
from tokaudit.sources.slim_kinds import slim_kind_of


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a.diff",
            "a.PATCH",
            "a.csv",
            "a.tsv",
            "a.psv",
            "a.rst",
            "a.adoc",
            "a.org",
            "a.tex",
            "a.srt",
            "a.po",
            "a.ics",
        ),
        *("a.vcf", "a.eml", "a.json5", "a.yaml", "a.toml", "Makefile", "Dockerfile", "Dockerfile.dev", "a.sql", "a.py"),
        *(
            "a.html",
            "a.xml",
            "a.css",
            "a.svg",
            "a.ini",
            ".env",
            ".env.local",
            "a.properties",
            "crontab",
            "b/CMakeLists.txt",
        ),
        *("a.yaml.j2", "a.py.jinja", "a.json.j2", "a.html.jinja2", "Dockerfile.j2", "a.yaml.tmpl", ".env.example"),
        *("requirements.txt", "a.csv.bak", "a.conf.j2"),
    ],
)
def test_what_stays_as_it_is_written(name: str) -> None:
    assert slim_kind_of(name, "") == "code"


@pytest.mark.parametrize(
    "name",
    ["a.md", "a.txt", "a.log", "a.json", "a.jsonl", "a.j2", "a.md.j2", "a.txt.j2", "a.tmpl", "a", "prompt", "a.prompt"],
)
def test_other_kinds_are_those_of_a_count(name: str) -> None:
    assert slim_kind_of(name, "") == kind_of(name, ask_pygments=True)


def test_a_count_divides_them_as_ever() -> None:
    assert [kind_of(name, ask_pygments=False) for name in ("a.csv", "a.rst", "a.yaml.j2")] == [
        "text",
        "text",
        "template",
    ]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("", "text", "text"),
        ("一页\f二页", "text", "pdf"),
        ("2024-05-20 12:00:00 a\n2024-05-20 12:00:01 b\n2024-05-20 12:00:02 c\n", "text", "log"),
        ("INFO a\nERROR b\n", "text", "text"),
        ("用户：一\n客服：二\n用户：三\n", "text", "chat"),
        ("User: a\nBot: b\nUser: c\n", "text", "chat"),
        ("用户：一\n说明\n说明\n说明\n说明\n用户：三\n用户：三\n", "text", "text"),
        ("用户：一\n客服：二\n用户：三\n", "markdown", "markdown"),
        ("x = 1\n", "code", "code"),
    ],
)
def test_kinds_by_content(text, kind, found):
    assert slim_kind_of("name.txt", text, kind) == found


def test_a_name_leaves_the_content_to_decide():
    assert slim_kind_of("name.txt", "User: a\nBot: b\nUser: c\n") == "chat"
    assert slim_kind_of("name.md", "User: a\nBot: b\nUser: c\n") == "markdown"
