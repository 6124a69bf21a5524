r"""The compiler of pre-tokenization patterns: from the reference's own text to an automaton and to a pattern of ``re``.

A pattern (``pattern_regex`` in the manifest) is parsed to a tree over *symbols*: ASCII characters, the stand-ins of
``unicode_classes`` for all others, and the end of the text. From one tree come

* the automaton that the native core runs: the subset construction over ordered lists of threads, cut at a match, which
  takes the same (leftmost, then first) alternative as a backtracking engine. Its transitions say whether a match ended
  *before* the symbol that is looked at, so that a look-ahead at one character (``(?!\S)``, ``$``) costs nothing, and
  ``\s+(?!\S)`` needs no stepping back;
* the text of a pattern for the standard library's ``re`` on a text of stand-ins, which the fallback runs.

It runs when the package is built and imports the standard library and ``unicode_classes`` only. What an automaton
cannot express (lazy quantifiers, back references, a look-ahead at several characters, a possessive quantifier that is
not the greedy one) raises ``PatternError``.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tokaudit.model.record import record
from tokaudit.tokenizers import unicode_classes

KINDS = len(unicode_classes.COMBINATIONS)
LONG_S = 128 + KINDS
END = LONG_S + 1
SYMBOLS = END + 1
"""ASCII, a symbol for each combination of classes, U+017F, the end of the text."""
EVERY = frozenset(range(SYMBOLS)) - {END}
WIDTH = 32
"""Columns of a row of an automaton, one for each class of symbols that it treats alike."""
MOST_STATES = 60
"""The native core lays a row out anew for each way in which it is reached, and has room for 64."""
_MOST_MADE, _MOST_TIMES = 1_000, 100
"""States before equal ones are joined, and the highest bound of a repetition: more would take minutes to build."""

FUSED = {
    "deepseek": (
        r"\p{N}{1,3}"
        r"|[一-龥぀-ヿ&&[^\p{L}\p{M}\p{P}\p{S}]]?[一-龥぀-ヿ&&[\p{L}\p{M}]]+|[一-龥぀-ヿ&&[\p{P}\p{S}]]+"
        r"|(?:[一-龥぀-ヿ&&[^\p{L}\p{M}\p{P}\p{S}]](?![一-龥぀-ヿ&&[\p{L}\p{M}]]))+"
        r"|[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{M}\p{N}\p{P}\p{S}!-/:-@\[-`{-~一-龥぀-ヿ]?[\p{L}\p{M}&&[^一-龥぀-ヿ]]+"
        r"| ?[\p{P}\p{S}!-/:-@\[-`{-~&&[^一-龥぀-ヿ]]+[\r\n]*|\s*[\r\n]+|\s+(?![^\s\p{N}一-龥぀-ヿ])|\s+"
        r"|(?:[^\s\p{L}\p{M}\p{N}\p{P}\p{S}!-/:-@\[-`{-~一-龥぀-ヿ](?![\p{L}\p{M}&&[^一-龥぀-ヿ]]))+"
    )
}
"""DeepSeek's sequence of three splits as one pattern, three times as fast as one after the other.

