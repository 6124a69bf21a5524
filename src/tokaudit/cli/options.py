"""Options that every command has."""

from typing import Annotated

import typer

from tokaudit.cli import complete, language

FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="Print as table, json, jsonl, csv or markdown.",
        autocompletion=complete.formats,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Same as --format json.")]
Output = Annotated[
    list[str] | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to FILE; repeat FORMAT=FILE for several."),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="A model (gpt-4o), a tokenizer (o200k_base), a path, or hf:org/repo; repeatable, or comma-separated.",
        autocompletion=complete.models,
    ),
]
MeasuredModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="A model, a tokenizer or a path; repeatable, or comma-separated.",
        autocompletion=complete.models,
    ),
]
"""Of the commands of the gate."""
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Read all inputs as text, markdown, json, jsonl, yaml, toml, code or template (default: by name).",
        autocompletion=complete.kinds,
    ),
]
CharsetName = Annotated[
    str | None,
    typer.Option("--charset", metavar="NAME", help="Charset of all inputs, such as gb18030 (default: detected)."),
]
Special = Annotated[
    bool | None, typer.Option("--special/--no-special", help="Count control tokens as control tokens, not as text.")
]
Download = Annotated[
    bool | None, typer.Option("--download/--no-download", help="Download hf: models missing in the local cache.")
]
Include = Annotated[
    list[str] | None,
    typer.Option("--include", metavar="GLOB", help="In folders, read only these files; repeatable."),
]
Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", metavar="GLOB", help="Leave out these files; repeatable.")
]
Gitignore = Annotated[
    bool | None, typer.Option("--gitignore/--no-gitignore", help="Obey .gitignore files in folders (default).")
]
MaxFileSize = Annotated[
    str | None,
    typer.Option("--max-file-size", metavar="SIZE", help="Skip and list larger files; such as 500kB, 10MB."),
]
Lang = Annotated[
    str | None,
    typer.Option(
        "--lang", metavar="LANG", help="Language of messages: en or zh [default: the locale's].",
        callback=language.choose, is_eager=True, autocompletion=complete.languages,
    ),
]  # fmt: skip
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", metavar="N", help="Maximum processes (0: one per core).")]
Color = Annotated[
    str | None, typer.Option(metavar="WHEN", help="Use colour: auto, always or never.", autocompletion=complete.colors)
]
Errors = Annotated[
    str | None,
    typer.Option(
        "--errors",
        metavar="HOW",
        help="Bytes that are not in the charset: strict (an error, the default) or replace (U+FFFD, and a note).",
        autocompletion=complete.errors,
    ),
]
Password = Annotated[str, typer.Option("--password", metavar="TEXT", help="Password of PDF files.", show_default=False)]
PdfEngine = Annotated[
    str | None, typer.Option("--pdf-engine", metavar="NAME", help="Read PDF files with auto, pdfium or pdfplumber.")
]
NoTables = Annotated[bool, typer.Option("--no-tables", help="Do not look for tables in PDF files (faster).")]
Cost = Annotated[bool, typer.Option("--cost", help="Show what the texts cost as requests, by list prices.")]
Prices = Annotated[
    str | None,
    typer.Option("--prices", metavar="FILE", help="Contract prices, which replace list prices (YAML, JSON)."),
]
OutputTokens = Annotated[
    int | None, typer.Option("--output-tokens", metavar="N", help="Price N tokens of output too, for each request.")
]
CachedTokens = Annotated[
    str | None, typer.Option("--cached-tokens", metavar="N|P%", help="Input read from the cache: tokens, or a share.")
]
WrittenTokens = Annotated[
    str | None, typer.Option("--written-tokens", metavar="N|P%", help="Input written to the cache: tokens, or a share.")
]
Service = Annotated[
    str | None,
    typer.Option("--service", metavar="NAME", help="Prices of standard, batch, flex, priority or thinking requests."),
]
PerDay = Annotated[
    int | None, typer.Option("--per-day", metavar="N", help="Show 30 days of N requests a day with each text.")
]
Currency = Annotated[
    str | None, typer.Option("--currency", metavar="CUR", help="Convert costs into this currency, by --rate.")
]
ExchangeRate = Annotated[
    list[str] | None,
    typer.Option("--rate", metavar="A/B=N", help="Exchange rate: CNY/USD=7.1 if 1 USD costs 7.1 CNY; repeatable."),
]
PriceTime = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="TIME", help="Prices of this day or hour, as in 2026-12-01T10:00+08:00 (default: today)."
    ),
]
