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
    """The built-in packs, for ``--rules``; after a comma the next one."""
    from tokaudit.store.pack_files import builtin_names

    before, comma, typed = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in builtin_names() if name.startswith(typed)]


def rules(incomplete: str) -> list[str]:
    """The ids of built-in rules and a pattern for each pack, for ``--select``; after a comma the next one."""
    before, comma, typed = incomplete.rpartition(",")
    ids = _ids()
    names = [*ids, *(f"{prefix}.*" for prefix in dict.fromkeys(name.partition(".")[0] for name in ids))]
    return [f"{before}{comma}{name}" for name in names if name.startswith(typed)]


def rule_ids(incomplete: str) -> list[str]:
    """The ids of built-in rules."""
    return [name for name in _ids() if name.startswith(incomplete)]


def _ids() -> list[str]:
    from tokaudit.store.packs import builtin_names, load_packs, rules_of

    return sorted(rule.id for rule in rules_of(load_packs(builtin_names(), examples=False)))


def model_parts(incomplete: str) -> list[str]:
    """Models of the catalog and their providers, for ``tokaudit models``."""
    from tokaudit.tokenizers.catalog import models as catalog

    names = [name for model in catalog() for name in (model.provider, model.id)]
    return [name for name in dict.fromkeys(names) if name.lower().startswith(incomplete.lower())]


def languages(incomplete: str) -> list[str]:
    """Values of ``--lang``."""
    return [name for name in ("en", "zh") if name.startswith(incomplete)]
