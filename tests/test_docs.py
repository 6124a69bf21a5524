"""READMEs and pages of docs/ show what the commands print, in both languages.

Every ``console`` block is run from the repository's root, at 80 columns, and compared literally. A block may hold
several commands, each on a line that begins with ``$ ``, after a ``cd`` into another folder; a line ``...`` in an
output stands for any lines. A command that several pages show runs once. ``python tests/test_docs.py`` writes the
outputs anew, except those with ``...``.
"""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import sys
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/tokaudit"
READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
PAGES = [*READMES, *sorted(ROOT.glob("docs/*.md"))]
"""What is checked; docs/adr has no output that anybody relies on."""
PAIRS = [READMES, *((page.with_suffix("").with_suffix(".md"), page) for page in PAGES if page.name.endswith(".zh.md"))]
"""Pages that exist in both languages, English first."""
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HELP_OF = (ROOT / "tests/golden/help-count/only").read_text(encoding="utf-8").split()
"""The package, and its version, whose layout of ``--help`` the pages show."""
README_BYTES = 12_000


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


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


def ran(arguments: list[str], folder: Path, stdin: str = "") -> tuple[int, list[str]]:
    """The exit code of a command and the lines that it prints on both streams, as in a terminal of 80 columns."""
    from in_process import run_here

    result = run_here(arguments, folder, {"PYTHONUTF8": "1", "COLUMNS": "80"}, stdin.encode(), merged=True)
    return result.returncode, result.stdout.decode("utf-8").splitlines()


@cache
def printed(command: str, folder: str) -> list[str]:
    """The lines that a command prints in a folder of the repository."""
    name, *arguments = shlex.split(command)
    assert name == "tokaudit", command
    return ran(arguments, ROOT / folder)[1]


def pattern_of(lines: list[str]) -> str:
    """A regular expression for an output with ``...`` in it."""
    return "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines)


SHOWN: dict[tuple[str, str], list[tuple[str, list[str]]]] = {}
"""Commands by themselves and their folders: the pages that show them, with the lines there."""
for _page in PAGES:
    for _block in blocks(text_of(_page), "console"):
        for _command, _folder, _lines in commands(_block):
            SHOWN.setdefault((_command, _folder), []).append((name_of(_page), _lines))


@pytest.mark.parametrize(("command", "folder"), SHOWN, ids=[command for command, _ in SHOWN])
def test_output(command: str, folder: str) -> None:
    package, wanted = _HELP_OF
    if "--help" in command and not f"{version(package)}.".startswith(f"{wanted}."):
        pytest.skip(f"the layout is that of {package} {wanted}")
    found = printed(command, folder)
    assert found, "prints nothing"
    for page, lines in SHOWN[command, folder]:
        if "..." in lines:
            assert re.fullmatch(pattern_of(lines), "".join(f"{line}\n" for line in found)), "\n".join([page, *found])
        else:
            assert found == lines, page


SCRIPTS = [page for page in PAGES if page not in READMES and blocks(text_of(page), "sh") and page.stem != "ci"]
"""Pages with commands that write files; tests/ci runs those of docs/ci.md."""