Digits and CJK runs are cut out first, and the third split sees each part, those runs too, as a text of its own: a digit
or CJK character ends a part like the end of the text. Within a CJK run it parts letters from signs such as U+309C.
Characters that no split matches stay together as pieces. ``tests/tokenizers`` compares it with the three."""


class PatternError(ValueError):
    """A pattern with something that the automaton cannot express."""


Symbols = frozenset[int]


@record
class One:
    """One symbol of a set."""

    symbols: Symbols


@record
class Look:
    """The next symbol, which is not taken, is of a set; the end of the text may be one of it."""

    symbols: Symbols


@record
class Chain:
    """One behind the other."""

    parts: tuple[Tree, ...]


@record
class Alternatives:
    """The first that matches."""

    branches: tuple[Tree, ...]


@record
class Repeat:
    """As often as it matches, within bounds; ``most`` is None for no bound."""

    body: Tree
    least: int
    most: int | None
    possessive: bool


Tree = One | Look | Chain | Alternatives | Repeat


def _of_classes(*names: str) -> Symbols:
    return frozenset(map(ord, unicode_classes.stand_ins(*names)))


def _ascii(text: str) -> Symbols:
    return frozenset(map(ord, text))


_UPPER, _LOWER, _DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
_PROPERTIES = {
    "L": _of_classes("upper", "lower", "letter") | _ascii(_UPPER + _LOWER),
    "Lu": _of_classes("upper") | _ascii(_UPPER),
    "Lt": frozenset(),  # with Lu, and Lm with Lo: no pattern has one of them without the other
    "Ll": _of_classes("lower") | _ascii(_LOWER),
    "Lm": frozenset(),
    "Lo": _of_classes("letter"),
    "M": _of_classes("mark"),
    "N": _of_classes("number") | _ascii(_DIGITS),
    "P": _of_classes("punctuation") | _ascii("!\"#%&'()*,-./:;?@[\\]_{}"),
    "S": _of_classes("symbol") | _ascii("$+<=>^`|~"),
    "Han": frozenset(map(ord, unicode_classes.flagged(unicode_classes.HAN))),
}
_TOGETHER = (("Lu", "Lt"), ("Lo", "Lm"))
_SPACE = _of_classes("space") | _ascii(" \t\n\r\f\v")
_ESCAPES = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v"}


class _Parser:
    r"""Alternatives, groups, ``(?i:)``, ``(?!)``, classes with ``\p`` and ``&&``, greedy and possessive quantifiers."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._fold = False

    def parse(self) -> Tree:
        tree = self._alternatives()
        if self._at < len(self._text):
            raise PatternError(f"unexpected {self._text[self._at :]!r}")
        return tree

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _until(self, mark: str) -> str:
        start, self._at = self._at, self._text.index(mark, self._at) + 1
        return self._text[start : self._at - 1]

    def _alternatives(self) -> Tree:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def _sequence(self) -> Tree:
        parts = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._quantified())
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def _quantified(self) -> Tree:
        atom = self._atom()
        while True:
            if self._take("*"):
                least, most = 0, None
            elif self._take("+"):
                least, most = 1, None
            elif self._take("?"):
                least, most = 0, 1
            elif self._take("{"):
                numbers = self._until("}").split(",")
                least, most = int(numbers[0]), int(numbers[-1])
                if not 0 <= least <= most <= _MOST_TIMES or len(numbers) > 2:
                    raise PatternError("bounds of another kind")
            else:
                return atom
            possessive = self._take("+")
            if not possessive and self._take("?"):
                raise PatternError("a lazy quantifier")
            atom = Repeat(atom, least, most, possessive)

    def _atom(self) -> Tree:
        if self._take("(?i:"):
            outer, self._fold = self._fold, True
            tree = self._alternatives()
            self._fold = outer
        elif self._take("(?:"):
            tree = self._alternatives()
        elif self._take("(?!"):
            inner = self._alternatives()
            if not isinstance(inner, One):
                raise PatternError("a look-ahead at more than one character")
            tree = Look((EVERY - inner.symbols) | {END})
        elif self._take("$"):
            return Look(frozenset({END}))
        elif self._take("["):
            return One(self._members())
        elif self._take("("):
            if self._take("?"):
                raise PatternError("a group of another kind")
            tree = self._alternatives()
        elif self._take("."):
            return One(EVERY - {ord("\n")})
        elif self._text[self._at] in "^*+?{":
            raise PatternError(f"unexpected {self._text[self._at :]!r}")
        else:
            start = self._at
            symbols = self._folded(self._single())
            self._check_pairs(self._text[start : self._at])
            return One(symbols)
        if not self._take(")"):
            raise PatternError("an open group")
        return tree

    def _folded(self, symbols: Symbols) -> Symbols:
        """The same in either case, within ``(?i:)``: U+017F folds to s, and the Kelvin sign would to k."""
        if not self._fold:
            return symbols
        if symbols & _ascii("kK"):
            raise PatternError("k folds to the Kelvin sign, which has no symbol of its own")
        swapped = {ord(chr(symbol).swapcase()) for symbol in symbols if symbol < 128}
        return symbols | swapped | ({LONG_S} if symbols & _ascii("sS") else frozenset())

    def _single(self) -> Symbols:
        char = self._next()
        if char != "\\":
            return _of_ranges([(ord(char), ord(char))])
        kind = self._next()
        if kind in "pP":
            self._take("{")
            name = self._until("}")
            if name not in _PROPERTIES:
                raise PatternError(f"\\p{{{name}}} has no symbols")
            return EVERY - _PROPERTIES[name] if kind == "P" else _PROPERTIES[name]
        if kind in "sS":
            return _SPACE if kind == "s" else EVERY - _SPACE
        if kind.isalnum() and kind not in _ESCAPES:
            raise PatternError(f"\\{kind}")
        return _ascii(_ESCAPES.get(kind, kind))

    def _members(self) -> Symbols:
        negated = self._take("^")
        start = self._at
        found: Symbols = frozenset()
        ranges: list[tuple[int, int]] = []
        both: Symbols | None = None
        while not self._take("]"):
            if self._take("&&"):
                if not self._take("["):
                    raise PatternError("&& without a class")
                both = self._members()
                continue
            if self._text[self._at] == "[":
                raise PatternError("a class in a class")
            if (end := self._range()) is not None:
                ranges.append(end)
            else:
                found |= self._single()
        self._check_pairs(self._text[start : self._at])
        found = self._folded(found | _of_ranges(ranges))
        if both is not None:
            found &= both
        return EVERY - found if negated else found

    def _range(self) -> tuple[int, int] | None:
        """The bounds of a range such as ``a-z``, if one begins here."""
        text, at = self._text, self._at
        if text[at] == "\\":
            if text[at + 1].isalnum():
                return None
            at += 1
        if text[at + 1] != "-" or text[at + 2] == "]":
            return None
        self._at = at + 3
        return ord(text[at]), ord(text[at + 2])

    @staticmethod
    def _check_pairs(text: str) -> None:
        for one, other in _TOGETHER:
            if (f"\\p{{{one}}}" in text) != (f"\\p{{{other}}}" in text):
                raise PatternError(f"\\p{{{one}}} without \\p{{{other}}}: they share a symbol")


