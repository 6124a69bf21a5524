"""Build hook: the native core, the tables and automata that it and the fallback read; packs, prices and templates.

It does so for wheels and editable installs, when the package is built, so that no first use ever pays for it or needs a
writable installation. What is built stays in the source tree for the next build; a tree that cannot be written is left
as it is. The core is compiled where there is a compiler; without one the package is a pure one and counts the same.
``TOKAUDIT_NATIVE=0`` in the environment builds without it, ``TOKAUDIT_NATIVE=1`` not without it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import sysconfig
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENIZERS = Path("src/tokaudit/tokenizers")
VOCABULARIES = TOKENIZERS / "vocabularies"
TEMPLATES = TOKENIZERS / "templates"
PROGRAMS = TEMPLATES / "programs"
EXTENSIONS = (
    (TOKENIZERS / "native", "_core", "Engine"),
    (Path("src/tokaudit/sources/native"), "_records", "scan"),
)
"""Of each extension module in C: its folder, its name, and something that is in it."""
RULES = Path("src/tokaudit/rules")
STORE = Path("src/tokaudit/store")
ABI = "cp311-abi3"
"""The stable ABI of 3.11, the first that has buffers in it, and of all later versions."""


class TokauditBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Writes what is built into the source tree, or where that is read-only beside it, and has it packed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing or older than what it is made of."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        out = self._folder_of_what_is_built(root, version)
        with _importable(root / "src"):
            self._build_tables(root, out)
            self._build_packs(out)
            self._build_prices(out)
            self._build_programs(root, out)
        extensions = self._build_extensions(root, out)
        if out == root:
            made = (VOCABULARIES / "tables" / "*", RULES / "*.json", STORE / "prices.json", PROGRAMS / "t_*.py")
            build_data["artifacts"] += [*map(str, made), *(str(path.relative_to(root)) for path in extensions)]
        else:
            files = [*(out / VOCABULARIES / "tables").glob("*"), *(out / RULES).glob("*.json"), *extensions]
            files += [out / STORE / "prices.json", *(out / PROGRAMS).glob("t_*.py")]
            build_data["force_include"] |= {str(path): str(path.relative_to(out / "src")) for path in files}
        for pack in sorted((root / "rules").glob("*.yaml")):
            build_data["force_include"][str(pack)] = f"tokaudit/rules/{pack.name}"
        if extensions:
            build_data["pure_python"] = False
            build_data["tag"] = f"{ABI}-{_platform()}"

    def _folder_of_what_is_built(self, root: Path, version: str) -> Path:
        """The source tree; where that cannot be written, a folder that is there until the build ends."""
        import tempfile  # noqa: PLC0415

        try:
            for folder in (VOCABULARIES, RULES.parent, STORE, TEMPLATES, *(folder for folder, _, _ in EXTENSIONS)):
                with tempfile.TemporaryFile(dir=root / folder):
                    pass
        except OSError as error:
            if version == "editable":
                raise OSError(f"an editable installation builds into its source tree: {error}") from error
        else:
            return root
        out = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, out, ignore_errors=True)
        for folder, _, _ in EXTENSIONS:
            (out / folder).mkdir(parents=True)
        tables = VOCABULARIES / "tables"
        if (root / tables).is_dir():  # what is new of them is not built again
            shutil.copytree(root / tables, out / tables, copy_function=shutil.copy2)
            for path in (out / tables, *(out / tables).iterdir()):
                path.chmod(0o755 if path.is_dir() else 0o644)
        return out

    def _build_packs(self, out: Path) -> None:
        """The compiled packs of the rule packs (``store/pack_compiler.py``), by the code of this very tree."""
        from tokaudit.store.pack_compiler import compile_packs  # noqa: PLC0415 - of the tree

        compile_packs(out / RULES)

    def _build_prices(self, out: Path) -> None:
        """The price table as JSON (``store/prices.py``)."""
        from tokaudit.store.prices import compile_prices  # noqa: PLC0415 - of the tree

        (out / STORE).mkdir(parents=True, exist_ok=True)
        compile_prices(out / STORE)

    def _build_programs(self, root: Path, out: Path) -> None:
        """The programs of the chat templates (``templates/compiler.py``), so that no run imports jinja2 for them."""
        from tokaudit.tokenizers.templates.programs import build_programs  # noqa: PLC0415 - of the tree

        folder = root / TEMPLATES
        rows = json.loads((folder / "manifest.json").read_text("utf-8"))["templates"]
        (out / PROGRAMS).mkdir(parents=True, exist_ok=True)
        build_programs(folder / "jinja", rows, out / PROGRAMS)

    def _build_tables(self, root: Path, out: Path) -> None:
        """The tables of the vocabularies (``table.py``), the automata and classes of characters (``patterns.py``)."""
        from tokaudit.tokenizers import patterns, table  # noqa: PLC0415 - of the tree

        folder = root / VOCABULARIES
        tables = out / VOCABULARIES / "tables"
        tables.mkdir(parents=True, exist_ok=True)
        manifest_file = folder / "manifest.json"
        manifest = json.loads(manifest_file.read_text("utf-8"))["vocabularies"]
        sources = [root / TOKENIZERS / name for name in ("patterns.py", "unicode_classes.py", "unicode.bin")]
        if not _is_new(tables / "classes.bin", [*sources, manifest_file]):
            for name, text in {entry["pattern"]: entry for entry in manifest.values() if "pattern" in entry}.items():
                tree = patterns.parse(patterns.text_of(name, text["pattern_regex"]))
                _write(tables / f"{name}.automaton", patterns.Automaton(tree).pack())
                _write(tables / f"{name}.re", patterns.to_re(tree).encode())
            _write(tables / "classes.bin", patterns.class_table())
        for name, entry in manifest.items():
            packed, target = folder / f"{name}.ranks.xz", tables / f"{name}.table"
            if entry["format"] != "ranks":
                continue
            if _is_new(target, [packed, Path(table.__file__)]) and target.read_bytes().startswith(table.MAGIC):
                continue  # the magic too, for a copy of a tree or an older commit may have new times
            built = table.build_table(*table.unpack_ranks(packed.read_bytes()))
            _write(target, table.marked_made(built) if entry["all_made"] else built)

    def _build_extensions(self, root: Path, out: Path) -> list[Path]:
        """The compiled extensions, all of them; none, with a warning, where they cannot be compiled."""
        wanted = os.environ.get("TOKAUDIT_NATIVE", "")
        try:
            for folder, name, _ in EXTENSIONS:
                for old in (out / folder).glob(f"{name}.*"):  # in use, on Windows, it stays, and the warning says so
                    old.unlink()
            if wanted == "0" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.implementation.name != "cpython":
                return []
            return [_compiled(root / folder, out / folder, name, member) for folder, name, member in EXTENSIONS]
        except Exception as error:  # whatever is wrong with a compiler
            if wanted == "1":
                raise
            self.app.display_warning(f"without the native core, which cannot be compiled here: {_reason(error)}")
            return []


def _compiled(folder: Path, into: Path, name: str, member: str) -> Path:
    """Compile an extension with the system's compiler, as setuptools finds it. Raises what setuptools raises."""
    import tempfile  # noqa: PLC0415

    from setuptools import Distribution, Extension  # noqa: PLC0415 - needed for this only
    from setuptools.command.build_ext import build_ext  # noqa: PLC0415

    options = ["/O2", "/std:c11"] if os.name == "nt" else ["-O3", "-g0", "-std=c11", "-fvisibility=hidden"]
    depends = [str(header) for header in sorted(folder.glob("*.h"))]
    module = ".".join([*folder.parts[-3:], name])  # tokaudit, its part, native
    sources = [str(folder / "module.c")]
    core = Extension(module, sources, depends=depends, extra_compile_args=options, py_limited_api=True)
    with tempfile.TemporaryDirectory() as work:
        command = build_ext(Distribution({"name": "tokaudit", "ext_modules": [core]}))
        command.build_lib = command.build_temp = work
        command.ensure_finalized()
        command.run()
        built = next((path for path in Path(work).rglob(f"{name}.*") if path.suffix in {".so", ".pyd"}), None)
        data = built.read_bytes() if built is not None else b""
        if built is None or not data:  # a compiler that says nothing and does nothing
            raise OSError("the compiler has written nothing")
        _check_it_loads(built, name, member)
        target = into / built.name
        _write(target, data)
    return target


