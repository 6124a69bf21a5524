"""The JSON documents of all commands, against the published schema."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from tokaudit.cli.main import app

SCHEMA = json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
ORDER = ("schema_version", "tool", "command", "tokenizers", "skipped", "findings")

MEASURING = {
    "count": ["count", "now"],
    "diff": ["diff", "old", "now"],
    "slim": ["slim", "now"],
    "check": ["check", "now"],
}
BUDGET = '[[budget]]\npaths = ["*.md"]\nmax_tokens = 100\n'
OTHERS = {
    "why": ["check", "--why", "now/a.md"],
    "rules-list": ["rules", "list", "en"],
    "rules-show": ["rules", "show", "en.filler"],
    "rules-test": ["rules", "test", "en"],
    "models": ["models", "gpt-4o"],
    "tokenizers": ["tokenizers"],
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command with ``--json`` in a project in which one file cannot be read and the reason has a hint."""
    for folder, text in (("old", "one two\n"), ("now", "one two three\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(text, encoding="utf-8")
        (tmp_path / folder / "b.md").write_bytes(b"not \xff ascii\n")
    (tmp_path / "tokaudit.toml").write_text('models = ["gpt-4o"]\ncharset = "ascii"\n' + BUDGET, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def document(arguments):
        result = CliRunner().invoke(app, [*arguments, "--json"])
        assert result.stdout, result.output
        return json.loads(result.stdout)

    return document


@pytest.mark.parametrize("command", [*MEASURING, *OTHERS])
def test_a_document_is_of_the_schema(run, command):
    document = run((MEASURING | OTHERS)[command])
    Draft202012Validator(SCHEMA).validate(document)
    assert document["command"] == command
    assert [key for key in document if key in ORDER] == list(ORDER)


@pytest.mark.parametrize("command", MEASURING)
def test_what_was_skipped_has_its_hint(run, command):
    skipped = [item for item in run(MEASURING[command])["skipped"] if item["what"] == "now/b.md"]
    assert len(skipped) == 1
    assert "--charset" in skipped[0]["hint"]


def test_a_baseline_is_of_the_schema(run):
    CliRunner().invoke(app, ["baseline", "write", "now/a.md"])
    document = run(["baseline", "show"])
    Draft202012Validator(SCHEMA).validate(document)
    assert document["command"] == "baseline"
