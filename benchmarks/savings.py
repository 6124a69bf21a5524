"""Measure the savings of ``tokaudit slim`` on samples, fat material and real documents: the tables of docs/savings.md.

    python benchmarks/savings.py            # all of it: some minutes
    python benchmarks/savings.py --samples  # only the samples, which are rows of commands
    python benchmarks/savings.py --kinds    # only streams, logs, traces, results of tools and pages of HTML

Streams, logs, traces and results are written by us, the same in every run (tests/support/*_samples.py); the pages are
of the manuals that Debian's packages bring (tests/support/debian_manuals.py). The documents are those that the tests
slim to see that nothing breaks: text of packages that the tests install, which is not ours and not in the repository.
Each tokenizer is its own guard. A share is of the tokens of all documents of a group together, so that a long one
counts more than a short one.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "support")]

import log_samples as logs  # noqa: E402
import stream_samples as streams  # noqa: E402
import trace_samples as traces  # noqa: E402
from debian_manuals import html_of  # noqa: E402
from documents import documents, files_of  # noqa: E402
from tokaudit.features.slim.types import Choice  # noqa: E402
from tokaudit.jobs.inputs import load_models  # noqa: E402
from tokaudit.jobs.slim_plan import SlimPlan  # noqa: E402

MODELS = ("o200k_base", "cl100k_base", "qwen3", "deepseek-v3")
DEFAULT, LOSSY = ("lossless", "near"), ("lossless", "near", "lossy")
POLITE = ("cn.polite", "cn.polite-sentence", "cn.polite-tail")
KINDS = {".md": "markdown", ".json": "json", ".jsonl": "jsonl", ".py": "code"}
SAMPLES: Sequence[tuple[str, Sequence[str] | None, Choice]] = (
    ("samples/chatty-message.zh.txt", None, Choice()),
    ("samples/chatty-message.zh.txt", ["chat"], Choice(LOSSY)),
    ("samples/chatty-message.zh.txt", ["chat"], Choice(LOSSY, POLITE)),
    ("samples/polling.log", None, Choice()),
    ("samples/tool-result.json", None, Choice()),
    ("samples/requests.jsonl", None, Choice()),
    ("samples/support-chat.zh.txt", None, Choice()),
    ("samples/support-chat.zh.txt", None, Choice(LOSSY)),
    ("samples/support-chat.zh.txt", None, Choice(LOSSY, POLITE)),
    ("samples/service.log", None, Choice()),
    ("samples/service.log", None, Choice(LOSSY, ("log",))),
    ("samples/system-prompt.md", None, Choice()),
    ("samples/system-prompt.md", None, Choice(select=("md.table-tsv",))),
    ("samples/rag-prompt.en.txt", None, Choice()),
    ("docs/adr/0001-two-paths-one-vocabulary.md", None, Choice()),
    ("samples/inventory.py", None, Choice()),
)
Texts = Sequence[tuple[str, str, str]]
"""Paths, texts and kinds."""


def _written(*named: tuple[str, Callable[[], str]]) -> Callable[[], Texts]:
    """Texts that are written by us, by the name of a file whose kind they are of."""
    return lambda: [(name, write(), KINDS.get(Path(name).suffix, "text")) for name, write in named]


def _pages(*manuals: str) -> Callable[[], Texts]:
    return lambda: [(f"{name}.html", page, "code") for name in manuals for page in html_of(name)]


_CODING = _written(("trace.json", traces.coding_agent))
_SEARCHES = _written(("trace.jsonl", traces.search_agent))
_RESULTS = _written(("results.json", traces.tool_results))
_CHINESE, _ENGLISH = _pages("install-zh", "reference-zh", "maint-zh"), _pages("install-en", "debmake-en", "policy")
_STREAMS = _written(
    *((f"{write.__name__}.txt", write) for write in (streams.anthropic, streams.openai_chat, streams.openai_responses))
)
_LOGS = _written(*((f"{name}.txt", partial(logs.log_of, name, 400)) for name in logs.SETS))
_OF_LOGS = ("log.above", "log.ids")
MATERIAL: Sequence[tuple[str, str, Callable[[], Texts], Choice]] = (
    ("Streams of models (server-sent events)", "", _STREAMS, Choice()),
    ("The same", "--select log.sse-changed", _STREAMS, Choice(select=("log.sse-changed",))),
    ("Logs in the shapes of public sets", "", _LOGS, Choice()),
    ("The same", "--select log.above,log.ids", _LOGS, Choice(select=_OF_LOGS)),
    ("Trace of an agent that edits code", "--lossy", _CODING, Choice(LOSSY)),
    ("Trace of an agent that searches", "--lossy", _SEARCHES, Choice(LOSSY)),
    ("Results of tools (MCP)", "--select json.nested", _RESULTS, Choice(select=("json.nested",))),
    ("The same", "--select json.nested,json.rows", _RESULTS, Choice(select=("json.nested", "json.rows"))),
    ("Prompt with the answer of a service", "", _written(("prompt.txt", traces.prompt_with_json)), Choice()),
    ("Prompt with search results", "--lossy", _written(("found.txt", traces.prompt_with_passages)), Choice(LOSSY)),
    ("Chinese manuals of Debian in HTML", "--lossy", _CHINESE, Choice(LOSSY)),
    ("The same", "--select html.text", _CHINESE, Choice(select=("html.text",))),
    ("English manuals of Debian in HTML", "--lossy", _ENGLISH, Choice(LOSSY)),
    ("The same", "--select html.text", _ENGLISH, Choice(select=("html.text",))),
)
"""What is fat in practice: its name, the options as docs/savings.md names them, the texts, and the same options."""
GROUPS = (
    ("Chinese reviews", r"(?:pos|neg)\.txt-\d+"),
    ("Chinese newspaper text", r"news-\d+"),
    ("READMEs of Python packages, in Markdown", "METADATA"),
    ("Python and JavaScript", r".*\.(?:py|js)"),
    ("JSON files of packages", r".*\.json"),
    ("Short pieces of `samples/service.log`, each twice", r"log-\d+"),
)
_TABLE = re.compile(r"(?:^[ \t]*\|[^\n]*\|[ \t]*\n){3,}", re.MULTILINE)


def padded_tables(texts: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """The Markdown tables whose columns are padded to be as wide as their widest cell."""
    for path, text, kind in texts:
        for match in _TABLE.finditer(text) if kind == "markdown" else ():
            widths = {len(line) for line in match[0].splitlines()}
            if len(widths) == 1 and "  " in match[0]:
                yield path, match[0], kind


def row(name: str, texts: Texts, names: Sequence[str] | None, choice: Choice) -> str:
    """A row of the table: the share that is saved of all texts, for each tokenizer."""
    shares = []
    for model in MODELS:
        _, tokenizers = load_models([model])
        plan = SlimPlan(names, choice).checked()
        before = after = 0
        for path, text, kind in texts:
            result = plan.slimmed(plan.text(path, text, kind), tokenizers).result
            before, after = before + result.tokens_before[0], after + result.tokens_after[0]
        shares.append(f"{(before - after) / before:.1%}")
    return f"| {name} | {' | '.join(shares)} |"


def command(name: str, packs: Sequence[str] | None, choice: Choice) -> str:
    """A sample with its options, as docs/savings.md names it."""
    options = [*(f"--rules {pack}" for pack in packs or ()), *(["--lossy"] if choice.classes == LOSSY else [])]
    options += [f"--select {','.join(choice.select)}"] if choice.select else []
    return f"`{' '.join([name, *options])}`"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", action="store_true", help="only the samples")
    parser.add_argument("--kinds", action="store_true", help="only streams, logs, traces, results of tools and pages")
    parser.add_argument("--documents", action="store_true", help="only the real documents")
    asked = parser.parse_args()
    everything = not (asked.samples or asked.kinds or asked.documents)
    head = f"{' | '.join(MODELS)} |\n| --- |{' ---: |' * len(MODELS)}"
    if everything or asked.samples:
        print(f"| `tokaudit slim` | {head}")
        for name, packs, choice in SAMPLES:
            path = ROOT / name
            text = [(name, path.read_text(encoding="utf-8"), KINDS.get(path.suffix, "text"))]
            print(row(command(name, packs, choice), text, packs, choice), flush=True)
    if everything or asked.kinds:
        print(f"\n| Material | Options | Texts | {head.replace('| --- |', '| --- | --- | ---: |')}")
        for name, options, find, choice in MATERIAL:
            texts = find()
            shown = f"`{options}`" if options else ""
            print(row(f"{name} | {shown} | {len(texts)}", texts, None, choice), flush=True)
    if everything or asked.documents:
        found = documents()
        print(f"\n| Real documents, default classes | Documents | {head.replace('| --- |', '| --- | ---: |')}")
        readmes = [(str(path), path.read_text("utf-8", "replace"), "markdown") for path in files_of("METADATA", 600)]
        samples = [item for item in found if (ROOT / "samples" / item[0]).is_file()]
        tables = list(padded_tables([*readmes, *samples]))
        groups = [(name, [item for item in found if re.fullmatch(pattern, item[0])]) for name, pattern in GROUPS]
        for name, texts in [*groups, ("Padded Markdown tables alone, of such READMEs and of the samples", tables)]:
            if texts:
                print(row(f"{name} | {len(texts)}", texts, None, Choice()), flush=True)


if __name__ == "__main__":
    main()
