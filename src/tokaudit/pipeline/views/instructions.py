"""Instructions in a text: the lines that ask for something to be done with the rest of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from tokaudit.pipeline.patterns import lazy

_ASKING = (
    "请", "必须", "务必", "不要", "不得", "禁止", "应当", "一律", "要求", "任务", "你是", "您是", "需要", "都要",
    "需", "负责", "助手", "目标", "规则",
    "判断", "判定", "判别", "区分", "打分", "打出", "评分", "评估", "评价", "评判", "分析", "识别", "分类", "归类",
    "标注", "提取", "抽取", "统计", "改写", "翻译", "润色", "校对", "检测", "检查", "鉴别", "辨别", "预测", "推断",
    "找出", "指出", "写出", "选出", "列出", "给出", "说出", "总结", "概括", "描述", "比较", "对比", "修正", "纠正",
    "改成", "改为", "转换", "转成", "转为", "复述", "照抄", "抄写", "模仿", "仿照", "仿写", "续写", "参照", "数一数",
    "解码", "还原", "输出", "保留", "保持", "按照",
    "?", "？", "是否", "什么", "吗", "怎么", "why ", "what ", "how ", "which ", "哪",
    "please", "must", "should", "shall", "never ", "always ", "do not", "don't", "you are", "your task", "your job",
    "task:", "instruction", "classif", "translate", "rewrite", "decode", "judge", "analyz", "analys", "preserve",
    "rate ", "score ", "label ", "extract ", "identify ", "determine ", "detect ", "keep ", "return ", "output ",
    "respond", "answer ", "count ", "convert ", "evaluate ", "assess ", "decide", "describe ", "compare ", "correct ",
    "normali", "clean ", "copy ", "quote ", "repeat ", "reproduce ", "imitate ", "mimic ", "guess ", "infer ",
    "predict ", "tell me", "find ", "choose ", "pick ", "list ", "mark ", "flag ", "annotate ", "categori", "summari",
    "fix ", "align ", "proofread", "rank ", "priorit", "返回", "原封", "清理", "缩短", "照抄", "用同样", "显示", "对齐",
    "write ", "print ", "echo ", "follow ", "make ", "ensure ", "use ",
)  # fmt: skip
"""Words by which a line may be an instruction, in small letters. Each is searched for by itself, which is many times as
fast as one pattern for all."""
EXACT = (
    "原样", "原封不动", "照抄", "抄写", "抄录", "逐字", "一字不", "不要改动", "不得改动", "不做任何修改",
    "不作任何修改", "不要修改原文", "保留原文", "保持原文", "照着写", "逐字符", "字节数", "多少个字节", "隐藏字符",
    "不可见字符", "多少个字符", "几个字符", "错别字", "verbatim", "unchanged", "exactly as", "exactly like",
    "text exactly", "exact text", "exact string", "as-is", "as is", "word for word", "letter by letter",
    "character by character", "character for character", "byte for byte", "bytes of", "copy the text", "copy this",
    "do not modify the text", "don't modify the text", "without changing", "how many characters",
    "count the characters", "hidden character", "invisible character", "proofread", "transcribe", "echo the",
    "repeat the following",
)  # fmt: skip
"""Words of instructions by which a text is to be given back, or looked at, to the last character."""
_QUESTIONS = frozenset(("?", "？", "什么", "吗", "怎么", "why ", "what ", "how ", "which "))
"""Words that ask wherever they stand in a line."""
_DATA = lazy(
    "下面|以下|下列|如下|下方|上面|上述|上文|文本|文中|全文|文章|原文|正文|这[句段条个些篇份]|每[句条段个行一]"
    "|各[条句段行]|所有|全部|评论|留言|消息|对话|聊天"
    "|文件|记录|内容|数据|表格|链接|网址|字符串|句子|段落|输出|回答|答案|回复|结果|格式|客户|用户|列|情感|语气|情绪"
    r"|\b(?:following|below|above|text|texts|each|every|all|any|sentences?|reviews?|messages?|comments?"
    r"|conversations?|this|these"
    r"|chats?|strings?|tables?|columns?|rows?|links?|urls?|output|answers?|response|repl(?:y|ies)|format|data|input"
    r"|documents?|files?|transcripts?|sentiment|tone|users?|customers?)\b"
)
"""What an instruction is about."""
_WORK = (
    "判断|判定|判别|打.{0,3}分|评分|评价|分析|识别|分类|归类|标注|提取|统计|改写|翻译|润色|校对|解码|还原|输出|原样|原封|逐字"
    "|转成|转为|转换|返回|列出|找出|清理|清洗|缩短|模仿|仿照|仿写|续写|区分|检测|鉴别|比较|照抄|复述|不要改"
    "|classif|rate|judge|score|translat|rewrit|decod|analy[sz]|extract|label|convert|normali|verbatim|repeat|copy"
    "|rank|priorit|detect|identif|proofread|correct|compare|imitat|decide"
)
"""Work that is done on texts."""
_SPEECH = lazy(
    r"[ \t>*-]*(?:[\[(（【]?[\d:/年月日 .-]{4,24}[\])）】]?[ \t]*)?(?!\W*(?:系统|system|developer|instruct|任务"
    r"|指令|指示|要求|注意|说明|提示|规则|规范|备注|问题?|提问|题目|角色|目标|背景|格式|步骤|约束|情感|情绪|语气|prompt|task"
    r"|note|rules?|goal|output|输出|question|q|query|role|context|format|step|constraint|guideline|objective"
    r"|requirement|lint|bug|sentiment|tone|mood|emotion)[^:：\n]{0,8}[:：])"
    rf"(?!请|please|[^\s:：，。！？,!?|]{{0,12}}(?:{_WORK}|下面|以下|如下|检查|测试|是否|什么|哪))"
    r"[^\s:：，。！？,!?|]{1,16}(?:[ \t]*[\[(（]?\d\d?:\d\d(?::\d\d)?[\])）]?)?[:：](?=[ \t]*[^\s])"
)
"""The beginning of a line that somebody says, after a time: ``客服：``, but not ``系统：`` or ``判断语气：``."""
_OF_SPEECH = lazy(
    rf"(?:请|帮|麻烦|把|将|please|can you|could you)[^\n]*?(?:{_WORK})[^\n]*?"
    r"(?:下面|以下|下列|如下|上面|上述|这[句段条些篇]|每[句条段]|following|below|above|each|every|this (?:text"
    r"|sentence|message))"
    r"|(?:下面|以下|下列|如下|上面|上述|这|每)(?:一?[句段条些篇个]|的)(?:话|评论|评价|文字|留言|消息|文本|内容|对话"
    rf"|短信|邮件|回复|帖子|文案|句子|字符串|链接|表格)[^\n]*?(?:[?？]|{_WORK})"
    r"|\b(?:this|these|following|each|every) (?:text|sentence|message|review|comment|string|reply|email|link|table)"
    rf"s?\b[^\n]*?(?:\?|{_WORK}|[:：])"
)
"""What somebody says is an instruction only if it names work that is done on texts, and points at one."""
_AT_ONCE = lazy(
    r"[ \t>*-]*(?:用户|客户|user|human|我)(?: [\d:]{4,8})?[:：][ \t]*(?:请你?|帮我|麻烦你?|给我|please )?"
    rf"(?:[把将对给][^\n，。]{{0,16}})?(?:{_WORK})"
)
"""What a user begins with: the work."""
_END = 50_000
"""Characters at the beginning and the end of a text that are looked through."""
_EDGE = 1_500
"""Characters at the beginning and the end of a text within which what asks need not say of what."""
_START = 12
"""Characters of a line within which a word that asks is its verb: ``1. Decide whether the writer is angry``."""
_REACH = 200
"""Characters of a long line on either side of the word that asks."""
_LONGEST_NAME = 40
"""Characters of a line that names its text."""
_SENTENCE_ENDS = frozenset("。！？!?…～~，,；;")
_URL = lazy(r"[a-z][a-z0-9+.-]{1,20}://[^\s，。；！？、（）|<>]+")


class Instruction(NamedTuple):
    """A line that asks for something, in small letters."""

    start: int
    """Where it begins in the text."""
    line: str


def ends(text: str) -> list[tuple[int, str]]:
    """The parts of a text where instructions govern all of it, with their places: of a long one its two ends."""
    return [(0, text)] if len(text) <= 2 * _END else [(0, text[:_END]), (len(text) - _END, text[-_END:])]


def instructions(part: str, start: int, whole: int) -> list[Instruction]:
    """The instructions in one end of a text in small letters; also its first and last line, which may name it.

    Rows of tables are none, nor what somebody says in a chat, unless that points at a text.

    Args:
        part: The end of the text.
        start: Where it begins in the text.
        whole: Length of the text.
    """
    found: dict[int, int] = {}
    for word in _ASKING:
        at = part.find(word)
        while at >= 0:
            low, high = max(part.rfind("\n", 0, at) + 1, at - _REACH), _line_end(part, at, at + _REACH)
            if low not in found:
                at_edge = start + low < _EDGE or whole - start - high < _EDGE
                verb = at - low <= _START or word in _QUESTIONS
                if _asks(part[low:high], verb=verb, at_edge=at_edge):
                    found[low] = high
            at = part.find(word, high)
    outer: list[tuple[int, int]] = []
    if start == 0:
        outer.append(_first_line(part))
    if start + len(part) == whole:
        low, high = _first_line(part[::-1])
        outer.append((len(part) - high, len(part) - low))
    found.update((low, high) for low, high in outer if "\n" in part.strip() and _names(part[low:high]))
    return [Instruction(start + low, without_urls(part[low:high])) for low, high in sorted(found.items())]


def without_urls(text: str) -> str:
    """A text of the same length with blanks for its URLs: what stands in one is not said about the text."""
    return _URL().sub(lambda url: " " * len(url[0]), text) if "://" in text else text


def _first_line(text: str) -> tuple[int, int]:
    """The first line that is not blank, if it is short; read backwards, the last one."""
    first = re.compile(r"\S").search(text, 0, 2 * _REACH)
    start = first.start() if first else 0
    return start, _line_end(text, start, start + _REACH)


def _line_end(text: str, start: int, limit: int) -> int:
    end = text.find("\n", start, limit)
    return min(limit, len(text)) if end < 0 else end


def _asks(line: str, *, verb: bool, at_edge: bool) -> bool:
    """True if a line with a word that asks is an instruction; ``verb``: it may be the verb of the line."""
    if line.startswith("|"):
        return False
    if _SPEECH().match(line):
        return _OF_SPEECH().search(line) is not None or (at_edge and _AT_ONCE().match(line) is not None)
    return (verb and at_edge) or _DATA().search(line) is not None


def _names(line: str) -> bool:
    """True if the first or last line of a text may name it: no sentence, no row of a table, nothing that is said."""
    return (
        0 < len(line.strip()) <= _LONGEST_NAME
        and _SENTENCE_ENDS.isdisjoint(line)
        and not line.lstrip().startswith("|")
        and not _SPEECH().match(line)
    )
