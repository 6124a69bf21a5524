"""The inputs of a command: models by their names, and how files are found and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from tokaudit.model import ModelColumn, Skipped, Tokenizer, UsageError
from tokaudit.tokenizers.registry import load_tokenizer

if TYPE_CHECKING:
    from tokaudit.sources import PdfOptions, SourceFile
    from tokaudit.store.config import Config


def load_models(
    names: Sequence[str] | None, *, special: bool = False, download: bool = False
) -> tuple[list[ModelColumn], list[Tokenizer]]:
    """Load the tokenizers of some models, each tokenizer once.

    Raises:
        TokenizerError: One of them is unknown or cannot be used.
        UsageError: An empty list of names.
    """
    from tokaudit.store.config import DEFAULT_MODELS

    names = DEFAULT_MODELS if names is None else [names] if isinstance(names, str) else list(dict.fromkeys(names))
    if not names:
        raise UsageError("no model to count for", hint="name one, as in -m gpt-4o")
    models: list[ModelColumn] = []
    tokenizers: list[Tokenizer] = []
    columns: dict[tuple[str, str], int] = {}
    for name in names:
        tokenizer = load_tokenizer(name, special=special, download=download)
        ref = tokenizer.info.ref
        key = (ref.name, ref.sha256)
        if key not in columns:
            columns[key] = len(tokenizers)
            tokenizers.append(tokenizer)
        models.append(ModelColumn(name, ref, columns[key]))
    return models, tokenizers


@dataclass(frozen=True, slots=True)
class Reading:
    """How inputs are found and read; the fields are those of ``count_paths``."""

    kind: str | None = None
    charset: str | None = None
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

    def pdf(self, *, jobs: int | None = None) -> PdfOptions:
        """How PDF files are read, their pages by at most so many processes.

        Raises:
            UsageError: There is no such engine.
        """
        from tokaudit.sources import PdfOptions

        if self.pdf_engine != "auto":
            from tokaudit.sources.pdf import ENGINES

            if self.pdf_engine not in ENGINES:
                raise UsageError(f"unknown engine '{self.pdf_engine}'", hint=f"--pdf-engine takes {', '.join(ENGINES)}")
        return PdfOptions(self.password, self.pdf_engine, self.tables, self.jobs if jobs is None else jobs)


def reading_of(config: Config, *, kind: str | None = None, password: str = "") -> Reading:
    """How inputs are found and read: by the configuration, and by what only an option can say."""
    return Reading(
        kind=kind,
        charset=config.charset,
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


def found(paths: Sequence[str | PathLike[str]], reading: Reading) -> tuple[Sequence[SourceFile], list[Skipped]]:
    if not paths:
        return (), []
    from tokaudit.sources import discover

    found = discover(
        paths,
        include=reading.include,
        exclude=reading.exclude,
        max_file_size=reading.max_file_size,
        use_gitignore=reading.use_gitignore,
    )
    return found.files, list(found.skipped)
