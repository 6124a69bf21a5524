from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokaudit.model.gates import MeasuredFile, MeasuredPart
from tokaudit.model.measure import TokenizerRef
from tokaudit.store import cache_file
from tokaudit.store.cache_file import FILE
from tokaudit.store.measure_cache import MeasureCache
from work import assert_linear

O200K = TokenizerRef("o200k_base", "byte-bpe", "a" * 64, exact=True)
QWEN = TokenizerRef("qwen3", "byte-bpe", "b" * 64, exact=True)
BOTH = (O200K, QWEN)
OPTIONS = "|0|lf"
DATA = b"# \xe8\xa7\x84\xe5\x88\x99\n"


def measured(path="p/a.md", count=3, chars=30):
    parts = tuple(
        MeasuredPart(f"{path}#规则-{n}", "section", f"规则 {n}", n + 1 if n else None, 10, (n, n + 1), n % 7)
        for n in range(count)
    )
    return MeasuredFile(path, "0" * 64, chars, (sum(range(count)), sum(range(count)) + count), parts)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / ".tokaudit_cache"


def filled(folder, *names, version="1"):
    """A cache on the disk with a file of each name."""
    cache = MeasureCache(folder, version)
    for name in names or ("p/a.md",):
        cache.put(cache.key(name.encode(), name, OPTIONS), BOTH, measured(name))
    cache.save()
    return cache


def found(folder, name="p/a.md", tokenizers=BOTH, version="1"):
    cache = MeasureCache(folder, version)
    return cache.get(cache.key(name.encode(), name, OPTIONS), tokenizers, name)


def test_what_is_put_is_found_by_the_next_run(folder):
    file = measured()
    cache = MeasureCache(folder, "1")
    key = cache.key(DATA, file.path, OPTIONS)
    assert cache.get(key, BOTH, file.path) is None
    cache.put(key, BOTH, file)
    assert cache.get(key, BOTH, file.path) == file
    cache.save()
    again = MeasureCache(folder, "1")
    assert again.key(DATA, file.path, OPTIONS) == key
    got = again.get(key, BOTH, file.path)
    assert got == file
    assert file == got
    assert hash(got) == hash(file)
    assert got is not None
    assert (len(got.parts), got.parts[1], got.parts[-1:]) == (3, file.parts[1], file.parts[-1:])


def test_paths_are_not_kept(folder):
    cache = filled(folder)
    key = cache.key(b"p/a.md", "other/folder/a.md", OPTIONS)
    assert MeasureCache(folder, "1").get(key, BOTH, "q/a.md") == measured("q/a.md")
    bare = MeasureCache(folder, "1").get(key, BOTH)
    assert bare is not None
    assert (bare.path, bare.parts[0].id) == ("", "规则-0")
    cache.put(key, BOTH, bare)
    assert cache.get(key, BOTH, "q/a.md") == measured("q/a.md")


def test_each_tokenizer_has_its_own_column_in_any_order(folder):
    filled(folder)
    file = measured()
    parts = tuple(replace(part, tokens=part.tokens[::-1]) for part in file.parts)
    assert found(folder, tokenizers=(QWEN, O200K)) == replace(file, tokens=file.tokens[::-1], parts=parts)
    one = found(folder, tokenizers=(QWEN,))
    assert one is not None
    assert [part.tokens for part in one.parts] == [part.tokens[1:] for part in file.parts]


def test_tokenizers_of_several_runs_are_kept_together(folder):
    file = measured()
    for at, ref in enumerate(BOTH):
        cache = MeasureCache(folder, "1")
        parts = [replace(part, tokens=part.tokens[at : at + 1]) for part in file.parts]
        key = cache.key(b"p/a.md", file.path, OPTIONS)
        cache.put(key, [ref], replace(file, tokens=file.tokens[at : at + 1], parts=parts))
        cache.save()
    assert found(folder) == file
    # What was divided otherwise has nothing to do with it.
    fewer = replace(file, tokens=file.tokens[1:], parts=parts[:2])
    cache.put(key, [QWEN], fewer)
    assert cache.get(key, BOTH, file.path) is None
    assert cache.get(key, [QWEN], file.path) == fewer


