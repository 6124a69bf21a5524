"""The report of a count."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.features.count.conversations import conversation_table
from tokaudit.features.count.document import data_of
from tokaudit.features.count.figures import density, totals_of
from tokaudit.features.count.page_table import page_table
from tokaudit.features.count.tables import (
    document_table,
    folder_table,
    parsed_documents,
    part_table,
)
from tokaudit.features.count.types import Counted, CountResult
from tokaudit.model import Report


def report(result: CountResult, *, people: bool) -> Report:
    """The report of a run.

    Args:
        result: What was found.
        people: Whether tables are to be read rather than parsed. For people they have totals and notes, and show at
            most ``TABLE_ROWS`` parts unless asked for more; for programs their shape depends on the options only.
    """
    totals = totals_of(result)
    chosen = _chosen_documents(result)
    skipped = [*result.skipped, *(item for document in result.documents for item in document.skipped)]
    by = result.wanted.by
    if by == "folder":
        tables = [folder_table(result, totals, people=people)]
    elif by != "file":
        tables = [part_table(result, totals, people=people)]
        if by == "turn" and people and (bill := conversation_table(result)) is not None:
            tables.append(bill)
    elif people:
        tables = [document_table(result, chosen, totals)]
        if len(result.documents) == 1 and (pages := page_table(result.documents[0], result.models[0].name)) is not None:
            tables.append(pages)
    else:
        tables = [parsed_documents(result, chosen)]
    first = totals[result.models[0].column]
    return Report("count", tables, data_of(result, chosen, totals, skipped), (), skipped, str(first))


def _chosen_documents(result: CountResult) -> Sequence[Counted]:
    """The documents to list: with ``--by file`` they are what ``--sort`` and ``--top`` are about."""
    wanted = result.wanted
    if wanted.by != "file":
        return result.documents
    documents = list(result.documents)
    if wanted.sort == "name":
        documents.sort(key=lambda document: document.path)
    elif wanted.sort == "chars":
        documents.sort(key=lambda document: -document.chars)
    elif wanted.sort == "tokens":
        documents.sort(key=lambda document: -max(document.tokens))
    elif wanted.sort == "density":
        documents.sort(key=lambda document: -density(max(document.tokens), document.chars))
    return documents[: wanted.top] if wanted.top else documents
