r"""Comments and strings of languages, each family as one regular expression.

Every alternative begins with a literal character: so ``re`` skips code at the speed of a character search, and the
first character of a match tells what it is. No alternative fails after having read far, so that all are linear.
"""

from __future__ import annotations

import re

from tokaudit.sources.file_names import FAMILY_OF_NAME, FAMILY_OF_SUFFIX

Run = tuple[int, int, str]
"""Start, end and kind (comment, string, docstring) of a comment or string."""

# Strings on one line; one that is not closed ends with its line.
_DOUBLE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
# Strings over several lines; one that is not closed ends with the text.
_DOUBLE_LONG = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_BACKTICK = r"`[^`\\]*(?:\\.[^`\\]*)*`?"
_TRIPLE_DOUBLE = r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|\\?\Z)'
_TRIPLE_SINGLE = r"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\\?\Z)"
# All the strings of Python that begin with one quote, so that nothing is tried in vain.
_PYTHON_DOUBLE = r'"(?:""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|\\?\Z)|[^"\\\n]*(?:\\.[^"\\\n]*)*"?)'
_PYTHON_SINGLE = _PYTHON_DOUBLE.replace('"', "'")
_TRIPLE_RAW = r'"""[^"]*(?:"(?!"")[^"]*)*(?:"""|\Z)'
_TRIPLE_RAW_SINGLE = r"'''[^']*(?:'(?!'')[^']*)*(?:'''|\Z)"
# A character literal, where a quote may also be a lifetime ('a), a digit separator (1'000) or part of a name (x').
_CHARACTER = r"'(?<![0-9A-Za-z_]')(?:[^'\\\n]|\\[^\n][^'\n]{0,10})'"
_CHARACTER_OR_PREFIXED = r"'(?<![0-9A-KM-TV-Za-tv-z_]')(?:[^'\\\n]|\\[^\n][^'\n]{0,10}|[^'\\\n]{2,4})'"
_BLOCK = r"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)"
_SLASHES = r"//[^\n]*"
_HASH = r"#[^\n]*"
_HASH_WORD = r"#(?<![^\s;&|()]#)[^\n]*"  # a comment only where a word begins
_DASHES = r"--[^\n]*"
_ESCAPED = r"\\."  # outside a string: what is escaped opens nothing
_HEREDOC = (
    r"<<(?!<)-?[ \t]{0,8}([\"']?)(?P<word>[A-Za-z_]\w*)\1[^\n]*(?:\n|\Z)"
    r"(?:(?![ \t]*(?P=word)[ \t]*(?:\n|\Z))(?:[^\n]+\n?|\n))*"
)
# Lines for the preprocessor: file names, and prose with apostrophes. They are code.
_INCLUDE = r"#[ \t]*(?:(?:include|import)[ \t]*[\"<][^\">\n]*[\">]?|(?:error|warning|pragma)\b[^\n]*)"
# Bounded, since it fails where no slash follows on the line.
_REGEX = r"/(?![/*])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,200}\]){1,1000}/[a-zA-Z]*"
_DASHES_LONG = r"--\[(=*)\[.*?(?:\]\1\]|\Z)"

_HEREDOC_RUBY = _HEREDOC.replace(r"(?!<)-?[ \t]{0,8}", r"[-~]?(?=[A-Z\"'])")
_HEREDOC_PHP = _HEREDOC.replace("(?!<)-?", "<").replace(r"[ \t]*(?:\n|\Z)", r"\b")

