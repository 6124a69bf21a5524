"""Errors that tokaudit raises on purpose, and the codes of what went wrong.

An error has a code, what it is about, a reason, and a hint that is a command or an edit; so has an input that is
skipped (``Skipped``). Programs decide by the code, people read the message. The command line turns an error into one
line on stderr and an exit code; nothing else in the package decides an exit code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tokaudit.model.message import Message, as_message, joined, reason_of

Code = Literal[
    "binary",
    "changed",
    "charset",
    "configuration",
    "cut-character",
    "damaged",
    "encrypted",
    "excluded",
    "framing",
    "git",
    "gitignore",
    "invalid-json",
    "invalid-keyed",
    "invalid-template",
    "json-as-text",
    "keyed-as-text",
    "missing",
    "needs-ocr",
    "no-input",
    "no-places",
    "no-repository",
    "no-text",
    "not-a-file",
    "not-read",
    "not-writable",
    "page",
    "process-lost",
    "replaced-bytes",
    "request",
    "rule",
    "same-name",
    "submodule",
    "symlink",
    "template-as-text",
    "tokenizer",
    "too-large",
    "tool-file",
    "undivided",
    "unfilled",
    "unreadable",
    "usage",
]
CODES: dict[Code, str] = {
    "binary": "no text: binary data, or a format that is not read",
    "changed": "changed while it was worked on",
    "charset": "bytes that are not in the charset, or a text that has no bytes in it",
    "configuration": "a configuration file or baseline that cannot be read or understood",
    "cut-character": "the file begins or ends within a character; the rest is counted",
    "damaged": "a PDF that cannot be opened",
    "encrypted": "a PDF that needs a password, or another one",
    "excluded": "left out by choice: an exclude pattern, a backup, the folder of the output",
    "framing": "a request that a model's chat template refuses, and of which the contents alone are counted",
    "git": "git refuses or fails",
    "gitignore": "git could not be asked for the files of a folder: its .gitignore files are read without it",
    "invalid-json": "not valid JSON: a record that is left out, or a file that slim leaves as it is",
    "invalid-keyed": "not valid YAML or TOML: slim leaves it as it is",
    "invalid-template": "not a valid Jinja template: slim leaves it as it is",
    "json-as-text": "not valid JSON, and counted as plain text",
    "keyed-as-text": "not valid YAML or TOML, and counted as plain text",
    "missing": "no such file, folder or revision",
    "needs-ocr": "a page whose glyphs have no characters; counted as it is",
    "no-input": "nothing is left to work on: everything was skipped",
    "no-places": "a tokenizer that does not say where its tokens are",
    "no-repository": "the folder is in no git repository",
    "no-text": "a PDF without text",
    "not-a-file": "a folder, device, pipe or socket",
    "not-read": "pages that were not tried, since too many before them failed or there are too many",
    "not-writable": "a slimmed text that cannot be written back",
    "page": "a page that took too long, was damaged or broke its reader",
    "process-lost": "a process was ended from outside",
    "replaced-bytes": "invalid bytes that are read as U+FFFD, as --errors replace asks for",
    "request": "something wrong with a request, which is counted all the same",
    "rule": "a rule pack that cannot be loaded, or a rule that cannot run",
    "same-name": "two files with one name in reports",
    "submodule": "in a submodule, whose revisions are not read",
    "symlink": "a symbolic link, which is not followed in folders",
    "template-as-text": "not a valid Jinja template, and counted as plain text",
    "tokenizer": "an unknown model, or a tokenizer that cannot be used or does not take the text",
    "too-large": "over the maximum file size, or too large for what was asked",
    "tool-file": "a manifest, lock file, notebook or configuration, which slim leaves alone unless it is named",
    "undivided": "too long to be divided; counted as a whole",
    "unfilled": "placeholders without a value in --vars, counted as nothing",
    "unreadable": "the system does not let it be read",
    "usage": "a command or call that cannot mean anything",
}
"""The meaning of each code. A release may add codes; none changes its meaning."""
COUNTED = frozenset[Code](
    (
        "cut-character",
        "framing",
        "json-as-text",
        "keyed-as-text",
        "needs-ocr",
        "replaced-bytes",
        "request",
        "template-as-text",
        "undivided",
        "unfilled",
    )
)
"""Codes of what is listed as skipped in reports for programs, and is in the figures nevertheless."""
NOTES = COUNTED | {"gitignore"}
"""Codes that leave nothing out: people are shown a note."""
USUAL_HINTS: dict[Code, str] = {
    "binary": "name files of text or PDF; convert other formats first",
    "changed": "run it again when nothing writes to the file",
    "charset": "name the charset, as in --charset gb18030, or see --errors replace",
    "configuration": "correct it there, then run the command again",
    "damaged": "open it in another program and save it again",
    "encrypted": "give the password: --password TEXT",
    "git": "run git status there: git says more",
    "invalid-json": "correct the JSON at this place",
    "invalid-keyed": "correct the file at this place",
    "invalid-template": "correct the template at this place",
    "missing": "check the spelling, and the folder that you are in",
    "no-input": "name files of text",
    "no-repository": "go to a folder of the repository first",
    "no-text": "recognise its text first (OCR)",
    "not-a-file": "name a file",
    "not-writable": "write to another place: -o FILE",
    "process-lost": "run it again with fewer processes: --jobs 1",
    "rule": "`tokaudit rules schema` describes the keys of a pack",
    "same-name": "name one of the two",
    "submodule": "run it in the submodule",
    "symlink": "name the file that the link is to",
    "tokenizer": "`tokaudit models` and `tokaudit tokenizers` list what can be counted",
    "too-large": "raise --max-file-size, or cut the file",
    "tool-file": "name the file itself",
    "unreadable": "check that the file is there and that you may read it",
    "usage": "tokaudit COMMAND --help lists the options",
}
"""The hint of an error that has none of its own, by its code."""


class TokauditError(Exception):
    """Base of all errors raised on purpose. ``exit_code`` is the process's exit status (2 unless said)."""

    exit_code = 2
    code: Code = "usage"

    def __init__(self, reason: str, *, what: str = "", code: Code | None = None, hint: str = "") -> None:
        """Make an error.

        Args:
            reason: What is wrong.
            what: The path, place or name that it is about; the message begins with it.
            code: None for the usual one of the class.
            hint: What to do: a command or an edit.
        """
        self.message = joined(": ", what, as_message(reason))
        super().__init__(self.message)
        self.what = what
        self.reason = reason
        self.hint = hint
        if code is not None:
            self.code = code

    @classmethod
    def unreadable(cls, error: OSError, what: object, *, hint: str = "") -> TokauditError:
        """The error for a file that the system does not let be read."""
        return cls(Message("cannot be read: {reason}", reason=reason_of(error)), what=str(what), hint=hint)

    @property
    def advice(self) -> str:
        """The hint, or the usual one of the code: there is always something to do."""
        return self.hint or USUAL_HINTS.get(self.code, "correct the file, or leave it out")

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(TokauditError):
    """A command or call that cannot mean anything: contradicting options, an empty list of models."""


