"""The pytest plugin, in sessions of its own: each test writes a test file and runs pytest on it in another process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from git_repositories import commit, environment, git

PROMPT = (
    "# Shop\n\nYou answer for a shop.\n\n## Rules\n\nBe polite.\nNever promise a refund before the order was seen.\n"
)
CHATTY = "用户：嗯嗯，请问一下，我的订单到哪里了呢？？？\n客服：您好您好，请您稍等一下哦。\n" * 2
INSTALLED = [*entry_points(group="pytest11", name="tokaudit")]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Sessions without the plugins of others start in half the time."""


def python(folder, *arguments, **extra):
    """Run Python with nothing of this session's settings; exit code and output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(PYTHONUTF8="1", HOME=str(folder), COLUMNS="120", **extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.decode()


@pytest.fixture
def session(tmp_path):
    """Runs pytest on a test file, with warnings as errors."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/shop.md").write_text(PROMPT, encoding="utf-8")

    def run(text, *options, alone=True):
        (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
        plugin = ["-p", "tokaudit.pytest_plugin"] if alone or not INSTALLED else []
        variables = ALONE if alone else {}
        return python(tmp_path, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", *plugin, *options, **variables)

    return run


def told(output):
    """The lines of an explanation."""
    return [line[1:].strip() for line in output.splitlines() if line.startswith("E ")]


def test_the_entry_point_is_declared():
    (found,) = INSTALLED
    assert found.value == "tokaudit.pytest_plugin"


def test_a_prompt_within_its_limits_passes(session):
    code, output = session(
        "from pathlib import Path\n"
        "from tokaudit.pytest_plugin import assert_tokens\n"
        "def test_file():\n"
        "    counts = assert_tokens(Path('prompts/shop.md'), max=100, min=3, model=['gpt-4o', 'qwen3'])\n"
        "    assert list(counts) == ['gpt-4o', 'qwen3']\n"
        "def test_text(assert_tokens):\n"
        "    assert assert_tokens('Be polite.', max={'gpt-4o': 3}) == {'gpt-4o': 3}\n"
        "def test_default_models(assert_tokens):\n"
        "    assert len(assert_tokens('Be polite.', max=9)) == 4\n"
    )
    assert (code, "3 passed" in output) == (0, True), output


def test_a_failure_explains_itself(session):
    code, output = session(
        "from pathlib import Path\n"
        "def test_it(assert_tokens):\n"
        "    assert_tokens(Path('prompts/shop.md'), max=10, model='gpt-4o')\n"
    )
    assert code == 1
    lines = told(output)
    first = re.fullmatch(r"AssertionError: (.*): (\d+) tokens of gpt-4o, at most 10: (\d+) over \(.*%\)", lines[0])
    assert first[1] == "prompts/shop.md"
    assert int(first[2]) - 10 == int(first[3])
    assert lines[1] == "largest parts (of 2):"
    assert re.fullmatch(r"line 5: ## Rules: \d+ tokens", lines[2])
    assert "densest lines:" in lines
    assert any(line.startswith("line 8: Never promise a refund") for line in lines)
    # The traceback ends in the test: the plugin's frames are hidden.
    assert "pytest_plugin.py" not in output
    assert ">       assert_tokens(Path(" in output or ">   assert_tokens(Path(" in output.replace("    ", "   ")


def test_rules_that_would_help(session):
    code, output = session(f"def test_it(assert_tokens):\n    assert_tokens({CHATTY!r}, max=1, model='qwen3')\n")
    assert code == 1
    (head,) = (line for line in told(output) if line.startswith("rules that would help"))
    assert re.fullmatch(r"rules that would help, \d+ tokens in all: tokaudit slim --diff -m qwen3 --lossy", head)
    rules = [
        line
        for line in told(output)
        if re.match(r"(cn|chat|common)\.[\w-]+ \((lossless|near|lossy)\): \d+ tokens: ", line)
    ]
    assert rules


def test_every_model_and_both_limits_are_told(session):
    code, output = session(
        "def test_it(assert_tokens):\n    assert_tokens('Be polite.', max={'gpt-4o': 2}, min={'qwen3': 50})\n"
    )
    assert code == 1
    lines = told(output)
    assert lines[0] == "AssertionError: <text>: 3 tokens of gpt-4o, at most 2: 1 over (50.0%)"
    assert lines[1] == "<text>: 3 tokens of qwen3, at least 50: 47 too few"


def test_one_token_is_no_plural(session):
    code, output = session("def test_it(assert_tokens):\n    assert_tokens('x', max=0, model='gpt-4o')\n")
    assert code == 1
    assert told(output)[0] == "AssertionError: <text>: 1 token of gpt-4o, at most 0: 1 over"


def test_models_of_the_configuration(session, tmp_path):
    (tmp_path / "tokaudit.toml").write_text('models = ["kimi-k2"]\n', encoding="utf-8")
    code, output = session("def test_it(assert_tokens):\n    assert assert_tokens('x', max=5) == {'kimi-k2': 1}\n")
    assert code == 0, output


def test_a_file_is_measured_as_check_does(session, tmp_path):
    (tmp_path / "prompts/crlf.md").write_bytes(PROMPT.replace("\n", "\r\n").encode())
    code, output = session(
        "from pathlib import Path\n"
        "def test_it(assert_tokens):\n"
        "    one, other = (assert_tokens(Path('prompts', name), max=99) for name in ('shop.md', 'crlf.md'))\n"
        "    assert one == other\n"
    )
    assert code == 0, output


MISTAKES = [
    ("assert_tokens('prompts/shop.md', max=9)", "UsageError: the text 'prompts/shop.md' is the name of a file"),
    ("assert_tokens('prompts/shp.md', max=9)", "UsageError: the text 'prompts/shp.md' is the name of a file"),
    ("assert_tokens('pytest.ini', max=9)", "UsageError: the text 'pytest.ini' is the name of a file"),
    ("assert_tokens(Path('prompts/shp.md'), max=9)", "InputError: prompts/shp.md: No such file or directory"),
    ("assert_tokens('x')", "UsageError: no limit is given"),
    ("assert_tokens('x', max={})", "UsageError: no limit is given"),
    ("assert_tokens('x', max=True)", "UsageError: max=True is no number of tokens"),
    ("assert_tokens('x', min=-1)", "UsageError: min=-1 is no number of tokens"),
    ("assert_tokens('x', max={'qwen3': 1}, model='gpt-4o')", "UsageError: a limit for qwen3"),
    ("assert_tokens('x', max=1, model='gpt-4oo')", "TokenizerError: unknown model 'gpt-4oo'"),
    ("assert_tokens('x', max=1, kind='prose')", "UsageError: unknown kind 'prose'"),
    ("assert_tokens(Path('pytest.ini'), max=1, kind='text')", "UsageError: kind is for a text"),
    ("assert_no_growth('prompts/shop.md')", "UsageError: there is no baseline"),
]


def test_mistakes_never_pass(session):
    heads = "def test_{}(assert_tokens, assert_no_growth):\n    {}\n"
    calls = "".join(heads.format(number, call) for number, (call, _) in enumerate(MISTAKES))
    code, output = session("from pathlib import Path\n" + calls)
    assert (code, f"{len(MISTAKES)} failed" in output) == (1, True), output
    # Nothing of the package's source is shown: what went wrong is in the test.
    assert "src/tokaudit" not in output
    assert "pytest_plugin.py" not in output
    errors = [line.rpartition("model.errors.")[2] for line in told(output) if "model.errors." in line]
    for (call, said), error in zip(MISTAKES, errors, strict=True):
        assert said in error, call


def test_words_that_are_named_like_a_file(session):
    code, output = session(
        "def test_it(assert_tokens):\n"
        "    assert_tokens('main.py', max=9, kind='text')\n"
        "    for text in ('and/or', 'https://example.com/a.html', 'U.S.A', 'See a.md', 'a.md\\n', ''):\n"
        "        assert_tokens(text, max=20)\n"
    )
    assert code == 0, output


GROWTH = "def test_it(assert_no_growth):\n    assert_no_growth('prompts/shop.md'{})\n"


@pytest.fixture
def recorded(session, tmp_path):
    """A baseline of the prompt, for one model."""
    code, output = python(tmp_path, "-m", "tokaudit", "baseline", "write", "-m", "gpt-4o", "prompts")
    assert code == 0, output
    (tmp_path / "tokaudit.toml").write_text('models = ["gpt-4o"]\n', encoding="utf-8")
    return tmp_path


def test_growth_since_the_baseline(session, recorded):
    assert session(GROWTH.format(""))[0] == 0
    (recorded / "prompts/shop.md").write_text(PROMPT + "And be brief, whatever they ask.\n", encoding="utf-8")
    code, output = session(GROWTH.format(""))
    assert code == 1
    assert re.match(r"AssertionError: prompts/shop.md:\d+: grew from \d+ to \d+ tokens for gpt-4o", told(output)[0])
    assert "pytest_plugin.py" not in output
    assert "api_check.py" not in output
    assert session(GROWTH.format(", max_growth='300%'"))[0] == 0
    assert session(GROWTH.format(", max_growth='1'"))[0] == 1


def test_growth_that_cannot_be_judged_fails(session, recorded):
    (recorded / "prompts/new.md").write_text(PROMPT, encoding="utf-8")
    code, output = session(GROWTH.format("").replace("shop", "new"))
    assert (code, "prompts/new.md" in told(output)[0]) == (1, True), output
    code, output = session(GROWTH.format(", model='qwen3'"))
    assert (code, "qwen3" in " ".join(told(output))) == (1, True), output


def test_growth_since_a_revision(session, tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, {"tokaudit.toml": 'models = ["gpt-4o"]\n'})
    assert session(GROWTH.format(", against='main'"))[0] == 0
    (tmp_path / "prompts/shop.md").write_text(PROMPT + "And be brief.\n", encoding="utf-8")
    code, output = session(GROWTH.format(", against='main'"))
    assert (code, "prompts/shop.md" in told(output)[0]) == (1, True), output
    assert told(output)[1] == "lines that made prompts/shop.md grow, for gpt-4o:"
    assert re.fullmatch(r"line 9: And be brief\.: \+\d+", told(output)[2])


def test_messages_of_a_chat_are_its_parts(session):
    chat = '{"messages": [{"role": "system", "content": "Be brief, and polite."}, {"role": "user", "content": "Hi"}]}'
    code, output = session(
        f"def test_it(assert_tokens):\n    assert_tokens({chat!r}, max=5, model='qwen3', kind='json')\n"
    )
    assert code == 1
    assert any(re.match(r"line 1: system\b.*: \d+ tokens", line) for line in told(output)), output


PASSING = "".join(f"def test_{n}(assert_tokens):\n    assert_tokens('x', max=1, model='gpt-4o')\n" for n in range(4))


def test_with_xdist(session):
    code, output = session(PASSING, "-n", "2", alone=False)
    assert (code, "4 passed" in output) == (0, True), output


def test_with_coverage(session, tmp_path):
    (tmp_path / "mine.py").write_text("LIMIT = 1\n\n\ndef limit():\n    return LIMIT\n", encoding="utf-8")
    text = "import mine\ndef test_it(assert_tokens):\n    assert_tokens('x', max=mine.limit(), model='gpt-4o')\n"
    code, output = session(text, "--cov=mine", "--cov-report=json:cov.json", alone=False)
    assert code == 0, output
    covered = json.loads((tmp_path / "cov.json").read_text(encoding="utf-8"))
    assert covered["totals"]["percent_covered"] == 100


def test_a_session_that_does_not_use_it_imports_nothing(session, tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    print('LOADED', *sorted(name for name in sys.modules if name.startswith('tokaudit')))\n",
        encoding="utf-8",
    )
    code, output = session("def test_it():\n    pass\n", "-s")
    assert code == 0, output
    (loaded,) = re.findall(r"LOADED (.*)", output)
    assert loaded.split() == ["tokaudit", "tokaudit.pytest_plugin"]


def test_fixtures_are_listed_with_what_they_do(session):
    code, output = session("def test_it():\n    pass\n", "--fixtures", "-v")
    assert code == 0
    assert re.search(r"assert_tokens .*\n +Assert that a prompt has at most", output), output
    assert re.search(r"assert_no_growth .*\n +Assert that a file", output)


def test_a_relative_model_is_another_one_in_another_folder(session, tmp_path):
    for name, words in (("one", ["a", "b", "ab"]), ("two", ["a", "b"])):
        (tmp_path / name).mkdir()
        vocabulary = {word: number for number, word in enumerate(words)}
        model = {"type": "BPE", "vocab": vocabulary, "merges": ["a b"] if "ab" in words else []}
        (tmp_path / name / "t.json").write_text(
            json.dumps({"version": "1.0", "added_tokens": [], "model": model}), encoding="utf-8"
        )
        (tmp_path / name / "tokaudit.toml").write_text('models = ["./t.json"]\n', encoding="utf-8")
    code, output = session(
        "import os, shutil\n"
        "def test_it(assert_tokens, monkeypatch):\n"
        "    for name, tokens in (('one', 1), ('two', 2), ('one', 1)):\n"
        "        monkeypatch.chdir(name)\n"
        "        assert set(assert_tokens('ab', max=9).values()) == {tokens}\n"
        "        assert set(assert_tokens('ab', max=9, model='./t.json').values()) == {tokens}\n"
        "        monkeypatch.chdir('..')\n"
        "    shutil.copy('two/t.json', 'one/t.json')\n"
        "    monkeypatch.chdir('one')\n"
        "    assert set(assert_tokens('ab', max=9).values()) == {2}\n"
    )
    assert code == 0, output
