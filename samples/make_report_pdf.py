"""Write annual-report.zh.pdf: an invented annual report, as heavy with page furniture as real ones are.

Running header and code line, a disclaimer below the body, "page x of y" in Chinese, a watermark across each page, a
ruled table that goes on over pages with its head repeated, and a body line that is the same on several pages. The
Chinese font is one that every reader knows and no file holds: STSong-Light, with the character map UniGB-UCS2-H.
The same bytes come out on every run; they are committed beside this script.

    python samples/make_report_pdf.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

WIDTH, HEIGHT, MARGIN = 595, 842, 72
SIZE, LEADING = 12, 21
TOP, BOTTOM = 738, 118
"""Baselines of the first and of the lowest body line."""

FONT = """\
<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light-UniGB-UCS2-H /Encoding /UniGB-UCS2-H /DescendantFonts [4 0 R] >>
<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 /W [1 95 500] /FontDescriptor 5 0 R \
/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> >>
<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 \
/Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>
""".splitlines()
"""Objects 3 to 5: the font, which no file holds, and what a reader must know of it."""

COMPANY = "示例精密仪器股份有限公司"
HEADER = f"{COMPANY} 2025 年年度报告"
CODE_LINE = "证券代码：000000　证券简称：示例仪器　公告编号：2026-012"
DISCLAIMER = (
    "本报告仅供投资者参考，不构成任何投资建议。本公司董事会保证本报告所载资料不存在虚假记载、",
    "误导性陈述或者重大遗漏，并对其内容的真实性、准确性和完整性承担相应的法律责任。",
)
WATERMARK = "内部资料 请勿外传"
UNIT = "单位：万元"

TABLE_HEAD = ("项目", "2025 年", "2024 年", "增减")
TABLE_ROWS = [
    ("营业收入", "98,765.43", "81,204.17", "21.63%"),
    ("营业成本", "55,312.08", "47,093.66", "17.45%"),
    ("销售费用", "9,120.55", "8,466.31", "7.73%"),
    ("管理费用", "7,034.90", "6,881.24", "2.23%"),
    ("研发费用", "12,480.71", "9,905.02", "26.00%"),
    ("财务费用", "-318.44", "-205.19", "-55.19%"),
    ("投资收益", "642.00", "611.37", "5.01%"),
    ("资产减值损失", "-871.26", "-902.58", "3.47%"),
    ("营业利润", "14,906.82", "8,971.60", "66.16%"),
    ("营业外收入", "88.15", "120.43", "-26.80%"),
    ("营业外支出", "45.67", "39.02", "17.04%"),
    ("利润总额", "14,949.30", "9,053.01", "65.13%"),
    ("所得税费用", "1,943.41", "1,131.63", "71.74%"),
    ("净利润", "13,005.89", "7,921.38", "64.19%"),
    ("经营活动现金流入", "104,377.52", "85,618.90", "21.91%"),
    ("经营活动现金流出", "92,840.16", "79,033.45", "17.47%"),
    ("投资活动现金流量净额", "-8,215.33", "-6,402.77", "-28.31%"),
    ("筹资活动现金流量净额", "2,150.00", "-1,480.00", "245.27%"),
    ("期末现金余额", "31,426.08", "25,954.05", "21.08%"),
    ("应收账款", "18,093.75", "16,480.22", "9.79%"),
    ("存货", "14,672.39", "15,118.06", "-2.95%"),
    ("固定资产", "40,881.64", "36,207.91", "12.91%"),
    ("在建工程", "5,036.20", "3,377.48", "49.11%"),
    ("短期借款", "3,000.00", "1,500.00", "100.00%"),
    ("应付账款", "11,254.87", "10,096.35", "11.47%"),
    ("合同负债", "6,718.43", "4,925.10", "36.41%"),
]

BODY = """\
# 第一节 重要提示

公司负责人、主管会计工作负责人和会计机构负责人声明：保证本年度报告中财务报告的真实、准确、完整。全体董事均已出席
审议本报告的会议，没有董事对本报告的内容提出异议。会计师事务所为本公司出具了标准无保留意见的审计报告。

本次利润分配预案为：以现有总股本 21,600 万股为基数，向全体股东每 10 股派发现金红利 2.40 元（含税），不送红股，也
不以公积金转增股本。预案尚须提交 2025 年度股东大会审议。

本报告中涉及的未来计划、发展战略等前瞻性陈述，取决于市场状况变化等多种因素，存在较大的不确定性。请投资者注意投资
风险，并在作出决定之前阅读第四节中有关风险因素的全部内容。

# 第二节 公司简介和主要财务指标

公司成立于 2003 年，主要从事高精度测量仪器、工业传感器和配套软件的研发、生产与销售。产品用于半导体检测、汽车零部
件制造、轨道交通和科研机构的实验室。截至报告期末，公司拥有三个生产基地、两个研发中心，在册员工 2,318 人，其中研
发人员 704 人，占员工总数的 30.37%。

