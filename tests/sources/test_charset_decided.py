"""How a charset is decided, and what becomes of bytes that are none of its characters."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokaudit
from tokaudit.jobs import count as jobs
from tokaudit.jobs import units
from tokaudit.model import InputError, UsageError
from tokaudit.sources import decoded, encode_like, load
from tokaudit.sources.alphabets import ranked

LOG = "[错误] 订单服务：连接池已满，等待 12 个请求，正在重试……（第 3 次）\n" * 60
POLISH = (
    "Jesteś asystentem obsługi klienta. Zawsze odpowiadaj uprzejmie i zwięźle. Jeśli nie znasz odpowiedzi, powiedz."
)
RUSSIAN = "Привет, как дела? Это проверка кодировки текста на русском языке."
FRENCH = "Le café était fermé, hélas; la crème brûlée était à côté. Il dit : “voilà”."
JAPANESE = "あなたはオンラインショップのカスタマーサポートです。いつも丁寧に、短く答えてください。"


@pytest.mark.parametrize(
    ("text", "charset", "decided"),
    [
        ("你好，世界", "utf-8", "detected"),
        ("plain ASCII", "utf-8", "detected"),
        (LOG, "gb18030", "detected"),
        (JAPANESE, "iso2022_jp", "detected"),
        ("请简短回答，语气友好。", "hz", "detected"),
        ("안녕하세요. 주문이 접수되었습니다.", "iso2022_kr", "detected"),
        (POLISH, "cp1250", "guessed"),
        ("Mindig udvariasan és röviden válaszoljon. Ha nem tudja a választ, mondja meg őszintén.", "cp1250", "guessed"),
        ("Vždy odpovídejte zdvořile a stručně. Pokud neznáte odpověď, řekněte to.", "cp1250", "guessed"),
        (POLISH + " Źródło, dąb.", "iso8859-2", "guessed"),
        (RUSSIAN, "cp1251", "guessed"),
        (RUSSIAN, "cp866", "guessed"),
        (RUSSIAN, "koi8-r", "guessed"),
        (FRENCH, "cp1252", "guessed"),
        (FRENCH, "mac-roman", "guessed"),
        ("Lütfen kısa ve nazik yanıt verin, teşekkürler.", "cp1254", "guessed"),
        ("Καλημέρα, πώς είστε; Αυτό είναι ένα κείμενο.", "cp1253", "guessed"),
        ("שלום, מה שלומך היום? זהו טקסט בעברית לבדיקה.", "cp1255", "guessed"),
        ("مرحبا، كيف حالك اليوم؟ هذا نص باللغة العربية.", "cp1256", "guessed"),
        ("สวัสดีครับ วันนี้เป็นอย่างไรบ้าง", "cp874", "guessed"),
        ("Visada atsakykite mandagiai ir trumpai, ačiū už žinutę.", "cp1257", "guessed"),
    ],
)
def test_charset_and_how_it_was_decided(text: str, charset: str, decided: str) -> None:
    found = decoded(text.encode(charset), None, "f")
    assert (found.text, found.charset, found.decoding.decided) == (text, charset, decided)


def test_what_the_user_says_and_a_mark_are_told_apart() -> None:
    assert decoded("你好".encode("gbk"), "gbk", "f").decoding.decided == "declared"
    assert decoded(b"\xef\xbb\xbfhello", None, "f").decoding.decided == "mark"
    assert load("你好", "f").decoding.decided == ""


def test_a_guess_has_its_alternatives() -> None:
    found = decoded(POLISH.encode("cp1250"), None, "f").decoding
    assert found.alternatives
    assert "cp1250" not in found.alternatives
    assert found.described("cp1250").startswith("guessed: cp1250, else ")


def test_charsets_that_read_the_same_are_one() -> None:
    texts = [FRENCH.encode("cp1252").decode(name) for _, name in ranked(FRENCH.encode("cp1252"))]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    "text", ["use ~{x~} as a macro", "~{ab~}", "a \x1b[31mred\x1b[0m log", "\x1b$ no charset", "~~{}~"]
)
def test_ascii_that_only_looks_like_escapes_stays(text: str) -> None:
    found = decoded(text.encode(), None, "f")
    assert (found.text, found.charset) == (text, "utf-8")


# --- bytes that do not fit ---


STRAY = LOG.encode("gbk")[:3000] + b"\x80" + LOG.encode("gbk")[3000:]


def test_a_stray_byte_makes_no_log_of_another_language() -> None:
    with pytest.raises(InputError, match=r"f: not valid gb18030 at byte 3000 \(0x80\), line \d+") as caught:
        decoded(STRAY, None, "f")
    assert "--errors replace" in caught.value.hint
    found = decoded(STRAY, None, "f", errors="replace")
    assert found.text.replace("\ufffd", "") == LOG
    assert (found.charset, found.decoding.decided, found.decoding.replaced) == ("gb18030", "guessed", 1)
    assert [note.reason for note in found.decoding.notes("f")] == ["1 invalid byte replaced by U+FFFD"]


def test_a_named_charset_with_a_stray_byte() -> None:
    with pytest.raises(InputError, match=r"not valid gbk at byte 3000 \(0x80\)") as caught:
        decoded(STRAY, "gbk", "f")
    assert "--errors replace" in caught.value.hint
    assert decoded(STRAY, "gbk", "f", errors="replace").decoding.replaced == 1


def test_replaced_bytes_of_utf8_are_counted() -> None:
    data = "第一行是中文\n第二行也是".encode() + b"\xff\xfe" + "中文\n".encode()
    found = decoded(data, None, "f", errors="replace")
    assert found.text == "第一行是中文\n第二行也是\ufffd\ufffd中文\n"
    assert (found.charset, found.decoding.replaced) == ("utf-8", 2)


def test_unknown_errors() -> None:
    with pytest.raises(UsageError, match="invalid --errors 'ignore'"):
        decoded(b"a", None, "f", errors="ignore")


# --- cut within a character ---


@pytest.mark.parametrize("head", [0, 1, 2])
@pytest.mark.parametrize("tail", [0, 1, 2])
def test_a_character_cut_in_two_is_left_out_and_told(head: int, tail: int) -> None:
    text = "连接池已满，正在重试"
    data = text.encode()
    found = decoded(data[head : len(data) - tail], None, "f")
    cut = (3 - head) % 3, (3 - tail) % 3
    assert found.text == text[bool(head) : len(text) - bool(tail)]
    assert found.decoding.cut == cut
    assert len(found.decoding.notes("f")) == bool(head) + bool(tail)


@pytest.mark.parametrize("charset", ["gb18030", "utf-16", "big5", "euc_kr"])
def test_the_end_is_cut_in_other_charsets_too(charset: str) -> None:
    text = {"euc_kr": "안녕하세요. 주문이 접수되었습니다", "big5": "訂單已經發貨，預計三個月內送達"}.get(
        charset, LOG.rstrip()[:-1] + "满"
    )
    found = decoded(text.encode(charset)[:-1], None, "f")
    assert found.text == text[:-1]
    assert found.decoding.cut == (0, 1)


@pytest.mark.parametrize("data", [b"caf\xe9", b"\xbfqu\xe9?", b"na\xefve"])
def test_a_lone_accent_is_no_cut_character(data: bytes) -> None:
    assert decoded(data, None, "f").text == data.decode("cp1252")


def test_writing_would_lose_what_was_cut_or_replaced() -> None:
    for data, charset in ((STRAY, "gbk"), ("连接池".encode()[:-1], "utf-8")):
        with pytest.raises(InputError, match="writing would lose them"):
            encode_like("x", data, charset, "f")


# --- in files ---


def test_it_stands_in_reports(tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_bytes("连接池已满，正在重试".encode()[:-1])
    (tmp_path / "polish.txt").write_bytes(POLISH.encode("cp1250"))
    (tmp_path / "stray.log").write_bytes(STRAY)
    data = tokaudit.count_paths([tmp_path], ["gpt-4o"])
    cut, polish = data["documents"]
    assert cut["charset_decided"] == "detected"
    assert (polish["charset"], polish["charset_decided"]) == ("cp1250", "guessed")
    assert polish["charset_alternatives"]
    assert [item["reason"] for item in data["skipped"]] == [
        "not valid gb18030 at byte 3000 (0x80), line 44: illegal multibyte sequence",
        "the file ends within a character: 2 bytes left out",
    ]
    replaced = tokaudit.count_paths([tmp_path / "stray.log"], ["gpt-4o"], errors="replace")
    counted = tokaudit.count(LOG, ["gpt-4o"])["totals"]["counts"]["gpt-4o"]["tokens"]
    assert abs(replaced["totals"]["counts"]["gpt-4o"]["tokens"] - counted) <= 4


@pytest.mark.parametrize(
    "data",
    [
        ("连接池已满，正在重试\n" * 9000).encode()[2:-2],
        ("a line\n" * 20_000).encode() + JAPANESE.encode("iso2022_jp") + b"\n",
        ("连接池已满，正在重试\n" * 9000).encode() + b"\xff" + ("连接池已满，正在重试\n" * 9000).encode(),
    ],
    ids=["cut", "escapes", "stray"],
)
def test_large_files_are_read_as_small_ones(data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    whole = tokaudit.count_paths([path], ["gpt-4o"], errors="replace")
    monkeypatch.setattr(units, "CUT_FROM", 1 << 16)
    monkeypatch.setattr(jobs, "PIECE", 1 << 16)
    assert tokaudit.count_paths([path], ["gpt-4o"], errors="replace") == whole
