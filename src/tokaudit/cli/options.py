"""Options that every command has."""

from typing import Annotated

import typer

from tokaudit.cli import complete

FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="table, json, jsonl, csv or markdown.",
        autocompletion=complete.formats,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
Output = Annotated[
    list[str] | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to FILE, or several times FORMAT=FILE."),
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
CharsetName = Annotated[
    str | None,
    typer.Option("--charset", metavar="NAME", help="Charset of all inputs, such as gb18030; detected otherwise."),
]
Special = Annotated[
    bool | None, typer.Option("--special/--no-special", help="Count control tokens in the text as such, not as text.")
]
Download = Annotated[
    bool | None, typer.Option("--download/--no-download", help="Let hf: models be fetched from the hub.")
]
Color = Annotated[
    str | None, typer.Option(metavar="WHEN", help="auto, always or never.", autocompletion=complete.colors)
]
Password = Annotated[str, typer.Option("--password", metavar="TEXT", help="Password of PDF files.", show_default=False)]
PdfEngine = Annotated[
    str | None, typer.Option("--pdf-engine", metavar="NAME", help="What reads PDF files: auto, pdfium or pdfplumber.")
]
NoTables = Annotated[bool, typer.Option("--no-tables", help="Do not look for tables in PDF files: faster.")]
