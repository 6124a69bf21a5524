"""``[window]`` in the configuration."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from tokaudit.features.budget.types import ASSIGNED, BANDS
from tokaudit.model import ConfigError
from tokaudit.store.config import config_schema, load_config
from tokaudit.store.window_keys import BANDED, ROLES, WindowConfig


def test_the_table(tmp_path):
    path = tmp_path / "tokaudit.toml"
    path.write_text('[window]\nsize = 8000\nbands = { system = "5-7.5%" }\nroles = { "a/*.md" = "system" }\n')
    assert load_config(path).window == WindowConfig(8000, {"system": (0.05, 0.075)}, {"a/*.md": "system"})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("5", "two shares"),
        ("10-5%", "two shares"),
        ("50-150%", "two shares"),
        (["5%"], "two shares"),
    ],
)
def test_no_bands(tmp_path, value, said):
    path = tmp_path / "tokaudit.toml"
    path.write_text(f"[window.bands]\nsystem = {value!r}\n")
    with pytest.raises(ConfigError, match=said):
        load_config(path)


@pytest.mark.parametrize("window", [{"size": 0}, {"roles": {"a": "b"}}, {"bands": {"x": "5-6%"}}, {"sise": 1}])
def test_the_schema_refuses_what_the_reader_does(window):
    assert not Draft202012Validator(config_schema()).is_valid({"window": window})


def test_the_parts_are_those_of_the_command():
    assert set(BANDED) == set(BANDS)
    assert ROLES == ASSIGNED
