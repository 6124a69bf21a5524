"""The rules of findings of commands that judge: a line and a few sentences for each id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tokaudit.model.record import record
from tokaudit.model.report import Level


@record
class GateRule:
    """A kind of finding, as services that list rules show it."""

    id: str
    title: str
    """One line, without a full stop."""
    help: str
    """Its meaning and the remedy; code stands in backquotes."""
    level: Level
    """Of its findings, unless they say otherwise."""


_RULES = (
    GateRule(
        "max-tokens",
        "More tokens than the budget allows",
        "A budget in the configuration sets how many tokens a file, a part of it, or a group of files may have. "
        "Shorten the text (`tokaudit slim PATH` shows what can go), or raise `max_tokens` of the budget in the same "
        "change, where reviewers see it.",
        "error",
    ),
    GateRule(
        "max-growth",
        "More growth than is allowed",
        "The file has grown by more tokens than it may, against the baseline or the revision that it was compared "
        "with. The finding stands on the first line that added tokens; `tokaudit check --why PATH` shows all of them. "
        "Where the growth is wanted, record it with `tokaudit baseline update PATH`, or allow it with `max_growth`.",
        "error",
    ),
    GateRule(
        "max-density",
        "More tokens per character than the budget allows",
        "The text has many tokens for its length: rare characters, encoded data, or much white space. "
        "`tokaudit count --by segment PATH` shows which parts are dense.",
        "error",
    ),
    GateRule(
        "window",
        "A request takes more of the model's window than the budget allows",
        "The largest request of the file, as it is billed, and the `max_tokens` that it reserves for the answer are "
        "over the share of the window that the budget's `window` sets. `tokaudit budget PATH` shows what takes it, "
        "`tokaudit fit PATH` makes a conversation fit.",
        "error",
    ),
    GateRule(
        "slim",
        "A rule pack would save more than is allowed",
        "A pack of rules would save more tokens of the file than `--slim-check` allows. `tokaudit slim PATH` shows the "
        "edits; with `--write` it makes them.",
        "error",
    ),
    GateRule(
        "warn-at",
        "A budget is nearly used up",
        "The file is within its limit, but uses more of it than the budget's `warn_at`.",
        "warning",
    ),
    GateRule(
        "unmatched",
        "A budget or an entry of the baseline matches nothing",
        "There is no file to guard: correct the `paths` of the budget, or remove the entry of a deleted file with "
        "`tokaudit baseline update PATH`.",
        "warning",
    ),
    GateRule(
        "incomparable",
        "Counts before and now cannot be compared",
        "The reference has counts of another vocabulary, or none for this model, so that growth is not judged. "
        "`tokaudit baseline write` records new counts.",
        "warning",
    ),
    GateRule(
        "unmeasured",
        "A file under a gate could not be measured",
        "The file cannot be read or counted, so that its limits are not judged. The message says why.",
        "warning",
    ),
    GateRule("new", "A new file", "The reference does not have it, so that there is nothing to compare with.", "note"),
    GateRule("renamed", "A file with another name", "It is compared with the file of its former name.", "note"),
    GateRule("removed", "A file that is gone", "The reference has it; the working tree does not.", "note"),
    GateRule(
        "goal",
        "A goal of slimming is not met",
        "The text has more tokens than the goal, after all rules that are allowed.",
        "error",
    ),
    GateRule(
        "ledger",
        "Slimming changed facts",
        "Numbers, names, negations or other facts differ before and after slimming. This should never happen: please "
        "report it.",
        "error",
    ),
)

GATE_RULES: Mapping[str, GateRule] = MappingProxyType({rule.id: rule for rule in _RULES})
"""By id; the order is that in which services list them."""
UNJUDGED = frozenset({"unmatched", "incomparable", "unmeasured"})
"""Rules of findings after which a run that did not fail did not pass either: exit code 3."""


def gate_rule(rule_id: str, level: Level = "warning") -> GateRule:
    """The rule of a finding; for one of a rule pack, whose texts are in the pack, one made of its id and level."""
    known = GATE_RULES.get(rule_id)
    if known is not None:
        return known
    return GateRule(rule_id, f"Rule {rule_id}", f"`tokaudit rules show {rule_id}` describes it.", level)
