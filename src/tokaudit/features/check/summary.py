"""The lines below the tables of a check: verdict, totals, costs, and commands that help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.check.figures import counted, difference, files_of, shell, some, unit
from tokaudit.features.check.targets import sized
from tokaudit.features.check.totals import grown_in
from tokaudit.features.check.types import CheckResult, FileRow, Gate, Monthly
from tokaudit.features.costs.money import money
from tokaudit.model import Advice, ModelColumn, plural
from tokaudit.model.message import Message, joined
from tokaudit.model.message import counted as message_of
from tokaudit.model.prices import Cost

_DOUBTS = {
    "unmatched": ("1 entry matches nothing", "{n:,} entries match nothing"),
    "unmeasured": ("1 gate not judged", "{n:,} gates not judged"),
    "incomparable": ("1 model not compared", "{n:,} models not compared"),
}
_MANY = 20
"""Paths from which on a command has patterns in their place."""
_KEYS = {"max-tokens": "max_tokens", "max-density": "max_density", "window": "window"}


def summary(result: CheckResult, failed: Sequence[Gate]) -> str:
    """The verdict and its scope, on one line."""
    total = files_of(len(result.files))
    paths = {gate.path for gate in failed if not gate.is_total}
    groups = {gate.budget for gate in failed if gate.is_total}
    parts = [total]
    if failed:
        parts = [Message("{n:,} of {total}", n=len(paths), total=total)] if paths else [total]
        parts += [plural(len(groups), "total")] if groups else []
    parts.append(plural(len(result.models), "model"))
    if result.before is not None:
        parts.append(Message("against {name}", name=result.before.name))
    elif not result.settings.budgets and not result.settings.slim:
        parts.append(Message("no budget and nothing to compare with"))
    doubts: list[str] = []
    if result.before is None and result.settings.budgets and not result.settings.without_growth:
        doubts.append(Message("growth not checked (no baseline)"))
    for rule, (one, several) in _DOUBTS.items():
        number = sum(finding.rule == rule for finding in result.findings)
        doubts += [message_of(number, one, several)] if number else []
    verdict = Message("not judged" if result.outcome == "unmeasured" else result.outcome)
    said = joined(": ", verdict, joined(", ", *parts))
    return joined("; ", said, joined(", ", *doubts))


def notes(result: CheckResult, failed: Sequence[Gate]) -> Iterator[str]:
    """Totals, costs and remarks besides the tables."""
    before = result.before
    if before is not None:
        new = [row.file.path for row in result.files if row.status == "new"]
        renamed = [
            Message("{renamed_from} → {path}", renamed_from=row.renamed_from, path=row.file.path)
            for row in result.files
            if row.status == "renamed"
        ]
        removed = [finding.path for finding in result.findings if finding.rule == "removed"]
        for title, names in (
            (Message("new"), new),
            (Message("renamed"), renamed),
            (Message("removed"), removed),
        ):
            if names:
                yield Message("{title}: {names}", title=title, names=some(names))
    yield from _costs(result)
    for number in dict.fromkeys(gate.budget for gate in failed if gate.budget is not None):
        budget = result.settings.budgets[number]
        if budget.note:
            yield Message("the budget of {paths}: {note}", paths=", ".join(budget.paths), note=budget.note)
    if before is not None:
        yield from before.notes
        if before.kind != "baseline" and _shrunk(result):
            yield _shrank(result)
    if any(gate.rule in _KEYS for gate in failed):
        yield _limits(result, failed)
    for model in result.models:
        if not model.ref.exact:
            yield Message("≈ {name}: {error}", name=model.name, error=model.ref.error)
    if skipped := sum(not item.is_note for item in result.settings.skipped):
        yield Message("skipped: {n:,}, see below", n=skipped)


def advice(result: CheckResult, failed: Sequence[Gate]) -> Iterator[Advice]:
    """Commands that accept growth, shorten text, or explain."""
    recorded = result.before is not None and result.before.kind == "baseline"
    update = result.settings.update
    grown = _acceptable(result, failed)
    if grown:
        yield Advice(Message("to accept what grew"), update, _arguments(result, grown))
    yield from _shortening(result, failed)
    whole = [gate for gate in failed if gate.rule != "slim"]
    if whole:
        worst = max(whole, key=_excess)
        yield Advice("details of a file", result.settings.why, _arguments(result, grown_in(worst, result))[:1])
    slim = [gate for gate in failed if gate.rule == "slim"]
    for pack in dict.fromkeys(gate.what for gate in slim):
        paths = _arguments(result, [gate.path for gate in slim if gate.what == pack])
        yield Advice(
            Message("to save what {pack} can", pack=pack),
            Message("tokaudit slim --rules {pack} --write", pack=shell(pack)),
            paths,
        )
    less = [row.file.path for row in _shrunk(result)] if recorded else []
    if less:
        yield Advice(Message("{shrank}; to keep it that way", shrank=_shrank(result)), update, _arguments(result, less))


def over_budget(result: CheckResult) -> list[str]:
    """The files that have to be shorter."""
    failed = [gate for gate in result.gates if gate.level == "error" and gate.rule in _KEYS]
    return list(dict.fromkeys(path for gate in failed for path in grown_in(gate, result)))


def _shortening(result: CheckResult, failed: Sequence[Gate]) -> Iterator[Advice]:
    """The command that shortens files, with what it saves where that is not enough; none where it saves nothing."""
    helped: dict[str, None] = {}
    missing: dict[str, tuple[int, int]] = {}
    """Model to the tokens that slim saves, and those that are too many."""
    for gate in failed:
        if gate.rule not in _KEYS:
            continue
        paths = grown_in(gate, result)
        saved = {path: _saved(path, gate, result) for path in paths}
        useful = [path for path in paths if saved[path] != 0]
        helped |= dict.fromkeys(useful)
        total, needed = sum(tokens or 0 for tokens in saved.values()), int(gate.measured - gate.limit)
        if useful and None not in saved.values() and gate.rule == "max-tokens" and total < needed:
            before = missing.get(gate.model.name, (0, 0))
            missing[gate.model.name] = before[0] + total, before[1] + needed
    if not helped:
        return
    text = Message("to shorten the text")
    if missing:
        model, (total, needed) = max(missing.items(), key=lambda item: item[1][1] - item[1][0])
        text = Message(
            "to shorten the text by {saved:,} of the {needed:,} tokens needed ({model})",
            saved=total,
            needed=needed,
            model=model,
        )
    yield Advice(text, "tokaudit slim -w", _arguments(result, list(helped)))


def _saved(path: str, gate: Gate, result: CheckResult) -> int | None:
    """The tokens that slim saves of what a limit is of; None where that was not tried."""
    if path not in result.slimmed or gate.budget is None:
        return None
    budget = result.settings.budgets[gate.budget]
    now = next(row.file for row in result.files if row.file.path == path)
    sizes = [sized(file, budget) for file in (now, result.slimmed[path])]
    before, after = (0 if size is None else size[0][gate.model.column] or 0 for size in sizes)
    return max(0, before - after)


def _acceptable(result: CheckResult, failed: Sequence[Gate]) -> list[str]:
    """The files that a new baseline would let pass: they grew, and are over no other limit."""
    if result.before is None or result.before.kind != "baseline":
        return []
    grown = [path for gate in failed if gate.rule == "max-growth" for path in grown_in(gate, result)]
    over = {path for gate in failed if gate.rule in _KEYS for path in grown_in(gate, result)}
    return [path for path in grown if path not in over]


def _arguments(result: CheckResult, paths: Sequence[str]) -> list[str]:
    """Paths as they are written in a command; of many, patterns that match them."""
    names = [result.settings.shown.get(path, path) for path in dict.fromkeys(paths)]
    if len(names) > _MANY:
        names = list(dict.fromkeys(_pattern(name) for name in names))
    return [shell(name) for name in names]


def _pattern(name: str) -> str:
    """All files of a name's folder that end as it does: ``prompts/*.md``."""
    folder, slash, file = name.rpartition("/")
    _, dot, suffix = file.rpartition(".")
    return f"{folder}{slash}*{dot}{suffix}" if dot else f"{folder}{slash}*"


