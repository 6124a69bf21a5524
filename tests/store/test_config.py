from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from places import ROOT
from tokaudit.model import ConfigError, UsageError
from tokaudit.model.gates import Budget, Growth, SlimGate
from tokaudit.reporters import FORMATS, GATE_FORMATS
from tokaudit.sources.pdf import ENGINES
from tokaudit.store.budget_keys import FIELDS
from tokaudit.store.config import (
    Config,
    config_schema,
    environment_config,
    find_config,
    load_config,
    resolve,
)
from tokaudit.store.growth_keys import parse_growth, parse_slim_gate
from tokaudit.store.key_kinds import BadPartsError, parse_size
from tokaudit.store.keys import KEYS
from tokaudit.store.slim_keys import SLIM_KEYS

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
FULL = """
lang = "zh"
models = ["gpt-4o", "hf:org/repo"]
charset = "gb18030"
errors = "replace"
density_threshold = 1
include = ["*.md"]
exclude = []
max_file_size = "10MB"
format = "json"
color = "never"
jobs = 2
special = true
gitignore = false
download = false
max_growth = "2.5%"
baseline = "ci/base.json"
line_ends = "keep"
slim_check = ["cn=5%", "en = 50", "json"]
requests_per_month = 100000
prices = { "gpt-4o" = 2.5, qwen3 = 0 }
currency = "CNY"
cache = false
pdf_engine = "pdfium"
pdf_tables = false
"""
BUDGETS = """
[[PREFIXbudget]]
paths = ["prompts/*.md", "!prompts/draft.md", "./README.md"]
max_tokens = 1200
max_growth = { tokens = 50 }
max_density = 0.9
total = true
warn_at = "90%"
requests_per_month = 1_000
note = "sent with every request"

[[PREFIXbudget]]
paths = ["*"]
segment = " ## Rules "
[PREFIXbudget.max_tokens]
gpt-4o = 10
"*" = 12
[PREFIXbudget.max_growth]
gpt-4o = "0.0001%"
"gpt-4.1" = 50
qwen3 = { tokens = 5 }

[[PREFIXbudget]]
paths = ["*.json"]
role = "system"
max_density = 1
"""
EXPECTED = Config(
    lang="zh",
    models=("gpt-4o", "hf:org/repo"),
    charset="gb18030",
    errors="replace",
    density_threshold=1.0,
    include=("*.md",),
    exclude=(),
    max_file_size=10_000_000,
    format="json",
    color="never",
    jobs=2,
    special=True,
    gitignore=False,
    download=False,
    max_growth=Growth(millionths=25_000),
    baseline="ci/base.json",
    line_ends="keep",
    slim_check=(
        SlimGate("cn", Growth(millionths=50_000)),
        SlimGate("en", Growth(tokens=50)),
        SlimGate("json", Growth(millionths=0)),
    ),
    requests_per_month=100_000,
    prices={"gpt-4o": 2.5, "qwen3": 0.0},
    currency="CNY",
    cache=False,
    pdf_engine="pdfium",
    pdf_tables=False,
)
EXPECTED_BUDGETS = (
    Budget(
        ("prompts/*.md", "!prompts/draft.md", "/README.md"),
        {"*": 1200},
        {"*": Growth(tokens=50)},
        0.9,
        total=True,
        warn_at=0.9,
        requests_per_month=1000,
        note="sent with every request",
    ),
    Budget(
        ("*",),
        {"gpt-4o": 10, "*": 12},
        {"gpt-4o": Growth(millionths=1), "gpt-4.1": Growth(tokens=50), "qwen3": Growth(tokens=5)},
        segment="## Rules",
    ),
    Budget(("*.json",), max_density=1.0, role="system"),
)


