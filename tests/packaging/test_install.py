"""What an installation consists of: metadata, data files, and a command that runs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distribution, entry_points
from importlib.resources import files

import pytest

import tokaudit

VOCABULARIES = "tokenizers/vocabularies"
MANIFEST = json.loads(files("tokaudit").joinpath(f"{VOCABULARIES}/manifest.json").read_text(encoding="utf-8"))


def test_version_is_the_package_s() -> None:
    assert distribution("tokaudit").version == tokaudit.__version__


def test_entry_point_is_the_command() -> None:
    from tokaudit.cli.start import run

    (found,) = entry_points(group="console_scripts", name="tokaudit")
    assert found.load() is run


@pytest.mark.parametrize("extra", ["more", "claude", "test", "dev"])
def test_extras_are_declared(extra: str) -> None:
    assert extra in (distribution("tokaudit").metadata.get_all("Provides-Extra") or [])


def test_licence_files_are_declared() -> None:
    declared = distribution("tokaudit").metadata.get_all("License-File") or []
    assert {name.rpartition("/")[2] for name in declared} == {"LICENSE", "NOTICE", "LICENSE-APACHE-2.0"}


@pytest.mark.parametrize(
    "name",
    [
        "py.typed",
        "schemas/report.schema.json",
        "schemas/config.schema.json",
        "tokenizers/catalog.json",
        "tokenizers/external.json",
        "sources/alphabets.json",
        "sources/file_names.txt",
        "sources/frequent.json",
        "store/pack_start.yaml",
        "tokenizers/unicode.bin",
        f"{VOCABULARIES}/NOTICE",
    ],
)
def test_data_is_installed(name: str) -> None:
    assert files("tokaudit").joinpath(name).is_file()


@pytest.mark.parametrize(("name", "entry"), MANIFEST["vocabularies"].items(), ids=list(MANIFEST["vocabularies"]))
def test_vocabulary_is_installed_with_its_notice(name: str, entry: dict[str, object]) -> None:
    form = entry["format"]
    if form == "alias":
        name = str(entry["table"])
    path = f"{name}.model" if form == "sentencepiece" else f"tables/{name}.table"
    assert files("tokaudit").joinpath(f"{VOCABULARIES}/{path}").is_file()
    notice = files("tokaudit").joinpath(f"{VOCABULARIES}/NOTICE").read_text(encoding="utf-8")
    assert f"\n{name} (" in notice
    assert str(entry["sha256"]) in notice


def test_module_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokaudit", "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == f"tokaudit {tokaudit.__version__}\n"
    assert done.stderr == ""
