"""Lines at the edge of a page that say something of it, though the same may stand on other pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tokaudit.pipeline.pages.edge_lines import MASK, Number
from tokaudit.pipeline.patterns import lazy

NEARLY_ALL = 0.9
"""Of the pages, those that have the same field where it is one of the document."""
_VALUE = 60
"""Characters of the value of a field at most."""
_CLOSING = ')”"’」）'
_WORDS = 3
"""Spaces, or ideographs, of a sentence at least."""
_LOOKED_AT = 300
"""Characters of a line that are looked at."""
_LEAST = 3
"""Letters of a running line at least, ideographs twice: 是 and A are answers."""
_field = lazy(
    r"(?P<label>[^\W\d_][^\s:：=,，。;；/|]{0,19}(?: [^\s:：=,，。;；/|]{1,16}){0,3})\s?(?:[：=]|:(?!//))"
    r"\s*(?P<value>.*)"
)
_valued = lazy(r"(?P<label>[^\s\d]\S{0,11}) (?:[-–—|] )?(?P<value>\S{1,12})")
_page_label = lazy(r"(?:page|pages|p|页|页码|页次|頁|頁碼|seite|стр)\s*", re.IGNORECASE)
_paged = lazy(r"第\s*\d{1,5}\s*[页頁]|\bpage\s*\d{1,5}\b", re.IGNORECASE)
_own_label = lazy(
    r"(?:代[码碼号號]|[简簡]称|公司|编号|編號|版本|密级|文件|文档|机构|标题|[书書]名"
    r"|\b(?:Company|Version|Release|Revision|Document|Doc|Code|Ticker|Title|Author|Copyright|Confidentiality|ISBN))"
    r"\s*$",
    re.IGNORECASE,
)
"""Labels of what a document, not a page, is or has."""
_bullet = lazy(
    r"[•‣◦●○◆◇■□▪▫▸►➢✓✔✗✘☐☑☒*·]\s?\w|[-–—]\s\w(?!.*[-–—]$)"
    r"|[(（]\s?(?:\d{1,2}|[a-z一二三四五六七八九十])\s?[)）]|(?:\d{1,2}|[a-z])[)）]\s?\w|[①-⑳]"
)
_code = lazy(
    r".*[;{}]$|.*[A-Za-z0-9_]\((?!\d\w?\)$)[^()]*\)[:;]?$|[$>%] \w.*|>>> .*|#\s?(?:include|define|if|endif)\b.*"
    r"|(?:return|else|elif|if|for|while|def|class|end|fi|done|esac|break|continue|pass|import|from|sudo|apt|apt-get|git"
    r"|cd|ls|pip|npm|docker|make|cmake|curl|wget|mkdir|rm|cp|mv|echo|cat|grep|python3?|bash|ssh)(?:[ :].*)?"
)
_obligation = lazy(
    r"必须|必須|务必|不得|不准|不许|不可|禁止|严禁|嚴禁|应当|应(?:于|在|将|按|由|向|予|及时|立即|负责|承担)|應當|应该|须|須"
    r"|请勿|請勿|切勿|不要|不能|警告|危险"
    r"|\b(?:must|shall|never|cannot|can't|don't|may not|do not|not allowed|prohibited|forbidden|warning|danger"
    r"|caution)\b",
    re.IGNORECASE,
)
_about_document = lazy(
    r"外传|外傳|复制|複製|翻印|转载|轉載|传播|传阅|版权|版權|保密|机密|机要|内部资料|仅供|僅供|不构成|免责|声明|聲明|侵权"
    r"|\b(?:cop(?:y|ies|ied)|copyright|reproduc\w*|distribut\w*|redistribut\w*|disclos\w*|forward(?:ed)?|circulat\w*"
    r"|confidential|proprietary|internal use|rights reserved|disclaimer|informational purposes|investment|liab\w+"
    r"|draft|unofficial)\b|©|\(c\)",
    re.IGNORECASE,
)
"""What notices say of the document, not of its matter."""
_abbreviation = lazy(r"\b(?:Inc|Ltd|Corp|Co|etc|No|Vol|vol|ed|Ed|al|[A-Z])\.$")
_series = lazy(
    r"(?:\w+ ){0,2}(?:step|case|item|record|question|invoice|order|patient|sample|exercise|problem|lesson|unit|test"
    r"|day|week|task|entry|form|receipt|contract|certificate|report|案例|步骤|记录|记錄|题目?|样品|订单|患者|试题|任务|附件"
    r"|用例|条目)\s*(?:no\.?|number|编号|号|№|#)?|no\.|№|编号",
    re.IGNORECASE,
)
_of_series = lazy(
    r"(?!(?:contents|index|preface|glossary|page|notes|references|bibliography|appendix|chapter)$)[^\W\d_]{2,12}",
    re.IGNORECASE,
)
"""One word before a number that counts up: Customer 1, Customer 2."""
_front_matter = lazy(r"目[录錄次]|索引|前言|序言?|附[录錄]|[页頁].*|.*[册冊书書报報告集]")
_sum = lazy(
    r"(?:合[计計]|小[计計]|总[计計]|總計|金[额額]|余[额額]|(?:sub)?total|balance|amount|sum)\b.*\d", re.IGNORECASE
)
_section = lazy(r"\d{0,4}\s?(?:(?:chapter|section|appendix|part|annex)\b|第.{1,4}[章节節篇部]|附[录錄])", re.IGNORECASE)


def names_section(text: str) -> bool:
    """True if a line begins as the titles of sections do, perhaps after the page's number."""
    return _section().match(text) is not None


