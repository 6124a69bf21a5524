"""The pytest plugin: assertions on the tokens of prompts, which fail with an explanation.

``from tokaudit.pytest_plugin import assert_tokens, assert_no_growth``, or the fixtures of the same names. pytest loads
this module in every session of everybody who has the package installed, so that the rest of the package is imported
when an assertion is first used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, wraps
from os import PathLike
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import pytest

if TYPE_CHECKING:
    from tokaudit.model import Document, ModelColumn, Tokenizer
    from tokaudit.store.config import Config

__all__ = ["assert_no_growth", "assert_tokens"]

_Options = ParamSpec("_Options")
_Result = TypeVar("_Result")


def _without_traceback(assertion: Callable[_Options, _Result]) -> Callable[_Options, _Result]:
    """The same assertion; the inner traceback of its errors does not help the author of the test."""

    @wraps(assertion)
    def outer(*args: _Options.args, **kwargs: _Options.kwargs) -> _Result:
        __tracebackhide__ = True
        from tokaudit.model import TokauditError

        try:
            return assertion(*args, **kwargs)
        except (AssertionError, TokauditError) as error:
            raise error.with_traceback(None) from None

    return outer


@_without_traceback
def assert_tokens(
    text_or_path: str | PathLike[str],
    *,
    max: int | Mapping[str, int] | None = None,  # noqa: A002 - what a test reads best
    min: int | Mapping[str, int] | None = None,  # noqa: A002
    model: str | Sequence[str] | None = None,
    kind: str | None = None,
) -> dict[str, int]:
    """Assert that a prompt has at most, or at least, a number of tokens.

    Args:
        text_or_path: The text of a prompt, or the ``Path`` of a file. A file is measured as ``tokaudit check`` does.
        max: Most tokens, for every model, or for each: ``{"gpt-4o": 1000, "qwen3": 1200}``.
        min: Fewest tokens, likewise.
        model: For which models; else those that ``max`` and ``min`` name, else those configured, else the default ones.
        kind: Of a text: text, markdown, json, jsonl or code; an explanation divides it by that.

    Returns:
        Model to tokens.

    Raises:
        AssertionError: There are more, or fewer. The message names the largest parts, the densest lines, and the rules
            of ``tokaudit slim`` that would help.
        UsageError: No limit is given, or the text is the name of a file, which would pass any limit.
        InputError: The file does not exist or cannot be read.
        TokenizerError: A model is unknown or cannot be used.
    """
    from tokaudit.gate.measure import measured_document
    from tokaudit.model import plural
    from tokaudit.store.config import Config, configured

    most, fewest = _limits("max", max), _limits("min", min)
    names = _names(model, (most, fewest))
    config, _ = configured(Config(models=names))
    files = tuple(map(_file_of, config.models or ()))
    models, tokenizers = _loaded(config.models, files, bool(config.special), bool(config.download))
    _refuse_unasked({*most, *fewest}, [item.name for item in models])
    document = _document(text_or_path, kind, config, tokenizers)
    tokens = measured_document(document, tokenizers).tokens
    counts = {item.name: tokens[item.column] or 0 for item in models}
    wrong: list[str] = []
    over: ModelColumn | None = None
    for item in models:
        count = counts[item.name]
        limit, least = _limit(most, item.name), _limit(fewest, item.name)
        said = f"{document.path}: {item.marked(plural(count, 'token'))} of {item.name}"
        if limit is not None and count > limit:
            over = over or item
            share = f" ({(count - limit) / limit:.1%})" if limit else ""
            wrong.append(f"{said}, at most {limit:,}: {count - limit:,} over{share}")
        if least is not None and count < least:
            wrong.append(f"{said}, at least {least:,}: {least - count:,} too few")
    if over is not None:
        from tokaudit.gate.assertions import explained

        wrong += explained(document, over, tokenizers)
    if wrong:
        raise AssertionError("\n".join(wrong))
    return counts


@_without_traceback
def assert_no_growth(
    path: str | PathLike[str],
    *,
    max_growth: str | None = None,
    model: str | Sequence[str] | None = None,
    baseline: str | PathLike[str] | None = None,
    against: str | None = None,
) -> None:
    """Assert that a file, or each of a folder, has not grown since the baseline, or since a git revision.

    Args:
        path: The file or folder.
        max_growth: Growth allowed: ``5%``, or a number of tokens; else that of budgets and configuration, else none.
        model: For which models; else those configured, else the default ones.
        baseline: The baseline file; else the configured one, or ``tokaudit-baseline.json`` in the project's folder.
        against: A git revision instead.

    Raises:
        AssertionError: A file grew, or its growth is unknown: it is not in the baseline, or is there with other
            tokenizers.
        UsageError: There is no baseline.
        ConfigError: The configuration or the baseline is wrong.
        InputError: The path or revision does not exist.
        TokenizerError: A model is unknown or cannot be used.
    """
    from dataclasses import replace

    from tokaudit.gate.assertions import growth_lines
    from tokaudit.gate.policy import policy_of
    from tokaudit.gate.run import check_project
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.model import UsageError
    from tokaudit.store.config import Config, configured
    from tokaudit.store.growth_keys import parse_growth

    growth = None if max_growth is None else parse_growth(max_growth)
    config, file = configured(Config(models=_names(model, ()), max_growth=growth))
    policy = policy_of(
        config, file, against=against, baseline=None if baseline is None else os.fsdecode(os.fspath(baseline))
    )
    if against is None and not policy.baseline:
        raise UsageError("there is no baseline to compare with", hint="tokaudit baseline write records one")
    # The limit given here goes before budgets, and of budgets only growth counts.
    policy = replace(policy, budgets=() if growth is not None else policy.budgets, slim=(), cache=False)
    result = check_project([path], config.models, policy, reading_of(config))
    wrong = growth_lines(result, alone=not os.path.isdir(path))  # noqa: PTH112
    if wrong:
        raise AssertionError("\n".join(wrong))


@pytest.fixture(name="assert_tokens", scope="session")
def _assert_tokens() -> Callable[..., dict[str, int]]:
    """Assert that a prompt has at most, or at least, a number of tokens: ``assert_tokens(text_or_path, max=...)``."""
    return assert_tokens


@pytest.fixture(name="assert_no_growth", scope="session")
def _assert_no_growth() -> Callable[..., None]:
    """Assert that a file has not grown since the baseline: ``assert_no_growth(path, max_growth=...)``."""
    return assert_no_growth


def _limits(name: str, limit: int | Mapping[str, int] | None) -> Mapping[str, int]:
    """A limit as a mapping; the key ``*`` is for every model."""
    from tokaudit.model import UsageError
    from tokaudit.model.gates import ANY_MODEL

    limits = limit if isinstance(limit, Mapping) else {} if limit is None else {ANY_MODEL: limit}
    for value in limits.values():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise UsageError(f"{name}={value!r} is no number of tokens", hint="give a whole number, such as 1200")
    return limits


def _limit(limits: Mapping[str, int], model: str) -> int | None:
    from tokaudit.model.gates import ANY_MODEL

    return limits.get(model, limits.get(ANY_MODEL))


def _names(model: str | Sequence[str] | None, limits: Sequence[Mapping[str, int]]) -> tuple[str, ...] | None:
    """The models that are asked for; None where none is named."""
    from tokaudit.model.gates import ANY_MODEL

    if model is not None:
        return (model,) if isinstance(model, str) else tuple(model)
    return tuple(dict.fromkeys(name for one in limits for name in one if name != ANY_MODEL)) or None


def _refuse_unasked(limited: Collection[str], models: Sequence[str]) -> None:
    """Refuse limits that could never fail: none, or one of a model that is not counted for."""
    from tokaudit.model import UsageError
    from tokaudit.model.gates import ANY_MODEL

    if not limited:
        raise UsageError("no limit is given", hint="give max, min or both, as in max=1200")
    unasked = sorted({*limited} - {ANY_MODEL, *models})
    if unasked:
        raise UsageError(f"a limit for {', '.join(unasked)}, which is not counted", hint="name it in model too")


_File = tuple[str, int, int]


def _file_of(model: str) -> tuple[_File, ...]:
    """The identity of a file that a name is the path of: its location, time of change and size.

    The same relative path is another file in another folder. The files in a folder are part of it.
    """
    path = model if os.path.lexists(model) else model.rpartition(":")[0]  # with a pattern behind it
    if not path or not os.path.exists(path):  # noqa: PTH110 - pathlib is needed nowhere else
        return ()
    real = os.path.realpath(path)
    found: list[_File] = []
    with suppress(OSError):  # loading it says why
        inside = sorted(os.listdir(real)) if os.path.isdir(real) else []  # noqa: PTH112, PTH208
        for name in (real, *(os.path.join(real, name) for name in inside)):  # noqa: PTH118
            about = os.stat(name)  # noqa: PTH116
            found.append((name, about.st_mtime_ns, about.st_size))
    return tuple(found)


@lru_cache(maxsize=8)
def _loaded(
    names: tuple[str, ...] | None, files: tuple[tuple[_File, ...], ...], special: bool, download: bool
) -> tuple[Sequence[ModelColumn], Sequence[Tokenizer]]:
    """Models and their tokenizers, loaded once for all assertions.

    Args:
        names: Of the models.
        files: ``_file_of`` of each name, so that no other file of the same name is taken for it.
        special: As in ``load_models``.
        download: As in ``load_models``.
    """
    from tokaudit.jobs.inputs import load_models

    del files
    return load_models(names, special=special, download=download)


def _document(
    text_or_path: str | PathLike[str], kind: str | None, config: Config, tokenizers: Sequence[Tokenizer]
) -> Document:
    from tokaudit.gate.measure import LineEnds, Measurer, ReadOptions
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.model import InputError, UsageError
    from tokaudit.sources import load

    if isinstance(text_or_path, str):
        if kind is None and _names_file(text_or_path):
            raise UsageError(
                f"the text {text_or_path!r} is the name of a file",
                hint=f"for the file: Path({text_or_path!r}); for these words themselves: kind='text'",
            )
        return load(text_or_path, "<text>", kind=kind or "text")
    path = os.fsdecode(os.fspath(text_or_path))
    if kind is not None:
        raise UsageError("kind is for a text; a file has the kind of its name", hint="leave it out")
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - any path-like
            data = stream.read()
    except OSError as error:
        raise InputError(
            error.strerror or str(error), what=path, hint="relative paths begin in the working folder"
        ) from error
    line_ends: LineEnds = "keep" if config.line_ends == "keep" else "lf"
    options = ReadOptions(config.charset, bool(config.special), line_ends, reading_of(config).pdf())
    return Measurer(tokenizers, options).document(data, path.replace(os.sep, "/"))


def _names_file(text: str) -> bool:
    """True for a text that is a file here, or is written like the path of one."""
    import re

    from tokaudit.sources.kinds import kind_of

    if not text or len(text) > 255 or "\n" in text:
        return False
    if re.fullmatch(r"[^\s:]*[^\s:/\\]\.[A-Za-z0-9]{1,10}", text):
        known = kind_of(text, ask_pygments=False) != "text" or text.lower().endswith((".txt", ".prompt"))
        if known or "/" in text or "\\" in text:
            return True
    try:
        return os.path.isfile(text)  # noqa: PTH113 - pathlib is needed nowhere else
    except (OSError, ValueError):
        return False
