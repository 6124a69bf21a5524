"""Files of rule packs, found by name or path, and their text."""

from __future__ import annotations

import os
import re
import stat
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message, reason_of

BUILTIN = "builtin:"
LARGEST = 1_000_000
"""Bytes of a pack; ours have less than a tenth of that."""
_SUFFIXES = (".yaml", ".yml")
_PIN = re.compile(r"(.+)@(\^?[0-9]+(?:\.[0-9]+){0,2})")


@cache
def builtin_names() -> tuple[str, ...]:
    """Names of the built-in packs, sorted."""
    return tuple(sorted(entry.name[:-5] for entry in os.scandir(builtin_folder()) if entry.name.endswith(".yaml")))


@cache
def builtin_folder() -> Path:
    """Folder of the built-in packs: in the package, or beside ``src`` in a source tree."""
    package = Path(__file__).parents[1]
    installed, source = package / "rules", package.parents[1] / "rules"
    if any(installed.glob("*.yaml")) or not source.is_dir():
        return installed
    return source


class Location(NamedTuple):
    """The file of a pack, and its name in messages."""

    file: Path
    shown: str
    builtin: bool
    pin: str = ""
    """The requested version, as in ``cn@1.2`` or ``cn@^1.2``; empty for any."""


def pinned(name: str) -> tuple[str, str]:
    """The name and the version of ``cn@1.2`` or ``builtin:cn@^1``; an empty version if there is none."""
    match = _PIN.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def has_version(version: str, pin: str) -> bool:
    """True if a pack's version is the requested one.

    ``1`` and ``1.2`` are all versions that begin so; ``^1.2`` is those from 1.2.0 on and before 2.0.0.
    """
    wanted = [int(part) for part in pin.lstrip("^").split(".")]
    have = [int(part) for part in re.split("[-+]", version)[0].split(".")]
    if not pin.startswith("^"):
        return have[: len(wanted)] == wanted
    return have[0] == wanted[0] and have >= [*wanted, 0, 0][:3]


def located(name: str, base: Path) -> Location:
    """The file that a name means: a file where it looks like one, else a built-in pack, else a file after all.

    A name may end in the version that is asked for (``cn@1.2``), unless there is a file of that name.

    Raises:
        RuleError: There is neither; the nearest name is offered.
    """
    plain, pin = pinned(name)
    if pin and not _exists(base / name):
        return located(plain, base)._replace(pin=pin)
    plain = name.removeprefix(BUILTIN)
    stem = next((plain[: -len(suffix)] for suffix in _SUFFIXES if plain.endswith(suffix)), plain)
    file = base / name
    if not name.startswith(BUILTIN) and (stem != name or "/" in name or os.sep in name) and _exists(file):
        return Location(file, _shown(name, base), builtin=False)
    if stem in builtin_names():
        return Location(builtin_folder() / f"{stem}.yaml", BUILTIN + stem, builtin=True)
    if name and not name.startswith(BUILTIN) and _exists(file):
        return Location(file, _shown(name, base), builtin=False)
    raise _unknown(name, stem)


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _unknown(name: str, stem: str) -> RuleError:
    from tokaudit.store.key_kinds import nearest

    a_path = "/" in name or stem != name.removeprefix(BUILTIN)
    message = (
        Message("there is no pack {name}", name=name) if a_path else Message("no pack is named '{name}'", name=name)
    )
    known = tuple(builtin_names())
    return RuleError(
        message + nearest(stem, builtin_names()),
        hint=Message("give the path of a file, or one of {known}", known=known),
    )


def read(location: Location) -> bytes:
    """The bytes of a pack. Raises ``RuleError`` if it cannot be read, is a folder, or is too large."""
    try:
        if stat.S_ISDIR(location.file.stat().st_mode):
            raise RuleError(
                Message("{shown} is a folder, not a pack", shown=location.shown), hint="name one YAML file in it"
            )
        with location.file.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except OSError as error:
        raise RuleError(
            Message("cannot read the pack {shown}: {reason}", shown=location.shown, reason=reason_of(error))
        ) from error
    if len(content) > LARGEST:
        raise RuleError(
            Message("{shown} is larger than 1 MB, which no pack is", shown=location.shown),
            hint="divide it, and use 'extends'",
        )
    return content


def decoded(content: bytes, location: Location) -> str:
    """The text of a pack. Raises ``RuleError`` if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RuleError(
            Message("{shown}:{line}: the file is not UTF-8", shown=location.shown, line=line), hint="save it as UTF-8"
        ) from error


def _shown(name: str, base: Path) -> str:
    """A path as it was named, or seen from the working directory where it was named in another folder."""
    file = base / name
    if base == Path() or file.is_absolute():
        return file.as_posix()
    try:
        return Path(os.path.relpath(file)).as_posix()
    except ValueError:  # another drive
        return file.as_posix()


def start_of_pack(name: str) -> str:
    """The text of a new pack, which ``tokaudit rules new`` writes: one rule that works, and comments."""
    return Path(__file__).with_name("pack_start.yaml").read_text("utf-8").replace("{name}", name)