def written(folder, text, name="tokaudit.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def error_of(path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return caught.value


def test_every_key_in_both_files(tmp_path):
    assert load_config(written(tmp_path, FULL)) == EXPECTED
    assert load_config(written(tmp_path, f"[tool.tokaudit]{FULL}[tool.x]\ny = 1", "pyproject.toml")) == EXPECTED
    assert load_config(written(tmp_path, "\ufeff" + FULL.replace("\n", "\r\n"))) == EXPECTED
    assert load_config(written(tmp_path, "")) == Config()
    assert [name for name in KEYS if getattr(EXPECTED, name) is None] == ["budget", "slim", "window"]


def with_lines(*lines):
    return tuple(replace(budget, line=line) for budget, line in zip(EXPECTED_BUDGETS, lines, strict=True))


def test_budgets_with_their_lines(tmp_path):
    config = load_config(written(tmp_path, BUDGETS.replace("PREFIX", "")))
    assert config == Config(budget=with_lines(2, 12, 23))
    text = BUDGETS.replace("PREFIX", "tool.tokaudit.")
    path = written(tmp_path, f"[project]\n{text}", "pyproject.toml")
    (tmp_path / "tokaudit.toml").unlink()
    assert find_config(tmp_path) == path
    assert load_config(path).budget == with_lines(3, 13, 24)
    inline = 'budget = [{ paths = ["a"], max_tokens = 1 },\n{ paths = ["b"], max_tokens = 2 }]\n'
    assert [budget.line for budget in load_config(written(tmp_path, inline)).budget or ()] == [1, 2]
    assert load_config(written(tmp_path, "budget = []")).budget == ()
    Draft202012Validator(config_schema()).validate(TOML.loads(BUDGETS.replace("PREFIX", "")))


BUDGET = '[[budget]]\npaths = ["a"]\nmax_tokens = 5\n'


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('paths = ["a"]', (4, 1), "needs a limit: max_tokens, max_growth, max_density or window"),
        ("max_tokens = 1", (4, 1), "needs 'paths'"),
        ('paths = "a"\nmax_tokens = 1', (5, 1), "'paths' must be a list of texts"),
        ("paths = []\nmax_tokens = 1", (5, 1), "'paths' must name at least one"),
        ('paths = ["a",\n  "/etc/x"]\nmax_tokens = 1', (6, 3), "'/etc/x', which is absolute: patterns are relative"),
        ('paths = ["!/x", "a"]\nmax_tokens = 1', (5, 10), "did you mean './x'?"),
        ('paths = ["C:/x"]\nmax_tokens = 1', (5, 10), "absolute"),
        ('paths = ["~/x"]\nmax_tokens = 1', (5, 10), "absolute"),
        ('paths = ["a/../../b"]\nmax_tokens = 1', (5, 10), "leaves the configuration's folder"),
        ("paths = ['a\\b*.md']\nmax_tokens = 1", (5, 10), "backslashes; write 'a/b*.md'"),
        ('paths = ["#a"]\nmax_tokens = 1', (5, 10), "comment"),
        ('paths = ["a "]\nmax_tokens = 1', (5, 10), "ends with a space"),
        ('paths = ["."]\nmax_tokens = 1', (5, 10), "every file is '*'"),
        ('paths = ["!a"]\nmax_tokens = 1', (5, 10), "only takes out"),
        ('paths = ["a"]\nmax_token = 1', (6, 1), "unknown key 'max_token' of a budget; did you mean 'max_tokens'?"),
        ('paths = ["a"]\nmax_tokens = 0', (6, 1), "'max_tokens' must be at least 1"),
        ('paths = ["a"]\nmax_tokens = 1.5', (6, 1), "'max_tokens' must be a whole number"),
        ('paths = ["a"]\nmax_tokens = {}', (6, 1), "'max_tokens' must name at least one model"),
        ('paths = ["a"]\nmax_tokens = { q = "1" }', (6, 16), "'max_tokens' of 'q' must be a whole number"),
        ('paths = ["a"]\nmax_tokens = { "" = 1 }', (6, 16), "not an empty one"),
        ('paths = ["a"]\nmax_tokens = { gpt-4.1 = 1 }', (6, 16), "a name with a dot needs quotes"),
        ('paths = ["a"]\nmax_growth = "5"\nwarn_at = "90%"', (7, 1), "does not have"),
        ('paths = ["a"]\nmax_growth = "five"', (6, 1), "'max_growth' must be a percentage such as '5%'"),
        ('paths = ["a"]\nmax_growth = "0.00001%"', (6, 1), "no more than four decimals"),
        ('paths = ["a"]\nmax_growth = "-5%"', (6, 1), "must not be negative"),
        ('paths = ["a"]\nmax_growth = -5', (6, 1), "must not be negative"),
        ('paths = ["a"]\nmax_growth = "nan%"', (6, 1), "must be a percentage"),
        ('paths = ["a"]\nmax_growth = 0.05', (6, 1), "must be a percentage"),
        ('paths = ["a"]\nmax_growth = nan', (6, 1), "must be a percentage"),
        ('paths = ["a"]\nmax_growth = { tokens = "5" }', (6, 1), "must have a whole number of tokens"),
        ('paths = ["a"]\nmax_growth = { tokens = 5, q = "5%" }', (6, 1), "not both"),
        ('paths = ["a"]\nmax_growth = { q = 1.5 }', (6, 16), "'max_growth' of 'q' must be a percentage"),
        ('paths = ["a"]\nmax_density = 0', (6, 1), "'max_density' must be a number above 0"),
        ('paths = ["a"]\nmax_tokens = 1\ntotal = 1', (7, 1), "'total' must be true or false"),
        ('paths = ["a"]\nmax_tokens = 1\nwarn_at = 0.9', (7, 1), "'warn_at' must be a percentage"),
        ('paths = ["a"]\nmax_tokens = 1\nwarn_at = "101%"', (7, 1), "at most 100%"),
        ('paths = ["a"]\nmax_tokens = 1\nwarn_at = "0%"', (7, 1), "above 0%"),
        ('paths = ["a"]\nmax_tokens = 1\nsegment = "Rules"', (7, 1), "must be a heading such as '## Rules'"),
        ('paths = ["a"]\nmax_tokens = 1\nsegment = "## R"\nrole = "user"', (8, 1), "exclude each other"),
        ('paths = ["a"]\nmax_tokens = 1\nrole = " "', (7, 1), "'role' must be a text"),
        ('paths = ["a"]\nmax_tokens = 1\nrequests_per_month = -1', (7, 1), "must be at least 0"),
        ('paths = ["a"]\nmax_tokens = 1\nnote = 1', (7, 1), "'note' must be a text"),
    ],
)
def test_wrong_budgets_are_refused_with_their_place_and_by_the_schema(tmp_path, text, place, words):
    whole = f"{BUDGET}[[budget]]\n{text}\n"
    error = error_of(written(tmp_path, whole))
    assert (error.line, error.column) == place
    assert words in error.message
    assert len(str(error).splitlines()) == 1
    # JSON has no nan, and a schema has no place for the whole of a list.
    if "nan" not in text and '["!a"]' not in text:
        assert not Draft202012Validator(config_schema()).is_valid(TOML.loads(whole))