报告期内，公司实现营业收入 98,765.43 万元，比上年增长 21.63%；归属于上市公司股东的净利润 13,005.89 万元，比上年
增长 64.19%。增长主要来自半导体检测设备的批量交付，以及传感器产品线毛利率提升 1.2 个百分点。

经营活动产生的现金流量净额为 11,537.36 万元，高于当期净利润的八成，主要原因是公司加强了应收账款的催收，并对新签
合同提高了预付款比例。加权平均净资产收益率为 14.82%，比上年提高 4.35 个百分点。

# 第三节 管理层讨论与分析

一、行业情况。2025 年国内精密测量仪器市场规模约为 412 亿元，国产产品的占有率由 2020 年的 18% 上升到 31%。下游半
导体厂商扩产放缓，但对国产检测设备的验证明显加快，从送样到批量采购的平均时间由十四个月缩短到九个月。

二、主营业务。测量仪器全年销售 6,842 台，同比增长 12.9%；工业传感器销售 51.3 万只，同比增长 33.6%；软件与服务收
入首次超过一亿元。前五名客户的销售额合计占全年销售总额的 27.4%，不存在对单一客户的重大依赖。

三、研发投入。全年研发费用 12,480.71 万元，占营业收入的 12.64%。公司新获授权发明专利 46 项，完成了第三代干涉测头
的定型，分辨率由 5 纳米提高到 2 纳米；自研的边缘计算模块已在两条客户产线上连续运行超过四千小时，没有发生一次停机。

四、产能建设。第二生产基地二期工程于 2025 年 9 月封顶，预计 2026 年三季度投产，届时传感器年产能将由 60 万只增加
到 110 万只。设备采购合同已经签订，按进度支付的工程款为 5,036.20 万元。

# 第四节 风险因素

（一）技术更新的风险。精密测量技术的更新周期不断缩短，如果公司不能及时推出满足客户需要的新产品，现有产品可能被替
代。公司将保持研发投入不低于营业收入的百分之十，并与三所高校共建联合实验室。

（二）原材料供应的风险。高端光栅和部分专用芯片目前仍依赖进口，交货期受国际贸易环境的影响较大。报告期内公司完成了
四种关键芯片的国产替代验证，另有两种正在小批量试用，库存按不少于六个月的用量储备。

（三）应收账款的风险。期末应收账款余额 18,093.75 万元，其中账龄在一年以内的占 91.2%。个别客户受行业波动影响延迟
付款，公司已经按照会计政策计提坏账准备 1,106.58 万元，并为主要客户投保了信用保险。

（四）汇率波动的风险。公司境外收入占 16.8%，以美元和欧元结算为主。人民币升值会使产品的价格竞争力下降，并产生汇兑
损失。公司在授权额度内开展远期结汇，不进行以投机为目的的衍生品交易。

# 第五节 公司治理

报告期内公司共召开股东大会 2 次、董事会 8 次、监事会 6 次，会议的召集、召开和表决程序符合法律法规以及公司章程的
规定。独立董事对关联交易、募集资金使用等事项发表了独立意见，没有对任何议案投反对票或者弃权票。

公司与控股股东在业务、人员、资产、机构和财务方面相互独立，控股股东没有占用公司资金，公司也没有为控股股东及其关联
方提供担保。内部控制评价报告认为，公司在所有重大方面保持了有效的财务报告内部控制。

董事、监事和高级管理人员 2025 年从公司获得的税前报酬合计 1,284.6 万元。公司于 2025 年 5 月实施了第二期员工持股计
划，参加人员 187 人，认购股份 240 万股，锁定期为二十四个月。
"""
"""Headings, and paragraphs that blank lines divide; the ends of lines in them are none."""
NOTES = """\
上表数据经会计师事务所审计。财务费用为负数，是因为利息收入大于利息支出；筹资活动现金流量净额由负转正，主要是报告
期内新增短期借款 1,500 万元，并收到员工持股计划的认购款。

合同负债比上年末增长 36.41%，反映了在手订单的增加。截至报告期末，公司在手订单金额为 43,920 万元，其中预计在 2026 年
确认收入的约占八成。
"""


class Canvas:
    """The content of one page."""

    def __init__(self) -> None:
        """An empty page."""
        self.operators: list[str] = []

    def text(self, x: float, y: float, text: str, size: float = SIZE) -> None:
        """A line of text from a point of its baseline."""
        self.operators.append(f"BT /F1 {size:g} Tf 1 0 0 1 {x:.2f} {y:.2f} Tm <{text.encode('utf-16-be').hex()}> Tj ET")

    def slanted(self, x: float, y: float, text: str, size: float) -> None:
        """Grey text that rises by 45 degrees."""
        half = 0.7071
        matrix = f"{half} {half} -{half} {half} {x:.2f} {y:.2f}"
        shown = text.encode("utf-16-be").hex()
        self.operators.append(f"q 0.85 g BT /F1 {size:g} Tf {matrix} Tm <{shown}> Tj ET Q")

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A thin line."""
        self.operators.append(f"0.6 w {x0:.2f} {y0:.2f} m {x1:.2f} {y1:.2f} l S")


