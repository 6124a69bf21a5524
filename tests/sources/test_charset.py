from __future__ import annotations

import pytest

from tokaudit.model import InputError, UsageError
from tokaudit.sources import decode, detect, is_binary

SIMPLIFIED = [
    "你好",
    "您好",
    "中国",
    "测试",
    "确定要删除吗？",
    "你好，世界！",
    "今天天气怎么样？",
    "请问您需要什么帮助？",
    "订单已经发货，预计三个月内送达。",
    "哈尔滨的冬天很冷",
    "异常处理：文件不存在",
    "特别行政区",
    "我们在2024年5月至6月完成了测试",
    "name,age\n张三,30\n李四,25\n",
    "错误：无法连接到服务器 (code=500)",
    "the word 的 is frequent",
    "用户登录失败，密码错误次数过多",
    "人工智能技术的发展改变了我们的生活方式，也带来了新的挑战。",
    "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。",
    "# 说明\r\n\r\n这是一个说明文件。\r\n",
    "价格：￥1,299.00 元／件",
    "朱镕基总理（镕字不在GB2312里）",
    "𠮷野家和㐂寿都是生僻字，需要四个字节来编码",
    "繁體字也可以用國標碼來寫，這是一個測試",
]
TRADITIONAL = [
    "你好，世界！",
    "這是一個測試",
    "請問您需要什麼幫助？",
    "訂單已經發貨，預計三個月內送達。",
    "資料庫連線失敗",
    "歡迎光臨我們的網站",
    "臺灣的天氣很熱",
    "使用者名稱或密碼錯誤",
    "我們在2024年完成了測試",
    "人工智慧技術的發展改變了我們的生活方式，也帶來了新的挑戰。",
]
JAPANESE = [
    "こんにちは",
    "日本語のテキスト",
    "東京は日本の首都です。",
    "エラーが発生しました",
    "ファイルが見つかりません。もう一度お試しください。",
    "お客様のご注文を確認いたしました。",
    "本日は晴天なり",
]
KOREAN = ["안녕하세요", "대한민국", "파일을 찾을 수 없습니다.", "주문이 접수되었습니다. 감사합니다."]


@pytest.mark.parametrize(
    ("text", "written", "name"),
    [
        *((text, "gb18030", "gb18030") for text in SIMPLIFIED),
        *((text, "big5", "big5") for text in TRADITIONAL),
        *((text, "cp932", "shift_jis") for text in JAPANESE),
        *((text, "euc_jp", "euc_jp") for text in JAPANESE),
        *((text, "euc_kr", "euc_kr") for text in KOREAN),
    ],
)
@pytest.mark.parametrize("times", [1, 40])
def test_old_charset_is_detected(text: str, written: str, name: str, times: int) -> None:
    data = (text * times).encode(written)
    assert decode(data, None, "f.txt") == (text * times, name)
    assert not is_binary(data)


@pytest.mark.parametrize("text", [*SIMPLIFIED, *TRADITIONAL, *JAPANESE, *KOREAN, "plain ASCII", "café", "👍🏽", ""])
def test_utf8_is_never_taken_for_another(text: str) -> None:
    assert decode(text.encode(), None, "f.txt") == (text, "utf-8")


@pytest.mark.parametrize(
    "text", ["hello, world", "line\r\nline\r\n", "你好，world\r\n第二行", "emoji 👍 here", "Ünïcödé"]
)
@pytest.mark.parametrize(
    ("bom", "codec", "name"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8-sig"),
        (b"\xff\xfe", "utf-16-le", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le", "utf-32-le"),
        (b"\0\0\xfe\xff", "utf-32-be", "utf-32-be"),
        (b"\x84\x31\x95\x33", "gb18030", "gb18030"),
    ],
)
def test_byte_order_mark_decides_and_is_no_text(text: str, bom: bytes, codec: str, name: str) -> None:
    data = bom + text.encode(codec)
    assert decode(data, None, "f.txt") == (text, name)
    assert not is_binary(data)
    # The same when the user names what is there.
    assert decode(data, codec, "f.txt")[0] == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["hello", "line one\r\nline two\r\n", "id,名称\r\n1,你好\r\n"])
def test_wide_without_mark(text: str, codec: str) -> None:
    assert decode(text.encode(codec), None, "f.txt") == (text, codec)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Le café était fermé, hélas; la crème brûlée était à côté. " * 3, "cp1252"),
        ("naïve café", "cp1252"),
        ("während der Übertragung größer", "cp1252"),
        ("Debian «\u00a0Lenny\u00a0» (testing)", "cp1252"),
        ("готово", "cp1251"),
        ("Привет, как дела? Это проверка кодировки текста на русском языке.", "cp1251"),
    ],
)
def test_alphabets(text: str, codec: str) -> None:
    assert decode(text.encode(codec), None, "f.txt") == (text, codec)