def test_all_errors_of_all_budgets_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        f"[tool.tokaudit]\njobs = -1\n{BUDGET.replace('[[budget]]', '[[tool.tokaudit.budget]]')}"
        '[[tool.tokaudit.budget]]\npaths = ["/a", "b", "../c"]\nmax_tokens = { a = -1, b = 1, c = "x" }\ntotals = 1\n'
    )
    assert str(error_of(written(tmp_path, text, "pyproject.toml"))).splitlines() == [
        "pyproject.toml:2:1: 'jobs' must be at least 0, not -1",
        (
            "pyproject.toml:7:10: 'paths' holds '/a', which is absolute: patterns are relative to the configuration's "
            "folder; did you mean './a'?"
        ),
        (
            "pyproject.toml:7:21: 'paths' holds '../c', which leaves the configuration's folder: a budget is for files "
            "in it or below"
        ),
        "pyproject.toml:8:16: 'max_tokens' of 'a' must be at least 1, not -1",
        "pyproject.toml:8:31: 'max_tokens' of 'c' must be a whole number, not the text 'x'",
        "pyproject.toml:9:1: unknown key 'totals' of a budget; did you mean 'total'?",
    ]
    assert "must be tables" in error_of(written(tmp_path, "[budget]\npaths = ['a']")).message
    assert "a budget must be a table" in error_of(written(tmp_path, "budget = [1]")).message
    error = error_of(written(tmp_path, '[[tool.tokaudit.budget]]\npaths = ["a"]'))
    assert "unknown key 'tool'; in this file keys are without 'tool.tokaudit'" in error.message


