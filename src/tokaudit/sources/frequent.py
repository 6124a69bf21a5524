"""Likeness of a text to Chinese, Japanese or Korean: the share of its characters that are frequent there.

The few hundred most frequent characters make up three quarters of any real text and about a tenth of a text read in
the wrong charset, so a sentence is enough to tell.
"""

from __future__ import annotations

CHARSETS = (
    ("gb18030", "gb18030", 0.08),
    ("big5", "big5hkscs", 0.0),
    ("shift_jis", "cp932", 0.0),
    ("euc_jp", "euc_jp", 0.0),
    ("euc_kr", "cp949", 0.0),
    ("utf-16-le", "utf-16-le", -0.05),
    ("utf-16-be", "utf-16-be", -0.05),
)
"""Name, Python codec (the widest of its family), and what is added to its score: Chinese first."""

_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所"
    "然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与"
    "长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己"
    "制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系"
    "气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社"
    "便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉"
    "格望觉术领共确传师观清今切院让识候带导争运笔元请谢吗吧啊呢哦您需款单订购买卖退货价钱客户服商店支付账号密码登"
    "录注册电话邮箱地址快递物流收到签查询帮助系统网站页输填写选择点击确认取消提交成功失败错误信息用户名称时间日期"
    "文件件夹打开关闭保存删除修改添加更新版本测试数据库语言模型参函调程序代码编译器串字符节测编码转换读简体繁中华汉"
    "字词句段章节例如以及其他因此所以但是虽然如果那么否则可能应该必须不能没有已经正在将要或者还是就是只有每任何一些"
    "许多少几乎全部整个其中之间左右上下前后内外东西南北春夏秋冬早晚今明昨周星期号点半分秒刻世纪代初末底始终结束继续"
    "第章六七八九零百千亿年级班校园生老师父母亲子孩男朋友爱情故事影音乐图画片视频照相游戏戏院医药病疼治疗健康食饭菜"
    "茶酒喝吃睡觉起床穿衣服鞋帽房屋楼室厨卫车站机场船飞火汽路桥街城乡村镇县省京沪广州深圳杭成渝湾港澳台亚洲欧美非"
    "英法德俄日韩印澳加拿大利班牙希腊罗马史历帝皇王朝唐宋元明清革命战争和平胜败军兵枪炮弹核武器经济贸易投银行股票基金"
    "融保险税务财政府党会议委员主席总理部长局厅处科员干群众社区居法律规则条例案件法院检察公安警律证判决罪犯监狱研究"
    "究试验实际现象原理技术专利发展创造设备材料能源环境污染保护森林河湖海洋岛气候温度雨雪风云雷雾热冷暖凉红橙黄绿青"
    "蓝紫黑白灰色声香味甜苦辣咸酸软硬轻低短宽窄厚薄圆方块条根颗粒张只头匹双套副份批项篇首本册页封束"
    "這個們來為國說時會對過後裡種經當沒動還進樣學現實軍無與長機關點業將兩間問應戰頭體見產義幾認條氣題爾別變總電數"
    "報結務場計資統區隊決馬書聽達強難權設記類據邊張該規萬覺術領確傳師觀讓識帶導爭運請謝嗎啊您單訂購買賣貨價錢戶"
    "號碼錄冊話郵遞帳付連網頁輸寫選擇擊確認訊稱開關閉刪改添測試語參調編譯轉換讀簡體華漢詞節雖則須終續級愛樂圖視頻"
    "遊戲醫藥療飯覺廚衛車飛橋鄉鎮縣灣臺亞歐羅馬歷園親孩歡環處備創護熱溫雲風紅黃綠藍輕寬圓塊顆雙項東門員論從給兒聲"
    "幣銀險財議黨廳幹眾證監獄際專發濟貿投舊極歲軟體檔案螢幕滑鼠鍵盤下載安裝應該讓麼什麼沒關係樓室線縱終級紙組細"
    "気国学会議東京都県市区町村駅電車売買円様殿拝啓敬具申込込込働価値変更経済発表対応参考検索楽図書館写真読書続"
    "実験単位総数録画処理済予約確認連絡先届転送図円広告社員営業部課長担当者様宜願致下御座居思言見行来食飲話聞"
)
_KANA = frozenset(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7), 0x30FC, 0x3005)))
_HANGUL = frozenset(
    "이다는에을의가고하지를한은로사기도리아으서시자어그나일니인라대수해정들있보스부전주제상안만원습유장과여구트마오"
    "우신비면무동조게거내연선치요성개경관공생소음미적동실화진세위모물방용문회식중계것와드레분없말방바산국체차명같까"
    "저든려러더했던때며야양업역영예왔외운월감강결교군권금급날남노는당덕되된될두또려력련료르및민반발배번법변별본북불"
    "설속손순술승심씨약양얼었였열오올완요워으임입있작잘잡재점종준직집짜째처천철청초최추출충크타태터토통투특파판편평"
    "포표프피필하학함합항행향현형호혹환활황후히안녕세요감사합니다한국어서울대"
)
_PUNCTUATION = frozenset("，。、；：！？“”‘’（）《》〈〉【】「」『』…—～·　％￥＋－＝／０１２３４５６７８９")


def plausibility(text: str, codec: str) -> float:
    """From about -1 (nonsense) to 1 (real text), over the characters beyond ASCII; 0.0 if there are none."""
    total = 0.0
    count = 0
    japanese = codec in ("cp932", "euc_jp")
    korean = codec == "cp949"
    wide = codec.startswith("utf-16")
    for char in text[:20000]:
        code = ord(char)
        if code < 0x80:
            if wide:
                # ASCII is evidence where each letter takes two bytes: nonsense would not give letters.
                count += 1
                total += 1.0 if char.isprintable() or char in "\t\r\n" else -2.0
            continue
        count += 1
        if char in _HAN:
            total += 0.4 if korean else 1.0
        elif char in _PUNCTUATION:
            total += 0.7
        elif char in _KANA:
            total += 1.0 if japanese or wide else 0.2
        elif char in _HANGUL:
            total += 1.0 if korean or wide else -0.5
        elif korean and 0xAC00 <= code <= 0xD7A3:
            total += 0.25 if _of_the_standard(char) else -0.25
        else:
            total += _rare(code, wide=wide)
    return total / count if count else 0.0


def _of_the_standard(char: str) -> bool:
    """Check for one of the 2,350 syllables of KS X 1001; the other 8,822 are for a wrong reading more likely."""
    try:
        char.encode("euc_kr")
    except UnicodeEncodeError:
        return False
    return True


def _rare(code: int, *, wide: bool) -> float:
    """Weight of a character that is on no list."""
    if 0x4E00 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7A3:
        return 0.0
    if 0x00A0 <= code <= 0x04FF or 0x2000 <= code <= 0x27BF or 0x3000 <= code <= 0x33FF or 0xFF00 <= code <= 0xFF60:
        # Symbols, and alphabets that the multibyte charsets have beside their own scripts.
        return 0.5 if wide and code <= 0x04FF else 0.2
    if code >= 0x1F000:
        return 0.3 if code < 0x20000 else 0.1
    # Half-width katakana, private use, C1 controls, the rarer blocks: what a wrong reading is full of.
    return -1.0