def width_of(text: str, size: float = SIZE) -> float:
    """Points that a text takes: a Latin character is half as wide as a Chinese one."""
    return sum(size / 2 if char < "\u0100" else size for char in text)


def wrapped(text: str, width: float) -> Iterator[str]:
    """Lines of a paragraph; no Latin word or number is cut, and no line begins with a closing sign."""
    line = ""
    for piece in re.findall(r"[!-~]+|.", text):
        closing = piece in "，。；：、）》”"
        if line and not closing and width_of(line + piece) > width:
            yield line.rstrip()
            line = piece.lstrip()
        else:
            line += piece
    if line:
        yield line


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text, each on one line."""
    for block in text.strip().split("\n\n"):
        yield block.replace("\n", "")


class Report:
    """The pages, filled from the top."""

    def __init__(self) -> None:
        """No pages yet."""
        self.pages: list[Canvas] = []
        self.y = 0.0

    def need(self, lines: int = 1) -> None:
        """A new page where so many lines have no room on this one."""
        if not self.pages or self.y - (lines - 1) * LEADING < BOTTOM:
            self.pages.append(Canvas())
            self.y = TOP

    def heading(self, text: str) -> None:
        """A heading, on a new page."""
        self.y = 0
        self.need()
        self.pages[-1].text(MARGIN, self.y, text, 14)
        self.y -= 1.6 * LEADING

    def paragraph(self, text: str) -> None:
        """A paragraph whose first line is indented by two characters."""
        for line in wrapped(f"\u3000\u3000{text}", WIDTH - 2 * MARGIN + SIZE):
            self.need()
            self.pages[-1].text(MARGIN, self.y, line)
            self.y -= LEADING
        self.y -= 0.3 * LEADING

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], per_page: int) -> None:
        """A ruled table that goes on over pages, each time with its head."""
        for start in range(0, len(rows), per_page):
            some = [head, *rows[start : start + per_page]]
            self.need(len(some) + 2)
            self.pages[-1].text(WIDTH - MARGIN - width_of(UNIT), self.y, UNIT)
            self.y -= 0.8 * LEADING
            self._grid(some)
            self.y -= 1.2 * LEADING

    def _grid(self, rows: Sequence[Sequence[str]]) -> None:
        page, height = self.pages[-1], 1.15 * LEADING
        edges = [MARGIN, MARGIN + 171, MARGIN + 271, MARGIN + 371, WIDTH - MARGIN]
        top = self.y + 0.4 * LEADING
        for number, row in enumerate(rows):
            baseline = top - number * height - 0.75 * LEADING
            for column, cell in enumerate(row):
                x = edges[column] + 5 if column == 0 else edges[column + 1] - 5 - width_of(cell)
                page.text(x, baseline, cell)
        bottom = top - len(rows) * height
        for number in range(len(rows) + 1):
            page.line(edges[0], top - number * height, edges[-1], top - number * height)
        for edge in edges:
            page.line(edge, top, edge, bottom)
        self.y = bottom

    def furnish(self) -> None:
        """What is on every page: header, code line, watermark, disclaimer, number."""
        for number, page in enumerate(self.pages, 1):
            page.text((WIDTH - width_of(HEADER, 9)) / 2, 800, HEADER, 9)
            page.text((WIDTH - width_of(CODE_LINE, 9)) / 2, 785, CODE_LINE, 9)
            page.line(MARGIN, 778, WIDTH - MARGIN, 778)
            page.slanted(170, 270, WATERMARK, 42)
            for at, line in enumerate(DISCLAIMER):
                page.text(MARGIN, 76 - 12 * at, line, 8)
            told = f"第 {number} 页 共 {len(self.pages)} 页"
            page.text((WIDTH - width_of(told, 9)) / 2, 42, told, 9)


def pdf_of(pages: Sequence[Canvas]) -> bytes:
    """The file: its objects, none compressed, and the table that tells where they are."""
    kids = " ".join(f"{6 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        *FONT,
    ]
    for at, page in enumerate(pages):
        content = "\n".join(page.operators)
        place = f"/Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {7 + 2 * at} 0 R"
        objects += [
            f"<< /Type /Page {place} /Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    data = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("ascii")
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("ascii")
    data += "".join(f"{offset:010d} 00000 n \n" for offset in offsets).encode("ascii")
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode("ascii")
    return bytes(data)


def make() -> bytes:
    """The report."""
    report = Report()
    for block in paragraphs(BODY):
        if block.startswith("# "):
            report.heading(block[2:])
        else:
            report.paragraph(block)
    report.heading("第六节 财务报告")
    report.table(TABLE_HEAD, TABLE_ROWS, per_page=9)
    for note in paragraphs(NOTES):
        report.paragraph(note)
    report.furnish()
    return pdf_of(report.pages)


if __name__ == "__main__":
    target = Path(__file__).with_name("annual-report.zh.pdf")
    target.write_bytes(make())
    print(target.name, target.stat().st_size, "bytes")
