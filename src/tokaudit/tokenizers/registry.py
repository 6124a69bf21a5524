"""From the names that people type to tokenizers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tokaudit.model import Tokenizer, TokenizerError, TokenizerInfo, TokenizerRef, UnusableModelError
from tokaudit.model.message import Message, as_message, joined
from tokaudit.model.record import record
from tokaudit.tokenizers.bundled import FOLDER, ExternalTokenizer, external, manifest, package_file, table_path, usable
from tokaudit.tokenizers.catalog import Model, families, find_model, models, nearest
from tokaudit.tokenizers.native import engine_name


@record
class Listed:
    """A row of ``tokaudit tokenizers``."""

    info: TokenizerInfo
    usable: bool
    command: str
    """Command that makes it usable; empty where it is, and where no command can."""
    family: str
    needs: str = ""
    """Sentence on what makes it usable, where no command can."""


def load_tokenizer(name: str, *, special: bool = False, download: bool = False) -> Tokenizer:
    """Load the tokenizer of a model or tokenizer name, a path, or ``hf:org/repo``.

    Args:
        name: A model of the catalog (``gpt-4o``), a tokenizer (``o200k_base``), a path to a ``tokenizer.json``, a
            folder of a Hugging Face model, a ``.tiktoken`` or SentencePiece ``.model`` file, or ``hf:org/repo``.
        special: Count control tokens that a text contains as such; by default they are ordinary text.
        download: Let ``hf:`` names be fetched from the hub; by default only its local cache is read.

    Raises:
        TokenizerError: The name is unknown (with the nearest names), the tokenizer needs a package that is not
            installed (with the command that installs it), or its file is missing, truncated or wrong.
    """
    name = name.strip()
    if not name:
        raise TokenizerError("an empty model name", hint="name one, as in -m gpt-4o; `tokaudit models` lists them")
    if name.startswith("hf:"):
        from tokaudit.tokenizers.huggingface import load_hub

        return load_hub(name, name[3:], special=special, download=download)
    if name.lower() in {known.lower() for known in tokenizer_names()}:
        return _load_named(name.lower(), special=special)
    if (model := find_model(name)) is not None:
        return _load_model(name, model, special=special)
    path, _, pattern = name.rpartition(":") if _names_pattern(name) else (name, "", "")
    if _exists(path):
        return _load_path(name, Path(path), pattern, special=special)
    raise unknown_model(name)


def model_id(name: str) -> str:
    """The id of the model of the catalog that a name stands for; empty for tokenizers and files."""
    if name.strip().lower() in {known.lower() for known in tokenizer_names()}:
        return ""
    model = find_model(name)
    return model.id if model is not None else ""


_FILES = (".json", ".model", ".tiktoken")
"""How files of tokenizers end."""


def tokenizer_names() -> tuple[str, ...]:
    """Names of all tokenizers that tokaudit knows, bundled or not."""
    return (*manifest(), *external())


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def unknown_model(name: str) -> TokenizerError:
    """The error for a name that is no model, tokenizer or file; it offers the nearest names."""
    name = name if len(name) <= 80 else name[:79] + "…"
    repository = re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", name) is not None and not name.endswith(_FILES)
    if not repository and (any(mark in name for mark in ("/", "\\")) or name.endswith(_FILES)):
        return TokenizerError(Message("no such tokenizer file or folder: {name}", name=name), hint="check the path")
    known = [*tokenizer_names(), *(known for model in models() for known in (model.id, *model.aliases))]
    near = nearest(name.rpartition("/")[2] if repository else name, known)
    hint = (
        Message("did you mean {near}?", near=tuple(near))
        if near
        else "`tokaudit models` and `tokaudit tokenizers` list the names"
    )
    if repository:
        what = Message("no model, file or folder '{name}'", name=name)
        ways = [Message("did you mean {near}?", near=tuple(near))] if near else []
        return TokenizerError(
            what,
            hint=joined(" ", *ways, Message("-m hf:{name} reads the hub's local cache, or check the path", name=name)),
        )
    return TokenizerError(Message("unknown model '{name}'", name=name), hint=hint)


def _load_model(name: str, model: Model, *, special: bool) -> Tokenizer:
    if model.tokenizer is None:
        raise UnusableModelError(
            name,
            Message("cannot be counted: {note}", note=as_message(model.note)),
            hint="leave it out, or name a tokenizer",
        )
    tokenizer = _load_named(model.tokenizer, special=special, asked=name)
    if model.exact or not tokenizer.info.ref.exact:
        return tokenizer
    return _Approximate(tokenizer, model.note)


class _Approximate:
    """Another model's tokenizer standing in: the same tokens, marked as an approximation."""

    def __init__(self, tokenizer: Tokenizer, error: str) -> None:
        self._tokenizer = tokenizer
        info = tokenizer.info
        self.info = replace(info, ref=replace(info.ref, exact=False, error=error))
        self.count = tokenizer.count
        self.encode = tokenizer.encode
        self.decode = tokenizer.decode
        self.spans = tokenizer.spans
        self.encoding = tokenizer.encoding
        self.divisible = tokenizer.divisible
        self.divisible_plainly = getattr(tokenizer, "divisible_plainly", tokenizer.divisible)
        self.places = getattr(tokenizer, "places", True)
        self.seams = getattr(tokenizer, "seams", False)