@given(st.text(alphabet="a/.!*?[]\\# -~{}é", min_size=1, max_size=8))
@example("!")
@example("a\\")
@example("!./")
@example("[?-.]")
@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")  # pathspec's own, for [[]
def test_a_pattern_that_is_accepted_is_one(pattern):
    from pathspec import GitIgnoreSpec

    try:
        (accepted,) = FIELDS["paths"].check([pattern])
    except BadPartsError as error:
        assert str(error)  # noqa: PT017
        return
    GitIgnoreSpec.from_lines([accepted])
    schema = FIELDS["paths"].schema
    assert Draft202012Validator(schema).is_valid([pattern])


@given(st.integers(0, 10**13 - 1), st.integers(0, 10**9))
def test_growth_is_exact(millionths, before):
    text = f"{millionths // 10_000}.{millionths % 10_000:04}%"
    growth = parse_growth(text)
    assert growth == Growth(millionths=millionths)
    assert growth.limit(before) == before + before * Fraction(text[:-1]) / 100 // 1
    if millionths < 10**10:  # str() is by way of a float
        assert parse_growth(str(growth)) == growth


@pytest.mark.parametrize(
    ("text", "growth"),
    [
        ("5%", Growth(millionths=50_000)),
        (" 0 % ", Growth(millionths=0)),
        ("0.0001%", Growth(millionths=1)),
        ("50", Growth(tokens=50)),
        ("1 token", Growth(tokens=1)),
        ("50 tokens", Growth(tokens=50)),
    ],
)
def test_growth_as_it_is_written(text, growth):
    assert parse_growth(text) == growth
    assert Draft202012Validator(KEYS["max_growth"].schema).is_valid(text)


@pytest.mark.parametrize("text", ["", "%", "-1%", "-1", "1.00001%", "nan", "nan%", "inf%", "1e3%", "5％", "٥%", "1.%"])
def test_no_growth(text):
    with pytest.raises(UsageError, match="growth must"):
        parse_growth(text)
    assert not Draft202012Validator(KEYS["max_growth"].schema).is_valid(text)


def test_slim_gates():
    assert parse_slim_gate("cn=5%") == SlimGate("cn", Growth(millionths=50_000))
    assert parse_slim_gate("cn") == SlimGate("cn", Growth(millionths=0))
    assert parse_slim_gate("my=own.yaml = 3 tokens") == SlimGate("my=own.yaml", Growth(tokens=3))
    for text in ("", "=5%", "cn=", "cn=five", "cn=-1"):
        with pytest.raises(UsageError, match="must"):
            parse_slim_gate(text)


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ('slim_check = ["cn=5%", "cn=6%"]', 24, "names the pack 'cn' twice"),
        ('slim_check = ["cn=five"]', 15, "'slim_check' of 'cn=five' must be a percentage"),
        ('slim_check = "cn"', 1, "'slim_check' must be a list"),
        ("prices = 5", 1, "must be a table of models"),
        ('prices = { "gpt-4o" = -1 }', 12, "'prices' of 'gpt-4o' must be a number of at least 0"),
        ("prices = { q = inf }", 12, "'prices' of 'q' must be a number of at least 0"),
        ("prices = { q = true }", 12, "'prices' of 'q' must be a number, not true"),
        ("prices = { gpt-4.1 = 1 }", 12, "needs quotes"),
        ("max_growth = { q = 5 }", 1, "'max_growth' must be a percentage"),
        ('pdf_engine = "poppler"', 1, "must be one of auto, pdfium, pdfplumber"),
        ('line_ends = "crlf"', 1, "must be one of lf, keep"),
    ],
)
def test_wrong_values_of_check(tmp_path, line, column, words):
    error = error_of(written(tmp_path, f"\n{line}\n"))
    assert (error.line, error.column) == (2, column)
    assert words in error.message
    if "twice" not in words and "inf" not in line:
        assert not Draft202012Validator(config_schema()).is_valid(TOML.loads(line))


def test_a_pack_beside_the_file_is_found_from_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "my.yaml").write_text("")
    path = written(tmp_path, 'slim_check = ["my.yaml=1%", "cn"]\nbaseline = "b.json"')
    monkeypatch.chdir(tmp_path / "sub")
    config = load_config(path)
    assert [gate.pack for gate in config.slim_check or ()] == ["../my.yaml", "cn"]
    assert config.baseline == "b.json"


