"""The language of messages."""

from __future__ import annotations

import errno
import json
import os
import re

import pytest

from messages import Messages, fields, messages_of, without_fields
from places import ROOT
from tokaudit.store.languages import LANGUAGES, catalogue
from tokaudit.store.packs import builtin_names, load_packs, own_rules
from tokaudit.tokenizers.catalog import models

SOURCE = ROOT / "src/tokaudit"
CODE = messages_of(SOURCE)


def is_chinese(text):
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def test_every_message_is_in_chinese():
    missing = {text: place for text, place in CODE.texts.items() if text not in catalogue("zh")}
    assert missing == {}


def test_no_message_is_formatted_before_it_can_be_translated():
    assert CODE.lost == []


def test_every_message_is_given_the_values_that_it_shows():
    assert CODE.wrong == []


def test_what_the_code_says_is_found(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        '''"""Not this one."""
def f(name, n, far):
    if n:
        raise UsageError("no such thing", hint=f"look for {name} there")
    note = "it is far" if far else "it is near"
    said = Message("{n} of {name}", n=n, name=name), plural(n, "file")
    return said, Column("key", "Title"), re.compile("not this one")
''',
        encoding="utf-8",
    )
    found = Messages()
    found.read(module, "module.py")
    assert set(found.texts) == {
        "no such thing", "it is far", "it is near", "{n} of {name}", "1 file", "{n:,} files", "Title",
    }  # fmt: skip
    assert found.lost == ["module.py:4: look for {} there"]
    module.write_text('Message("{n} of {total}", n=n)', encoding="utf-8")
    found.read(module, "module.py")
    assert found.wrong == ["module.py:1: {n} of {total}"]


def test_every_note_of_a_model_is_in_chinese():
    assert [model.note for model in models() if model.note and model.note not in catalogue("zh")] == []


def test_reasons_of_the_system_are_in_chinese():
    usual = (errno.ENOENT, errno.EACCES, errno.EISDIR, errno.ENOTDIR, errno.ENOSPC, errno.EIO, errno.EROFS)
    assert [
        os.strerror(code) for code in usual if os.name == "posix" and os.strerror(code) not in catalogue("zh")
    ] == []


def test_every_title_of_a_rule_is_in_both_languages():
    titles = {rule.title for pack in load_packs(builtin_names(), examples=False) for rule in own_rules(pack)}
    missing = {title for title in titles if title not in catalogue("en" if is_chinese(title) else "zh")}
    assert sorted(missing) == []


def test_a_translation_has_the_fields_of_its_message():
    for language in LANGUAGES:
        for text, other in catalogue(language).items():
            assert fields(other) <= fields(text), text


def test_chinese_has_the_punctuation_of_chinese():
    """A colon, comma or semicolon after an ideograph is wide; a template's fields may stand between."""
    narrow = re.compile(r"[\u4e00-\u9fff][,:;]|[\u4e00-\u9fff] ?\(|[,;] ?[\u4e00-\u9fff]")
    assert [text for text in catalogue("zh").values() if narrow.search(without_fields(text))] == []


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