def _load_named(name: str, *, special: bool, asked: str = "") -> Tokenizer:
    info = _with_models(tokenizer_info(name))
    entry = manifest().get(name)
    if entry is None:
        return _load_external(name, external()[name], info, special=special, asked=asked or name)
    if entry["format"] == "sentencepiece":
        from tokaudit.tokenizers.sentencepiece_model import SentencePieceTokenizer

        return SentencePieceTokenizer(info, FOLDER / f"{name}.model", special=special, plain=True)
    if entry["pattern"] == "kimi":
        from tokaudit.tokenizers.kimi import KimiTokenizer

        return KimiTokenizer(info, entry, path=table_path(name), special=special)
    from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer

    return ByteBpeTokenizer(info, entry, path=table_path(name), special=special)


def _load_external(name: str, entry: ExternalTokenizer, info: TokenizerInfo, *, special: bool, asked: str) -> Tokenizer:
    if not usable(entry):
        raise UnusableModelError(
            asked,
            Message("needs the package {package}, which is not installed", package=entry.package),
            hint=entry.to_do,
        )
    if entry.backend == "splintr":
        from tokaudit.tokenizers.splintr import SplintrTokenizer

        return SplintrTokenizer(info, special=special)
    if entry.backend == "ctok":
        from tokaudit.tokenizers.claude import ClaudeTokenizer

        version = name.removeprefix("claude-v")
        return ClaudeTokenizer(info, f"{version}.0" if "." not in version else version)
    path = package_file(entry)
    if path is None:
        raise TokenizerError(
            Message("{package} lacks {file}", package=entry.package, file=entry.file), what=name, hint=entry.command
        )
    if path.suffix == ".zip":
        import zipfile

        from tokaudit.tokenizers.huggingface import load_json

        with zipfile.ZipFile(path) as archive:
            return load_json(name, path, special=special, data=archive.read(archive.namelist()[0]))
    return _load_rank_file(name, path, "", special=special)


def _names_pattern(name: str) -> bool:
    """Check whether a name is ``file.tiktoken:pattern``; a drive letter's colon is not one."""
    return ":" in name[2:] and name.rpartition(":")[0].endswith((".tiktoken", ".model"))


def _load_path(name: str, path: Path, pattern: str, *, special: bool) -> Tokenizer:
    from tokaudit.tokenizers.rank_file import is_rank_file

    if path.is_dir():
        from tokaudit.tokenizers.huggingface import load_folder

        ranks_of_folder = path / "tokenizer.model"  # Llama 3's own form, by the name of a SentencePiece model
        if (path / "tokenizer.json").is_file() or not ranks_of_folder.is_file() or not is_rank_file(ranks_of_folder):
            return load_folder(name, path, special=special)
        path = ranks_of_folder
    try:
        ranks = is_rank_file(path)
    except OSError as error:
        raise TokenizerError.unreadable(error, path, hint="check the path") from error
    if ranks or path.suffix == ".tiktoken":
        return _load_rank_file(name, path, pattern, special=special)
    if ".model" in path.name:
        from tokaudit.tokenizers.huggingface import info_of
        from tokaudit.tokenizers.sentencepiece_model import SentencePieceTokenizer

        data = path.read_bytes()
        return SentencePieceTokenizer(info_of(name, "sentencepiece", data, 0, path.as_posix()), path, special=special)
    if path.suffix == ".json":
        from tokaudit.tokenizers.huggingface import load_json

        return load_json(name, path, special=special)
    raise TokenizerError(
        "not a tokenizer",
        what=str(path),
        hint="give a tokenizer.json, a .model, a .tiktoken, a model's folder, or a name of `tokaudit tokenizers`",
    )


