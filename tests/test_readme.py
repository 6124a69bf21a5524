"""What the README shows is what the installed command prints, in both languages.

Every ``console`` block is run in the repository's root, at 80 columns, and compared literally. A block may hold several
commands, each on a line that begins with ``$ ``, after a ``cd`` in another folder; a line ``...`` in an output stands
for any lines. ``python tests/test_readme.py`` writes the outputs anew, but for those with ``...``.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HELP_OF = (ROOT / "tests/golden/help-count/only").read_text(encoding="utf-8").split()
"""The package, and its version, whose layout of ``--help`` the README shows."""


def text_of(readme: Path) -> str:
    return readme.read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [body for name, body in _FENCE.findall(text) if name == language]


def commands(block: str) -> list[tuple[str, str, list[str]]]:
    """The commands of a console block, each with its folder and the lines that it prints."""
    found: list[tuple[str, str, list[str]]] = []
    folder = "."
    for line in block.splitlines():
        if line.startswith("$ cd "):
            folder = line[5:]
        elif line.startswith("$ "):
            found.append((line[2:], folder, []))
        else:
            found[-1][2].append(line)
    return found


def printed(command: str, folder: str) -> list[str]:
    """What a command prints on both streams, as in a terminal, at 80 columns."""
    name, *arguments = shlex.split(command)
    assert name == "tokaudit", command
    script = shutil.which("tokaudit", path=str(Path(sys.executable).parent))
    program = [script] if script else [sys.executable, "-m", "tokaudit"]
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "HOME") if key in os.environ}
    done = subprocess.run(
        [*program, *arguments],
        cwd=ROOT / folder,
        env=kept | {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.stdout.decode("utf-8").splitlines()


def pattern_of(lines: list[str]) -> str:
    """A regular expression for an output with ``...`` in it."""
    return "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines)


SHOWN = [pair for block in blocks(text_of(ENGLISH), "console") for pair in commands(block)]


@pytest.mark.parametrize(("command", "folder", "lines"), SHOWN, ids=[command for command, _, _ in SHOWN])
def test_output(command: str, folder: str, lines: list[str]) -> None:
    package, wanted = _HELP_OF
    if "--help" in command and not f"{version(package)}.".startswith(f"{wanted}."):
        pytest.skip(f"the layout is that of {package} {wanted}")
    found = printed(command, folder)
    if "..." in lines:
        assert re.fullmatch(pattern_of(lines), "".join(f"{line}\n" for line in found)), "\n".join(found)
    else:
        assert found == lines


@pytest.mark.parametrize("readme", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_python(readme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for number, block in enumerate(blocks(text_of(readme), "python"), 1):
        example = doctest.DocTestParser().get_doctest(block, {}, f"{readme.name} {number}", str(readme), 0)
        assert example.examples
        doctest.DebugRunner().run(example)


@pytest.mark.parametrize("readme", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_configuration_shows_every_key(readme: Path, tmp_path: Path) -> None:
    from dataclasses import asdict

    from tokaudit.store.config import DEFAULT_MODELS, load_config

    (block,) = blocks(text_of(readme), "toml")
    path = tmp_path / "tokaudit.toml"
    path.write_text(block, encoding="utf-8")
    config = load_config(path)
    assert [key for key, value in asdict(config).items() if value is None] == []
    assert config.models == DEFAULT_MODELS


def test_two_commands_come_first_and_ci_runs_the_second() -> None:
    for readme in (ENGLISH, CHINESE):
        languages = [name for name, _ in _FENCE.findall(text_of(readme))]
        assert languages[:2] == ["sh", "sh"]
        assert languages.count("sh") == 2
    assert blocks(text_of(ENGLISH), "sh") == blocks(text_of(CHINESE), "sh")
    _, tests = blocks(text_of(ENGLISH), "sh")
    assert f"\n{tests}" in text_of(ROOT / ".ci/run")


def test_both_languages_show_the_same() -> None:
    english, chinese = text_of(ENGLISH), text_of(CHINESE)
    assert blocks(chinese, "console") == blocks(english, "console")
    levels = [re.findall(r"^#+(?= )", _FENCE.sub("", text), re.MULTILINE) for text in (english, chinese)]
    assert levels[0] == levels[1]


DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("rules/*.md")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=[path.relative_to(ROOT).as_posix() for path in DOCUMENTS])
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", _CODE.sub("", _FENCE.sub("", text_of(document))))
    local = [target for target in targets if not target.startswith(("http:", "https:", "mailto:"))]
    assert [target for target in local if not (document.parent / target).exists()] == []


def rewritten(block: str) -> str:
    """A console block with what its commands print now."""
    lines = []
    last = "."
    for command, folder, shown in commands(block):
        lines += [f"$ cd {folder}"] if folder != last else []
        lines += [f"$ {command}", *(shown if "..." in shown else printed(command, folder))]
        last = folder
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    for file in (ENGLISH, CHINESE):
        new = _FENCE.sub(
            lambda match: f"```console\n{rewritten(match[2])}```" if match[1] == "console" else match[0], text_of(file)
        )
        file.write_text(new, encoding="utf-8", newline="\n")
