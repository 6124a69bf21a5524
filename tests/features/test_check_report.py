"""What people and programs are told of a check and of a baseline."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from measured_files import CLAUDE, GPT, MODELS, before, checked, divided, file, part
from rich.cells import cell_len

from tokaudit.features.check_data import Cause, SlimSaving
from tokaudit.features.check_report import baseline_report, report
from tokaudit.model import Skipped
from tokaudit.model.gates import Baseline, Budget, Growth
from tokaudit.reporters import render

VALIDATOR = Draft202012Validator(
    json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
)
PATH = "prompts/system/客服助手.md"
FIVE = Growth(millionths=50_000)


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
        skipped=[Skipped("prompts/图.md", "binary file")],
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
Over the limit
File                       Part      Model   Before    Now      Change     Limit
────────────────────────────────────────────────────────────────────────────────
prompts/b.md                         gpt-4o       -   2.82           -  2.8/char
prompts/b.md                         gpt-4o   1,412  1,412           0     1,200
prompts/b.md               pack cn   gpt-4o       -      -        -120       -5%
prompts/…m/客服助手.md:14            gpt-4o   1,000  1,400  +400 (40%)       +5%
prompts/…m/客服助手.md:14            qwen3      950  1,350  +400 (42%)       +0%
prompts/…m/客服助手.md:14            gpt-4o   1,000  1,400        +400     1,200
prompts/…m/客服助手.md:14            qwen3      950  1,350        +400     1,200
prompts/…m/客服助手.md:14  ## Rules  gpt-4o     500    810  +310 (62%)       +50
prompts/…m/客服助手.md:14  ## Rules  qwen3      480    790  +310 (65%)       +50
prompts/…m/客服助手.md:14  ## Rules  gpt-4o     500    810        +310       700
prompts/…m/客服助手.md:14  ## Rules  qwen3      480    790        +310       700
prompts/*.md, !prompts/n…            gpt-4o   2,553  2,953        +400     2,500
prompts/*.md, !prompts/n…            qwen3    2,380  2,780        +400     2,500
tools/schema.json                    gpt-4o   2,200  2,210  +10 (0.5%)       +0%

What grew
File              Where                                            gpt-4o  qwen3
────────────────────────────────────────────────────────────────────────────────
promp…服助手.md   ## Rules                                           +310   +310
promp…服助手.md   lines 14-17: 请始终使用用户所用的语言回答，不…     +210   +200
promp…服助手.md   line 30: Never mention internal ticket numbers.    +100    +80
promp…服助手.md   ## 语气与称呼要求                                   +90    +90
promp…服助手.md   line 44: 称呼一律用“您”                             +90    +80
failed: 3 of 5 files, 1 total, 2 models, against tokaudit-baseline.json; 3
entries match nothing, 1 gate could not be judged
new: prompts/new.md
renamed: prompts/old.md → prompts/moved.md
gpt-4o: about +1,000.00 USD a month (+400,000,000 tokens a month)
qwen3: +400,000,000 tokens a month
the budget of prompts/system/*.md: sent with every request
to accept what grew: tokaudit baseline update 'prompts/system/客服助手.md'
tools/schema.json
skipped: 1, see below
"""


def test_what_failed_at_80_columns():
    assert render(report(RUNS["full"], people=True), "table", width=80).split("\n\nwarning ")[0] + "\n" == FAILED


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", RUNS)
def test_fits(name, width):
    lines = render(report(RUNS[name], people=True), "table", width=width).splitlines()
    assert max(map(cell_len, lines), default=0) <= width


def test_what_passed_is_short():
    assert render(report(RUNS["passed"], people=True), "table", width=80) == (
        "Tokens of 5 files\n"
        "Model   Before    Now  Change\n"
        "─────────────────────────────\n"
        "gpt-4o   5,304  5,304       0\n"
        "qwen3    5,210  5,210       0\n"
        "passed: 5 files, 2 models, against tokaudit-baseline.json\n"
        "renamed: prompts/old.md → prompts/moved.md\n"
    )


def test_summaries():
    def summary(name):
        return next(
            note
            for table in report(RUNS[name], people=True).tables
            for note in table.notes
            if note.startswith(("passed", "failed", "not judged"))
        )

    assert summary("nothing at all") == "passed: 0 files, 2 models, no budget and nothing to compare with"
    assert summary("nothing before") == "failed: 2 of 5 files, 2 models; 1 gate could not be judged"
    assert summary("one model") == (
        "failed: 3 of 5 files, 1 total, 1 model, against tokaudit-baseline.json; 3 entries match nothing, 1 gate could "
        "not be judged"
    )
    assert summary("unmeasured") == (
        "not judged: 1 file, 2 models, against tokaudit-baseline.json; 1 entry matches nothing, 1 model could not be "
        "compared"
    )


def test_costs_with_nothing_before():
    notes = report(RUNS["nothing before"], people=True).tables[-1].notes
    assert [note for note in notes if "a month" in note] == [
        "gpt-4o: 1,400,019,520 tokens a month",
        "qwen3: 1,350,019,300 tokens a month, about 405.01 USD",
    ]


def test_columns_that_say_nothing_are_left_out():
    keys = [column.key for column in report(RUNS["nothing before"], people=True).tables[0].columns]
    assert keys == ["path", "model", "now", "limit"]


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
        "tokens": 1_400_000_000, "delta": 400_000_000, "price": 2.5, "cost": 3500.0, "cost_delta": 1000.0,
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
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
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
        "gpt-4o: o200k_base, vocabulary abababababab\n"
        "qwen3: qwen3, vocabulary abababababab\n"
    )
    programs = baseline_report(BASELINE, MODELS, people=False, version="0.1.0")
    assert [table.key for table in programs.tables] == ["files", "parts"]
    assert [row[3] for row in programs.tables[1].rows] == ["客服助手", "Rules", "语气与称呼要求"]
    VALIDATOR.validate(json.loads(render(programs, "json")))
    VALIDATOR.validate(json.loads(render(baseline_report(Baseline([], []), [], people=True, version="1"), "json")))
