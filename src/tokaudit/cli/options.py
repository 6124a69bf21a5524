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
Color = Annotated[
    str | None, typer.Option(metavar="WHEN", help="auto, always or never.", autocompletion=complete.colors)
]
Password = Annotated[str, typer.Option("--password", metavar="TEXT", help="Password of PDF files.", show_default=False)]
PdfEngine = Annotated[
    str | None, typer.Option("--pdf-engine", metavar="NAME", help="What reads PDF files: auto, pdfium or pdfplumber.")
]
NoTables = Annotated[bool, typer.Option("--no-tables", help="Do not look for tables in PDF files: faster.")]