@pytest.mark.parametrize("length", [1021, 1022, 1023, 1024, 4095, 65535, 65534, 65536])
@pytest.mark.parametrize("codec", ["utf-8", "gb18030"])
def test_character_across_a_read_boundary_is_text(length: int, codec: str) -> None:
    text = "a" * length + "的中文文本，我们在这里" * 10
    data = text.encode(codec)
    assert decode(data, None, "f.txt") == (text, codec)
    for end in range(length, length + 8):
        assert not is_binary(data[:end])
        # A head that ends inside a character still tells its charset.
        assert codec != "utf-8" or detect(data[:end], "f.txt", complete=False) == "utf-8"


def test_invalid_bytes_in_utf8_are_one_clear_error() -> None:
    data = "第一行是中文\n第二行也是".encode() + b"\xff\xfe" + "中文\n".encode()
    offset = len("第一行是中文\n第二行也是".encode())
    with pytest.raises(InputError) as caught:
        decode(data, None, "dir/f.txt")
    assert caught.value.code == "charset"
    message = str(caught.value)
    assert "dir/f.txt" in message
    assert f"byte {offset} (0xff), line 2" in message
    assert "--charset" in caught.value.hint


@pytest.mark.parametrize(
    ("data", "charset", "place"),
    [
        (b"ok\n\xff", "utf-8", "byte 3 (0xff), line 2"),
        (b"\xef\xbb\xbfok\nab\xff", "utf-8", "byte 8 (0xff), line 2"),
        ("好\n".encode("gbk") + b"\xff\xff", "gb18030", "byte 3 (0xff), line 2"),
        (b"\xff\xfea\0\n\0\x00\xd8b\0", None, "byte 6 (0x00), line 2"),
    ],
)
def test_bytes_not_in_the_charset_name_their_place(data: bytes, charset: str | None, place: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(data, charset, "f.txt")
    assert place in caught.value.message


@pytest.mark.parametrize(("charset", "near"), [("utf9", "utf"), ("gb1803", "gb18030"), ("shift-jiss", "shift-jis")])
def test_unknown_charset_offers_the_nearest(charset: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        decode(b"x", charset, "f.txt")
    assert near in caught.value.hint


@pytest.mark.parametrize("charset", ["rot13", "base64", "zip", "", "\0", "x" * 500])
def test_what_is_no_text_charset_is_refused(charset: str) -> None:
    with pytest.raises(UsageError):
        decode(b"x", charset, "f.txt")


def test_forced_charset_beats_what_would_be_detected() -> None:
    assert decode("你好".encode(), "latin-1", "f")[0] == "你好".encode().decode("latin-1")
    assert decode("你好".encode("gbk"), "GBK", "f") == ("你好", "gbk")


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\nplain text follows",
        b"\x89PNG\r\n\x1a\n" + bytes(20),
        b"PK\x03\x04" + b"word/document.xml",
        b"\x1f\x8b\x08" + bytes(range(256)),
        b"\x7fELF\x02\x01\x01" + bytes(64),
        bytes(1000),
        bytes(range(256)) * 8,
        b"\x01\x02\x03\x04\x05\x06",
        bytes((i * 7919 + 13) % 256 for i in range(3000)),
    ],
)
def test_binary(data: bytes) -> None:
    assert is_binary(data)
    with pytest.raises(InputError, match=r"^x\.bin: binary file") as caught:
        decode(data, None, "x.bin")
    assert caught.value.code == "binary"


@pytest.mark.parametrize("text", ["a NUL \0 in a text", "\x1b[31mred\x1b[0m\n" * 50, "form\ffeed\n", "\n" * 1000, "\0"])
def test_text_with_some_controls_is_text(text: str) -> None:
    assert decode(text.encode(), None, "f") == (text, "utf-8")


def test_a_large_file_that_breaks_its_charset_late() -> None:
    data = ("订单已经发货，预计三天内送达。\n" * 4000).encode("gb18030")
    assert decode(data, None, "f")[1] == "gb18030"
    with pytest.raises(InputError) as caught:
        decode(data + b"\xff\xff\n", None, "f")
    assert f"byte {len(data)}" in caught.value.message
    assert "line 4001" in caught.value.message


@pytest.mark.parametrize("text", ["ﾃｽﾄ", "ﾃｽﾄ ﾃﾞｰﾀ", "ｼｽﾃﾑｴﾗｰ", "ﾕｰｻﾞｰﾒｲ: ABC", "ﾕｰｻﾞｰﾒｲ,ｻｲｽﾞ\nA,1\n"])
def test_half_width_katakana(text: str) -> None:
    assert decode(text.encode("cp932"), None, "f") == (text, "shift_jis")


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        *(("DÉJÀ VU ÇÀ", "cp1252"), ("ÅÄÖ", "cp1252"), ("½¼¾", "cp1252"), ("«ÀÉ»", "cp1252"), ("25°C ±5", "cp1252")),
        *(("ПРИВЕТ МИР", "cp1251"), ("ΌΝΟΜΑ ΕΛΛΑΔΑ", "cp1253")),
    ],
)
def test_capitals_are_no_katakana(text: str, charset: str) -> None:
    assert decode(text.encode(charset), None, "f") == (text, charset)