def _of_ranges(ranges: Sequence[tuple[int, int]]) -> Symbols:
    """The symbols of ranges of code points; one whose characters are only partly in them cannot be expressed."""
    found = {code for low, high in ranges for code in range(low, min(high, 127) + 1)}
    wide = [(max(low, 128), high) for low, high in ranges if high > 127]
    if wide:
        total: dict[int, int] = {}
        inside: dict[int, int] = {}
        for start, end, symbol in _wide_ranges():
            total[symbol] = total.get(symbol, 0) + end - start
            for low, high in wide:
                inside[symbol] = inside.get(symbol, 0) + max(0, min(end, high + 1) - max(start, low))
        for symbol, size in inside.items():
            if 0 < size < total[symbol]:
                raise PatternError(f"a range divides the characters of symbol {symbol}: it needs a flag in unicode.bin")
            if size:
                found.add(symbol)
    return frozenset(found)


def _wide_ranges() -> Iterator[tuple[int, int, int]]:
    """Start, end and symbol of each range of code points beyond ASCII."""
    for start, end, flags in unicode_classes.ranges():
        if end > 128:
            yield max(start, 128), end, 128 + unicode_classes.combination_of(flags)


def parse(pattern: str) -> Tree:
    """The tree of a pattern. Raises ``PatternError`` for syntax that an automaton cannot express."""
    try:
        return _Parser(pattern).parse()
    except (IndexError, ValueError, RecursionError) as error:
        raise error if isinstance(error, PatternError) else PatternError(f"truncated: {pattern!r}") from error


# What the fallback runs.


def text_of(name: str, patterns: str | Sequence[str]) -> str:
    """The one pattern that does what the reference's patterns of a name do.

    Raises:
        PatternError: They are several, and it is not known.
    """
    if name in FUSED:
        return FUSED[name]
    if isinstance(patterns, str):
        return patterns
    if len(patterns) != 1:
        raise PatternError(f"{name}: {len(patterns)} patterns, and none that does what they do one after the other")
    return patterns[0]


def to_re(tree: Tree) -> str:
    """The tree as a pattern of ``re`` for a text of stand-ins."""
    if isinstance(tree, One):
        return _class_text(tree.symbols)
    if isinstance(tree, Look):
        if tree.symbols == {END}:
            return r"\Z"
        return f"(?!{_class_text(EVERY - tree.symbols)})" if END in tree.symbols else f"(?={_class_text(tree.symbols)})"
    if isinstance(tree, Chain):
        return "".join(f"(?:{to_re(part)})" if isinstance(part, Alternatives) else to_re(part) for part in tree.parts)
    if isinstance(tree, Alternatives):
        return "|".join(map(to_re, tree.branches))
    body = to_re(tree.body)
    body = body if isinstance(tree.body, One) else f"(?:{body})"
    bounds = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((tree.least, tree.most))
    return body + (bounds or f"{{{tree.least},{tree.most}}}")


