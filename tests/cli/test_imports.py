"""What a start imports: the heavy libraries only where they are used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from installed import environment

HEAVY = [
    "transformers", "tokenizers", "gigatoken", "pdfplumber", "numpy", "rich", "pydantic", "tiktoken", "sentencepiece",
    "regex", "torch", "huggingface_hub", "pygments", "markdown_it", "charset_normalizer", "pathspec", "yaml", "jinja2",
]  # fmt: skip
PROGRAM = """
import sys
from tokaudit.cli import main
sys.argv = ["tokaudit", *sys.argv[1:]]
code = main.outcome()
print(code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def imported(tmp_path, *arguments):
    """The top-level modules that a run has imported at its end, and its standard output."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    code, *names = done.stderr.decode().splitlines()[-1].split()
    assert code == "0", done.stderr
    return set(names), done.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["count", "--help"], ["models", "--help"]])
def test_help_imports_nothing_heavy(tmp_path, arguments):
    names, shown = imported(tmp_path, *arguments)
    assert shown
    assert names & {*HEAVY, "asyncio", "multiprocessing"} == set()


@pytest.mark.parametrize(
    "models", [[], ["-m", "o200k_base,cl100k_base,qwen3,qwen3.5,deepseek-v3,glm-4.5,glm-5,kimi-k2"]]
)
@pytest.mark.parametrize("name", ["small.txt", "提示.md", "a.jsonl"])
def test_a_small_count_imports_nothing_heavy(tmp_path, models, name):
    text = '{"system": "You are helpful.", "user": "你好，世界！３个 naïve 😀"}\n' * 40
    (tmp_path / name).write_text(text, encoding="utf-8")
    names, shown = imported(tmp_path, "count", "--json", name, *models)
    assert json.loads(shown)["totals"]["chars"] == len(text)
    assert names & {*HEAVY, "asyncio", "multiprocessing", "concurrent"} == set()


LIGHT = {"array", "bisect", "hashlib", "json", "mmap", "struct", "unicodedata"}
"""What a small count imports of the standard library beside what typer does."""
BESIDE_TYPER = """
import sys, typer
before = {name.partition(".")[0] for name in sys.modules}
from tokaudit.cli import main
sys.argv = ["tokaudit", *sys.argv[1:]]
assert main.outcome() == 0
names = {name.partition(".")[0] for name in sys.modules} - before
kinds = [
    kind
    for name, module in sys.modules.items() if name.startswith("tokaudit.")
    for kind in vars(module).values() if isinstance(kind, type) and hasattr(kind, "__dataclass_params__")
]
print(*(kind.__qualname__ for kind in kinds if kind.__dataclass_params__.init), file=sys.stderr)
print(len(kinds), file=sys.stderr)
print(*sorted(names), file=sys.stderr)
"""


@pytest.mark.parametrize("name", ["small.txt", "提示.md", "a.jsonl"])
def test_a_small_count_is_light(tmp_path, name):
    (tmp_path / name).write_text('{"system": "你好 naïve 😀"}\n' * 40, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", BESIDE_TYPER, "count", "--json", name],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    dataclasses, number, modules = done.stderr.decode().splitlines()
    found = {module for module in modules.split() if not module.startswith("_")}
    assert found <= {"tokaudit", "typer", "click"} | LIGHT
    assert dataclasses == ""  # records instead, which compile nothing when they are imported
    assert int(number) > 20


def test_a_table_imports_rich_but_no_engine(tmp_path):
    (tmp_path / "small.txt").write_text("你好\n", encoding="utf-8")
    names, _ = imported(tmp_path, "count", "small.txt")
    assert "rich" in names
    assert names & (set(HEAVY) - {"rich", "pygments", "markdown_it"}) == set()


def test_the_api_imports_no_command_line(tmp_path):
    program = "import tokaudit, sys; tokaudit.count('x', ['gpt-4o']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True, check=True
    )
    names = {name.partition(".")[0] for name in done.stdout.decode().split()}
    assert names & {*HEAVY, "typer", "click"} == set()
