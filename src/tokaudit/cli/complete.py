"""Shell completion of the values of options. Typer calls these only while it completes."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.


def models(incomplete: str) -> list[str]:
    """Tokenizers and models, after a comma the next one."""
    from tokaudit.tokenizers.catalog import models as catalog
    from tokaudit.tokenizers.registry import tokenizer_names

    before, comma, typed = incomplete.rpartition(",")
    names = [*tokenizer_names(), *(name for model in catalog() for name in (model.id, *model.aliases))]
    return [f"{before}{comma}{name}" for name in dict.fromkeys(names) if name.startswith(typed.lower())]


def divisions(incomplete: str) -> list[str]:
    """Values of ``--by``."""
    from tokaudit.features.count.types import BY

    return [name for name in BY if name.startswith(incomplete)]


def orders(incomplete: str) -> list[str]:
    """Values of ``--sort``."""
    from tokaudit.features.count.types import SORT

    return [name for name in SORT if name.startswith(incomplete)]


def formats(incomplete: str) -> list[str]:
    """Values of ``--format``, but for those of commands that judge."""
    from tokaudit.reporters import FORMATS, GATE_FORMATS

    return [name for name in FORMATS if name not in GATE_FORMATS and name.startswith(incomplete)]


def errors(incomplete: str) -> list[str]:
    """Values of --errors."""
    return [name for name in ("strict", "replace") if name.startswith(incomplete)]


def check_formats(incomplete: str) -> list[str]:
    """Values of ``--format`` of commands that judge."""
    from tokaudit.reporters import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def colors(incomplete: str) -> list[str]:
    """Values of ``--color``."""
    return [name for name in ("auto", "always", "never") if name.startswith(incomplete)]


def kinds(incomplete: str) -> list[str]:
    """Values of ``--kind``."""
    from tokaudit.sources.kinds import KINDS

    return [name for name in KINDS if name.startswith(incomplete)]


def packs(incomplete: str) -> list[str]:
    """The built-in packs, for ``--rules``."""
    from tokaudit.store.pack_files import builtin_names

    return [name for name in builtin_names() if name.startswith(incomplete)]
