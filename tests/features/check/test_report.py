"""What people and programs are told of a check and of a baseline."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from rich.cells import cell_len

from measured_files import CLAUDE, GPT, MODELS, before, checked, divided, file, part
from places import ROOT
from tokaudit.features.check.baseline import baseline_report
from tokaudit.features.check.report import report
from tokaudit.features.check.types import Cause, SlimSaving
from tokaudit.model import Skipped
from tokaudit.model.gates import Baseline, Budget, Growth
from tokaudit.reporters import render

VALIDATOR = Draft202012Validator(
    json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
)
PATH = "prompts/system/客服助手.md"
FIVE = Growth(millionths=50_000)
FIVE_MORE = Growth(tokens=5)


def chinese(rules: int, tone: int, line: int | None = None):
    made = divided(
        PATH,
        part("客服助手", 300, 280, level=1, line=line, path=PATH),
        part("Rules", rules, rules - 20, line=line and 12, path=PATH),
        part("语气与称呼要求", tone, tone - 10, line=line and 40, path=PATH),
    )
    return replace(made, chars=1800)


NOW = [
    chinese(810, 290, 1),
    file("prompts/b.md", 1412, 1300, chars=500),
    file("prompts/new.md", 141, 130),
    replace(file("prompts/moved.md", 141, 130), renamed_from="prompts/old.md"),
    file("tools/schema.json", 2210, 2300, chars=9000),
]
WAS = before(
    chinese(500, 200),
    file("prompts/b.md", 1412, 1300, chars=500),
    replace(file("prompts/moved.md", 141, 130), renamed_from="prompts/old.md"),
    file("tools/schema.json", 2200, 2310, chars=9000),
    gone=["prompts/gone.md"],
)
BUDGETS = (
    Budget(
        ("prompts/system/*.md",), {"*": 1200}, note="sent with every request", line=12, requests_per_month=1_000_000
    ),
    Budget(("prompts/*.md",), {"gpt-4o": 1200}, {"gpt-4o": FIVE}, max_density=2.8, warn_at=0.9, line=17),
    Budget(("prompts/*.md", "!prompts/new.md"), {"*": 2500}, total=True, line=20),
    Budget((PATH,), {"*": 700}, {"*": Growth(tokens=50)}, segment="## rules", line=25),
    Budget(("nothing/*.md",), {"gpt4o": 700}, line=30),
)
CAUSES = [
    Cause(14, 17, "请始终使用用户所用的语言回答，不要在未确认的情况下切换语言", (210, 200), "added"),
    Cause(30, 30, "Never mention internal ticket numbers.", (100, 80), "added"),
    Cause(44, 44, "称呼一律用“您”", (90, 80), "added"),
]


def full(**more):
    return checked(
        NOW,
        WAS,
        *BUDGETS,
        config="pyproject.toml",
        prices={"gpt-4o": 2.5},
        slim=[SlimSaving("prompts/b.md", "cn", FIVE, (120, 30))],
        skipped=[Skipped("prompts/图.md", "binary file", code="binary")],
        causes=lambda path: CAUSES if path == PATH else [],
        **more,
    )


RUNS = {
    "full": full(),
    "one model": full(models=[GPT]),
    "approximate": full(models=[CLAUDE]),
    "nothing before": checked(NOW, None, *BUDGETS[:2], requests_per_month=5, prices={"qwen3": 0.3}),
    "nothing at all": checked([]),
    "passed": checked(NOW, before(*NOW), requests_per_month=1000, prices={"gpt-4o": 2.5}),
    "unmeasured": checked(NOW[1:2], before(*NOW[1:2], gone=["x.md"], incomparable={1: "another vocabulary"})),
    "revision": checked(NOW, replace(WAS, kind="revision", name="origin/main", notes=["no merge base"])),
}
FAILED = """\
File              Part           gpt-4o       qwen3  Verdict
────────────────────────────────────────────────────────────────────────────────
prompts/b.md                       2.82        2.60  over: density 2.8
prompts/b.md                      1,412       1,300  over: budget 1,200
prompts/b.md      pack cn   -120 (8.5%)  -30 (2.3%)  over: savings 5%
promp…助手.md:14                  1,400       1,350  over: budget 1,200, growth
promp…助手.md:14  ## Rules          810         790  over: budget 700, growth >…
prompts/*.md, !…                  2,953       2,780  over: budget 2,500
tools…chema.json                  2,210       2,300  over: growth >0%
total (5 files)                   5,304       5,210
change                            +8.6%       +8.3%
1 new file                         +141        +130
new: prompts/new.md
renamed: prompts/old.md → prompts/moved.md
gpt-4o a month, 1,000,000 requests with 1 of 5 files: 1,400,000,000 tokens,
about 3,500.00 USD; the change adds 400,000,000, about 1,000.00 USD
qwen3 a month, 1,000,000 requests with 1 of 5 files: 1,350,000,000 tokens; the
change adds 400,000,000
the budget of prompts/system/*.md: sent with every request
max_density and max_tokens (pyproject.toml, lines 12, 17, 20 and 25): shorten
the text, or raise the limit there
skipped: 1, see below
to accept what grew: tokaudit baseline update tools/schema.json
to shorten the text: tokaudit slim -w prompts/b.md 'prompts/system/客服助手.md'
details of a file: tokaudit check --why 'prompts/system/客服助手.md'
to save what cn can: tokaudit slim --rules cn --write prompts/b.md
"""


def test_what_failed_at_80_columns():
    assert render(report(RUNS["full"], people=True), "table", width=80).split("\n\nnot judged ")[0] + "\n" == FAILED


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", RUNS)
def test_fits(name, width):
    lines = render(report(RUNS[name], people=True), "table", width=width).splitlines()
    wide = [line.strip() for line in lines if cell_len(line) > width]
    # A command is whole, on a line of its own.
    assert all(line.startswith(("tokaudit ", "`tokaudit ")) for line in wide), wide
    assert not wide or width < 80


def test_what_passed_is_short():
    assert render(report(RUNS["passed"], people=True), "table", width=80) == (
        "File                               gpt-4o          qwen3  Verdict\n"
        "─────────────────────────────────────────────────────────────────────────────\n"
        "prompts/b.md                1,412 / 1,412  1,300 / 1,300  ok: growth up to 0%\n"
        "prompts/moved.md                141 / 141      130 / 130  ok: growth up to 0%\n"
        "prompts/new.md                  141 / 141      130 / 130  ok: growth up to 0%\n"
        "prompts/system/客服助手.md  1,400 / 1,400  1,350 / 1,350  ok: growth up to 0%\n"
        "tools/schema.json           2,210 / 2,210  2,300 / 2,300  ok: growth up to 0%\n"
        "total (5 files)                     5,304          5,210\n"
        "change                                  0              0\n"
        "renamed: prompts/old.md → prompts/moved.md\n"
        "gpt-4o a month, 1,000 requests with each of 5 files: 5,304,000 tokens, about\n"
        "13.26 USD; the change adds nothing\n"
        "qwen3 a month, 1,000 requests with each of 5 files: 5,210,000 tokens; the change\n"
        "adds nothing\n"
        "\n"
        "passed: 5 files, 2 models, against tokaudit-baseline.json\n"
    )


def test_verdicts():
    def summary(name):
        return report(RUNS[name], people=True).verdict

    assert summary("nothing at all") == "passed: 0 files, 2 models, no budget and nothing to compare with"
    assert (
        summary("nothing before")
        == "failed: 2 of 5 files, 2 models; growth not checked (no baseline), 1 gate not judged"
    )
    assert summary("one model") == (
        "failed: 3 of 5 files, 1 total, 1 model, against tokaudit-baseline.json; 3 entries match nothing, 1 gate not "
        "judged"
    )
    assert summary("unmeasured") == (
        "not judged: 1 file, 2 models, against tokaudit-baseline.json; 1 entry matches nothing, 1 model not compared"
    )


def test_costs_with_nothing_before():
    notes = report(RUNS["nothing before"], people=True).tables[-1].notes
    assert [note for note in notes if "a month" in note] == [
        "gpt-4o a month, requests as configured with each of 5 files: 1,400,019,520 tokens",
        "qwen3 a month, requests as configured with each of 5 files: 1,350,019,300 tokens, about 405.01 USD",
    ]


def lines_of(result) -> tuple[list[str], list[tuple[str, str, list[str]]]]:
    """The notes below the tables, and the advice."""
    (*_, last) = report(result, people=True).tables
    return list(last.notes), [(item.text, item.command, list(item.arguments)) for item in last.advice]


def test_costs_of_a_change_for_the_better_and_of_one_that_is_not_known():
    now, was = [file("a.md", 10, 10)], file("a.md", 11, 12)
    notes, _ = lines_of(checked(now, before(was), requests_per_month=1000, prices={"gpt-4o": 1000.0}))
    assert [note for note in notes if "a month" in note] == [
        "gpt-4o a month: 10,000 tokens, about 10.00 USD; the change saves 1,000, about 1.00 USD",
        "qwen3 a month: 10,000 tokens; the change saves 2,000",
    ]
    unknown = before(file("a.md", 10, None), incomparable={1: "another vocabulary"})
    notes, _ = lines_of(checked(now, unknown, requests_per_month=1))
    assert "qwen3 a month: 10 tokens; the cost of the change is unknown" in notes


def test_what_grew_behind_a_total_is_named():
    budget = Budget(("p/*.md",), max_growth={"*": Growth(tokens=0)}, total=True)
    now = [file(f"p/{name}.md", *tokens) for name, tokens in {"a": (9, 9), "b": (5, 5), "c": (7, 7)}.items()]
    was = before(file("p/a.md", 5, 5), file("p/b.md", 5, 5))
    result = checked(now, was, budget)
    _, advice = lines_of(result)
    assert advice == [
        ("to accept what grew", "tokaudit baseline update", ["p/a.md", "p/c.md"]),
        ("details of a file", "tokaudit check --why", ["p/a.md"]),
    ]


def test_a_budget_of_tokens_is_not_mended_by_an_update():
    budget = Budget(("*.md",), {"*": 10}, line=6)
    now, was = [file("a b.md", 12, 9)], before(file("a b.md", 12, 9))
    notes, advice = lines_of(checked(now, was, budget, config="tokaudit.toml"))
    useless = "max_tokens (tokaudit.toml:6): an update of the baseline does not help; "
    helpful = "shorten the text, or raise the limit there"
    assert f"{useless}{helpful}" in notes
    assert advice == [
        ("to shorten the text", "tokaudit slim -w", ["'a b.md'"]),
        ("details of a file", "tokaudit check --why", ["'a b.md'"]),
    ]
    notes, _ = lines_of(checked(now, None, budget))
    assert f"max_tokens (the budget of *.md): {helpful}" in notes


def test_files_that_shrank():
    now = [file("a.md", 3, 5), file("b.md", 5, 4), file("c.md", 5, 5), file("d.md", 4, 6)]
    was = [file(name, 5, 5) for name in ("a.md", "b.md", "c.md", "d.md")]
    passed = [
        lines_of(checked(now, before(*was, kind=kind), max_growth=FIVE_MORE)) for kind in ("baseline", "revision")
    ]
    text = "2 files shrank by 2 tokens of gpt-4o, 1 of qwen3"
    assert passed[0][1] == [(f"{text}; to keep it that way", "tokaudit baseline update", ["a.md", "b.md"])]
    assert (text in passed[1][0], passed[1][1]) == (True, [])


def test_commands_are_for_where_they_are_given():
    now, was = [file("p/a.md", 6, 6)], before(file("p/a.md", 5, 5))
    update = "tokaudit baseline update --baseline b.json"
    _, advice = lines_of(checked(now, was, update=update, shown={one.path: f"../{one.path}" for one in now}))
    assert advice == [
        ("to accept what grew", update, ["../p/a.md"]),
        ("details of a file", "tokaudit check --why", ["../p/a.md"]),
    ]


def test_commands_of_many_files_have_patterns():
    names = [f"p/{number:02}.md" for number in range(20)] + ["q/a", "q/b.zh.md"]
    now, was = ([file(name, size, size) for name in names] for size in (6, 5))
    _, advice = lines_of(checked(now, before(*was)))
    assert advice[0] == ("to accept what grew", "tokaudit baseline update", ["'p/*.md'", "'q/*'", "'q/*.md'"])


def test_many_files_that_pass_are_their_totals():
    names = [f"{number:02}.md" for number in range(12)]
    budget = Budget(("*.md",), {"*": 100}, warn_at=0.9)
    few = report(checked([file(name, 7, 8) for name in names[:10]], None, budget), people=True).tables[0]
    assert few.rows[0] == ["00.md", "7 / 100", "8 / 100", "ok: budget"]
    assert len(few.rows) == 11
    many = [file(name, 95 if name == "05.md" else 7, 8) for name in names]
    assert report(checked(many, None, budget), people=True).tables[0].rows == [
        ["05.md", "95 / 100", "8 / 100", "close: budget"],
        ["total (12 files)", "172", "96", ""],
    ]


def test_of_more_failures_than_fit_a_table_warnings_go_first():
    budget = Budget(("*.md",), {"*": 100}, warn_at=0.9)
    now = [file(f"{number:02}.md", 95 if number < 3 else 101, 8) for number in range(43)]
    table = report(checked(now, None, budget), people=True).tables[0]
    assert table.rows[0] == ["03.md", "101 / 100", "8 / 100", "over: budget"]
    assert len(table.rows) == 41
    assert "40 of 43 shown; --format json has all" in table.notes


def test_a_cell_has_the_limit_that_is_broken_most():
    budget = Budget(("*.md",), {"gpt-4o": 8, "qwen3": 30}, {"*": FIVE})
    table = report(checked([file("a.md", 10, 10)], before(file("a.md", 9, 9)), budget), people=True).tables[0]
    assert table.rows[0] == ["a.md", "10 / 8", "10 / 9", "over: budget, growth >5%"]
    assert table.narrower[0].rows[0] == ["a.md", "10", "10", "over: budget, growth >5%"]
    assert [table.marks[0, at] for at in range(1, 4)] == ["dear", "dear", "dear"]


def test_columns_that_say_nothing_are_left_out():
    keys = [column.key for column in report(RUNS["nothing before"], people=True).tables[0].columns]
    assert keys == ["path", "gpt-4o", "qwen3", "verdict"]


def test_people_are_told_of_errors_and_warnings_and_programs_of_all():
    result = RUNS["full"]
    people, programs = (report(result, people=people) for people in (True, False))
    assert {finding.level for finding in people.findings} == {"error", "warning"}
    assert list(programs.findings) == list(result.findings)
    assert people.bare == programs.bare == ""
    assert people.data == programs.data


@pytest.mark.parametrize("name", RUNS)
def test_the_shape_for_programs_does_not_depend_on_what_was_found(name):
    tables = report(RUNS[name], people=False).tables
    assert [table.key for table in tables] == ["files", "gates"]
    models = [model.name for model in RUNS[name].models]
    columns = ["path", "status", "chars", "requests_per_month"]
    columns += [f"{model} {what}" for model in models for what in ("before", "now", "delta")]
    assert [column.key for column in tables[0].columns] == columns
    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize("name", RUNS)
def test_the_document_is_as_the_schema_says(name):
    for people in (True, False):
        VALIDATOR.validate(json.loads(render(report(RUNS[name], people=people), "json")))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("format_name", ["markdown", "csv", "jsonl"])
def test_every_format_renders(name, format_name):
    assert render(report(RUNS[name], people=format_name == "markdown"), format_name)[-1:] in {"\n", ""}


def test_the_document():
    data = report(RUNS["full"], people=False).data
    assert (data["outcome"], data["prefix"], data["max_growth"]) == ("failed", "", "0%")
    row = next(row for row in data["files"] if row["path"] == PATH)
    assert row["delta"] == {"gpt-4o": 400, "qwen3": 400}
    assert sum(one["delta"]["gpt-4o"] for one in row["parts"]) == 400
    assert [one["line"] for one in row["causes"]] == [14, 30, 44]
    assert data["cost"]["models"]["gpt-4o"] == {
        "tokens": 1_400_000_000, "delta": 400_000_000, "currency": "USD", "price": 2.5,
        "cost": 3500.0, "cost_delta": 1000.0,
    }  # fmt: skip
    assert [budget["files"] for budget in data["budgets"]] == [1, 4, 3, 1, 0]
    assert data["budgets"][3]["max_growth"] == {"*": "50 tokens"}
    assert {gate["level"] for gate in data["gates"]} == {"passed", "error"}
    assert data["before"]["gone"] == ["prompts/gone.md"]
    assert report(RUNS["nothing at all"], people=False).data["cost"] is None


def names(value: object) -> set[str]:
    """Names of all fields; models are keys of mappings, not fields."""
    if isinstance(value, list):
        return {name for item in value for name in names(item)}
    if not isinstance(value, dict):
        return set()
    models = {model.name for model in MODELS} | {"*", "gpt4o"}
    return {key for key in value if key not in models} | {name for item in value.values() for name in names(item)}


def test_every_field_is_documented():
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    found = names(json.loads(render(report(RUNS["full"], people=False), "json")))
    found |= names(json.loads(render(baseline_report(BASELINE, MODELS, people=False, version="0.1.0"), "json")))
    assert [name for name in sorted(found) if f"`{name}`" not in text] == []


BASELINE = Baseline([model.ref for model in MODELS], [*NOW[:2], file("z.md", 5, None)])


def test_a_baseline():
    assert render(baseline_report(BASELINE, MODELS, people=True), "table", width=80) == (
        "tokaudit-baseline.json: 3 files\n"
        "File                        Chars  gpt-4o  qwen3\n"
        "────────────────────────────────────────────────\n"
        "prompts/system/客服助手.md  1,800   1,400  1,350\n"
        "prompts/b.md                  500   1,412  1,300\n"
        "z.md                        1,000       5      -\n"
        "total (3 files)             3,300   2,817      -\n"
        "gpt-4o = o200k_base: vocabulary abababababab\n"
        "qwen3: vocabulary abababababab\n"
    )
    programs = baseline_report(BASELINE, MODELS, people=False, version="0.1.0")
    assert [table.key for table in programs.tables] == ["files", "parts"]
    assert [row[3] for row in programs.tables[1].rows] == ["客服助手", "Rules", "语气与称呼要求"]
    VALIDATOR.validate(json.loads(render(programs, "json")))
    VALIDATOR.validate(json.loads(render(baseline_report(Baseline([], []), [], people=True, version="1"), "json")))
