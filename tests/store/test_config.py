from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from importlib import import_module
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from tokaudit.model import ConfigError, UsageError
from tokaudit.reporters import FORMATS
from tokaudit.store.config import (
    Config,
    config_schema,
    environment_config,
    find_config,
    load_config,
    resolve,
)
from tokaudit.store.keys import KEYS, parse_size

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
FULL = """
models = ["gpt-4o", "hf:org/repo"]
charset = "gb18030"
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
"""
EXPECTED = Config(
    models=("gpt-4o", "hf:org/repo"),
    charset="gb18030",
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
    assert all(getattr(EXPECTED, name) is not None for name in KEYS)


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
    "text", ["[tool.tokaudit]", "  [tool.tokaudit.x]", "tool.tokaudit.jobs = 1", "tool.tokaudit = {}"]
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
    assert str(error_of(written(tmp_path, inline, "pyproject.toml"))).startswith("pyproject.toml:2:1: 'jobs' must")


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
    assert (
        environment_config(
            {
                "TOKAUDIT_MODELS": "gpt-4o, hf:org/repo,",
                "TOKAUDIT_CHARSET": "gb18030",
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
                "TOKAUDIT_HOME": "not ours",
                "PATH": "x",
            }
        )
        == EXPECTED
    )
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


def test_the_fields_are_the_keys():
    assert [field.name for field in dataclasses.fields(Config)] == list(KEYS)


def test_the_formats_are_those_of_the_reporters():
    assert KEYS["format"].schema["enum"] == list(FORMATS)


def test_no_parser_is_imported_where_there_is_no_file(tmp_path):
    written(tmp_path, "[project]\nname = 'x'\n", "pyproject.toml")
    code = (
        "import sys, pathlib\nfrom tokaudit.store.config import *\n"
        f"find_config(pathlib.Path({str(tmp_path)!r})); resolve(Config(), {{}})\n"
        "assert not {'tomllib', 'tomli', 'difflib', 'tokaudit.store.keys'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
