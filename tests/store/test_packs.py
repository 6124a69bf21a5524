from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from tokaudit.model.errors import RuleError
from tokaudit.pipeline.ops import NAMES, op
from tokaudit.store import compiled_packs
from tokaudit.store.pack_compiler import compile_pack
from tokaudit.store.pack_files import builtin_folder, builtin_names
from tokaudit.store.pack_files import start_of_pack as start
from tokaudit.store.pack_schema import EXAMPLE_KEYS, PACK_KEYS, RULE_KEYS, pack_schema
from tokaudit.store.packs import (
    PackError,
    checked_data,
    load_pack,
    load_packs,
    own_rules,
    rules_of,
)
from tokaudit.store.yaml_places import YamlError, parse

HEAD = "schema: tokaudit.rules/1\npack: my\nversion: 1.0.0\ntitle: Mine\n"
RULE = """\
  - id: my.one
    title: One
    why: Because.
    class: near
    stage: lexical
    op: delete
    pattern: 'x+'
"""
VALIDATOR = Draft202012Validator(pack_schema())


def written(folder, text, name="my.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def problems(folder, text, name="my.yaml"):
    """What is wrong in a pack: line, column and message of each problem."""
    with pytest.raises(PackError) as caught:
        load_pack(str(written(folder, text, name)))
    return [(item.line, item.column, item.message) for item in caught.value.problems]


def one_problem(folder, text):
    (found,) = problems(folder, text)
    return found


def test_every_key_is_loaded(tmp_path):
    text = HEAD + textwrap.dedent("""\
        lists:
          words: [酒吧, 'no']
        rules:
          - id: my.one-2
            title: One
            why: Because.
            not_when: Never.
            class: lossy
            stage: final
            default: false
            langs: [zh, en]
            kinds: [chat]
            enters: [quote]
            avoids: [heading]
            guard: any
            removes: [number]
            timeout_ms: 50
            saves: "1 token"
            op: delete
            pattern: '\\d+'
            keep: words
            examples:
              - {in: a1, out: a}
              - {in: b, same: true, kind: markdown}
              - in: |
                  c1
                out: "c\\n"
                todo: true
        """)
    pack = load_pack(str(written(tmp_path, "\ufeff" + text.replace("\n", "\r\n"))))
    assert (pack.name, pack.version, pack.title, pack.extends) == ("my", "1.0.0", "Mine", ())
    assert len(pack.sha256) == 64
    (rule,) = pack.rules
    assert (rule.id, rule.rule_class, rule.stage, rule.default) == ("my.one-2", "lossy", "final", False)
    assert (rule.langs, rule.kinds, rule.guard, rule.timeout_ms) == (("zh", "en"), ("chat",), "any", 50)
    assert (rule.enters, rule.avoids, rule.removes) == ({"quote"}, {"heading"}, {"number"})
    assert (rule.saves, rule.not_when, rule.line) == ("1 token", "Never.", 8)
    assert rule.values["pattern"] == r"\d+"
    assert rule.values["keep"] == ("酒吧", "no")
    assert set(rule.values) == set(op("delete").PARAMETERS)
    changes, same, gap = rule.examples
    assert (changes.before, changes.after, changes.line) == ("a1", "a", 27)
    assert (same.before, same.after, same.kind) == ("b", "b", "markdown")
    assert (gap.before, gap.after, gap.todo) == ("c1\n", "c\n", True)
    assert load_pack(str(tmp_path / "my.yaml"), examples=False).rules[0].examples == ()


def test_all_problems_at_once_each_with_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = HEAD.replace("Mine", "我的") + "rulez: []\nrules:\n" + RULE.replace("near", "nera").replace("op:", "opp:")
    written(tmp_path, text)
    with pytest.raises(RuleError) as caught:
        load_pack("my.yaml")
    message = re.sub(r" \([\w ]+ has: [^)]*\)", "", caught.value.message)
    assert message.splitlines() == [
        "4 problems in my.yaml",
        "my.yaml:5:1: unknown key 'rulez'; did you mean 'rules'?",
        "  5 | rulez: []",
        "    | ^",
        "my.yaml:7:5: the rule 'my.one' lacks 'op'",
        "  7 |   - id: my.one",
        "    |     ^",
        "my.yaml:10:12: 'class' must be one of lossless, near, lossy, not 'nera'; did you mean 'near'?",
        "  10 |     class: nera",
        "     |            ^",
        "my.yaml:12:5: unknown key 'opp'; did you mean 'op'?",
        "  12 |     opp: delete",
        "     |     ^",
    ]
    assert caught.value.hint


def test_the_mark_stands_below_wide_characters_and_a_long_line_is_cut(tmp_path):
    wide = HEAD + "rules: ['" + "汉" * 80 + "', 5]\n"
    with pytest.raises(PackError) as caught:
        load_pack(str(written(tmp_path, wide)))
    *_, line, mark = caught.value.message.splitlines()
    assert "…" in line
    assert len(line) < 90
    shown = line[: len(line) - len(line.partition("5]")[2]) - 2]
    columns = sum(2 if sign == "汉" else 1 for sign in shown)
    assert mark.index("^") == columns


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "empty"),
        ("- a\n", (1, 1), "a pack is a mapping"),
        ("schema: tokaudit.rules/2\nnew: x\n", (1, 9), "needs a newer tokaudit"),
        ("schema: other\n", (1, 9), "must be tokaudit.rules/1"),
        (HEAD + "rules: [\n", (6, 1), "not valid YAML"),
        (HEAD + "rules:\n  - id: my.x\n    pattern: (?<=a): b\n", (7, 20), "single quotes"),
        (HEAD + "rules:\n\t- id: my.x\n", (6, 1), "with spaces"),
        (HEAD + "rules: ['a\x1bb']\n", (5, 11), "U+001B"),
        (HEAD + "rules: !!python/object:os.system []\n", (5, 8), "no tags"),
        (HEAD + "rules: []\n---\na: b\n", (6, 1), "found another document"),
        (HEAD + "rules: *x\n", (5, 8), "found undefined alias"),
        (HEAD + "rules: &x [*x]\n", (5, 8), "within its own anchor"),
        (HEAD + "rules: " + "[" * 60 + "]" * 60 + "\n", (5, 57), "deeper than 50"),
        (HEAD + "rules: []\ntitle: x\n", (6, 1), "a second 'title'; the first is in line 4"),
        (HEAD + "rules: {}\n", (5, 8), "'rules' must be a list, not a mapping"),
        (HEAD.replace("1.0.0", "1.0") + "rules: []\n", (3, 10), "not the number 1.0; quote it: '1.0'"),
        (HEAD.replace("1.0.0", "'1.0'") + "rules: []\n", (3, 10), "a version such as 1.0.0"),
        (HEAD.replace("my", "My_") + "rules: []\n", (2, 7), "lower-case"),
        (HEAD.replace("Mine", "") + "rules: []\n", (4, 7), "not nothing; quote it: ''"),
        (HEAD + "lists:\n  a: [no]\nrules: []\n", (6, 7), "not the boolean no; quote it: 'no'"),
        (HEAD + "lists:\n  a: [2024-05-20]\nrules: []\n", (6, 7), "the date 2024-05-20; quote it"),
        (HEAD + "lists:\n  a: b\nrules: []\n", (6, 6), "the list 'a' must be a list of texts"),
        (HEAD + "lists:\n  on: [b]\nrules: []\n", (6, 3), "a key must be a text, not the boolean on"),
        (HEAD + "lists:\n  a: ['']\nrules: []\n", (6, 7), "an empty text"),
        (HEAD + "extends: [nothing-like-it]\nrules: []\n", (5, 11), "no pack is named 'nothing-like-it'"),
        (HEAD + "extends: [my.yaml]\nrules: []\n", (5, 11), "in a circle: my.yaml -> my.yaml"),
        (HEAD + "rules:\n" + RULE + "    <<: {}\n", (13, 5), "no merge keys"),
        (HEAD + "rules:\n" + RULE + RULE, (13, 9), "a second rule 'my.one'; the first is in line 6"),
        (HEAD + "rules:\n" + RULE.replace("my.one", "cn.one"), (6, 9), "must begin with the pack's name, 'my.'"),
        (HEAD + "rules:\n" + RULE.replace("my.one", "my.One"), (6, 9), "the pack's name, a dot"),
        (HEAD + "rules:\n" + RULE.replace("    why: Because.\n", ""), (6, 5), "the rule 'my.one' lacks 'why'"),
        (HEAD + "rules:\n" + RULE.replace("stage: lexical", "stage: lexicla"), (10, 12), "did you mean 'lexical'?"),
        (HEAD + "rules:\n" + RULE.replace("op: delete", "op: delte"), (11, 9), "did you mean 'delete'?"),
        (HEAD + "rules:\n" + RULE.replace("pattern:", "patern:"), (6, 5), "lacks 'pattern'"),
        (HEAD + "rules:\n" + RULE.replace("'x+'", "5"), (12, 14), "'pattern' must be a text, not the number 5"),
        (HEAD + "rules:\n" + RULE.replace("'x+'", "''"), (12, 14), "'pattern' is empty"),
        (HEAD + "rules:\n" + RULE + "    keep: wrods\n", (13, 11), "names no list 'wrods'"),
        (HEAD + "rules:\n" + RULE + "    default: yes\n", (13, 14), "true or false, not 'yes'"),
        (HEAD + "rules:\n" + RULE + "    langs: [de]\n", (13, 13), "one of zh, ja, en"),
        (HEAD + "rules:\n" + RULE + "    langs: [zh, zh]\n", (13, 17), "a second 'zh'"),
        (HEAD + "rules:\n" + RULE + "    kinds: [markdwn]\n", (13, 13), "did you mean 'markdown'?"),
        (HEAD + "rules:\n" + RULE + "    enters: ['off']\n", (13, 14), "not 'off'"),
        (HEAD + "rules:\n" + RULE + "    avoids: [headings]\n", (13, 14), "did you mean 'heading'?"),
        (HEAD + "rules:\n" + RULE + "    removes: [numbers]\n", (13, 15), "did you mean 'number'?"),
        (HEAD + "rules:\n" + RULE + "    guard: sometimes\n", (13, 12), "one of saves, any, all, never"),
        (HEAD + "rules:\n" + RULE + "    timeout_ms: 0\n", (13, 17), "a whole number of at least 1"),
        (HEAD + "rules:\n" + RULE + "    timeout_ms: 0x10\n", (13, 17), "a whole number"),
        (HEAD + "rules:\n" + RULE + "    examples:\n    - {in: a}\n", (14, 7), "either 'out: ...' or 'same: true'"),
        (HEAD + "rules:\n" + RULE + "    examples:\n    - {in: a, out: a}\n", (14, 20), "'out' is 'in'"),
        (HEAD + "rules:\n" + RULE + "    examples:\n    - {in: a, out: b, todoo: true}\n", (14, 23), "'todo'?"),
        (HEAD + "rules:\n" + RULE + "    examples: [a]\n", (13, 16), "an example is a mapping"),
    ],
)  # fmt: skip
def test_a_problem_has_its_place(tmp_path, text, place, message):
    found = problems(tmp_path, text)
    assert [item for item in found if item[:2] == place and message in item[2]], found


