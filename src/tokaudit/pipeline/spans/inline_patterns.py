"""The patterns and lists of spans within lines."""

from __future__ import annotations

import re

# Without ``](``, as in [https://a](https://b).
_URL = r"(?:[A-Za-z0-9_!#$%&'()*+,\-./:;=?@\[~{}]|\](?!\()|[\u00c0-\u024f\u0400-\u04ff])"
_WINDOWS = r"(?:[!#-&()+-9;=@-_a-{}~]|[\u3400-\u9fff])"  # ASCII and Chinese, but for < > : " ' | ? * and backticks
_IN_WORD = r"[A-Za-z0-9\u00c0-\u024f\u0400-\u04ff]"
# Each branch begins with a literal character, so that the search skips to these characters; the empty group at its end
# says which branch it was. The order counts: the first branch that fits is taken.
INLINE = re.compile(
    r"`(?!`)[^`\n]*(?:\n(?![ \t>]*\n)[^`\n]*)?`(?!`)()"  # 1: code
    r"|\]\([ \t]*(?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?=[ \t)\n])()"  # 2: target of a link
    r"|\{\{[^{}\n]{0,120}\}\}()"  # 3: placeholders, to 14
    r"|\{%[^{}]{0,2000}%\}()"
    r"|\{#[^{}]{0,2000}#\}()"
    r"|\{[^{}\n\"']{0,80}\}()"
    r"|\$\{[^{}\n]{1,80}\}()"
    r"|\$[A-Z_][A-Z0-9_]*()"
    r"|%\([^()\s]{1,60}\)[-#0 +]*[\d.]*[A-Za-z]()"
    r"|%[-+#0]*(?:\d+\$)?[-+#0]*\d*(?:\.\d+)?[sdifgxXoeEGcur](?![A-Za-z0-9_])()"
    r"|%[A-Z_]{2,60}%()"
    r"|\[\[[^\[\]\n]{1,80}\]\]()"
    r"|<\|[^<>|\n]{1,60}\|>()"
    r"|<[^\x00-\x7f<>][^<>\n]{0,60}>()"
    r"|<[/!?]?[A-Za-z][^<>]{0,2000}>()"  # 15: tag, bare placeholder or address
    r"|<!--()"  # 16: comment
    r"|//(?<=[A-Za-z0-9]://)" + _URL + r"+()"  # 17: the rest of a URL
    r"|\.(?<=www\.)" + _URL + r"+()"  # 18
    r"|@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+()"  # 19: the rest of an e-mail address
    r"|/[A-Za-z0-9_.~+@%=\-*/]*()"  # 20: the rest of a path
    r"|\.[A-Za-z][A-Za-z0-9]{0,5}(?![A-Za-z0-9_@/])()"  # 21: what may be the suffix of a file
    r"|\\(?<=[A-Za-z]:\\)" + _WINDOWS + r"*()"  # 22: the rest of a Windows path
    r"|\\\\[A-Za-z0-9_.$\-]{1,60}\\" + _WINDOWS + r"+()"  # 23: a network path
    r"|\\['`\"\[\]<>{}()*_#$%\\]"  # an escape, which hides what follows
    r"|``*()"  # 24: another run of backticks
    r'|\{(?=[ \t\n]{0,200}")()'  # 25: JSON
    r"|\[(?<=\n\[)(?=[ \t\n]{0,200}[\[{\"\d\-\]tfn])()"
    r'|"()|＂()'  # 27, 28: quotes that open and close
    r"|“()|‘()|「()|『()|«()|《()"  # 29: opening ones
    r"|”()|’(?![A-Za-z])()|」()|』()|»()|》()"  # 35: closing ones
    rf"|'(?<!{_IN_WORD}')()|'(?!{_IN_WORD})()"  # 41, 42: straight single ones that are no apostrophes
)
IN_WORD = re.compile(_IN_WORD)
NAMES: tuple[str, ...] = ("", "inline-code", "", *["placeholder"] * 12, *[""] * 12)
OPENING = {"”": "“", "’": "‘", "」": "「", "』": "『", "»": "«", "》": "《"}
BLANK = re.compile(r"\n[ \t\r\u3000]*\n")
TICKS = re.compile(r"`+|\n[ \t>]*(?=\n)")
BEFORE_PATH = re.compile(r"[A-Za-z0-9_.\-~+%\\]*")
BEFORE_EMAIL = re.compile(r"[A-Za-z0-9._%+\-]*")
BRACKET_OF = {")": "(", "]": "[", "}": "{"}
AFTER_URL = frozenset(".,;:!?'*~)]}")
SCHEME = re.compile(r":[A-Za-z0-9+.\-]*[A-Za-z]")
SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
DOMAIN = re.compile(r"[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}")
LETTER = re.compile(r"[A-Za-z]")
BARE = re.compile(r"<[A-Za-z][\w.\-]*>|<[A-Za-z][\w.\-]*(?: [\w.\-]+)+>")
ADDRESS = re.compile(r"<(?:(mailto:[^<>\s]*|[A-Za-z][A-Za-z0-9+.\-]{1,30}:[^<>\s]+)|[^<>\s@]+@[^<>\s@]+)>")
_FILES = (
    "bat bin bmp c cc cfg cjs class cmd conf cpp cs css csv dart db dll doc docx dockerfile env exe flv gif go gz h "
    "hpp htm html ico ini ipynb jar java jpeg jpg js json jsonl jsx kt lock log lua m4a md mdx mjs mov mp3 mp4 parquet "
    "pdf php pkl png ppt pptx properties proto ps1 psd py pyc pyi r rar rb rs rst scss sh so sql svg swift tar tex tgz "
    "tif tiff toml ts tsv tsx ttf txt vue wasm wav webp whl xls xlsx xml xz yaml yml zip zsh 7z"
)
FILES = frozenset(_FILES.split())
DOMAINS = frozenset({"com", "cn", "net", "org", "io", "gov", "edu"})
_HTML = (
    "a abbr address article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col "
    "colgroup dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 "
    "h6 head header hr html i iframe img input ins kbd label legend li link main map mark menu meta nav noscript "
    "object ol optgroup option p path picture pre progress q rp rt ruby s samp script section select small source "
    "span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track "
    "tt u ul var video wbr"
)
HTML = frozenset(_HTML.split())
BRACKETS = re.compile(r'[{\[]|[}\]]|"[^"\\\n]*(?:\\.[^"\\\n]*)*"')
