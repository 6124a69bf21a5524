"""The pack that ``tokaudit rules new`` writes."""

from __future__ import annotations

_START = """\
# A rule pack of tokaudit. Try it:   tokaudit rules test {name}.yaml
#                        and use it:  tokaudit slim --rules {name}.yaml --lossy FILE
# `tokaudit rules schema` prints the JSON Schema of this format for your editor; docs/packs.md describes it.
schema: tokaudit.rules/1
pack: {name}
version: 0.1.0
title: What texts these rules are for

# Packs whose rules come first: names of built-in packs, or paths relative to this file.
# A rule of theirs is changed by its id and the keys to change, as in  - {{id: cn.polite, default: true}}
# extends: [cn]

# Lists of texts that parameters can name.
lists:
  closing_words: [Best regards, Kind regards, Yours sincerely]

rules:
  - id: {name}.closing-line        # the pack's name, a dot, and a name
    title: Closing lines of letters
    why: Who closes a letter politely says nothing more; a line of it costs three tokens or so.
    not_when: The text is to be sent on as it is.
    class: lossy                  # lossless: the same content; near: layout only; lossy: deletes, needs --lossy
    stage: lexical                # decode, structure, layout, lexical, final: in this order
    langs: [en]                   # zh, ja, en; all where absent
    default: true                 # false: only with --select {name}.closing-line
    # What the rule does is its op; the keys that follow are the op's own.
    # Patterns are those of the Python module `regex`; in single quotes, nothing in them needs to be escaped.
    op: delete
    pattern: '^(?:Best|Kind) regards,?\\n|^Yours sincerely,?\\n'
    # Examples are tests: three that change, and three that must not, are a good number.
    examples:
      - {{in: "See you.\\nBest regards,\\nAnn\\n", out: "See you.\\nAnn\\n"}}
      - {{in: "Kind regards\\nAnn\\n", out: "Ann\\n"}}
      - {{in: "Done.\\nYours sincerely,\\nBo\\n", out: "Done.\\nBo\\n"}}
      - {{in: "Give her my best regards, please.\\n", same: true}}
      - {{in: "Best regards were sent to all.\\n", same: true}}
      - {{in: "He signs \\"Yours sincerely\\".\\n", same: true}}
"""


def start(name: str) -> str:
    """The text of a new pack: one rule that works, and comments."""
    return _START.format(name=name)