def test_an_unknown_key_has_the_nearest_name_even_among_the_op_s(tmp_path):
    found = problems(tmp_path, HEAD + "rules:\n" + RULE.replace("pattern:", "patern:"))
    messages = [message for line, column, message in found if (line, column) == (12, 5)]
    assert messages[0].startswith("unknown key 'patern'; did you mean 'pattern'? (delete has: pattern, needs")


@pytest.mark.parametrize(
    ("written_as", "column"),
    [("'a''b(['", 20), ("a(b[c", 19), ("|-\n      a(b[c", None)],
)
def test_a_pattern_s_problem_stands_where_it_is_in_the_pattern(tmp_path, written_as, column):
    found = problems(tmp_path, HEAD + "rules:\n" + RULE.replace("'x+'", written_as))
    (line, at, message) = found[0]
    assert message.startswith("'pattern': ")
    if column is None:
        assert line == 13
    else:
        assert line == 12
        assert at >= 14


def test_a_pattern_takes_the_texts_of_a_list(tmp_path):
    text = HEAD + "lists:\n  some: [a, a.b, c d]\nrules:\n" + RULE.replace("'x+'", r"'\L<some>+'")
    (rule,) = load_pack(str(written(tmp_path, text))).rules
    assert rule.values["pattern"] == r"(?:a\.b|c\ d|a)+"