def test_a_tokenizer_that_divides_nothing_leaves_no_trace_for_others(folder):
    file, other = measured(), TokenizerRef("whole", "ctok", "d" * 64, exact=True)
    whole = replace(file, tokens=(*file.tokens, 7), parts=())
    for order in (0, 1):
        cache = MeasureCache(folder / str(order), "1")
        key = cache.key(b"p/a.md", file.path, OPTIONS)
        puts = [(BOTH, file), ((*BOTH, other), whole)]
        for refs, result in puts[::-1] if order else puts:
            assert cache.get(key, refs, file.path) is None
            cache.put(key, refs, result)
        assert cache.get(key, BOTH, file.path) == file
        assert cache.get(key, (*BOTH, other), file.path) == whole
        assert cache.get(key, (other, *BOTH), file.path) == replace(whole, tokens=(7, *file.tokens))
        assert cache.get(key, [other], file.path) is None


def test_another_vocabulary_version_option_name_or_content_is_never_trusted(folder):
    filled(folder)
    assert found(folder) == measured()
    for other in (replace(QWEN, sha256="c" * 64), replace(QWEN, name="qwen2"), replace(QWEN, sha256="")):
        assert found(folder, tokenizers=(O200K, other)) is None
    assert found(folder, version="2") is None
    cache = MeasureCache(folder, "1")
    for data, path, options in (
        (b"p/a.md ", "p/a.md", OPTIONS),
        (b"p/a.md", "p/a.txt", OPTIONS),
        (b"p/a.md", "p/a.md", OPTIONS + " "),
        (b"p/a.md", "p/a.md ", OPTIONS[:-1]),
    ):
        assert cache.get(cache.key(data, path, options), BOTH, path) is None
    # Where one text ends and the next begins is part of the key.
    assert MeasureCache(folder, '1", "').key(b"", "a", "") != MeasureCache(folder, "1").key(b"", "a", '", "')


def test_counts_that_are_not_known_are_not_kept(folder):
    cache = MeasureCache(folder, "1")
    key = cache.key(DATA, "a", OPTIONS)
    part = MeasuredPart("a#x", "field", "x", None, 1, (1, None))
    cache.put(key, [O200K, replace(QWEN, sha256="")], MeasuredFile("a", "0", 1, (1, 2)))
    assert cache.get(key, [O200K, replace(QWEN, sha256="")], "a") is None
    assert cache.get(key, [replace(QWEN, sha256="")], "a") is None
    cache.put(key, BOTH, MeasuredFile("a", "0", 1, (1, 2), (part,)))
    assert cache.get(key, BOTH, "a") is None
    cache.put(key, BOTH, MeasuredFile("a", "0", 1, (None, 2)))
    assert cache.get(key, BOTH, "a") is None


TEXTS = st.text(max_size=8)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.none() | st.integers(1, 9), st.integers(0, 9)), max_size=5),
    st.text(min_size=1),
)
def test_any_file_comes_back(tmp_path_factory, rows, path):
    parts = tuple(
        MeasuredPart(f"{path}#{local}", kind, label, line, chars, (chars, 2 * chars), chars % 7)
        for local, kind, label, line, chars in rows
    )
    file = MeasuredFile(path, "f" * 64, 5, (1, 2), parts)
    folder = tmp_path_factory.getbasetemp() / "any_cache"
    cache = MeasureCache(folder, "1")
    key = cache.key(repr(file).encode("utf-8", "surrogatepass"), path, OPTIONS)
    cache.put(key, BOTH, file)
    cache.save()
    assert MeasureCache(folder, "1").get(key, BOTH, path) == file