def is_content(text: str, numbers: Sequence[Number], beside: Iterable[str] = ()) -> bool:
    """True if a line says something of its page, whatever recurs.

    That is a field, with its value or to be filled in; a bullet; a line of code; a sum; an answer; one record of a
    series; an obligation or another sentence that is no notice about the document, nor part of one.

    Args:
        text: The line.
        numbers: Page numbers that it may have.
        beside: The lines above and below it.
    """
    if any(number.alone for number in numbers) or names_section(text):
        return False
    text = text[:_LOOKED_AT]
    if sum(1 + (char >= "\u2e80") for char in text if char.isalpha()) < _LEAST or any(map(_is_of_series, numbers)):
        return True
    if _is_field(text) or _bullet().match(text) or _code().fullmatch(text) or _sum().match(text):
        return True
    if _about_document().search(text):
        return False
    return says(text) and not any(_about_document().search(other[:_LOOKED_AT]) for other in beside)


def says(text: str) -> bool:
    """True if a line obliges, or is a sentence."""
    return _obligation().search(text[:_LOOKED_AT]) is not None or _is_sentence(text)


def is_open(text: str) -> bool:
    """True if a line does not end as a sentence does."""
    return text.rstrip(_CLOSING)[-1:] not in ".!?;。！？；"


def _is_field(text: str) -> bool:
    """True for a label with a value, or without one yet, but where the line has the page's number too."""
    found = _field().fullmatch(text)
    if found is None or len(found["value"]) > _VALUE or _paged().search(text):
        return False
    return _page_label().fullmatch(found["label"]) is None


def _is_sentence(text: str) -> bool:
    """True for some words, or ideographs, that end with a mark."""
    if is_open(text) or _abbreviation().search(text):
        return False
    return text.count(" ") >= _WORDS or sum("\u3400" <= char <= "\u9fff" for char in text) >= _WORDS


def _is_of_series(number: Number) -> bool:
    said = number.masked.replace(MASK, "").strip()
    if _series().fullmatch(said):
        return True
    if number.style != "end" or not _of_series().fullmatch(said):
        return False
    return said.isascii() or not (_front_matter().fullmatch(said) or len(said) > 4)


def valued(texts: Iterable[str]) -> set[str]:
    """Lines of one place that are a label and one of several values, with no colon between: 结论 合格, 结论 不合格."""
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for text in texts:
        found = _valued().fullmatch(text)
        if found and not names_section(text):
            values[found["label"]][found["value"]].append(text)
    return {text for of_label in values.values() if len(of_label) > 1 for same in of_label.values() for text in same}


def is_unanimous_label(text: str, texts: Mapping[str, set[int]], count: int) -> bool:
    """True if a field is the document's own, such as its company: on nearly all pages, and never with another value.

    Args:
        text: The line.
        texts: Lines at its place that are content, each with its pages.
        count: Pages of the document.
    """
    found = _field().fullmatch(text)
    if found is None or _own_label().search(found["label"]) is None or len(texts[text]) < NEARLY_ALL * count:
        return False
    others = (_field().fullmatch(other) for other in texts if other != text)
    return all(other is None or other["label"] != found["label"] for other in others)
