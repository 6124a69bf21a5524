"""The inputs of a command: models by their names, and how files are found and read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, TypeVar

from tokaudit.model import (
    InputError,
    ModelColumn,
    Skipped,
    Tokenizer,
    TokenizerError,
    UnusableModelError,
    UsageError,
)
from tokaudit.model.message import Message, joined
from tokaudit.model.record import record
from tokaudit.tokenizers.registry import load_tokenizer, model_id

if TYPE_CHECKING:
    from tokaudit.sources import Discovery, PdfOptions, SourceFile
    from tokaudit.store.config import Config

Progress = Callable[[int, int], None]
"""Called with the bytes done and the bytes of all."""
Item = TypeVar("Item")


@record
class TextInput:
    """A text that is in memory: literal text, or the bytes of standard input."""

    path: str
    """As reports show it, such as ``<stdin>``."""
    data: str | bytes

    @property
    def size(self) -> int:
        """Bytes; of a text its code points."""
        return len(self.data)


def load_models(
    names: Sequence[str] | None, *, special: bool = False, download: bool = False
) -> tuple[list[ModelColumn], list[Tokenizer]]:
    """Load the tokenizers of some models, each tokenizer once.

    Raises:
        TokenizerError: One of them is unknown or cannot be used.
        UsageError: An empty list of names.
    """
    models, tokenizers, unusable = _loaded(names, special=special, download=download)
    if unusable:
        raise unusable[0][1]
    return models, tokenizers


def usable_models(
    names: Sequence[str] | None, reading: Reading, *, parts: bool = False, apart: bool = False
) -> tuple[list[ModelColumn], list[Tokenizer], list[Skipped]]:
    """Load the tokenizers of those models that can be used, and say why the others are left out.

    Args:
        names: Models as in ``count``; None for the default models.
        reading: Its ``special`` and ``download`` are of interest here.
        parts: Leave out models too whose tokenizer cannot say where its tokens are.
        apart: A column for each model of the catalog, since requests differ by model; models with one tokenizer have
            the same object for it.

    Raises:
        TokenizerError: One of them is unknown, or none can be used.
        UsageError: An empty list of names.
    """
    models, tokenizers, unusable = _loaded(names, special=reading.special, download=reading.download, apart=apart)
    if not models:
        raise unusable[0][1]
    left_out = [Skipped(name, error.why, error.hint, code=error.code) for name, error in unusable]
    if not parts:
        return models, tokenizers, left_out
    models, tokenizers, without_places = _placing(models, tokenizers)
    return models, tokenizers, left_out + without_places


def _placing(
    models: Sequence[ModelColumn], tokenizers: Sequence[Tokenizer]
) -> tuple[list[ModelColumn], list[Tokenizer], list[Skipped]]:
    """The models whose parts can be counted, and why the others are left out.

    Raises:
        TokenizerError: There is no such model.
    """
    kept = [column for column, tokenizer in enumerate(tokenizers) if getattr(tokenizer, "places", True)]
    if len(kept) == len(tokenizers):
        return [*models], [*tokenizers], []
    left_out = []
    for model in models:
        if model.column not in kept:
            try:
                tokenizers[model.column].encoding("")
            except TokenizerError as error:
                if not kept:
                    raise
                reason = error.reason if error.what == model.ref.name else error.message
                left_out.append(
                    Skipped(
                        model.name,
                        Message("not counted by parts: {reason}", reason=reason),
                        error.hint,
                        code="no-places",
                    )
                )
    return (
        [ModelColumn(model.name, model.ref, kept.index(model.column)) for model in models if model.column in kept],
        [tokenizers[column] for column in kept],
        left_out,
    )


def _loaded(
    names: Sequence[str] | None, *, special: bool, download: bool, apart: bool = False
) -> tuple[list[ModelColumn], list[Tokenizer], list[tuple[str, UnusableModelError]]]:
    """The models with their tokenizers, each once, and those that are known and cannot be used."""
    from tokaudit.store.config import DEFAULT_MODELS

    names = DEFAULT_MODELS if names is None else [names] if isinstance(names, str) else list(dict.fromkeys(names))
    if not names:
        raise UsageError("no model to count for", hint="name one, as in -m gpt-4o")
    unusable: list[tuple[str, UnusableModelError]] = []
    models: list[ModelColumn] = []
    tokenizers: list[Tokenizer] = []
    columns: dict[tuple[str, str, str], int] = {}
    shared: dict[tuple[str, str], Tokenizer] = {}
    for name in names:
        try:
            tokenizer = load_tokenizer(name, special=special, download=download)
        except UnusableModelError as error:
            unusable.append((name, error))
            continue
        ref = tokenizer.info.ref
        key = (ref.name, ref.sha256, model_id(name) if apart else "")
        if key not in columns:
            columns[key] = len(tokenizers)
            tokenizers.append(shared.setdefault(key[:2], tokenizer) if ref.exact else tokenizer)
        models.append(ModelColumn(name, ref, columns[key]))
    return models, tokenizers, unusable


def column_names(models: Sequence[ModelColumn]) -> list[str]:
    """For each tokenizer the name of a model that it counts for."""
    names = {model.column: model.name for model in reversed(models)}
    return [names[column] for column in range(len(names))]


def nothing(done: str, skipped: Sequence[Skipped], hint: str = "") -> InputError:
    """The error where no input is left, with the first reasons: nothing could be ``done``, as in ``counted``."""
    reasons = joined(
        "; ", *(Message("{what}: {reason}", what=item.what, reason=_message(item.reason)) for item in skipped[:3])
    ) or Message("no file is left to read")
    return InputError(
        Message("nothing could be {done}: {reasons}", done=Message(done), reasons=reasons),
        code="no-input",
        hint=hint or next((item.error().advice for item in skipped), "name files of text"),
    )


def _message(text: str) -> Message:
    """A reason, which is translated where it stands within another message."""
    return text if isinstance(text, Message) else joined("", text) if "{" in text else Message(text)


@record
class Reading:
    """Options for finding and reading inputs; the fields are those of ``count_paths``."""

    kind: str | None = None
    charset: str | None = None
    errors: str = "strict"
    special: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    max_file_size: int | None = None
    use_gitignore: bool = True
    download: bool = False
    jobs: int = 1
    password: str = ""
    pdf_engine: str = "auto"
    tables: bool = True

    def discover(
        self, paths: Sequence[str | PathLike[str]], *, takes_text: bool = False, links_within: str = ""
    ) -> Discovery:
        """The files of paths, as ``sources.discover`` finds them by these options."""
        from tokaudit.sources import discover

        return discover(
            paths,
            include=self.include,
            exclude=self.exclude,
            max_file_size=self.max_file_size,
            use_gitignore=self.use_gitignore,
            takes_text=takes_text,
            links_within=links_within,
        )

    def pdf(self, *, jobs: int | None = None) -> PdfOptions:
        """Options for PDF files, whose pages are read by at most ``jobs`` processes.

        Raises:
            UsageError: There is no such engine.
        """
        from tokaudit.sources import PdfOptions

        if self.pdf_engine != "auto":
            from tokaudit.sources.pdf import ENGINES

            if self.pdf_engine not in ENGINES:
                raise UsageError(
                    Message("unknown engine '{pdf_engine}'", pdf_engine=self.pdf_engine),
                    hint=Message("--pdf-engine takes {engines}", engines=tuple(ENGINES)),
                )
        return PdfOptions(self.password, self.pdf_engine, self.tables, self.jobs if jobs is None else jobs)


def reading_of(config: Config, *, kind: str | None = None, password: str = "") -> Reading:
    """Options for reading from the configuration, and from those that only the command line has."""
    return Reading(
        kind=kind,
        charset=config.charset,
        errors=config.errors or "strict",
        special=bool(config.special),
        include=config.include or (),
        exclude=config.exclude or (),
        max_file_size=config.max_file_size,
        use_gitignore=config.gitignore is not False,
        download=bool(config.download),
        jobs=config.jobs if config.jobs is not None else 0,
        password=password,
        pdf_engine=config.pdf_engine or "auto",
        tables=config.pdf_tables is not False,
    )


def read_pipes(paths: Iterable[str]) -> tuple[list[str], list[tuple[str, bytes]]]:
    """Read the named pipes among these paths to their ends, as ``<(command)`` gives some; each can be read once only.

    Returns:
        The other paths, and for each pipe its name and its bytes.

    Raises:
        InputError: A pipe cannot be read.
    """
    others: list[str] = []
    read: dict[str, tuple[str, bytes]] = {}
    for path in paths:
        if not is_pipe(path):
            others.append(path)
        elif (pipe := os.path.realpath(path)) not in read:
            read[pipe] = (path, pipe_bytes(path))
    return others, list(read.values())


def is_pipe(path: str) -> bool:
    """True for a named pipe, or a link to one, such as /dev/fd/63."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 - pathlib is slow to import
    except (OSError, ValueError):
        return False


def pipe_bytes(path: str) -> bytes:
    """Everything that is written to a pipe, until its last writer closes it."""
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
            return stream.read()
    except OSError as error:
        raise InputError.unreadable(error, path) from error


def found(paths: Sequence[str | PathLike[str]], reading: Reading) -> tuple[Sequence[SourceFile], list[Skipped]]:
    if not paths:
        return (), []
    found = reading.discover(paths, takes_text=True)
    return found.files, list(found.skipped)