def test_the_nearest_file_upwards(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    top = written(tmp_path, "[tool.tokaudit]\n", "pyproject.toml")
    written(tmp_path / "a", "[tool.other]\n# tool.tokaudit in a comment\n", "pyproject.toml")
    assert find_config(deep) == top
    middle = written(tmp_path / "a", "[ tool . tokaudit ]\n# tool.tokaudit", "pyproject.toml")
    assert find_config(deep) == middle
    own = written(tmp_path / "a", "")
    assert find_config(deep) == own
    assert find_config(deep / "file.md") == own


@pytest.mark.parametrize(
    "text", ["[tool.tokaudit]", "  [tool.tokaudit.x]", "tool.tokaudit.jobs.count = 1", "tool.tokaudit = {}"]
)
def test_a_pyproject_that_counts(tmp_path, text):
    path = written(tmp_path, "[tool.tokaudit-more]", "pyproject.toml")
    assert find_config(tmp_path) != path
    written(tmp_path, f"x = 1\n{text}\n", "pyproject.toml")
    assert find_config(tmp_path) == path


def test_all_errors_of_a_file_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '# c\nmodel = ["a"]\njobs = "two"\n  max-file-size = 1\ncolor = "allways"\nspecial = 1\n[count]\nx = 1\n'
    error = error_of(written(tmp_path, text))
    assert str(error).splitlines() == [
        "tokaudit.toml:2:1: unknown key 'model'; did you mean 'models'?",
        "tokaudit.toml:3:1: 'jobs' must be a whole number, not the text 'two'",
        "tokaudit.toml:4:3: unknown key 'max-file-size'; did you mean 'max_file_size'?",
        "tokaudit.toml:5:1: 'color' must be one of auto, always, never, not 'allways'; did you mean 'always'?",
        "tokaudit.toml:6:1: 'special' must be true or false, not the number 1",
        "tokaudit.toml:7:1: unknown key 'count'",
    ]
    assert (error.path, error.line, error.column) == ("tokaudit.toml", 2, 1)


def test_places_in_pyproject(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "[project]\nmodel = 1\n[tool.tokaudit]\njobs = -1\n[tool.tokaudit.sub]\nx = 1\n"
    assert str(error_of(written(tmp_path, text, "pyproject.toml"))).splitlines() == [
        "pyproject.toml:4:1: 'jobs' must be at least 0, not -1",
        "pyproject.toml:5:1: unknown key 'sub'",
    ]
    assert str(error_of(written(tmp_path, "x = 1\n[tool]\ntokaudit = 3\n", "pyproject.toml"))) == (
        "pyproject.toml:3:1: must be a table"
    )
    inline = "[tool]\ntokaudit = { jobs = -1 }\n"
    assert str(error_of(written(tmp_path, inline, "pyproject.toml"))).startswith("pyproject.toml:2:14: 'jobs' must")


@pytest.mark.parametrize(
    "line",
    [
        'models = "gpt-4o"',
        "models = []",
        "models = [1]",
        'models = [""]',
        'charset = ""',
        "charset = 1",
        "density_threshold = 0",
        "density_threshold = nan",
        "density_threshold = inf",
        "density_threshold = true",
        'density_threshold = "0.8"',
        "max_file_size = -1",
        "max_file_size = 1.5",
        'max_file_size = "10 tons"',
        "max_file_size = 0",
        "jobs = 1.0",
        "jobs = true",
        'color = "yes"',
        'download = "true"',
        "include = 2020-01-01",
        "exclude = {}",
    ],
)
def test_wrong_values_are_refused_by_us_and_by_the_schema(tmp_path, line):
    error = error_of(written(tmp_path, f"\n{line}\n"))
    assert (error.line, error.column) == (2, 1)
    assert line.split()[0] in error.message
    # A date, nan and inf are not in JSON, where 1.0 is a whole number.
    if not any(word in line for word in ("2020-", "nan", "inf", "1.0")):
        assert not Draft202012Validator(config_schema()).is_valid(TOML.loads(line))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a = 1\nb = = 2\n", 2, 5), ("a = [1,\n", 1, 8), ("a = 1\na = 2\n", 2, 6), ('x = "中\n', 1, 7)],
)
def test_a_syntax_error_names_its_place(tmp_path, text, line, column):
    error = error_of(written(tmp_path, text))
    assert "not valid TOML" in error.message
    assert error.line == line
    assert abs((error.column or 0) - column) <= 1  # parsers differ in what they call the place
    assert "(at " not in str(error)


def test_a_file_that_cannot_be_read(tmp_path):
    assert "cannot read" in error_of(tmp_path / "none.toml").message
    path = tmp_path / "tokaudit.toml"
    path.write_bytes("a = 1\n# 中\n".encode("gbk"))
    assert error_of(path).line == 2


def test_a_vocabulary_beside_the_file_is_found_from_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "tokenizer.json").write_text("{}")
    path = written(tmp_path, 'models = ["my/tokenizer.json", "qwen3", "other/x.json", "hf:my/tokenizer.json"]')
    monkeypatch.chdir(tmp_path)
    assert load_config(path).models == ("my/tokenizer.json", "qwen3", "other/x.json", "hf:my/tokenizer.json")
    monkeypatch.chdir(tmp_path / "sub")
    assert load_config(path).models == ("../my/tokenizer.json", "qwen3", "other/x.json", "hf:my/tokenizer.json")


def test_every_key_has_a_variable():
    assert environment_config(
        {
            "TOKAUDIT_MODELS": "gpt-4o, hf:org/repo,",
            "TOKAUDIT_CHARSET": "gb18030",
            "TOKAUDIT_ERRORS": "replace",
            "TOKAUDIT_LANG": "zh",
            "TOKAUDIT_DENSITY_THRESHOLD": "1",
            "TOKAUDIT_INCLUDE": "*.md",
            "TOKAUDIT_EXCLUDE": ",",
            "TOKAUDIT_MAX_FILE_SIZE": "10MB",
            "TOKAUDIT_FORMAT": "json",
            "TOKAUDIT_COLOR": "never",
            "TOKAUDIT_JOBS": "2",
            "TOKAUDIT_SPECIAL": "Yes",
            "TOKAUDIT_GITIGNORE": "0",
            "TOKAUDIT_DOWNLOAD": "off",
            "TOKAUDIT_MAX_GROWTH": "2.5%",
            "TOKAUDIT_BASELINE": "ci/base.json",
            "TOKAUDIT_LINE_ENDS": "keep",
            "TOKAUDIT_SLIM_CHECK": "cn=5%, en=50 tokens,json",
            "TOKAUDIT_REQUESTS_PER_MONTH": "100000",
            "TOKAUDIT_CURRENCY": "CNY",
            "TOKAUDIT_CACHE": "no",
            "TOKAUDIT_PDF_ENGINE": "pdfium",
            "TOKAUDIT_PDF_TABLES": "0",
            "TOKAUDIT_HOME": "not ours",
            "PATH": "x",
        }
    ) == replace(EXPECTED, prices=None)
    assert environment_config({"TOKAUDIT_JOBS": "", "TOKAUDIT_MODELS": " "}) == Config()


def test_malformed_variables_are_named_all_at_once():
    environ = {
        "TOKAUDIT_JOBS": "many",
        "TOKAUDIT_SPECIAL": "perhaps",
        "TOKAUDIT_DENSITY_THRESHOLD": "x",
        "TOKAUDIT_MODEL": "gpt-4o",
        "TOKAUDIT_MAX_FILE_SIZE": "big",
    }
    with pytest.raises(ConfigError) as caught:
        environment_config(environ)
    assert str(caught.value).splitlines() == [
        "TOKAUDIT_DENSITY_THRESHOLD must be a number, not 'x'",
        "TOKAUDIT_JOBS must be a whole number, not 'many'",
        "TOKAUDIT_MAX_FILE_SIZE must be a number of bytes or a text such as '10MB', not 'big'",
        "unknown variable TOKAUDIT_MODEL; did you mean TOKAUDIT_MODELS?",
        "TOKAUDIT_SPECIAL must be one of 1, true, yes, on, 0, false, no, off, not 'perhaps'",
    ]


def test_variables_that_cannot_be():
    environ = {
        "TOKAUDIT_BUDGET": "x",
        "TOKAUDIT_PRICES": "x",
        "TOKAUDIT_MAX_GROWTH": "x",
        "TOKAUDIT_SLIM_CHECK": "a=b,c=",
    }
    with pytest.raises(ConfigError) as caught:
        environment_config(environ)
    assert str(caught.value).splitlines() == [
        "TOKAUDIT_BUDGET cannot be set by a variable; write [[budget]] tables in the configuration file",
        "TOKAUDIT_MAX_GROWTH must be a percentage such as '5%' or a number of tokens, not the text 'x'",
        'TOKAUDIT_PRICES cannot be set by a variable; write prices = { "gpt-4o" = 2.5 } in the configuration file',
        (
            "TOKAUDIT_SLIM_CHECK: 'slim_check' of 'a=b' must be a percentage such as '5%' or a number of tokens, not "
            "the text 'b'"
        ),
        (
            "TOKAUDIT_SLIM_CHECK: 'slim_check' of 'c=' must be a percentage such as '5%' or a number of tokens, not an "
            "empty text"
        ),
    ]


def test_flags_over_variables_over_the_file():
    file = Config(jobs=1, charset="big5", special=True, exclude=("a",))
    resolved = resolve(Config(jobs=3, exclude=()), {"TOKAUDIT_JOBS": "2", "TOKAUDIT_SPECIAL": "no"}, file)
    assert resolved == Config(jobs=3, charset="big5", special=False, exclude=())
    assert resolve(Config(), {}) == Config()


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("10MB", 10**7), ("10 mb", 10**7), ("1.5KiB", 1536), ("2GiB", 2**31), ("4096B", 4096), ("3kB", 3000)],
)
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "1e3", "10 TB", "1i", "٣", "10MB2"])
def test_no_sizes(text):
    with pytest.raises(UsageError, match="a size must be"):
        parse_size(text)