def _reason(error: BaseException) -> str:
    """One short line: which program failed, not with what options; what it said itself stands before."""
    import subprocess  # noqa: PLC0415

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, subprocess.CalledProcessError):
            name = cause.cmd if isinstance(cause.cmd, str) else cause.cmd[0]
            return f"{name} failed with exit code {cause.returncode}"
        cause = cause.__cause__ or cause.__context__
    return next(iter(str(error).splitlines()), type(error).__name__)


def _check_it_loads(built: Path, name: str, member: str) -> None:
    """Import an extension in a process of its own, unless it is made for another machine. Raises OSError."""
    import subprocess  # noqa: PLC0415

    if os.environ.get("_PYTHON_HOST_PLATFORM") or os.environ.get("ARCHFLAGS"):
        return
    code = f"import sys; sys.path.insert(0, sys.argv[1]); from {name} import {member}"
    command = [sys.executable, "-c", code, str(built.parent)]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if tried.returncode:
        raise OSError(f"what the compiler has written does not load: {tried.stderr.strip() or tried.returncode}")


def _platform() -> str:
    """The platform part of the wheel's tag, as a build for this machine has it; release builds are repaired."""
    if sysconfig.get_platform() == "linux-x86_64" and sys.maxsize < 1 << 32:
        return "linux_i686"  # a Python of 32 bits on a kernel of 64
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _is_new(path: Path, sources: list[Path]) -> bool:
    """Check whether a file is there and not older than what it is made of."""
    return path.exists() and path.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


def _write(path: Path, data: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)