def _excess(gate: Gate) -> float:
    """A figure as a multiple of its limit."""
    return gate.measured / gate.limit if gate.limit else float("inf")


def _costs(result: CheckResult) -> Iterator[str]:
    """Tokens and money a month, of the files and of the change."""
    sent = [row.requests for row in result.files if row.requests is not None]
    requests = plural(sent[0], "request") if len(set(sent)) == 1 else Message("requests as configured")
    several, which = len(result.files), Message("each of {files}", files=files_of(len(sent)))
    if len(sent) < several:
        which = Message("{n:,} of {files}", n=len(sent), files=files_of(several))
    each = Message(", {requests} with {which}", requests=requests, which=which) if several > 1 else ""
    for model in result.models:
        month = result.monthly.get(model.name)
        if month is not None:
            text = _cost(month, model)
            line = Message("{model} a month{each}: {text}", model=model.name, each=each, text=text)
            added = _added(month, model)
            yield line if result.before is None else joined("; ", line, added)


def _money(cost: Cost) -> str:
    return money(abs(cost.total), cost.currency).lstrip("+")


def _cost(month: Monthly, model: ModelColumn) -> str:
    tokens = Message("{figure} {unit}", figure=counted(month.now, model), unit=Message(unit(month.now)))
    return tokens if month.cost is None else Message("{tokens}, about {money}", tokens=tokens, money=_money(month.cost))


