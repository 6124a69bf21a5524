"""Leaves out of a second run of the tests, without the native core, what gives the same with it.

That is every file of which no test asks whether there is a core, uses a tokenizer that may run on it, or starts a
process, and which has neither ``NATIVE`` nor ``engine_name`` in it. It is no list that somebody keeps: with
``TOKAUDIT_ENGINE_USE=FILE`` a run of all tests notes what each file does, and a run with ``TOKAUDIT_NATIVE=0`` besides
leaves out the files that are known to do none of it, and says so. It also leaves out files that say ``ALL_ENGINES``:
their tests compare every engine with the reference, so that the run with the core has what the other one would have.
"""

from __future__ import annotations

import functools
import json
import multiprocessing.process
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NOTED = "engine_use"
VARIABLE = "TOKAUDIT_ENGINE_USE"


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


class EngineUse:
    """The plugin: notes what files do, or leaves out those that do nothing of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._second = os.environ.get("TOKAUDIT_NATIVE") == "0"
        self._is_used = False
        self._files: dict[str, bool] = {}
        self._left_out: dict[str, int] = {}
        if self._second:
            self._files = json.loads(path.read_text("utf-8"))
        else:
            self._watch()

    def _watch(self) -> None:
        from tokaudit.sources import native as records
        from tokaudit.tokenizers import native
        from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer

        for owner in (native, records):
            self._note(owner, "_module")
        for name in ("__init__", "count", "encoding"):
            self._note(ByteBpeTokenizer, name)
        self._note(subprocess.Popen, "__init__")
        self._note(multiprocessing.process.BaseProcess, "start")
        for name in {"fork", "posix_spawn"} & {*dir(os)}:
            self._note(os, name)

    def _note(self, owner: Any, name: str) -> None:
        call: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(call)
        def noted(*arguments: Any, **named: Any) -> Any:
            self._is_used = True
            return call(*arguments, **named)

        if hasattr(call, "cache_clear"):
            noted.cache_clear = call.cache_clear  # type: ignore[attr-defined]
        setattr(owner, name, noted)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """In the second run: leave out. Other processes leave out the same, since they have the same file."""
        if not self._second:
            return
        out = [item for item in items if not self._files.get(_file(item.nodeid), True)]
        for item in out:
            self._left_out[_file(item.nodeid)] = self._left_out.get(_file(item.nodeid), 0) + 1
        if out:
            items[:] = [item for item in items if self._files.get(_file(item.nodeid), True)]
            config.hook.pytest_deselected(items=out)

    def pytest_collection_finish(self) -> None:
        """Forget what imports of modules did: that is the same for all files."""
        self._is_used = False

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        """Send with each report whether something was used up to then; what a file's fixtures do counts too."""
        names = {*dir(getattr(item, "module", None))}
        if "ALL_ENGINES" not in names and (self._is_used or {"NATIVE", "engine_name"} & names):
            item.user_properties.append((NOTED, True))
        self._is_used = False
        yield

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the first run: gather what all processes sent."""
        if self._second:
            return
        name = _file(report.nodeid)
        used = any(key == NOTED for key, _ in report.user_properties)
        self._files[name] = self._files.get(name, False) or used

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In the first run: write what was noted."""
        if not self._second and not hasattr(session.config, "workerinput"):
            self._path.write_text(json.dumps(self._files, indent=1), "utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name what is left out; where processes collect the tests, the files that would be."""
        if self._second:
            names = sorted(name for name, used in self._files.items() if not used)
            terminalreporter.write_line(
                f"left out, as nothing of them depends on the core: {', '.join(names) or 'none'}"
            )


def pytest_configure(config: pytest.Config) -> None:
    """Do it where the variable asks for it."""
    if path := os.environ.get(VARIABLE):
        config.pluginmanager.register(EngineUse(Path(path)))
