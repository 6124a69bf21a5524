"""Errors: messages, codes, and that they survive the way between processes."""

import pickle
from pathlib import Path
from typing import get_args

import pytest

from tokaudit.model import ConfigError, InputError, Skipped
from tokaudit.model.errors import CODES, COUNTED, NOTES, USUAL_HINTS, Code


def test_every_code_has_a_meaning_and_is_documented():
    assert list(CODES) == sorted(get_args(Code))
    assert set(CODES) >= COUNTED
    lines = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line in {f"| `{code}` | {meaning} |" for code, meaning in CODES.items()}] == [
        f"| `{code}` | {meaning} |" for code, meaning in CODES.items()
    ]


@pytest.mark.parametrize(
    "error",
    [
        InputError("binary file", what="图.png", code="binary", hint="convert it"),
        InputError("gone"),
        ConfigError("unknown key", hint="remove it", path="tokaudit.toml", line=3, column=1),
    ],
)
def test_an_error_comes_whole_out_of_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert again.code == error.code


def test_what_is_skipped_for_an_error_names_it_once_and_is_that_error_again():
    error = InputError("binary file", what="a.png", code="binary")
    skipped = Skipped.by(error, "a.png")
    assert (skipped.what, skipped.reason, skipped.code) == ("a.png", "binary file", "binary")
    assert (skipped.error().message, skipped.error(hint="look").hint) == ("a.png: binary file", "look")
    assert Skipped.by(error, "b.zip").reason == "a.png: binary file"


def test_there_is_always_something_to_do():
    only_listed = {"excluded", "no-places", "not-read", "page"}  # never errors
    assert set(CODES) - set(USUAL_HINTS) == NOTES | only_listed
    for code in CODES:
        assert InputError("gone", code=code).advice
    assert InputError("gone", hint="come back").advice == "come back"
