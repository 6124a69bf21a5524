"""Hooks of mkdocs, named in mkdocs.yml.

MkDocs looks for anchors in a page with ``html.parser``, which in some releases of Python fails at ``<![``, as in the
patterns of docs/rules.md. A character of no meaning stands for it while the page is rendered.
"""

from __future__ import annotations

from typing import Any

_OPENING, _STAND_IN = "<![", "\ue000"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The Markdown of a page before it is rendered."""
    return markdown.replace(_OPENING, _STAND_IN)


def on_page_content(html: str, **_: Any) -> str:
    """The HTML of a page's content."""
    return html.replace(_STAND_IN, "&lt;![")