def test_the_folder_ignores_itself_and_is_marked_as_a_cache(folder):
    filled(folder)
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "CACHEDIR.TAG", FILE]
    assert (folder / ".gitignore").read_bytes() == b"*\n"
    assert (folder / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55\n")


def test_nothing_is_written_where_nothing_is_new(folder):
    MeasureCache(folder, "1").save()
    assert not folder.exists()
    cache = filled(folder)
    before = (folder / FILE).stat()
    cache.save()
    reader = MeasureCache(folder, "1")
    assert reader.get(reader.key(b"p/a.md", "p/a.md", OPTIONS), BOTH) is not None
    reader.save()
    after = (folder / FILE).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_another_run_wrote_meanwhile_is_kept(folder):
    filled(folder, "z.md")
    first, second = MeasureCache(folder, "1"), MeasureCache(folder, "1")
    for cache, name in ((first, "a.md"), (second, "b.md")):
        assert cache.get(cache.key(b"z.md", "z.md", OPTIONS), BOTH) is not None
        cache.put(cache.key(name.encode(), name, OPTIONS), BOTH, measured(name))
    first.save()
    second.save()
    for name in ("a.md", "b.md", "z.md"):
        assert found(folder, name) == measured(name)


WRITER = """
import sys
from pathlib import Path
from tokaudit.model.gates import MeasuredFile, MeasuredPart
from tokaudit.model.measure import TokenizerRef
from tokaudit.store.measure_cache import MeasureCache
folder, mine = Path(sys.argv[1]), sys.argv[2]
ref = TokenizerRef("t", "byte-bpe", "a" * 64, exact=True)
for turn in range(20):
    cache = MeasureCache(folder, "1")
    for number in range(20):
        name = f"{mine}{number}.md"
        parts = tuple(MeasuredPart(f"{name}#{n}", "section", "x", 1, 5, (n,)) for n in range(5))
        wanted = MeasuredFile(name, "0" * 64, turn, (10,), parts)
        key = cache.key(name.encode() + b"%d" % turn, name, "")
        for back in range(max(0, turn - 3), turn):
            got = cache.get(cache.key(name.encode() + b"%d" % back, name, ""), [ref], name)
            assert got is None or got == MeasuredFile(name, "0" * 64, back, (10,), parts), got
        cache.put(key, [ref], wanted)
    cache.save()
assert cache.get(key, [ref], name) == wanted
"""


def test_two_processes_at_once(folder):
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), mine], stderr=subprocess.PIPE) for mine in "ab"
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "CACHEDIR.TAG", FILE]
    cache = MeasureCache(folder, "1")
    ref = TokenizerRef("t", "byte-bpe", "a" * 64, exact=True)
    last = [cache.get(cache.key(b"%s19.md19" % mine, f"{mine.decode()}19.md", ""), [ref]) for mine in (b"a", b"b")]
    assert any(last)  # the one that saved last; the other one's may be lost, which only costs time


def rebuilt(folder):
    """Whether the cache is good again after one more run."""
    filled(folder)
    return found(folder) == measured()


@pytest.mark.parametrize(
    "content", [b"", b"x", b"tokaudit measures 1\n", b"tokaudit measures 2\n" + bytes(99), b"\xff" * 999]
)
def test_a_file_that_is_not_ours(folder, content):
    folder.mkdir()
    (folder / FILE).write_bytes(content)
    assert found(folder) is None
    assert rebuilt(folder)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_is_noticed(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / "damaged"
    if not (folder / FILE).exists() or found(folder) != measured():
        filled(folder, "p/a.md", "p/b.md")
    whole = (folder / FILE).read_bytes()
    if data.draw(st.booleans()):
        damaged = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        at = data.draw(st.integers(0, len(whole) - 1))
        damaged = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    (folder / FILE).write_bytes(damaged)
    try:
        for name in ("p/a.md", "p/b.md"):
            assert found(folder, name) in {None, measured(name)}
        cache = MeasureCache(folder, "1")
        cache.put(cache.key(b"new", "new", OPTIONS), BOTH, measured("new"))
        cache.save()
        for name in ("p/a.md", "p/b.md", "new"):
            assert found(folder, name) in {None, measured(name)}
        assert found(folder, "new") == measured("new")
    finally:
        (folder / FILE).write_bytes(whole)


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"x",
        b"0 1 2\n",
        b"0 x %s 1\n",
        b"\xff 1\n",
        b"0 1 %s 1 %s 1\n[[[],[],[],[],[],[]]]",
        b"0 1 %s 1 %s 1\nnull",
        b"0 1 %s 1 %s 1\n" + b"[" * 100_000,
        b'0 1 %s 1 %s 1\n[[["a"],["b"],["c"],["d"],[1],[1]],{}]',
        b'0 1 %s 1 %s 1\n[[["a"],["b"],["c"],[1],[1],[1]],{"%s":[1],"%s":["1"]}]',
        b'0 1 %s 1 %s 1\n[[["a"],["b"],["c"],[1],[1],[1]],{"%s":[1],"%s":[1,2]}]',
        b'0 1 %s 1 %s 1\n[[5,["b"],["c"],[1],[1],[1]],{"%s":[1],"%s":[1]}]',
    ],
)
def test_a_forged_record_does_no_harm(folder, record):
    cache = MeasureCache(folder, "1")
    names = [cache._identity(ref).encode() for ref in BOTH]
    content = record % tuple((names * 2)[: record.count(b"%s")])
    key = cache.key(b"p/a.md", "p/a.md", OPTIONS)
    folder.mkdir()
    (folder / FILE).write_bytes(cache_file._content([(key, content)]))
    got = cache.get(key, BOTH, "p/a.md")
    assert got is None or (got.tokens, list(got.parts)) == ((1, 1), [])
    assert rebuilt(folder)


