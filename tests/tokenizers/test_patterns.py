"""The compiler of patterns: the automaton, ``re`` and the pattern itself, by the regex library, cut alike."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import pytest
import regex

from references import BYTE_LEVEL
from texts import weighted_texts
from tokaudit.tokenizers.bundled import manifest
from tokaudit.tokenizers.patterns import END, FUSED, Automaton, PatternError, parse, text_of, to_re
from tokaudit.tokenizers.unicode_classes import to_stand_ins

PATTERNS = {manifest()[name]["pattern"]: manifest()[name]["pattern_regex"] for name in BYTE_LEVEL}
ALPHABET = [*"aAzZ'sStT09 \n\r\t.,!-_/中かナé", "\u0301", "\u3000", "１", "😀", "ſ", "\x00"]


def texts(number: int = 400) -> Sequence[str]:
    chance = random.Random(3)
    return ["".join(chance.choices(ALPHABET, k=chance.randint(1, 30))) for _ in range(number)]


def by_automaton(automaton: Automaton, text: str) -> Iterator[str]:
    """The matches, as the native core finds them; what no match takes is left out."""
    symbols = [*map(ord, to_stand_ins(text)), END]
    at = 0
    while at < len(text):
        state, end = 1, None
        for place in range(at, len(symbols)):
            state, matched = automaton.rows[state][automaton.classes[symbols[place]]]
            end = place if matched else end
            if not state:
                break
        if end is not None:
            yield text[at:end]
        at = at + 1 if end is None else end


def by_re(expression: str, text: str) -> Iterator[str]:
    for match in re.finditer(expression, to_stand_ins(text)):
        yield text[match.start() : match.end()]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_bundled_patterns_cut_alike_by_both(pattern: str) -> None:
    tree = parse(text_of(pattern, PATTERNS[pattern]))
    automaton, expression = Automaton(tree), to_re(tree)
    for text in (*texts(), *weighted_texts(300, seed=8)):
        assert list(by_automaton(automaton, text)) == list(by_re(expression, text)), text


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z]+|\s+(?!\S)|\s+|[^a-z\s]",
        r"(?i:'s|'t|'ve)|\p{L}+|[^\p{L}]",
        r"\p{N}{1,3}|[^\p{N}]{2,5}|.|\n",
        r"a?+b|[^b]",
        r"\s+$|\s|\S",
        r"[\p{L}&&[^\p{Han}]]+|\p{Han}|[^\p{L}\p{Han}]",
        r"(?:ab|a)(?:bc|c)?|[\S\s]",
    ],
)
def test_other_patterns_match_as_the_regex_library_has_them(pattern: str) -> None:
    tree = parse(pattern)
    reference = regex.compile(pattern, regex.VERSION1)
    for text in (*texts(), "abc", "ababc", "abcbcab"):
        expected = [match[0] for match in reference.finditer(text)]
        assert list(by_automaton(Automaton(tree), text)) == expected, text
        assert list(by_re(to_re(tree), text)) == expected, text


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (r"a+?", "lazy"),
        (r"(?!ab)c", "more than one character"),
        (r"a++a", "possessive"),
        (r"\d+", "d"),
        (r"(?i:k)", "Kelvin"),
        (r"[一-三]", "divides"),
        (r"\p{Lu}+", "without"),
        (r"\p{Greek}", "no symbols"),
        (r"a*", "matches nothing"),
        (r"(a", "open group"),
        (r"a)", "unexpected"),
        (r"[a", "truncated"),
        (r"^a", "unexpected"),
        (r"[[:alpha:]]", "class in a class"),
        (r"a{1,999999999}", "bounds"),
        (r"(?:a|b)*a(?:a|b){20}", "too many states"),
    ],
)
def test_what_an_automaton_cannot_be_is_refused(pattern: str, fault: str) -> None:
    with pytest.raises(PatternError, match=fault):
        Automaton(parse(pattern)).pack()


def test_deepseek_s_fused_pattern_is_its_three_splits() -> None:
    """``tests/equivalence`` compares it with the reference on every code point; this one needs no library."""
    splits = [parse(pattern) for pattern in PATTERNS["deepseek"]]
    fused = to_re(parse(FUSED["deepseek"]))
    for text in (*texts(3_000), *weighted_texts(2_000, seed=9)):
        parts = [text]
        for tree in splits:
            parts = [piece for part in parts for piece in _isolated(to_re(tree), part)]
        assert list(by_re(fused, text)) == parts, text


def _isolated(expression: str, text: str) -> Iterator[str]:
    at = 0
    for match in re.finditer(expression, to_stand_ins(text)):
        if match.start() > at:
            yield text[at : match.start()]
        yield text[match.start() : match.end()]
        at = match.end()
    if at < len(text):
        yield text[at:]