class ConfigError(TokauditError):
    """A configuration file that cannot be read or understood; names file, line and column where known (1-based)."""

    code: Code = "configuration"

    def __init__(
        self, message: str, *, hint: str = "", path: str = "", line: int | None = None, column: int | None = None
    ) -> None:
        place = ":".join(str(part) for part in (path, line, column) if part not in ("", None))
        super().__init__(message, what=place, hint=hint)
        self.path = path
        self.line = line
        self.column = column


class InputError(TokauditError):
    """An input that is missing, unreadable, binary, or not in the charset named."""

    code: Code = "unreadable"


class TokenizerError(TokauditError):
    """An unknown model, or a tokenizer whose vocabulary is missing, truncated or wrong."""

    code: Code = "tokenizer"


class UnusableModelError(TokenizerError):
    """A model that is known, and that cannot be counted here: its package is missing, or nobody publishes one."""

    def __init__(self, model: str, why: Message, *, hint: str) -> None:
        """``why`` goes on from the model's name."""
        super().__init__(Message("{model} {why}", model=model, why=why), hint=hint)
        self.why = why


class RuleError(TokauditError):
    """A rule pack that cannot be loaded, or a rule that cannot run."""

    code: Code = "rule"

    def __init__(self, reason: str, *, hint: str = "", keys: Sequence[str] = ()) -> None:
        """``keys`` are the parameters of the rule that it is about, the likeliest first."""
        super().__init__(reason, hint=hint)
        self.keys = keys