@pytest.mark.parametrize("page", [page for page in SCRIPTS if not page.name.endswith(".zh.md")], ids=name_of)
def test_commands_without_output(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/system.md").write_text("# Shop\n\nAnswer briefly.\n", encoding="utf-8")
    setup = ["tokaudit baseline write prompts/"] if page.stem == "baseline" else []
    lines = [*setup, *(line for block in blocks(text_of(page), "sh") for line in block.splitlines())]
    done = 0
    for line in lines:
        first, pipe, last = line.partition(" | ")
        words = shlex.split(last if pipe else first, comments=True)
        if words[0] != "tokaudit":
            assert words[0] in ("git", "python"), line
            continue
        stdin = shlex.split(first)[1].encode().decode("unicode_escape") if pipe else ""
        code, shown = ran(words[1:], tmp_path, stdin)
        assert code == 0, shown
        done += 1
    assert done > len(setup)


@pytest.mark.parametrize("page", SCRIPTS, ids=name_of)
def test_both_languages_have_the_same_commands(page: Path) -> None:
    english, _ = next(pair for pair in PAIRS if page in pair)
    assert _without_comments(page) == _without_comments(english)


def _without_comments(page: Path) -> list[list[str]]:
    lines = [line for block in blocks(text_of(page), "sh") for line in block.splitlines()]
    return [re.sub(r"克隆目录的路径", "/path/to/clone", line).split("#")[0].split() for line in lines]


def test_the_budgets_of_the_page_are_those_of_the_sample() -> None:
    sample = tomllib.loads(text_of(ROOT / "samples/prompts/tokaudit.toml"))["budget"]
    for page in (ROOT / "docs/check.md", ROOT / "docs/check.zh.md"):
        (block,) = blocks(text_of(page), "toml")
        assert [budget for budget in tomllib.loads(block)["budget"] if budget not in sample] == []


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in text_of(page)], ids=name_of)
def test_python(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = [block for block in blocks(text_of(page), "python") if ">>> " in block]
    assert examples
    for number, block in enumerate(examples, 1):
        example = doctest.DocTestParser().get_doctest(block, {}, f"{page.name} {number}", str(page), 0)
        doctest.DebugRunner().run(example)


@pytest.mark.parametrize("page", [ROOT / "docs/config.md", ROOT / "docs/config.zh.md"], ids=name_of)
def test_configuration_shows_every_key(page: Path, tmp_path: Path) -> None:
    from dataclasses import asdict

    from tokaudit.store.config import DEFAULT_MODELS, load_config

    path = tmp_path / "tokaudit.toml"
    path.write_text(blocks(text_of(page), "toml")[0], encoding="utf-8")
    config = load_config(path)
    assert [key for key, value in asdict(config).items() if value is None] == []
    assert config.models == DEFAULT_MODELS


def test_two_commands_come_first_and_ci_runs_the_second() -> None:
    english, chinese = map(text_of, READMES)
    for readme in (english, chinese):
        languages = [name for name, _ in _FENCE.findall(readme)]
        assert languages[:2] == ["sh", "sh"]
        assert languages.count("sh") == 2
    assert blocks(english, "sh") == blocks(chinese, "sh")
    _, tests = blocks(english, "sh")
    assert f"\n{tests}" in text_of(ROOT / ".ci/run")


@pytest.mark.parametrize("readme", READMES, ids=name_of)
def test_readmes_are_short(readme: Path) -> None:
    assert readme.stat().st_size <= README_BYTES


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=[name_of(english) for english, _ in PAIRS])
def test_both_languages_show_the_same(english: Path, chinese: Path) -> None:
    texts = text_of(english), text_of(chinese)
    assert blocks(texts[1], "console") == blocks(texts[0], "console")
    assert [name for name, _ in _FENCE.findall(texts[1])] == [name for name, _ in _FENCE.findall(texts[0])]
    levels = [re.findall(r"^#+(?= )", _FENCE.sub("", text), re.MULTILINE) for text in texts]
    assert levels[0] == levels[1]
    rows = [len(re.findall(r"^\|", _FENCE.sub("", text), re.MULTILINE)) for text in texts]
    assert rows[0] == rows[1]


def test_the_pack_of_the_page_works(tmp_path: Path) -> None:
    (tmp_path / "mail.yaml").write_text(blocks(text_of(ROOT / "docs/packs.md"), "yaml")[0], encoding="utf-8")
    _, (said,) = ran(["rules", "test", "mail.yaml"], tmp_path)
    assert said == "2 examples of 1 rule in 1 pack: all as they should be"


def test_every_key_of_our_packs_is_documented() -> None:
    pages = text_of(ROOT / "docs/packs.md"), text_of(ROOT / "docs/ops.md")
    documented = {
        key for page in pages for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for key in _named(row)
    }
    used = set()
    for path in ROOT.glob("rules/*.yaml"):
        pack = yaml.safe_load(path.read_text(encoding="utf-8"))
        used |= {*pack, *(key for rule in pack["rules"] for key in rule)}
    assert sorted(used - documented) == []


def _named(row: str) -> list[str]:
    return re.findall(r"`(\w+)`", row)


DEVELOPERS = [ROOT / "CONTRIBUTING.md", ROOT / "docs/architecture.md", ROOT / "docs/glossary.md"]


@pytest.mark.parametrize("page", DEVELOPERS, ids=name_of)
def test_files_and_names_for_developers_exist(page: Path) -> None:
    text = _FENCE.sub("", text_of(page))
    wrong = []
    for path in re.findall(r"`([\w./-]+\.(?:py|json|yaml|bin|toml))`", text):
        named = not path[0].isupper() and "NAME" not in path and "KIND" not in path and "/X" not in path
        if named and not any(
            (folder / path).exists()
            for folder in (ROOT, PACKAGE, PACKAGE / "pipeline", PACKAGE / "sources", PACKAGE / "tokenizers")
        ):
            wrong.append(path)
    for name, path in re.findall(r"`(\w+)`(?:, `\w+`)* (?:of|in|from|\|) `([\w./]+\.py)`", text):
        source = next((folder / path for folder in (ROOT, PACKAGE) if (folder / path).is_file()), None)
        if source is None or not re.search(rf"\b{name}\b", text_of(source)):
            wrong.append(f"{name} of {path}")
    assert wrong == []


DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("rules/*.md")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
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
    sys.path.insert(0, str(ROOT / "tests/support"))
    for file in PAGES:
        before = text_of(file)
        after = _FENCE.sub(
            lambda match: f"```console\n{rewritten(match[2])}```" if match[1] == "console" else match[0], before
        )
        if after != before:
            file.write_text(after, encoding="utf-8", newline="\n")
