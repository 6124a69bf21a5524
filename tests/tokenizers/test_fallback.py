"""What counts without the native core; that it gives the reference's tokens is shown in ``tests/equivalence``."""

from __future__ import annotations

import pytest

from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.fallback import FallbackEngine
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.table import Table


@pytest.mark.parametrize("before", ["", "a b " * 600_000], ids=["Python", "reference"])
def test_lone_surrogates_are_refused_by_both(before: str) -> None:
    entry = manifest()["r50k_base"]
    table = Table(table_path("r50k_base"))
    engine = FallbackEngine("r50k_base", table, Pattern(entry["pattern"]), entry["pattern_regex"])
    if before:
        engine.count(before)
        assert engine._reference is not None
    for call in (engine.count, engine.encoding):
        with pytest.raises(UnicodeEncodeError):
            call("a\ud800b")
