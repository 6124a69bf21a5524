"""Single lines by their looks: lines of code, more or less surely, or none."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


_COMMANDS = words(
    "adb ansible apt apt-get awk aws az brew cargo cat cd chmod chown conda cp curl cut dd diff dig dnf docker "
    "docker-compose echo egrep env export ffmpeg find gcc gcloud git go gradle grep gunzip gzip head helm java javac "
    "jq kill kubectl ls make md5sum mkdir mv mvn mysql nc netstat nginx node npm npx openssl perl php ping pip pip3 "
    "pnpm poetry ps psql pytest python python3 redis-cli rg rm rsync ruby rustc scp sed sh bash sort ssh sudo "
    "systemctl tail tar tee terraform touch tr uniq unzip uv uvicorn vim wc wget xargs yarn yum zip"
)
_OPTION = re.compile(r"[ \t]--?[A-Za-z]")
_STRONG_STARTS = (
    *(">>> ", "#!/", "Traceback (most recent call last)", 'File "', "Exception in thread ", "BEGIN:V", "goroutine "),
    *("\\documentclass", "\\begin{document}", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "ALTER TABLE "),
    *("DROP TABLE ", "CREATE INDEX ", "CREATE VIEW ", "CREATE UNIQUE ", "CREATE OR REPLACE ", "export default "),
    *("export function ", "export const ", "export class ", "async def ", "async function ", "pub fn "),
)
_MEDIUM_STARTS = (
    *("#include", "#define ", "#ifdef ", "#ifndef ", "#endif", "#pragma ", "Caused by: ", "<?php", ".PHONY:", "} else"),
    *("} catch", "} finally", "} while", "msgid ", "msgstr ", "msgctxt ", "SELECT ", "const ", "else if ("),
)
_STARTS = frozenset(start[:3] for start in (*_STRONG_STARTS, *_MEDIUM_STARTS))
_WEAK_STARTS = tuple(
    f"{word} "
    for word in (
        *("FROM", "WHERE", "JOIN", "LEFT JOIN", "RIGHT JOIN", "INNER JOIN", "FULL JOIN", "CROSS JOIN", "GROUP BY"),
        *("ORDER BY", "HAVING", "LIMIT", "VALUES", "SET", "UNION", "AND", "OR", "ON", "RETURNING", "RUN", "CMD"),
        *("COPY", "ADD", "ENTRYPOINT", "ENV", "EXPOSE", "WORKDIR", "ARG", "LABEL"),
    )
)
_BLOCKS = words("for while if elif with except case match")
_PARENS = words("if for while foreach switch catch")
_STATEMENTS = words("package import using return throw break continue use require include echo delete await yield goto")
_TYPES = words(
    "static final public private protected unsigned auto int long char float double bool boolean void String"
)
_CLOSERS = words("fi done esac then do end endif EOF")
_DEFINING = words("def class function fn func from import UPDATE insert create")
_WORD = re.compile(r"[A-Za-z_][\w\-]*")
_DEFINITION = re.compile(
    r"(?:def[ \t]+\w+[ \t]*\(|class[ \t]+\w+(?:\([^()\n]*\))?:\Z|function\b\*?[ \t]*\w*[ \t]*\("
    r"|(?:fn|func)[ \t]+(?:\([^)\n]{0,80}\)[ \t]*)?\w+[ \t]*[(<]|from[ \t]+[\w.]+[ \t]+import[ \t]"
    r"|import[ \t]+[\w{*][^\n]*[ \t]from[ \t]+['\"])"
)
_IMPORT = re.compile(r"import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:,[ \t]*[\w.]+)*;?\Z")
_DECLARED = re.compile(r"(?:let|var|val)[ \t]+[\w$,{}\[\]:\t ]{1,80}=")
_SQL = re.compile(r"UPDATE[ \t]+[\w.\"`]+[ \t]+SET\b|(?:insert[ \t]+into|create[ \t]+table)[ \t]+[\w.\"`]+[ \t]*\(")
_PROMPT = re.compile(r"\$[ \t]+(?:[a-z./~]|[A-Z_]+=)|[\w.\-]{1,40}@[\w.\-]{1,60}:[^\s$#]{0,200}[$#][ \t]|PS [A-Z]:\\")
_SCHEDULE = re.compile(r"(?=[^\n*]*\*)(?:[\d*/,\-]+[ \t]+){5}\S")
_SECTION = re.compile(r"\[[A-Za-z][\w.\- \"':/]{0,60}\]\Z")
_FRAME = re.compile(r"at[ \t]+[\w$.<>/]+[ \t]?\([^\n]*\)\Z")
_TAB = re.compile(r"[A-Ga-g][#b]?\|[\-0-9hpbx/\\~|() ]{4,}")
_ASSIGNED = re.compile(
    r"[\w$][\w.$\[\]\"'>\-]{0,80}[ \t]*(?:[-+*/|&%^:.?]|\*\*|//|>>|<<|\|\||&&)?=(?![=>])[ \t]*[^\s=]"
    r"|(?:export|local|set|readonly|declare)[ \t]+[\w\-]+="
    r"|\w[\w.<>\[\]*&:]{0,60}[ \t]+[\w*&\[\]]{1,60}[ \t]*=[ \t]*\S[^\n]*;\Z"
)
_CALL = re.compile(r"[\w$]+(?:(?:\.|::|->)[\w$]+)*\([^\n]*\)[;,{:]?\Z")
_CLOSED = re.compile(r"[}\])]+[;,)]*\Z")
_QUOTED_KEY = re.compile(r"\"[^\"\n]{1,80}\"[ \t]*:|'[^'\n]{1,80}'[ \t]*:")
_DECORATOR = re.compile(r"@[A-Za-z_.]+(?:\([^\n]*\))?\Z")
_RAISED = re.compile(r"[\w.]+(?:Error|Exception|Warning):[ \t]")
_PROPERTY = re.compile(r"[A-Z][A-Z\-]{2,20}(?:;[^\n:]{0,80})?:\S")
_KEY_NAME = re.compile(r"(?:- )?(?:[A-Za-z_][\w./\-]{0,60}|\"[^\"\n]{1,60}\"):(?=[ \t]|\Z)[ \t]*")
_BLOCK_VALUE = re.compile(r"[|>][+\-]?\d?\Z")
NONE, STRONG, MEDIUM, WEAK, OPENS, KEYED, REMARK = range(7)
"""Kinds of lines: no code, surely code, likely, perhaps; a key without a value, one with it; a comment."""
POINTS = (0, 3, 2, 1, 0, 0, 0)


def group_of(line: str) -> int:
    """The kind of a line, of the above."""
    text = line.strip(" \t")
    if not text:
        return NONE
    if text[-1] == "{":
        return MEDIUM
    first = text[0]
    if text[:3] in _STARTS:
        if text.startswith(_STRONG_STARTS):
            return STRONG
        if text.startswith(_MEDIUM_STARTS):
            return MEDIUM
    if first.isalpha() or first == "_":
        return _worded(text, indented=line[0] in " \t")
    return _marked(text, first, indented=line[0] in " \t")


def _marked(text: str, first: str, *, indented: bool) -> int:
    """The kind of a line that begins with no letter."""
    if first in "}])":
        return WEAK if _CLOSED.match(text) else NONE
    if first in "\"'":
        return WEAK if _QUOTED_KEY.match(text) else NONE
    if first == "$":
        return STRONG if _PROMPT.match(text) else WEAK if _ASSIGNED.match(text) else NONE
    if first == "[":
        return MEDIUM if _SECTION.match(text) else NONE
    if first == "@":
        return WEAK if _DECORATOR.match(text) else NONE
    if (first.isdecimal() or first == "*") and "*" in text and _SCHEDULE.match(text):
        return STRONG
    if first == "-" and text[1:2] == " ":
        return _keyed(text, indented=indented)
    remark = first in "#;%" or text.startswith(("//", "/*", "-- ")) or (first == "*" and indented)
    return REMARK if remark else NONE


def _worded(text: str, *, indented: bool) -> int:
    """The kind of a line that begins with a letter."""
    match = _WORD.match(text)
    if match is None:
        return NONE
    word, last = match[0], text[-1]
    behind = text[match.end() : match.end() + 1]
    if word in _DEFINING and (_DEFINITION.match(text) or _SQL.match(text)):
        return STRONG
    if "@" in text and _PROMPT.match(text):
        return STRONG
    if word in _COMMANDS and behind.isspace() and _OPTION.search(text) and not any(mark in text for mark in "，。；"):
        return STRONG
    if (
        (word in _STATEMENTS and (last == ";" or _IMPORT.match(text)))
        or (word in _PARENS and last == ")" and text[len(word) :].lstrip()[:1] == "(")
        or (word == "at" and _FRAME.match(text))
        or (word in {"let", "var", "val"} and _DECLARED.match(text))
        or (behind in {"|", "#"} and _TAB.match(text))
        or (last == ":" and text in {"else:", "try:", "finally:"})
    ):
        return MEDIUM
    if (
        (word.isupper() and text.startswith(_WEAK_STARTS))
        or (last == ":" and word in _BLOCKS)
        or (indented and word in {"return", "raise", "yield"})
        or (word in _TYPES and last in ";,)" and behind == " ")
        or text.rstrip(";") in _CLOSERS
        or ("=" in text and _ASSIGNED.match(text))
        or (last in "),;:{" and "(" in text and _CALL.match(text))
        or (":" in text and (_RAISED.match(text) or _PROPERTY.match(text)))
    ):
        return WEAK
    return _keyed(text, indented=indented) if ":" in text else NONE


def _keyed(text: str, *, indented: bool) -> int:
    """The kind of a line that begins with a key, as of YAML or CSS."""
    key = _KEY_NAME.match(text)
    if key is None:
        return NONE
    if key.end() == len(text):
        return OPENS
    if _BLOCK_VALUE.match(text, key.end()):
        return STRONG
    if text[-1] == ";" or (text[-1] == "," and indented):
        return WEAK
    return KEYED if indented else NONE
