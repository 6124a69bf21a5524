"""The language of messages."""

from __future__ import annotations

import ast
import json
import string

import pytest

from places import ROOT
from tokaudit.store.languages import LANGUAGES, catalogue
from tokaudit.store.packs import builtin_names, load_packs, own_rules

SOURCE = ROOT / "src/tokaudit"
DONE = ("features/slim", "features/rules", "cli/slim.py", "cli/slim_output.py", "cli/slim_writer.py", "cli/rules.py")
"""Where every message is translated."""
CALLS = {"Message": (0,), "counted": (1, 2), "Column": (1,), "Table": (0,)}
"""Callables with the places of their arguments that people read."""


def texts(*places):
    """The messages that are written in some modules."""
    found = set()
    for place in places:
        path = SOURCE / place
        for module in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS:
                    arguments = [node.args[at] for at in CALLS[node.func.id] if at < len(node.args)]
                    found |= {item.value for item in arguments if isinstance(item, ast.Constant) and item.value}
    return {text for text in found if isinstance(text, str) and any(char.isalpha() for char in plain(text))}


def plain(template):
    return "".join(text for text, *_ in string.Formatter().parse(template))


def is_chinese(text):
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def test_every_message_of_slim_and_rules_is_translated():
    assert sorted(texts(*DONE) - catalogue("zh").keys()) == []


def test_every_title_of_a_rule_is_in_both_languages():
    titles = {rule.title for pack in load_packs(builtin_names(), examples=False) for rule in own_rules(pack)}
    missing = {title for title in titles if title not in catalogue("en" if is_chinese(title) else "zh")}
    assert sorted(missing) == []


def test_what_is_not_translated_yet(capsys):
    others = texts("features", "gate", "api", "jobs", "cli", "reporters") - texts(*DONE)
    with capsys.disabled():
        missing = sorted(others - catalogue("zh").keys())
        print(f"\nnot in Chinese yet ({len(missing)} of {len(others)}): {'; '.join(missing)}")  # noqa: T201 - this is what it is for
    assert len(missing) < len(others)


def test_a_translation_has_the_fields_of_its_message():
    for language in LANGUAGES:
        for text, other in catalogue(language).items():
            fields = {name for _, name, _, _ in string.Formatter().parse(text) if name}
            assert {name for _, name, _, _ in string.Formatter().parse(other) if name} <= fields, text


@pytest.mark.parametrize(
    ("arguments", "environ"),
    [
        (["--lang", "zh"], {}),
        ([], {"TOKAUDIT_LANG": "zh"}),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}),
        ([], {"LC_ALL": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}),
    ],
)
def test_messages_are_chinese(tokaudit, arguments, environ):
    done = tokaudit("slim", "--text", "a  b", "--check", "-m", "gpt-4o", *arguments, PYTHONUTF8="1", **environ)
    assert "仅安全修改" in done.stderr.decode()


def test_the_flag_goes_before_the_variable_and_that_before_the_file(tokaudit, tmp_path):
    (tmp_path / "tokaudit.toml").write_text('lang = "zh"\n', encoding="utf-8")
    words = ("slim", "--text", "a  b", "--check", "-m", "gpt-4o")
    assert "规则：" in tokaudit(*words).stderr.decode()
    assert "rules:" in tokaudit(*words, TOKAUDIT_LANG="en").stderr.decode()
    assert "rules:" in tokaudit(*words, "--lang", "en", TOKAUDIT_LANG="zh").stderr.decode()


def test_an_error_is_said_in_chinese_and_json_is_the_same(tokaudit):
    done = tokaudit("--lang", "zh", "slim", "--text", "a", "--target", "5")
    assert done.returncode == 2
    assert "须在 0% 与 100% 之间" in done.stderr.decode()
    words = ("slim", "--text", "a  b", "-m", "gpt-4o", "--json")
    assert json.loads(tokaudit(*words, "--lang", "zh").stdout) == json.loads(tokaudit(*words).stdout)
    assert tokaudit("slim", "--lang", "fr", "--text", "a").returncode == 2


def test_count_check_and_baseline_take_the_language_of_the_configuration(tokaudit, tmp_path):
    (tmp_path / "a.md").write_text("hello", encoding="utf-8")
    (tmp_path / "tokaudit.toml").write_text('lang = "zh"\nmodels = ["gpt-4o"]\n', encoding="utf-8")
    assert "个字符" in tokaudit("count", "a.md").stdout.decode()
    assert "个文件" in tokaudit("baseline", "write", "a.md").stdout.decode()
    assert "通过：" in tokaudit("check").stdout.decode()
