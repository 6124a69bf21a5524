"""Write a document of HTML as a model reads it: its content in Markdown, without what surrounds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.html_pages import NOT_UNDER, Element, edits_of_pages, tree, words
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = (
    "Write documents of HTML as Markdown: headings, lists, tables, code and links stay; scripts, styles, navigation, "
    "page headers and footers go."
)
PARAMETERS: Parameters = {
    "around": Parameter(
        "texts",
        "Words of class, id or role, in small letters, of elements that stand around the content.",
        default=(),
    ),
    **NOT_UNDER,
    "links": Parameter("boolean", "Links keep where they lead, but those within the page.", default=True),
}
_DROPPED = words(
    "script style template svg canvas iframe object embed noscript nav link meta base source track audio video map "
    "head title datalist"
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_FORMULAS = {
    "mfrac": ("", "/"),
    "msup": ("", "^"),
    "msub": ("", "_"),
    "msubsup": ("", "_", "^"),
    "mroot": ("root ", " of degree "),
}
"""Elements of formulas to what stands before each of their parts."""
_AROUND = words("div ul ol aside form table header")
"""Elements whose id may say that they stand around the content."""
_NAME = lazy(r"[a-z0-9_]+(?:-[a-z0-9_]+)*")
_hidden = lazy(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden")
_MARKS = ("```", "\n|-|")
"""What no cell of a table in Markdown can have: code and tables."""
_SIGNS = frozenset("¶#§🔗")
"""The texts of links by which headings are linked to."""
_mark = lazy(r"(?m)^(\d{1,3}(?=\. )|(?=#{1,6} |[-+*] |>|```))")
"""What would begin a heading, an item, a quotation or code in Markdown."""
_spaces = lazy(r"[ \t\r\n\f]+")
_language = lazy(r"(?:language|lang|highlight|brush)-([\w+#]+)")


def prepare(parameters: Values) -> Find:
    around, links = frozenset(parameters["around"]), parameters["links"]

    def of_page(text: str, start: int, end: int) -> Edits:
        content = _Writer(around, links=links).document(tree(text[start:end]))
        if content:
            yield Edit(start, end, content)

    def find(view: View) -> Edits:
        return edits_of_pages(view, parameters, of_page)

    return find


class _Writer:
    """Writes the content of a tree as blocks of Markdown."""

    def __init__(self, around: frozenset[str], *, links: bool) -> None:
        self._around = around
        self._links = links

    def document(self, root: Element) -> str:
        """The content of a document under its title; empty where there is none."""
        title = " ".join(next((one.text() for one in root.elements("title")), "").split())
        everything = "\n\n".join(_Writer(frozenset(), links=self._links).blocks(root))
        main = _main(root)
        blocks = self.blocks(main, page=main.name != "article")  # an article's own footer is part of it
        if 2 * sum(map(len, blocks)) < len(everything):  # what seemed to stand around the content is the content
            blocks = [everything]
        headings = [block for block in "\n\n".join(blocks).split("\n\n") if block.startswith("#")]
        if title and blocks and not any(one.startswith("# ") or one.lstrip("# ") == title for one in headings):
            blocks.insert(0, f"# {title}")
        return "\n\n".join(blocks)

    def _is_around(self, element: Element, *, page: bool) -> bool:
        """True for what stands around the content, or is not seen."""
        attributes = element.attributes
        if element.name == "dialog" and "open" not in attributes:
            return True
        if element.name in _DROPPED or "hidden" in attributes or _hidden().search(attributes.get("style", "")):
            return True
        if element.name == "footer" and page:
            return True
        if element.name == "header" and page and not any(True for _ in element.elements(*_HEADINGS)):
            return True
        if element.name in {"body", "html", "main", "article", "table", "td", "tr", "pre", "code"}:
            return False
        # The id of a section or heading is made of its words: a chapter may be about navigation.
        named = attributes.get("id", "") if element.name in _AROUND and not _those(element, *_HEADINGS) else ""
        said = f"{attributes.get('class', '')} {named} {attributes.get('role', '')}".lower()
        return not self._around.isdisjoint(_NAME().findall(said))

    def blocks(self, element: Element, *, page: bool = False) -> list[str]:
        """The blocks of what is in an element; texts and inline elements in a row are a paragraph."""
        blocks: list[str] = []
        inline: list[Element | str] = []

        def end_paragraph() -> None:
            text = _mark().sub(r"\1\\", self._inline(inline).strip())
            inline.clear()
            if text:
                blocks.append(text)

        for child in element.children:
            if isinstance(child, str) or not child.holds_blocks:
                inline.append(child)
                continue
            end_paragraph()
            if not self._is_around(child, page=page):
                blocks += self._block(child, page=page and child.name in {"body", "html", "div", "main", "form"})
        end_paragraph()
        return blocks

    def _block(self, element: Element, *, page: bool) -> list[str]:
        name = element.name
        if name in _HEADINGS:
            text = " ".join(self._inline(element.children).split())
            return [_HEADINGS[name] + text] if text else []
        if name == "pre":
            return _fenced(element)
        if name in {"ul", "ol", "menu"}:
            return self._list(element)
        if name == "dl":
            return self._definitions(element)
        if name == "table":
            return self._table(element)
        blocks = self.blocks(element, page=page)
        if name == "blockquote":
            return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(blocks).split("\n"))] if blocks else []
        return blocks

    def _list(self, element: Element) -> list[str]:
        items = []
        kind, step = element.attributes.get("type", ""), -1 if "reversed" in element.attributes else 1
        first = str(len(_those(element, "li"))) if step < 0 else "1"
        number = _whole(element.attributes.get("start", first))
        for child in element.children:
            if isinstance(child, str) or self._is_around(child, page=False):
                continue
            if child.name == "li" and "value" in child.attributes:
                number = _whole(child.attributes["value"])
            mark = f"{_counted(number, kind)}. " if element.name == "ol" else "- "
            blocks = self.blocks(child) if child.name == "li" else self._block(child, page=False)
            if blocks:
                number += step
                tight = all(len(block) < 1000 and "\n\n" not in block for block in blocks)
                items.append(mark + ("\n" if tight else "\n\n").join(blocks).replace("\n", "\n" + " " * len(mark)))
        return ["\n".join(items)] if items else []

    def _definitions(self, element: Element) -> list[str]:
        lines: list[str] = []
        for child in element.children:
            if isinstance(child, str) or self._is_around(child, page=False):
                continue
            if child.name in {"dt", "dd"}:
                text = "\n".join(self.blocks(child))
                if text:
                    lines.append(text if child.name == "dt" else ": " + text.replace("\n", "\n  "))
            else:  # a group of them
                lines += self._definitions(child) if child.name == "div" else self._block(child, page=False)
        return ["\n".join(lines)] if lines else []

    def _table(self, element: Element) -> list[str]:
        rows = [row for row in self._grid(element) if any(row)]
        caption = [self._inline(one.children).strip() for one in _those(element, "caption")]
        if not rows:
            return caption
        width = max(map(len, rows))
        marks = _MARKS if any(True for _ in element.elements("th")) else (*_MARKS, "\n\n")
        if width == 1 or len(rows) == 1 or any(mark in cell for row in rows for cell in row for mark in marks):
            return [*caption, *(cell for row in rows for cell in row if cell)]  # it lays out the page
        lines = [f"|{'|'.join(_in_cell(cell) for cell in row)}{'|' * (width - len(row))}|" for row in rows]
        lines.insert(1, "|" + "-|" * width)
        return [*caption, "\n".join(lines)]

    def _grid(self, table: Element) -> Iterator[list[str]]:
        """The texts of the rows; a cell that spans rows or columns stands in each of them, so that none moves."""
        below: dict[int, tuple[str, int]] = {}  # column to the text of a cell above, and to how many rows more it spans
        for row in _rows(table):
            texts: list[str] = []
            spanning: dict[int, tuple[str, int]] = {}
            for cell in _cells(row):
                _fill(texts, below)
                text = "\n\n".join(self.blocks(cell))
                columns, rows = (_number(cell.attributes.get(name, "")) for name in ("colspan", "rowspan"))
                if rows > 1:
                    spanning |= dict.fromkeys(range(len(texts), len(texts) + columns), (text, rows - 1))
                texts += [text] * columns
            _fill(texts, below)
            below |= spanning
            yield texts

    def _inline(self, children: Iterable[Element | str]) -> str:
        """Text in a line, with line breaks where there are some."""
        text = "".join(_spaces().sub(" ", child) if isinstance(child, str) else self._span(child) for child in children)
        lines = [" ".join(filter(None, line.split(" "))) for line in text.split("\n")]
        lead, tail = " " * text.startswith(" "), " " * text.endswith(" ")
        return lead + "\n".join(lines) + tail

    def _span(self, element: Element) -> str:
        name, attributes = element.name, element.attributes
        if name == "br":
            return "\n"
        if name == "img":
            said = attributes.get("alt", "").strip(" \n[]")
            return f"![{said}]" if said else ""
        if name == "input":
            kind = attributes.get("type", "text")
            if kind in {"checkbox", "radio"}:
                return "[x] " if "checked" in attributes else "[ ] "
            return "" if kind in {"hidden", "password"} else attributes.get("value", "")
        if self._is_around(element, page=False):
            return ""
        if name in {"code", "kbd", "samp", "tt"} and "`" not in (code := element.text()) and code.strip():
            return f"`{' '.join(code.split())}`"
        text = self._inline(element.children)
        if name in _FORMULAS or name == "math":
            return self._formula(element, text)
        if name in {"progress", "meter"} and not text.strip():
            return f"{attributes.get('value', '')}/{attributes.get('max', '1')}"
        if name == "a":
            return self._link(text, attributes.get("href", ""))
        if name in {"sup", "sub"} and text.strip():
            return f"{'^' if name == 'sup' else '_'}{text.strip()}"
        if name in {"del", "s", "strike"} and text.strip():
            return f"~~{text.strip()}~~"
        if name == "q":
            return f"“{text}”"
        if name == "rt":
            return f"({text.strip()})"
        if name == "rp":
            return ""
        if name == "option" and "selected" in attributes:
            return f" [x] {text} "
        return f" {text} " if name in {"td", "th", "option", "button", "label"} else text

    def _formula(self, element: Element, text: str) -> str:
        """A formula as its page writes it in TeX, or in a line: a fraction has its stroke, a power its sign."""
        if element.name == "math":
            tex = [one.text() for one in element.elements("annotation") if "tex" in one.attributes.get("encoding", "")]
            said = element.attributes.get("alttext", "") or "".join(tex[:1])
            return f"${said.strip()}$" if said else text
        parts = [self._inline([one]).strip() for one in element.children if isinstance(one, Element)]
        parts = [one if len(one) == 1 or one.isalnum() else f"({one})" for one in parts]
        return "".join(f"{sign}{part}" for sign, part in zip(_FORMULAS[element.name], parts, strict=False))

    def _link(self, text: str, target: str) -> str:
        said = text.strip()
        if said in _SIGNS:
            return ""
        inside = not target or target.startswith(("#", "javascript:", "data:"))
        if inside or not self._links or not said or "\n" in said or target == said or "](" in said:
            return text
        lead, tail = " " * text.startswith(" "), " " * text.endswith(" ")
        return f"{lead}[{said}]({target}){tail}"


def _main(root: Element) -> Element:
    """The element that holds the content of a page by what it says of itself; all of the page where none does."""
    articles = []
    for one in root.elements("main", "article", "div", "section"):
        if one.name == "main" or one.attributes.get("role") == "main":
            return one
        if one.name == "article":
            articles.append(one)
    return articles[0] if len(articles) == 1 else root


def _those(element: Element, *names: str) -> list[Element]:
    """The elements of some names just within another."""
    return [one for one in element.children if isinstance(one, Element) and one.name in names]


def _rows(table: Element) -> Iterator[Element]:
    for child in _those(table, "tr", "thead", "tbody", "tfoot"):
        yield from [child] if child.name == "tr" else _those(child, "tr")


def _cells(row: Element) -> list[Element]:
    return _those(row, "td", "th")


def _fill(texts: list[str], below: dict[int, tuple[str, int]]) -> None:
    """Add to a row what cells above span into it."""
    while len(texts) in below:
        text, rows = below.pop(len(texts))
        if rows > 1:
            below[len(texts)] = text, rows - 1
        texts.append(text)


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else 1


def _counted(number: int, kind: str) -> str:
    """The number of an item as a list of a type shows it: 3, c, C, iii or III."""
    if kind in {"a", "A"} and 1 <= number <= 26:
        return chr(ord(kind) + number - 1)
    if kind not in {"i", "I"} or not 1 <= number < 40:
        return str(number)
    roman = "x" * (number // 10) + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[number % 10]
    return roman if kind == "i" else roman.upper()


def _number(span: str) -> int:
    return max(1, min(int(span), 50)) if span.isdecimal() and span.isascii() else 1


def _in_cell(text: str) -> str:
    return "<br>".join(" ".join(line.split()) for line in text.split("\n") if line.strip()).replace("|", "\\|")


def _fenced(pre: Element) -> list[str]:
    """Code as it stands, between fences that it has not in it."""
    code = pre.text().strip("\n").rstrip()
    if not code:
        return []
    inner = next(pre.elements("code"), pre)
    language = _language().search(f"{inner.attributes.get('class', '')} {pre.attributes.get('class', '')}")
    fence = "````" if "```" in code else "```"
    return [f"{fence}{language[1] if language else ''}\n{code}\n{fence}"]
