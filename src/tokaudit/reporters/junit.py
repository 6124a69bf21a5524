"""``--format junit``: JUnit XML, as CI servers read it: checked files as test cases, failed gates as failures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from tokaudit.model import Finding, Report, plural
from tokaudit.model.gate_rules import UNJUDGED, gate_rule
from tokaudit.reporters.cells import one_line, place_of

_NO_CHARACTER = re.compile("[\ufffe\uffff]")
"""Characters that XML 1.0 does not allow, besides those that ``one_line`` makes visible."""


@dataclass(slots=True)
class _Case:
    """One ``testcase``."""

    name: str
    failure: Finding | None = None
    skipped: Finding | str | None = None
    lines: list[str] = field(default_factory=list)
    """Further output of the case."""


def render(report: Report, *, ascii_only: bool) -> str:
    """One suite, with a test case for each checked file and each failed gate.

    A file's case fails with the first of its failed gates; each further one, and each that is of no checked file, has
    a case of its own, so that there are as many failures as failed gates. A file has the same case in every run, so
    that servers know since when it fails. What could not be judged is skipped. There are no times.
    """
    cases = _cases(report)
    failures = sum(case.failure is not None for case in cases)
    skipped = sum(case.failure is None and case.skipped is not None for case in cases)
    suite = f"tokaudit.{_shown(report.command)}"
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="tokaudit" {counts} time="0">',
        f'  <testsuite name="{suite}" {counts} skipped="{skipped}" time="0">',
        *(line for case in cases for line in _written(case, suite)),
        "  </testsuite>",
        "</testsuites>",
    ]
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "xmlcharrefreplace").decode() if ascii_only else text


def _cases(report: Report) -> list[_Case]:
    files = report.data.get("files")
    listed = [item for item in files if isinstance(item, Mapping)] if isinstance(files, Sequence) else []
    cases = {str(item.get("path")): _Case(str(item.get("path")), lines=list(_figures(item))) for item in listed}
    checked = frozenset(cases)
    named: Counter[str] = Counter()
    for finding in report.findings:
        case = cases.get(finding.path) if finding.path in checked else None
        if finding.level == "error":
            if case is None or case.failure is not None:
                case = _own(cases, named, finding)
            case.failure = finding
        elif finding.rule in UNJUDGED:
            if case is None or case.skipped is not None:
                case = _own(cases, named, finding)
            case.skipped = finding
        elif case is not None:
            case.lines.append(f"{finding.level} {finding.rule}: {finding.message}")
    for item in report.skipped:
        if item.what not in cases:
            cases[item.what] = _Case(item.what, skipped=f"{item.reason}; {item.hint}" if item.hint else item.reason)
    return list(cases.values())


def _own(cases: dict[str, _Case], named: Counter[str], finding: Finding) -> _Case:
    """A case of its own; servers take cases of one name for one, so the second of a rule and file has a number.

    A file that could not be measured is not among the checked ones, and has the name that it has when it is.
    """
    if finding.rule == "unmeasured" and finding.path and finding.path not in cases:
        return cases.setdefault(finding.path, _Case(finding.path))
    head = f"{finding.path} " if finding.path else ""
    named[f"{head}{finding.rule}"] += 1
    number = named[f"{head}{finding.rule}"]
    name = f"{head}[{finding.rule}]" if number == 1 else f"{head}[{finding.rule} {number}]"
    return cases.setdefault(name, _Case(name))


def _figures(item: Mapping[str, object]) -> Iterator[str]:
    """The tokens of a file, for each model, and those before where it was compared."""
    now, before = item.get("tokens"), item.get("before")
    for model, count in now.items() if isinstance(now, Mapping) else ():
        was = before.get(model) if isinstance(before, Mapping) else None
        if isinstance(count, int):
            tail = f", {was:,} before" if isinstance(was, int) else ""
            yield f"{model}: {plural(count, 'token')}{tail}"


def _written(case: _Case, suite: str) -> Iterator[str]:
    head = f'    <testcase classname="{suite}" name="{_shown(case.name)}" time="0"'
    inner = list(_inner(case))
    if not inner:
        yield f"{head}/>"
        return
    yield f"{head}>"
    yield from inner
    yield "    </testcase>"


def _inner(case: _Case) -> Iterator[str]:
    if case.failure is not None:
        finding = case.failure
        message = f'message="{_shown(finding.message)}" type="{_shown(finding.rule)}"'
        where = f"{place_of(finding)}: " if finding.path else ""
        text = f"{where}{finding.message}\n{gate_rule(finding.rule).help}"
        yield f"      <failure {message}>{_body(text)}</failure>"
    elif case.skipped is not None:
        found = case.skipped
        message = found if isinstance(found, str) else f"{found.rule}: {found.message}"
        yield f'      <skipped message="{_shown(message)}"/>'
    if case.lines:
        yield f"      <system-out>{_body(chr(10).join(case.lines))}</system-out>"


def _shown(text: str) -> str:
    """A text in an attribute."""
    return escape(_whole(one_line(text)), {'"': "&quot;"})


def _body(text: str) -> str:
    """A text between tags, on as many lines as it has."""
    return "\n".join(escape(_whole(one_line(line))) for line in text.splitlines())


def _whole(text: str) -> str:
    """A text with escapes for the characters that XML 1.0 does not have."""
    return _NO_CHARACTER.sub(lambda char: f"\\u{ord(char[0]):04x}", text)