def _load_rank_file(name: str, path: Path, pattern: str, *, special: bool) -> Tokenizer:
    from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
    from tokaudit.tokenizers.kimi import KimiTokenizer
    from tokaudit.tokenizers.pretokenize import Pattern
    from tokaudit.tokenizers.rank_file import KNOWN, info_for, known_of, read_rank_file

    ranks = read_rank_file(path)
    patterns = list(dict.fromkeys(entry["pattern"] for entry in manifest().values() if "pattern" in entry))
    bundled = next((entry for entry in manifest().values() if entry["sha256"] == ranks.sha256), None)
    if pattern:
        if pattern not in patterns:
            raise TokenizerError(
                Message("unknown pattern '{pattern}'", pattern=pattern),
                hint=Message("the patterns are {patterns}", patterns=tuple(patterns)),
            )
        entry = next(entry for entry in manifest().values() if entry.get("pattern") == pattern)
    elif bundled is not None:
        entry = bundled
    elif ranks.sha256 in KNOWN:
        entry = next(entry for entry in manifest().values() if entry.get("pattern") == KNOWN[ranks.sha256][1])
    elif expected := known_of(path, ranks):
        raise TokenizerError(
            Message(
                "truncated or altered: it begins as {expected} does, but its sha256 is {sha256}, not {expected_sha256}",
                expected=expected,
                sha256=ranks.sha256,
                expected_sha256=manifest()[expected]["sha256"],
            ),
            what=str(path),
            hint=Message(
                "download it again; to count with it as it is, add the pattern, as in {name}:o200k", name=path.name
            ),
        )
    else:
        raise TokenizerError(
            "a rank file does not say how its tokenizer cuts text, and this one is not known",
            what=str(path),
            hint=Message(
                "add the pattern, as in {name}:o200k; the patterns are {patterns}",
                name=path.name,
                patterns=tuple(patterns),
            ),
        )
    if entry is not bundled:
        entry = {**entry, "special_tokens": {}, "normalization": "", "id_offset": 0}
    made = KimiTokenizer if entry["pattern"] == "kimi" else ByteBpeTokenizer
    table = ranks.table(Pattern(entry["pattern"]))
    return made(info_for(name, ranks, table, path), entry, table=table, special=special)


def tokenizer_info(name: str) -> TokenizerInfo:
    """Properties of a tokenizer by name, without loading it."""
    entry = manifest().get(name)
    if entry is not None:
        backend, engine = ("sentencepiece", "") if entry["format"] == "sentencepiece" else ("byte-bpe", engine_name())
        return TokenizerInfo(
            TokenizerRef(name, backend, entry["sha256"], exact=True, engine=engine),
            entry.get("size", 32_768 if name == "mistral-v3" else 32_000),
            entry["source"],
            entry["licence"],
            normalization=entry["normalization"],
            special_tokens=tuple(entry["special_tokens"]),
        )
    other = external()[name]
    error = ""
    if not other.exact:
        from tokaudit.tokenizers.claude import ERROR as error  # noqa: N811
    return TokenizerInfo(
        TokenizerRef(name, other.backend, other.sha256, exact=other.exact, error=error),
        other.size,
        other.package,
        other.licence,
    )


def listing() -> Iterator[Listed]:
    """Every tokenizer with its models, for ``tokaudit tokenizers``."""
    for name in tokenizer_names():
        info = _with_models(tokenizer_info(name))
        family = ", ".join(families()[name])
        entry = manifest().get(name)
        if entry is not None:
            ready = entry["format"] == "sentencepiece" or table_path(name).is_file()
            command = "" if ready else "python -m pip install --force-reinstall tokaudit"
            yield Listed(info, ready, command, family)
        else:
            other = external()[name]
            ready = usable(other)
            needs = "" if ready else other.needs
            yield Listed(info, ready, "" if ready or needs else other.command, family, needs)


def _with_models(info: TokenizerInfo) -> TokenizerInfo:
    """Properties of a tokenizer, with the models of the catalog that use it."""
    rows = _served().get(info.ref.name, ())
    return replace(info, aliases=_aliases(rows), models=tuple(model.id for model in rows))


@cache
def _served() -> Mapping[str, Sequence[Model]]:
    """The models of the catalog that use each tokenizer."""
    served: dict[str, list[Model]] = {}
    for model in models():
        if model.tokenizer is not None:
            served.setdefault(model.tokenizer, []).append(model)
    return served


def _aliases(rows: Iterable[Model]) -> tuple[str, ...]:
    """The families' names that lead to a tokenizer: aliases without a digit, and those of exact models first."""
    return tuple(dict.fromkeys(alias for model in rows for alias in model.aliases if not any(map(str.isdigit, alias))))
