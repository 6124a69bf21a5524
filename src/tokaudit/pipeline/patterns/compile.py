r"""The patterns of rules: checked for shapes that a matcher is slow on, and compiled.

A rule of a stranger's pack may hang the process: the ``timeout`` of ``regex`` comes late. So shapes whose time grows
exponentially, or with the square of a run of equal characters, are refused before they run. What is quadratic by
itself (``\s+$`` on a text of blanks) is not: it is too common, and stays to the timeout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from tokaudit.model.errors import RuleError
from tokaudit.pipeline.patterns.automaton import LOOP_FROM, Automaton, named_characters
from tokaudit.pipeline.patterns.tree import Node, Tree, parse, width

LONGEST = 500
"""Characters of a pattern."""
_MOST_TIMES = 1000
"""The highest limit of a repeat."""
_MOST_NESTED = 10_000
"""The highest product of the limits of repeats within each other."""
_POWER = 4
"""Times from which a repeat of an unlimited part counts as one without a limit."""
_LONGEST_BACK = 8
"""Characters of a group that may be referred to under an unlimited repeat."""


class PatternProblem(NamedTuple):
    """What is wrong with a pattern, and where in it."""

    offset: int
    """0-based, in characters of the pattern."""
    message: str


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Any:
    """A pattern as ``regex`` compiles it, with MULTILINE and VERSION0 unless its own flags say otherwise.

    Raises:
        RuleError: It does not compile. The message names the place.
    """
    import regex

    try:
        try:
            return regex.compile(pattern, regex.MULTILINE | regex.VERSION0)
        except ValueError:  # (?V1) in the pattern
            return regex.compile(pattern, regex.MULTILINE)
    except regex.error as error:
        place = f" at offset {error.pos}" if error.pos is not None else ""
        raise RuleError(f"pattern {_short(pattern)} does not compile: {error.msg}{place}", hint=_HINT) from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, MemoryError, IndexError) as error:
        raise RuleError(f"pattern {_short(pattern)} does not compile: {error}", hint=_HINT) from error


_HINT = "write it as the regex module takes it, and quote it with ' in YAML"


def _short(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "...")


def check_pattern(pattern: str) -> list[PatternProblem]:
    """What keeps a pattern from being used: that it does not compile, or shapes that a matcher is slow on."""
    return list(_checked(pattern))


@lru_cache(maxsize=4096)
def _checked(pattern: str) -> tuple[PatternProblem, ...]:
    if len(pattern) > LONGEST:
        return (PatternProblem(LONGEST, f"longer than {LONGEST} characters: use a list of texts"),)
    try:
        compile_pattern(pattern)
    except RuleError as error:
        cause = error.__cause__
        offset = getattr(cause, "pos", None)
        return (PatternProblem(offset or 0, f"does not compile: {getattr(cause, 'msg', None) or cause}"),)
    try:
        tree = parse(pattern)
        found = [*_parts(tree.root, tree, 1, in_loop=False), *_loops(pattern, tree)]
    except RecursionError:
        return (PatternProblem(0, "nested too deeply"),)
    first: dict[int, PatternProblem] = {}
    for problem in sorted(found):
        first.setdefault(problem.offset, problem)
    return tuple(first.values())


def _parts(node: Node, tree: Tree, times: int, *, in_loop: bool) -> Iterator[PatternProblem]:
    """What is wrong with single parts."""
    if node.type == "repeat":
        high = node.low if node.high is None else node.high
        times *= max(high, 1)
        in_loop = in_loop or node.high is None or node.high >= LOOP_FROM
        if high > _MOST_TIMES:
            yield PatternProblem(node.offset, f"repeated up to {high} times: at most {_MOST_TIMES}")
        elif times > _MOST_NESTED:
            yield PatternProblem(node.offset, f"repeats within each other up to {times} times: at most {_MOST_NESTED}")
    elif node.type == "call":
        yield PatternProblem(node.offset, "recursion or fuzzy matching: its time has no bound")
    elif node.type == "behind" and any(width(part, tree) is None for part in node.parts):
        yield PatternProblem(node.offset, "a lookbehind without a limit: give its repeats one, such as {0,20}")
    elif node.type == "back":
        size = width(tree.groups[node.text], tree) if node.text in tree.groups else 0
        if size is None:
            yield PatternProblem(node.offset, "a reference to a group without a limit: give its repeats one")
        elif in_loop and size > _LONGEST_BACK:
            message = f"an unlimited repeat of a reference to a group of more than {_LONGEST_BACK} characters"
            yield PatternProblem(node.offset, message)
    for part in node.parts:
        yield from _parts(part, tree, times, in_loop=in_loop)


def _loops(pattern: str, tree: Tree) -> Iterator[PatternProblem]:
    """Repeats that match the same text in several ways."""
    more = named_characters(pattern)
    for root in _roots(tree.root):
        for node in _outer_loops(root, tree):
            yield from _ways(node, more)
        yield from _neighbours(root, pattern, more)


def _roots(node: Node, *, top: bool = True) -> Iterator[Node]:
    """The pattern, and each part in it that is matched for itself: atomic groups and looks around."""
    if top:
        yield node
    for part in node.parts:
        alone = node.type in ("atomic", "ahead", "behind") or (node.type == "repeat" and node.possessive)
        yield from _roots(part, top=alone)


def _outer_loops(node: Node, tree: Tree) -> Iterator[Node]:
    """The outermost repeats that are loops, in what is not matched for itself."""
    if node.type in ("atomic", "ahead", "behind") or (node.type == "repeat" and node.possessive):
        return
    if node.type == "repeat" and _is_loop(node, tree):
        yield node
        return
    for part in node.parts:
        yield from _outer_loops(part, tree)


def _is_loop(node: Node, tree: Tree) -> bool:
    """Whether a repeat has no limit, a high one, or one of some times for what has none: the power of its time."""
    if node.high is None or node.high >= LOOP_FROM:
        return True
    return node.high >= _POWER and width(node.parts[0], tree) is None


def _ways(node: Node, more: str) -> Iterator[PatternProblem]:
    body = node.parts[0]
    if body.type == "set":
        return
    automaton = Automaton(more)
    automaton.add(replace(node, high=None))
    if not automaton.whole:
        yield PatternProblem(node.offset, "a repeat of too many parts to be checked")
    elif (place := automaton.doubled()) is not None:
        offset = automaton.nodes[place].offset
        message = f"repeats within a repeat match the same text in many ways (at offset {offset})"
        yield PatternProblem(node.offset, f"{message}: make the inner one possessive, as in a++")
    elif (place := automaton.ambiguous()) is not None:
        message = "the parts of a repeat match the same text in many ways: let each begin with another character"
        yield PatternProblem(node.offset, message)


def _neighbours(root: Node, pattern: str, more: str) -> Iterator[PatternProblem]:
    """Unlimited repeats of one character side by side that share characters."""
    automaton = Automaton(more)
    found = automaton.add(root)
    for one in sorted(automaton.loops):
        for other in automaton.follow.get(one, ()):
            if other == one or other not in automaton.loops or not automaton.sets[one] & automaton.sets[other]:
                continue
            if other in found.last and _cannot_fail(root, pattern, automaton, one, other):
                continue
            message = (
                f"two unlimited repeats side by side share characters (the other at offset "
                f"{automaton.nodes[other].offset}): keep them apart, as in \\s*(?::\\s*)?, or make one possessive"
            )
            yield PatternProblem(automaton.nodes[one].offset, message)


def _cannot_fail(root: Node, pattern: str, automaton: Automaton, one: int, other: int) -> bool:
    """Whether the second repeat takes what the first does and more, and nothing comes after it that may fail."""
    first, second = automaton.sets[one], automaton.sets[other]
    if first == second or set(automaton.follow[other]) - {other}:
        return False
    tail = []
    for part in reversed(root.parts if root.type == "sequence" else [root]):
        if part.type not in ("empty", "ahead", "behind"):
            break
        tail.append(part)
    line = pattern[automaton.nodes[other].offset] == "."
    if not tail:
        return line or first < second
    return line and all(part.type == "empty" and pattern[part.offset] == "$" for part in tail)
