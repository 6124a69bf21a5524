"""Packs of a version that is asked for: ``cn@1``, ``my.yaml@1.2``, ``cn@^1.2``."""

from __future__ import annotations

import pytest

from tokaudit.model.errors import RuleError
from tokaudit.store.pack_files import has_version
from tokaudit.store.packs import load_pack, load_packs

PACK = "schema: tokaudit.rules/1\npack: my\nversion: 1.2.3\ntitle: Mine\nextends: [{}]\nrules: []\n"


@pytest.mark.parametrize(
    ("pin", "holds"),
    [
        *(("1", True), ("1.2", True), ("1.2.3", True), ("2", False), ("1.3", False), ("1.2.4", False)),
        *(("^1", True), ("^1.2", True), ("^1.2.3", True), ("^1.3", False), ("^2", False), ("^0", False)),
    ],
)
def test_versions(pin, holds):
    assert has_version("1.2.3", pin) is holds
    assert has_version("1.2.3-rc.1", pin) is holds


@pytest.mark.parametrize("name", ["pdf@1", "pdf@1.0", "pdf@^1.0.0", "builtin:pdf@1", "pdf.yaml@1"])
def test_a_built_in_pack(name):
    (pack,) = load_packs([name], examples=False, check=False)
    assert (pack.name, pack.path) == ("pdf", "builtin:pdf")


def test_another_version_is_refused():
    with pytest.raises(RuleError, match=r"builtin:pdf is of version 1\.\d+\.\d+, and @7 was asked for") as caught:
        load_pack("pdf@7", examples=False, check=False)
    assert "the built-in packs are those of the installed tokaudit" in caught.value.hint
    with pytest.raises(RuleError, match="no pack is named 'pfd'"):
        load_pack("pfd@1")


def test_files_and_extends(tmp_path):
    (tmp_path / "my.yaml").write_text(PACK.format("base.yaml@1.2"))
    (tmp_path / "base.yaml").write_text(PACK.format(""))
    assert load_pack("my.yaml@1.2", base=tmp_path).extends[0].version == "1.2.3"
    with pytest.raises(RuleError, match=r"my\.yaml is of version 1\.2\.3, and @1\.3 was asked for"):
        load_pack("my.yaml@1.3", base=tmp_path)
    (tmp_path / "my.yaml").write_text(PACK.format("base.yaml@2"))
    with pytest.raises(RuleError, match="base"):
        load_pack("my.yaml", base=tmp_path)
    (tmp_path / "odd@2.yaml").write_text(PACK.format(""))
    assert load_pack("odd@2.yaml", base=tmp_path).name == "my"