def _class_text(symbols: Symbols) -> str:
    """A character class of ``re``; the shorter of the class and its complement."""
    if len(symbols) == 1:
        return _escaped(next(iter(symbols)))
    members, negated = (EVERY - symbols, "^") if SYMBOLS // 2 < len(symbols) < len(EVERY) else (symbols, "")
    text = ""
    for first, last in _runs(sorted(members)):
        text += _escaped(first) if first == last else f"{_escaped(first)}-{_escaped(last)}"
    return f"[{negated}{text}]"


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = previous = None
    for number in numbers:
        if previous is None or number != previous + 1:
            if start is not None and previous is not None:
                yield start, previous
            start = number
        previous = number
    if start is not None and previous is not None:
        yield start, previous


def _escaped(symbol: int) -> str:
    char = chr(symbol)
    return char if char.isalnum() and char.isascii() else f"\\x{symbol:02x}"


# What the native core runs.


@dataclass(slots=True)
class _Instruction:
    """One step of a backtracking matcher: take a symbol, look at it, go on in one of two places, or match."""

    kind: str
    symbols: Symbols = frozenset()
    targets: tuple[int, ...] = ()


@dataclass(slots=True)
class _Program:
    code: list[_Instruction] = field(default_factory=list)

    def emit(self, tree: Tree, after: Symbols) -> None:
        """Append a tree. ``after``: with which symbols the rest may begin, where a possessive loop must not go on."""
        if isinstance(tree, (One, Look)):
            self.code.append(_Instruction("take" if isinstance(tree, One) else "look", tree.symbols))
        elif isinstance(tree, Chain):
            for at, part in enumerate(tree.parts):
                follow, empty = _first_of(Chain(tree.parts[at + 1 :]))
                self.emit(part, follow | after if empty else follow)
        elif isinstance(tree, Alternatives):
            ends = []
            for branch in tree.branches[:-1]:
                fill = self._split()
                self.emit(branch, after)
                ends.append(self._jump())
                fill()
            self.emit(tree.branches[-1], after)
            for fill in ends:
                fill()
        else:
            self._repeat(tree, after)

    def _repeat(self, tree: Repeat, after: Symbols) -> None:
        if tree.possessive and _taken_by(tree.body) & after:
            raise PatternError("a possessive quantifier that is not the greedy one")
        for _ in range(tree.least):
            self.emit(tree.body, after)
        if tree.most is None:
            start = len(self.code)
            fill = self._split()
            self.emit(tree.body, after)
            self.code.append(_Instruction("go", targets=(start,)))
            fill()
            return
        fills = []
        for _ in range(tree.most - tree.least):
            fills.append(self._split())
            self.emit(tree.body, after)
        for fill in fills:
            fill()

    def _split(self) -> Callable[[], None]:
        """Go on here first, and where it fails at the place at which the function given back is called."""
        instruction = _Instruction("go")
        self.code.append(instruction)
        here = len(self.code)

        def fill() -> None:
            instruction.targets = (here, len(self.code))

        return fill

    def _jump(self) -> Callable[[], None]:
        instruction = _Instruction("go")
        self.code.append(instruction)

        def fill() -> None:
            instruction.targets = (len(self.code),)

        return fill


def _first_of(tree: Tree) -> tuple[Symbols, bool]:
    """The symbols with which a match may begin, and whether it may be empty."""
    if isinstance(tree, One):
        return tree.symbols, False
    if isinstance(tree, Look):
        return tree.symbols, True
    if isinstance(tree, Alternatives):
        firsts = [_first_of(branch) for branch in tree.branches]
        return frozenset(chain.from_iterable(symbols for symbols, _ in firsts)), any(empty for _, empty in firsts)
    if isinstance(tree, Repeat):
        symbols, empty = _first_of(tree.body)
        return symbols, empty or tree.least == 0
    found: Symbols = frozenset()
    for part in tree.parts:
        symbols, empty = _first_of(part)
        found |= symbols
        if isinstance(part, Look) or not empty:  # what follows a look begins with one of its symbols
            return found, False
    return found, True


def _taken_by(tree: Tree) -> Symbols:
    if isinstance(tree, One):
        return tree.symbols
    if isinstance(tree, Look):
        return frozenset()
    parts = tree.parts if isinstance(tree, Chain) else tree.branches if isinstance(tree, Alternatives) else (tree.body,)
    return frozenset(chain.from_iterable(map(_taken_by, parts)))