def test_a_pattern_that_names_no_list(tmp_path):
    text = HEAD + "lists:\n  some: [a]\nrules:\n" + RULE.replace("'x+'", r"'x\L<sone>'")
    (problem,) = problems(tmp_path, text)
    assert problem[2] == "'pattern' names no list 'sone' of this pack; did you mean 'some'?"


def test_an_alias_is_the_value_it_names(tmp_path):
    text = HEAD + "lists:\n  a: &a [x]\n  b: *a\nrules:\n" + RULE + "    keep: b\n"
    assert load_pack(str(written(tmp_path, text))).rules[0].values["keep"] == ("x",)


@pytest.mark.timeout(120)  # seconds; all of its values would take days
@pytest.mark.parametrize("leaf", ["x", "[]", "{}"])
def test_an_alias_bomb_is_refused_at_once(leaf):
    lines = [f"a0: &a0 [{leaf}]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 12)]
    with pytest.raises(YamlError, match="aliases"):
        parse("\n".join(lines))


def test_the_python_loader_gives_the_same(monkeypatch):
    import yaml

    def flat(node):
        if node.kind == "mapping":
            return [(flat(key), flat(value)) for key, value in node.value]
        value = [flat(item) for item in node.value] if node.kind == "list" else node.value
        return (node.kind, value, node.line, node.column, node.style, node.size)

    text = start("my") + "other: {a: [😀, no, 1.0, ~, 2024-05-20, 'q''q', \"d\\n\"], b: |\n   x\n}\n"
    text = text.replace("b: |\n   x\n", "b: x")
    ours = flat(parse(text))
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert flat(parse(text)) == ours


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, message in {
        "nothing.yaml": "there is no pack nothing.yaml",
        "nothing-like-it": "no pack is named 'nothing-like-it'",
        "": "no pack is named ''",
        "a\0b": "no pack is named",
        "builtin:": "no pack is named",
        "./": "is a folder",
    }.items():
        with pytest.raises(RuleError, match=message):
            load_pack(name)
    (tmp_path / "gbk.yaml").write_bytes(HEAD.encode() + "# 中文\n".encode("gb18030"))
    with pytest.raises(RuleError, match=r"gbk.yaml:5: the file is not UTF-8"):
        load_pack("gbk.yaml")
    written(tmp_path, HEAD + "#" * 1_000_000, "large.yaml")
    with pytest.raises(RuleError, match="larger than 1 MB"):
        load_pack("large.yaml")
    if os.name == "posix" and os.geteuid():
        (tmp_path / "gbk.yaml").chmod(0)
        with pytest.raises(RuleError, match="cannot read"):
            load_pack("gbk.yaml")


def extending(folder):
    """A pack that extends another and changes two of its rules."""
    other = RULE.replace("my.one", "base.one") + RULE.replace("my.one", "base.two").replace("x+", "y+")
    other += "    keep: words\n    examples:\n    - {in: y, out: ''}\n"
    head = HEAD.replace("pack: my", "pack: base")
    (folder / "below").mkdir()
    written(folder / "below", head + "lists:\n  words: [xyz]\nrules:\n" + other, "base.yaml")
    text = HEAD + "extends: [below/base.yaml]\nrules:\n" + RULE + "    keep: words\n"
    text += RULE.replace("my.one", "base.one").replace("near", "lossy")
    text += "  - {id: base.two, default: false, keep: [abc]}\n"
    return written(folder, text)


def test_a_pack_extends_another_and_changes_its_rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    extending(tmp_path)
    pack = load_pack("my.yaml")
    assert [rule.id for rule in pack.rules] == ["base.one", "base.two", "my.one"]
    one, two, mine = pack.rules
    assert (one.rule_class, two.default, mine.values["keep"]) == ("lossy", False, ("xyz",))
    assert (two.title, two.values["pattern"], two.values["keep"]) == ("One", "y+", ("abc",))
    assert [example.before for example in two.examples] == ["y"]
    (base,) = pack.extends
    assert (base.name, base.path, pack.path) == ("base", "below/base.yaml", "my.yaml")
    assert [rule.id for rule in own_rules(pack)] == ["base.one", "base.two", "my.one"]
    assert len(own_rules(base)) == 2


@pytest.mark.parametrize("names", [["my.yaml", "below/base.yaml"], ["below/base.yaml", "my.yaml"]])
def test_a_changed_rule_goes_before_the_one_it_changes(tmp_path, monkeypatch, names):
    monkeypatch.chdir(tmp_path)
    extending(tmp_path)
    rules = {rule.id: rule for rule in rules_of(load_packs(names))}
    assert set(rules) == {"base.one", "base.two", "my.one"}
    assert rules["base.one"].rule_class == "lossy"
    assert rules["base.two"].default is False


def test_problems_of_an_extended_pack_are_told_with_its_own(tmp_path):
    written(tmp_path, HEAD.replace("pack: my", "pack: base") + "rules: 5\n", "base.yaml")
    text = HEAD + "extends: [base.yaml]\nrules:\n" + RULE.replace("near", "nera")
    text += "  - {id: base.two, default: false}\n"
    with pytest.raises(PackError) as caught:
        load_pack(str(written(tmp_path, text)))
    assert [(item.path.rpartition("/")[2], item.line) for item in caught.value.problems] == [
        ("my.yaml", 10),
        ("base.yaml", 5),
    ]


def test_a_circle_is_named(tmp_path):
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        written(tmp_path, HEAD.replace("my", name) + f"extends: [{other}.yaml]\nrules: []\n", f"{name}.yaml")
    with pytest.raises(RuleError, match=r"in a circle: a.yaml -> b.yaml -> c.yaml -> a.yaml"):
        load_pack(str(tmp_path / "a.yaml"))


def test_a_new_pack_is_right(tmp_path):
    path = written(tmp_path, start("my-own"), "my-own.yaml")
    (rule,) = load_pack(str(path)).rules
    assert rule.id == "my-own.closing-line"
    assert len(rule.examples) == 6
    assert not list(VALIDATOR.iter_errors(data(start("my-own"))))


def data(text):
    """A pack as a JSON Schema sees it."""
    import yaml

    return yaml.safe_load(text)


def test_the_published_schema_is_the_one_made_from_keys_and_ops():
    published = json.loads(files("tokaudit").joinpath("schemas/rules.schema.json").read_text(encoding="utf-8"))
    assert published == pack_schema(), "run scripts/write_rules_doc.py"
    Draft202012Validator.check_schema(published)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "rules: 5\n",
        HEAD + "rulez: []\n",
        HEAD.replace("1.0.0", "1.0") + "rules: []\n",
        HEAD + "rules:\n" + RULE.replace("near", "nera"),
        HEAD + "rules:\n" + RULE.replace("delete", "delte"),
        HEAD + "rules:\n" + RULE.replace("pattern", "patern"),
        HEAD + "rules:\n" + RULE + "    examples: [{in: a}]\n",
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(tmp_path, text):
    assert problems(tmp_path, text)
    assert list(VALIDATOR.iter_errors(data(text)))


@pytest.mark.parametrize("name", NAMES)
def test_no_op_has_a_parameter_with_the_name_of_a_rule_s_key(name):
    assert not set(op(name).PARAMETERS) & {*RULE_KEYS}
    assert op(name).SUMMARY
    assert all(about.what for about in op(name).PARAMETERS.values())


def test_keys_are_described():
    assert all(key.what.endswith(".") for keys in (PACK_KEYS, RULE_KEYS, EXAMPLE_KEYS) for key in keys.values())


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_pack_is_right(name):
    pack = load_pack(name, check=True)
    assert pack.path == f"builtin:{name}"
    # By Python's own parser too, which is the stricter one, and the only one on some platforms.
    assert not list(VALIDATOR.iter_errors(data((builtin_folder() / f"{name}.yaml").read_text(encoding="utf-8"))))
    for rule in own_rules(pack):
        changing = [item for item in rule.examples if item.before != item.after and not item.todo]
        same = [item for item in rule.examples if item.before == item.after and not item.todo]
        assert len(changing) >= 3, rule.id
        assert len(same) >= 3, rule.id


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_pack_has_the_same_rules_with_a_compiled_pack(tmp_path, monkeypatch, name):
    compile_pack(name, tmp_path)
    digest, content = checked_data(builtin_folder() / f"{name}.yaml")
    monkeypatch.setattr(compiled_packs, "FOLDER", tmp_path)
    assert compiled_packs.compiled_pack(builtin_folder() / f"{name}.yaml", digest) == json.loads(json.dumps(content))
    assert compiled_packs.compiled_pack(builtin_folder() / f"{name}.yaml", "0" * 64) is None
    compiled = load_pack(str(builtin_folder() / f"{name}.yaml"), examples=False, check=False)
    assert compiled.rules == load_pack(name, examples=False).rules


def test_a_compiled_pack_that_is_not_one_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled_packs, "FOLDER", tmp_path)
    assert compiled_packs.compiled_pack(tmp_path / "my.yaml", "0" * 64) is None
    (tmp_path / "my.json").write_text("[")
    assert compiled_packs.compiled_pack(tmp_path / "my.yaml", "0" * 64) is None
    (tmp_path / "my.json").write_text('{"format": 0, "sha256": "' + "0" * 64 + '", "pack": {}}')
    assert compiled_packs.compiled_pack(tmp_path / "my.yaml", "0" * 64) is None


def test_ops_import_nothing_heavy():
    """Packs are compiled where only the build's requirements are, and each ``slim`` imports the ops of its rules."""
    program = (
        "import sys; from tokaudit.pipeline.ops import NAMES, op; [op(name) for name in NAMES]; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert {"regex", "yaml", "numpy", "pygments"} & set(done.stdout.decode().split()) == set()
