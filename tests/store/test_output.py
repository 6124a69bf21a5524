from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tokaudit.model import UsageError
from tokaudit.store.output import write_atomic


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_text_and_bytes_as_they_are(tmp_path):
    write_atomic(tmp_path / "a.txt", "中文\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == "中文\r\nb\n".encode()
    write_atomic(str(tmp_path / "a.txt"), b"\x00\xff")
    assert (tmp_path / "a.txt").read_bytes() == b"\x00\xff"
    assert names(tmp_path) == ["a.txt"]


def test_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_atomic("a.txt", "x")
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_are_kept_and_new_files_get_the_usual_ones(tmp_path):
    old, new, usual = tmp_path / "old", tmp_path / "new", tmp_path / "usual"
    old.write_text("x")
    old.chmod(0o751)
    usual.write_text("x")
    write_atomic(old, "y")
    write_atomic(new, "y")
    assert stat.S_IMODE(old.stat().st_mode) == 0o751
    assert new.stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege")
def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert names(target.parent) == ["target"]


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no device files")
def test_a_device_is_written_to_and_not_replaced():
    write_atomic("/dev/null", "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "broken"), MemoryError()])
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_nothing_changes_and_nothing_is_left_when_a_step_fails(tmp_path, monkeypatch, error, step):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(*_args):
        raise error

    monkeypatch.setattr(step, fail)
    with pytest.raises((type(error), UsageError)):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (errno.ENOSPC, "cannot write .*a.txt: the disk is full"),
        (errno.EACCES, "cannot write .*a.txt: permission denied"),
        (errno.EIO, "cannot write .*a.txt: broken"),
    ],
)
def test_errors_of_the_system_are_explained(tmp_path, monkeypatch, code, message):
    def fail(_fd):
        raise OSError(code, "broken")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UsageError, match=message):
        write_atomic(tmp_path / "a.txt", "new")
    assert names(tmp_path) == []


def test_a_missing_folder_a_folder_and_a_file_as_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"there is no folder .*none.*mkdir"):
        write_atomic(tmp_path / "none" / "a.txt", "x")
    with pytest.raises(UsageError, match="it is a folder"):
        write_atomic(tmp_path, "x")
    with pytest.raises(UsageError, match="there is no folder"):
        write_atomic(tmp_path / "file" / "a.txt", "x")


def test_a_read_only_file_is_respected(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_args: False)  # root may write anything
    with pytest.raises(UsageError, match="permission denied"):
        write_atomic(path, "new")
    assert path.read_text() == "old"


def test_a_file_name_of_the_longest_length(tmp_path):
    path = tmp_path / ("a" * 255)
    write_atomic(path, "x")
    assert names(tmp_path) == [path.name]


def test_half_a_character_is_refused(tmp_path):
    with pytest.raises(UsageError, match="half a character at 1"):
        write_atomic(tmp_path / "a", "x\udcff")
    assert names(tmp_path) == []