def test_a_folder_in_place_of_the_file_and_a_file_in_place_of_the_folder(folder):
    (folder / FILE).mkdir(parents=True)
    cache = filled(folder)
    assert found(folder) is None
    assert cache.get(cache.key(b"p/a.md", "p/a.md", OPTIONS), BOTH, "p/a.md") == measured()
    assert [path.name for path in folder.glob("*.tmp")] == []
    (folder / FILE).rmdir()
    assert rebuilt(folder)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_bytes(b"mine")
    filled(folder)
    assert found(folder) is None
    assert folder.read_bytes() == b"mine"
    filled(folder / "deep" / "down")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_place_of_the_file_is_not_waited_for(folder):
    folder.mkdir()
    os.mkfifo(folder / FILE)
    assert found(folder) is None
    assert rebuilt(folder)


def test_a_folder_that_cannot_be_written_is_left_alone(folder, monkeypatch):
    filled(folder)
    before = (folder / FILE).read_bytes()
    opened = type(folder).open

    def refused(self, mode="r", *arguments, **named):
        if "x" in mode or "w" in mode:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, mode, *arguments, **named)

    monkeypatch.setattr(type(folder), "open", refused)
    filled(folder, "p/b.md")
    monkeypatch.undo()
    assert (folder / FILE).read_bytes() == before
    if os.name == "posix" and os.geteuid() != 0:
        folder.chmod(0o555)
        filled(folder, "p/b.md")
        folder.chmod(0o755)
        assert (folder / FILE).read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights there")
def test_a_link_to_elsewhere_is_not_written_through(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    filled(folder)
    assert list(elsewhere.iterdir()) == []


def test_the_size_is_bounded_and_what_is_in_use_stays(folder, monkeypatch):
    names = [f"{number}.md" for number in range(40)]
    filled(folder, *names)
    size = (folder / FILE).stat().st_size
    monkeypatch.setattr(cache_file, "LIMIT", size // 2)
    assert found(folder, names[0]) is None  # larger than any of ours
    filled(folder, *names)
    assert (folder / FILE).stat().st_size <= size // 2
    kept = [name for name in names if found(folder, name)]
    assert 15 <= len(kept) <= 20
    cache = MeasureCache(folder, "1")
    used = kept[-3:]
    for name in used:
        assert cache.get(cache.key(name.encode(), name, OPTIONS), BOTH) is not None
    for name in [f"new-{number}.md" for number in range(12)]:
        cache.put(cache.key(name.encode(), name, OPTIONS), BOTH, measured(name))
    cache.save()
    assert (folder / FILE).stat().st_size <= size // 2
    assert all(found(folder, name) for name in (*used, "new-0.md", "new-11.md"))
    assert [name for name in kept if found(folder, name)] != kept


def test_what_killed_runs_left_is_removed(folder):
    folder.mkdir()
    old, new, other = folder / f"{FILE}-1.tmp", folder / f"{FILE}-2.tmp", folder / "x.tmp"
    for path in (old, new, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (1, 1))
    filled(folder)
    assert [path.exists() for path in (old, new, other)] == [False, True, True]


def test_a_warm_run_reads_one_file_once_and_writes_none(folder, monkeypatch):
    names = [f"prompts/{number}.md" for number in range(50)]
    filled(folder, *names)
    read, written = [], []
    read_bytes = type(folder).read_bytes
    monkeypatch.setattr(type(folder), "read_bytes", lambda self: [read.append(self.name), read_bytes(self)][1])
    monkeypatch.setattr("tokaudit.store.measure_cache.write", lambda *_: written.append(1))
    cache = MeasureCache(folder, "1")
    keys = [cache.key(name.encode(), name, OPTIONS) for name in names]
    assert all(cache.get(key, BOTH, name) for key, name in zip(keys, names, strict=True))
    cache.save()
    assert (read, written) == ([FILE], [])


def test_many_files_take_linear_work(folder):
    file = measured(count=0)

    def kept_and_found(files):
        names = [f"{number}.md" for number in range(files)]
        place = folder / str(files)
        place.mkdir(parents=True, exist_ok=True)
        cache = MeasureCache(place, "1")
        for name in names:
            cache.put(cache.key(name.encode(), name, OPTIONS), BOTH, file)
        cache.save()
        cache = MeasureCache(place, "1")
        assert [cache.get(cache.key(name.encode(), name, OPTIONS), BOTH, file.path) for name in names] == [file] * files

    assert_linear(kept_and_found, lambda files: files, 1_000)


def test_its_import_is_cheap():
    code = (
        "import sys\nimport tokaudit.store.measure_cache, tokaudit.store.baseline\n"
        "assert not {'pickle', 'sqlite3', 'tempfile', 'shutil', 'regex', 'multiprocessing'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