class Automaton:
    """Rows of transitions: the next state, and whether a match ended before the symbol that is looked at.

    State 0 is dead, state 1 the start. ``classes[symbol]`` is the symbol's column.
    """

    def __init__(self, tree: Tree) -> None:
        """Build it. Raises ``PatternError`` where the core has no room for it."""
        program = _Program()
        program.emit(tree, frozenset())
        program.code.append(_Instruction("match"))
        self.classes = _classes_of(program.code)
        sample = {column: symbol for symbol, column in enumerate(self.classes)}
        self.width = len(sample)
        states: dict[tuple[int, ...], int] = {(): 0, (0,): 1}
        rows: list[list[tuple[int, bool]]] = [[(0, False)] * self.width]
        queue: list[tuple[int, ...]] = [(0,)]
        for state in queue:
            row = []
            for column in range(self.width):
                following, matched = _step(program.code, state, sample[column])
                if following not in states:
                    if len(states) >= _MOST_MADE:
                        raise PatternError("an automaton of too many states")
                    states[following] = len(states)
                    queue.append(following)
                row.append((states[following], matched))
            rows.append(row)
        self.rows = _minimal(rows)
        if any(matched for _, matched in self.rows[1]):
            raise PatternError("it matches nothing, where it should take a character")
        if self.width > WIDTH or len(self.rows) > MOST_STATES:
            raise PatternError(f"{len(self.rows)} states over {self.width} classes are more than the core has room for")

    def pack(self) -> bytes:
        """Lay it out for the core, little-endian.

        ``u8 classes[SYMBOLS - 1], padded to 159 | u8 class of the end | u32 states | u16 rows[states][WIDTH]``; a cell
        is ``next state * WIDTH << 1 | matched``.
        """
        columns = bytes(self.classes[:END]).ljust(159, b"\0") + bytes([self.classes[END]])
        cells = array("H")
        for row in self.rows:
            cells.extend((state * WIDTH) << 1 | matched for state, matched in row)
            cells.extend([0] * (WIDTH - self.width))
        return columns + struct.pack("<I", len(self.rows)) + cells.tobytes()


def _classes_of(code: Sequence[_Instruction]) -> list[int]:
    """The column of each symbol: symbols in the same sets share one, and the end has its own."""
    sets = sorted({step.symbols for step in code if step.symbols}, key=sorted)
    columns: dict[tuple[bool, ...], int] = {}
    return [
        columns.setdefault((symbol == END, *(symbol in one for one in sets)), len(columns)) for symbol in range(SYMBOLS)
    ]


def _step(code: Sequence[_Instruction], state: tuple[int, ...], symbol: int) -> tuple[tuple[int, ...], bool]:
    """The threads after a symbol, in order of their priority, and whether one of a higher than theirs matched."""
    seen: set[int] = set()
    following: dict[int, None] = {}
    stack = list(reversed(state))
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        step = code[at]
        if step.kind == "match":
            return tuple(following), True
        if step.kind == "go":
            stack.extend(reversed(step.targets))
        elif symbol in step.symbols:
            if step.kind == "look":
                stack.append(at + 1)
            elif symbol != END:
                following[at + 1] = None
    return tuple(following), False


def _minimal(rows: Sequence[Sequence[tuple[int, bool]]]) -> list[list[tuple[int, bool]]]:
    """The same automaton with the fewest states; the dead one and the start stay 0 and 1."""
    block = [0] * len(rows)
    while True:
        keys: dict[tuple[object, ...], int] = {}
        finer = [
            keys.setdefault((block[at], *((block[state], matched) for state, matched in row)), len(keys))
            for at, row in enumerate(rows)
        ]
        if len(keys) == len(set(block)):
            break
        block = finer
    order = list(dict.fromkeys([block[0], block[1], *block]))
    if block[0] == block[1]:
        raise PatternError("it matches nothing")
    number = {one: at for at, one in enumerate(order)}
    found = {
        number[block[at]]: [(number[block[state]], matched) for state, matched in row] for at, row in enumerate(rows)
    }
    return [found[at] for at in range(len(order))]


def class_table() -> bytes:
    """The symbol of every code point, in two stages, for the core.

    ``u16 stage[0x110000 / 64] | u32 size | u8 blocks[size / 64][64]``: the symbol less 128 in the lower 5 bits (for
    ASCII unused), and 0x40 where no NFC changes the character, whatever stands beside it.
    """
    flat = bytearray(0x110000)
    for start, end, flags in unicode_classes.ranges():
        value = unicode_classes.combination_of(flags) | (0x40 if flags & unicode_classes.SETTLED else 0)
        flat[start:end] = bytes([value]) * (end - start)
    flat[0x17F] = flat[0x17F] & 0xC0 | (LONG_S - 128)
    blocks: dict[bytes, int] = {}
    stage = array("H", [blocks.setdefault(bytes(flat[at : at + 64]), len(blocks)) for at in range(0, len(flat), 64)])
    return stage.tobytes() + struct.pack("<I", 64 * len(blocks)) + b"".join(blocks)