PATTERNS: dict[str, tuple[str, ...]] = {
    "python": (_PYTHON_DOUBLE, _PYTHON_SINGLE, _HASH),
    "javascript": (_SLASHES, _BLOCK, _DOUBLE, _SINGLE, _BACKTICK, _REGEX),
    "c": (_SLASHES, _BLOCK, _INCLUDE, _DOUBLE, _CHARACTER_OR_PREFIXED),
    "java": (_SLASHES, _BLOCK, _TRIPLE_DOUBLE, _DOUBLE, _CHARACTER),
    "go": (_SLASHES, _BLOCK, _DOUBLE, _CHARACTER, r"`[^`]*`?"),
    "csharp": (_SLASHES, _BLOCK, _TRIPLE_RAW, r'@(?=")"[^"]*(?:""[^"]*)*"?', _DOUBLE, _CHARACTER),
    "rust": (_SLASHES, _BLOCK, r'r(?<![\w]r)(?P<hashes>#*)".*?(?:"(?P=hashes)|\Z)', _DOUBLE_LONG, _CHARACTER),
    "kotlin": (_SLASHES, _BLOCK, _TRIPLE_RAW, _DOUBLE, _CHARACTER),
    "swift": (_SLASHES, _BLOCK, _TRIPLE_DOUBLE, _DOUBLE),
    "dart": (_SLASHES, _BLOCK, _TRIPLE_DOUBLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "css": (_BLOCK, _DOUBLE, _SINGLE),
    "scss": (_BLOCK, r"//(?<!://)[^\n]*", _DOUBLE, _SINGLE),
    "shell": (_HEREDOC, _HASH_WORD, _DOUBLE_LONG, r"'[^']*'?", _ESCAPED),
    "make": (_HASH_WORD, _ESCAPED, _DOUBLE, _SINGLE),
    "toml": (_TRIPLE_DOUBLE, _TRIPLE_RAW_SINGLE, _DOUBLE, r"'[^'\n]*'?", _HASH),
    "yaml": (
        _HASH_WORD,
        r'"(?<![^\s\[{,:]")(?<!\w[\[{,:]")[^"\\]*(?:\\.[^"\\]*)*"?',
        r"'(?<![^\s\[{,:]')(?<!\w[\[{,:]')[^']*(?:''[^']*)*'?",
    ),
    "sql": (_DASHES, _BLOCK, r"'[^']*(?:''[^']*)*'?", r'"[^"]*"?'),
    "lua": (_DASHES_LONG, _DASHES, r"\[(=*)\[.*?(?:\]\2\]|\Z)", _DOUBLE, _SINGLE),
    "haskell": (r"--(?![!#$%&*+./<=>?@\\^|~:])[^\n]*", r"\{-.*?(?:-\}|\Z)", _DOUBLE_LONG, _CHARACTER),
    "markup": (r"<!--.*?(?:-->|\Z)", r'"(?<==")[^"]*"?', r"'(?<==')[^']*'?"),
    "ini": (r";(?<![^\n];)[^\n]*", r"#(?<![^\n]#)[^\n]*"),
    "ruby": (_HEREDOC_RUBY, r"=(?<![^\n]=)begin\b.*?(?:\n=end\b[^\n]*|\Z)", _HASH_WORD, _DOUBLE, _SINGLE),
    "php": (_HEREDOC_PHP, _SLASHES, _BLOCK, r"#(?!\[)[^\n]*", _DOUBLE_LONG, _SINGLE),
    "elixir": (_TRIPLE_DOUBLE, _HASH_WORD, _DOUBLE, r"'(?<!\w')[^'\\\n]*(?:\\.[^'\\\n]*)*'?"),
    "julia": (r"#=.*?(?:=#|\Z)", _TRIPLE_DOUBLE, _HASH, _DOUBLE, _CHARACTER),
    "hash": (_HASH_WORD, _ESCAPED, _DOUBLE, _SINGLE),
    "groovy": (_SLASHES, _BLOCK, _TRIPLE_DOUBLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "terraform": (_SLASHES, _BLOCK, _HASH_WORD, _DOUBLE),
    "powershell": (r"<#.*?(?:#>|\Z)", _HASH_WORD, r'"[^"`\n]*(?:`.[^"`\n]*)*"?', r"'[^'\n]*'?"),
    "lisp": (r";[^\n]*", _DOUBLE_LONG, _ESCAPED),
    "percent": (r"%[^\n]*", _DOUBLE_LONG, _CHARACTER),
    "ml": (r"\(\*.*?(?:\*\)|\Z)", _SLASHES, _DOUBLE_LONG, _CHARACTER),
    "pascal": (r"\{[^}]*\}?", r"\(\*.*?(?:\*\)|\Z)", _SLASHES, r"'[^'\n]*'?"),
    "vhdl": (_DASHES, r'"[^"\n]*"?'),
    "fortran": (r"![^\n]*", r'"[^"\n]*"?', r"'[^'\n]*'?"),
    "basic": (r"'[^\n]*", r'"[^"\n]*"?'),
}
"""The alternatives of each family, the longer before the shorter."""

_compiled: dict[str, re.Pattern[str]] = {}


def family_of(path: str) -> str:
    """The family of languages of a file by its name; empty where it is none of ours."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    if name in FAMILY_OF_NAME:
        return FAMILY_OF_NAME[name]
    _, dot, suffix = name.rpartition(".")
    return FAMILY_OF_SUFFIX.get(suffix, "") if dot else ""


def pattern_of(family: str) -> re.Pattern[str]:
    """The expression that finds the comments and strings of a family."""
    if family not in _compiled:
        _compiled[family] = re.compile("|".join(PATTERNS[family]), re.DOTALL)
    return _compiled[family]
