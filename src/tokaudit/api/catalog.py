"""``tokenizers`` and ``models``: which tokenizers there are, and which models are counted with them."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.model import Report, UsageError
from tokaudit.model.message import Message


def tokenizers_report(*, people: bool = True) -> Report:
    """The report of ``tokaudit tokenizers``: every tokenizer, and whether it can be used now.

    Args:
        people: Whether its table is to be read rather than parsed.
    """
    from tokaudit import __version__
    from tokaudit.features.catalog.report import tokenizers_report as build
    from tokaudit.tokenizers.registry import listing

    rows = [(row.info, row.usable, row.command, row.family, row.needs) for row in listing()]
    return build(rows, __version__, people=people)


def models_report(filters: Sequence[str] = (), *, people: bool = True) -> Report:
    """The report of ``tokaudit models``: the catalog, or the models whose name or provider has one of ``filters``.

    Args:
        filters: Parts of names; none for all models.
        people: As in ``tokenizers_report``.

    Raises:
        UsageError: No model matches.
    """
    from dataclasses import asdict

    from tokaudit import __version__
    from tokaudit.features.catalog.report import models_report as build
    from tokaudit.tokenizers.catalog import models, nearest

    rows = [asdict(model) for model in models()]
    if filters:
        wanted = [text.lower() for text in filters]
        names = [(row, " ".join([row["id"], row["provider"], *row["aliases"]]).lower()) for row in rows]
        rows = [row for row, text in names if any(part in text for part in wanted)]
        if not rows:
            near = nearest(filters[0], [model.id for model in models()])
            listed = Message("`tokaudit models` lists all")
            raise UsageError(
                Message("no model matches {names}", names=tuple(filters)),
                hint=Message("did you mean {names}?", names=tuple(near)) if near else listed,
            )
    return build(rows, __version__, people=people, filtered=bool(filters))