def _added(month: Monthly, model: ModelColumn) -> str:
    if month.delta is None:
        return Message("the cost of the change is unknown")
    if not month.delta:
        return Message("the change adds nothing")
    text = Message(
        "the change adds {figure}" if month.delta > 0 else "the change saves {figure}",
        figure=counted(abs(month.delta), model),
    )
    return text if month.more is None else Message("{text}, about {money}", text=text, money=_money(month.more))


def _shrunk(result: CheckResult) -> list[FileRow]:
    """Files with fewer tokens than before for some models, and with more for none."""
    found = []
    for row in result.files:
        deltas = [delta for model in result.models if (delta := _delta(result, row, model)) is not None]
        if deltas and min(deltas) < 0 and max(deltas) <= 0:
            found.append(row)
    return found


def _delta(result: CheckResult, row: FileRow, model: ModelColumn) -> int | None:
    if row.before is None or (result.before is not None and model.column in result.before.incomparable):
        return None
    return difference(row.before.tokens[model.column], row.file.tokens[model.column])


def _shrank(result: CheckResult) -> str:
    rows = _shrunk(result)
    texts: list[str] = []
    for model in result.models:
        saved = -sum(_delta(result, row, model) or 0 for row in rows)
        if saved:
            texts.append(
                Message(
                    "{saved}{unit} of {name}",
                    saved=counted(saved, model),
                    unit="" if texts else Message(" {unit}", unit=unit(saved)),
                    name=model.name,
                )
            )
    return Message("{files} shrank by {amounts}", files=files_of(len(rows)), amounts=tuple(texts))


def _limits(result: CheckResult, failed: Sequence[Gate]) -> str:
    """The broken limits that no baseline changes: their places, and what to do."""
    broken = [gate for gate in failed if gate.rule in _KEYS]
    keys = " and ".join(dict.fromkeys(_KEYS[gate.rule] for gate in broken))
    recorded = result.before is not None and result.before.kind == "baseline"
    useless = (
        Message("an update of the baseline does not help; ") if recorded and not _acceptable(result, failed) else ""
    )
    return Message(
        "{keys} ({places}): {useless}shorten the text, or raise the limit there",
        keys=keys,
        places=_places(broken, result),
        useless=useless,
    )


def _places(gates: Sequence[Gate], result: CheckResult) -> str:
    """The places of limits: ``tokaudit.toml:12``, or ``tokaudit.toml, lines 12 and 17``."""
    numbers = {gate.budget for gate in gates}
    budgets = [budget for number, budget in enumerate(result.settings.budgets) if number in numbers]
    lines = sorted({budget.line for budget in budgets if budget.line is not None})
    if not result.settings.config or not lines:
        return some([Message("the budget of {paths}", paths=tuple(budget.paths)) for budget in budgets])
    if len(lines) == 1:
        return f"{result.settings.config}:{lines[0]}"
    return Message(
        "{config}, lines {lines} and {last}",
        config=result.settings.config,
        lines=tuple(map(str, lines[:-1])),
        last=lines[-1],
    )
