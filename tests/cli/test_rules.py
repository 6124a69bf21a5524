from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from installed import command, environment
from tokaudit.store.pack_files import builtin_names
from tokaudit.store.packs import load_packs, own_rules

PACKS = load_packs([f"builtin:{name}" for name in builtin_names()])
RULES = list(dict.fromkeys(rule.id for pack in PACKS for rule in own_rules(pack)))


def run(tmp_path, *arguments):
    return subprocess.run(
        [*command(), "rules", *arguments], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )


def test_the_list_is_of_all_built_in_packs(tmp_path):
    done = run(tmp_path, "list", "--quiet")
    assert done.returncode == 0
    assert done.stdout.decode().split() == RULES
    report = json.loads(run(tmp_path, "list", "--json").stdout)
    assert [pack["path"] for pack in report["packs"]] == [f"builtin:{name}" for name in builtin_names()]
    for pack in report["packs"]:
        assert f"\npack: {pack['name']}\n" in Path(pack["file"]).read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", [60, 80, 400])
def test_ids_are_whole_in_a_list_of_any_width(tmp_path, columns):
    done = subprocess.run(
        [*command(), "rules", "list"],
        cwd=tmp_path, env=environment(COLUMNS=str(columns)), capture_output=True, check=True,
    )  # fmt: skip
    lines = done.stdout.decode().splitlines()
    assert {*RULES} <= {line.split()[0] for line in lines if line.strip()}
    assert ("Saves" in lines[1], "What" in lines[1]) == (columns >= 240, True)


def test_an_unknown_pack_has_the_nearest_name(tmp_path):
    done = run(tmp_path, "list", "comon")
    assert done.returncode == 2
    first, hint = done.stderr.decode().splitlines()
    assert first == "tokaudit: no pack is named 'comon'; did you mean 'common'?"
    assert all(name in hint for name in builtin_names())
    done = run(tmp_path, "list", "missing/my.yaml")
    assert (done.returncode, done.stderr.decode().splitlines()[0]) == (2, "tokaudit: there is no pack missing/my.yaml")


def test_a_built_in_pack_by_its_file_name_unless_there_is_such_a_file(tmp_path):
    done = run(tmp_path, "list", "common.yaml", "--quiet")
    assert done.returncode == 0
    assert done.stdout
    text = "schema: tokaudit.rules/1\npack: common\nversion: 9.9.9\ntitle: A copy\nrules: []\n"
    (tmp_path / "common.yaml").write_text(text, encoding="utf-8")
    assert run(tmp_path, "list", "common.yaml", "--quiet").stdout == b""
    assert run(tmp_path, "list", "common", "--quiet").stdout == done.stdout
    assert run(tmp_path, "list", "builtin:common", "--quiet").stdout == done.stdout


@pytest.mark.parametrize("name", builtin_names())
def test_the_examples_of_a_built_in_pack(tmp_path, name):
    done = run(tmp_path, "test", name)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


def test_every_built_in_rule_has_a_page():
    from tokaudit.api.rules import rule_page

    for name in RULES:
        page = rule_page(name)
        assert page.startswith(f"# {name}\n")
        for part in ("## Why", "## Examples", "## What it must not change", "## How"):
            assert f"\n{part}\n" in page, name


def test_a_changed_rule_is_shown_as_its_pack_has_it_unless_another_is_named():
    from tokaudit.api.rules import find_rule

    for pack in PACKS:
        for rule in own_rules(pack):
            inherited = any(rule.id == other.id for base in pack.extends for other in base.rules)
            assert find_rule(rule.id)[1].name == (rule.id.partition(".")[0] if inherited else pack.name)
            assert find_rule(rule.id, [pack.path])[1].name == pack.name


def test_a_pack_without_examples_is_not_tested(tmp_path):
    head = "schema: tokaudit.rules/1\npack: p\nversion: 1.0.0\ntitle: t\nrules:"
    rule = "\n- {id: p.x, title: t, why: w, class: near, stage: final, op: delete, pattern: x}\n"
    for rules in (" []\n", rule):
        (tmp_path / "p.yaml").write_text(head + rules, encoding="utf-8")
        done = run(tmp_path, "test", "p.yaml")
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().startswith("tokaudit: p.yaml has no examples\n")
    done = run(tmp_path, "test", "p.yaml", "common")
    assert done.returncode == 2
    assert "all as they should be" in done.stdout.decode()


def test_a_new_pack_passes_and_is_never_overwritten(tmp_path):
    assert run(tmp_path, "new", "mine").returncode == 0
    before = (tmp_path / "mine.yaml").read_bytes()
    assert run(tmp_path, "test", "mine.yaml").returncode == 0
    assert run(tmp_path, "new", "mine").returncode == 2
    assert (tmp_path / "mine.yaml").read_bytes() == before


@pytest.mark.parametrize(("columns", "saves"), [("80", False), ("100", False), ("240", True)])
def test_a_wide_list_has_what_each_rule_was_measured_to_save(tmp_path, columns, saves):
    done = subprocess.run(
        [*command(), "rules", "list"],
        cwd=tmp_path,
        env=environment(COLUMNS=columns),
        capture_output=True,
        check=True,
    )
    lines = done.stdout.decode().splitlines()
    head = next(line for line in lines if line.startswith("Rule "))
    assert head.split() == ["Rule", "Class", "Default", *(["Saves"] if saves else []), "What"]
    row = next(line for line in lines if line.startswith("md.link-target "))
    assert ("15 tokens each" in row) is saves
    assert max(sum(2 if ord(sign) > 0x2E7F else 1 for sign in line) for line in lines) <= int(columns)


def test_the_schema_is_one(tmp_path):
    Draft202012Validator.check_schema(json.loads(run(tmp_path, "schema").stdout))


def test_a_console_of_another_charset(tmp_path):
    text = "schema: tokaudit.rules/1\npack: p\nversion: 1.0.0\ntitle: t\nrules:\n- id: p.x\n  title: 韩语 한국어 😀\n"
    text += "  why: 因为\n  class: near\n  stage: final\n  op: delete\n  pattern: x\n"
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    for charset in ("gbk", "ascii"):
        done = subprocess.run(
            [*command(), "rules", "show", "p.x", "-r", "p.yaml"],
            cwd=tmp_path, env=environment(PYTHONIOENCODING=charset), capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert b"\\U0001f600" in done.stdout


def test_other_commands_do_not_pay_for_these(tmp_path):
    program = (
        "import sys; from tokaudit.cli import main; sys.argv = ['tokaudit', '--version']; main.outcome();"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True, check=True
    )
    assert not {"tokaudit.cli.rules", "tokaudit.api.rules", "tokaudit.store.packs"} & {*done.stdout.decode().split()}