def test_the_published_schema_is_the_generated_one():
    text = files("tokaudit").joinpath("schemas/config.schema.json").read_text(encoding="utf-8")
    assert text == json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"
    Draft202012Validator.check_schema(config_schema())
    Draft202012Validator(config_schema()).validate(TOML.loads(FULL))
    assert not Draft202012Validator(config_schema()).is_valid({"model": ["x"]})


def test_the_engines_and_line_ends_are_those_of_the_sources():
    assert KEYS["pdf_engine"].schema["enum"] == list(ENGINES)


def test_every_key_in_the_documentation():
    text = (ROOT / "docs/config.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        content = TOML.loads(block)
        Draft202012Validator(config_schema()).validate(content.get("tool", {}).get("tokaudit", content))
    for name in (*KEYS, *FIELDS):
        assert re.search(rf"^\| `{name}` \|", text, re.MULTILINE), name
    for name in re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE):
        assert name in {*KEYS, *FIELDS, *SLIM_KEYS}, name


@pytest.mark.parametrize("name", ["tokaudit.toml", "pyproject.toml"])
def test_the_documented_examples_are_read(tmp_path, name):
    text = (ROOT / "docs/config.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if ("tool.tokaudit" in block) == (name == "pyproject.toml"):
            assert load_config(written(tmp_path, block, name)) != Config()


def test_the_fields_are_the_keys():
    assert [field.name for field in dataclasses.fields(Config)] == list(KEYS)


def test_the_formats_are_those_of_the_reporters():
    assert KEYS["format"].schema["enum"] == [name for name in FORMATS if name not in GATE_FORMATS]


def test_nothing_of_check_is_imported_where_no_key_is_of_it(tmp_path):
    path = written(tmp_path, 'models = ["gpt-4o"]\nline_ends = "lf"\n')
    code = (
        "import sys, pathlib\nfrom tokaudit.store.config import *\n"
        f"load_config(pathlib.Path({str(path)!r}))\n"
        "assert not {'tokaudit.store.budget_keys', 'tokaudit.store.growth_keys', 'tokaudit.model.gates'} & "
        "set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_parser_is_imported_where_there_is_no_file(tmp_path):
    written(tmp_path, "[project]\nname = 'x'\n", "pyproject.toml")
    code = (
        "import sys, pathlib\nfrom tokaudit.store.config import *\n"
        f"find_config(pathlib.Path({str(tmp_path)!r})); resolve(Config(), {{}})\n"
        "assert not {'tomllib', 'tomli', 'difflib', 'tokaudit.store.keys', 'tokaudit.store.key_kinds', "
        "'tokaudit.store.budget_keys', 'tokaudit.model.gates'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
