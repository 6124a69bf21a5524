"""The table of configuration keys."""

from __future__ import annotations

from collections.abc import Mapping

from tokaudit.store.key_kinds import Flag, Key, LazyKey, Number, Size, Text, Texts, Whole

_BUDGETS, _GROWTH = "tokaudit.store.budget_keys", "tokaudit.store.growth_keys"

KEYS: Mapping[str, Key] = {
    "models": Texts(
        "Models, tokenizers or vocabulary files to count for; a file's path is relative to the configuration.", least=1
    ),
    "charset": Text("Charset of all inputs, such as gb18030; unset: detected for each file."),
    "errors": Text(
        "Bytes that are not in the charset: an error, or U+FFFD in their place.", choices=("strict", "replace")
    ),
    "density_threshold": Number("Tokens per character above which a segment is flagged as dense."),
    "include": Texts("Glob patterns; in folders, only matching files are read."),
    "exclude": Texts("Glob patterns; in folders, matching files are not read."),
    "max_file_size": Size(
        "Files larger than this are skipped: bytes, or a text with kB, MB, GB (powers of 1000), KiB, MiB, GiB."
    ),
    "format": Text("Format of the report on standard output.", choices=("table", "json", "jsonl", "csv", "markdown")),
    "color": Text("When to use colour.", choices=("auto", "always", "never")),
    "jobs": Whole("Maximum processes; 0 or unset: one per core.", least=0),
    "special": Flag("Count special tokens in a text as control tokens, not as ordinary text."),
    "gitignore": Flag("In folders, skip files that .gitignore names."),
    "download": Flag("Fetch missing vocabularies from the Hugging Face hub."),
    "budget": LazyKey("check: limits of files, or of parts of files; [[budget]] in the file.", _BUDGETS, "Budgets"),
    "max_growth": LazyKey(
        "check: growth allowed for each file without a limit of its own; unset: none.",
        _GROWTH,
        "Allowed",
    ),
    "baseline": Text("check: the baseline's file, relative to the configuration; unset: tokaudit-baseline.json."),
    "line_ends": Text(
        "check: lf: count Windows line ends as LF, as git stores them; keep: as they are in the file.",
        choices=("lf", "keep"),
    ),
    "slim_check": LazyKey(
        "check: packs of rules, and the most that each may save of a file, as in cn=5%.", _GROWTH, "SlimGates"
    ),
    "slim": LazyKey("slim: packs and rules; [slim] in the file.", "tokaudit.store.slim_keys", "SlimTable"),
    "window": LazyKey(
        "budget: the window, and what its parts usually take; [window] in the file.",
        "tokaudit.store.window_keys",
        "WindowTable",
    ),
    "lang": Text("Language of messages; unset: that of the locale.", choices=("en", "zh")),
    "requests_per_month": Whole("check: requests a month with each file, for costs.", least=0),
    "prices": LazyKey("check: price of a million prompt tokens, for each model.", _GROWTH, "Prices"),
    "currency": Text("check: currency of the prices; unset: USD."),
    "cache": Flag("check: keep counts in .tokaudit_cache for the next run."),
    "pdf_engine": Text("Reader of PDF files.", choices=("auto", "pdfium", "pdfplumber")),
    "pdf_tables": Flag("Look for tables in PDF files."),
}
"""Name of each key to its meaning and its check; everything else about keys follows from here."""
