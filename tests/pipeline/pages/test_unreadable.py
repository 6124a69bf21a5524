"""Text that nobody can read: glyphs without a character, and garbled paragraphs."""

from __future__ import annotations

import pytest

from tokaudit.features.slim.choose import chosen_rules
from tokaudit.features.slim.types import Choice
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.pages.unreadable import UNREADABLE, garbled_paragraphs, unreadable_pages
from tokaudit.store.packs import load_packs
from work import assert_linear

ZH = "本手册介绍如何安装并配置这一操作系统，内容包括准备工作、分区和引导，以及网络的设置。"
RULES = {rule.id: rule for rule in load_packs(["pdf"])[0].rules}


@pytest.mark.parametrize(
    "text",
    [
        ZH.encode().decode("gbk", "replace"),
        ZH.encode("gbk").decode("latin-1"),
        ZH.encode().decode("cp1252", "replace"),
        "锟斤拷" * 8,
        "烫" * 24,
        "屯" * 24,
        "@#￥%……&*（）" * 3,
        "(cid:3)" * 24,
        "\ue001\ue002\ue003\ue004" * 6,
        "\ufffd" * 24,
        "□■◆◇○●★☆▲△▼▽□■◆◇○●★☆▲△▼▽",
    ],
)
def test_garbled(text):
    assert list(garbled_paragraphs(f"One.\n\n{text}\n\nTwo.\n")) == [(6, 6 + len(text))]
    assert list(garbled_paragraphs(text[:12])) == []  # too short to tell


@pytest.mark.parametrize(
    "text",
    [
        ZH,
        "锟斤拷是乱码的一种，常见于编码转换错误，烫烫烫则出现在未初始化的内存里。",
        "這是一段正常的繁體中文，內容包括準備工作與網路設定。",
        "これは普通の日本語の文章です。とても読みやすいです。",
        "이것은 평범한 한국어 문장입니다. 읽기 쉽습니다.",
        "Это обычный русский текст, который легко читается.",
        "هذا نص عربي عادي يمكن قراءته بسهولة تامة",
        "นี่คือข้อความภาษาไทยธรรมดาที่อ่านได้",
        "Đây là một đoạn văn bản tiếng Việt bình thường có thể đọc",
        "Élève français à Noël, où été déjà très fâché, ça va être génial",
        "for (int i = 0; i < n; i++) { a[i] += b[i]; } /* $%^&*@# */",
        "∑ x² + ∫ f(x) dx = 3 + 4 × 5 ÷ 6, ∀ε ∃δ ± √2",
        "SGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ+SGVsbG8gd29ybGQ/",
        "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |",
        "┌──┬──┐│ab│cd│└──┴──┘┌──┬──┐│ef│gh│└──┴──┘",
        "1 Introduction ........................ 3",
        "★★★★★ ★★★★☆ ★★★☆☆ ★★☆☆☆ ★☆☆☆☆",
        "🎉🎊🥳🎈🎁🎂🍰🎉🎊🥳🎈🎁🎂🍰🎉🎊🥳🎈🎁🎂🍰",
        "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳①②③④",
        "㐀㐁㐂㐃㐄㐅㐆㐇㐈㐉㐊㐋㐌㐍㐎㐏㐐㐑㐒㐓㐔㐕",
        "$12.00 $13.00 $14.00 €16 £17 +10% -3% #1 #2 (net)",
    ],
)
def test_not_garbled(text):
    assert list(garbled_paragraphs(text)) == []


def test_a_page_that_needs_ocr_stays():
    little, much = "some words of a page " * 9 + "(cid:3)(cid:4)\n", "(cid:5)(cid:6)(cid:7) few\n"
    shares = [share for _, _, _, share in unreadable_pages(f"{little}\f{much}")]
    assert shares[0] < UNREADABLE < shares[1]
    result = slim_text(f"{little}\f{much}", [RULES["pdf.cid"]], kind="pdf")
    assert result.text == little.replace("(cid:3)(cid:4)", "\ufffd") + "\f" + much
    assert slim_text(result.text, [RULES["pdf.cid"]], kind="pdf").text == result.text


def test_which_are_on():
    rules = list(RULES.values())
    on = {rule.id for rule in chosen_rules(rules, Choice(("lossless", "near", "lossy")))}
    assert ("pdf.cid" in on, "pdf.garbled-para" in on) == (True, False)
    by_default = {rule.id for rule in chosen_rules(rules, Choice())}
    assert not by_default & {"pdf.cid", "pdf.garbled-para"}


@pytest.mark.parametrize("unit", ["(cid:3)", "(cid:3) ", "\ue000", "锟斤拷", "!@#$", "a\n", "\n", "\f", "字", "a\n\n"])
def test_no_square_of_the_work(unit):
    rules = [RULES["pdf.cid"], RULES["pdf.garbled-para"]]
    for work in (
        lambda text: list(garbled_paragraphs(text)),
        lambda text: list(unreadable_pages(text)),
        lambda text: slim_text(text, rules, kind="text"),
    ):
        assert_linear(work, lambda units: unit * units, 1_000)
