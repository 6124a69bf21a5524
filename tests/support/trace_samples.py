"""Traces of agents and results of tools, written by us: messages as interfaces of models take them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from places import SAMPLES

_CITIES = ("杭州", "厦门", "Lisbon", "Toronto", "Jena")


def _call(number: int, name: str, arguments: dict[str, Any], result: str) -> Iterator[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    yield {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{number}", "function": function}]}
    yield {"role": "tool", "tool_call_id": f"call_{number}", "content": result}


def coding_agent() -> str:
    """An agent that reads a program and a log, changes a line, and reads the program again."""
    program = (SAMPLES / "inventory.py").read_text("utf-8")
    log = (SAMPLES / "service.log").read_text("utf-8")
    old, new = "def ", "def _"
    changed = program.replace(old, new, 1)
    calls = (
        ("read_file", {"path": "inventory.py"}, program),
        ("read_file", {"path": "service.log"}, log),
        ("view", {"path": "inventory.py", "lines": [20, 80]}, "\n".join(program.split("\n")[19:80])),
        ("edit", {"path": "inventory.py", "old_string": old, "new_string": new}, f"Done. It is now:\n{changed}"),
        ("bash", {"command": "tail -n 40 service.log"}, "\n".join(log.split("\n")[-41:])),
        ("read_file", {"path": "inventory.py"}, changed),
    )
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a careful engineer. Use the tools to find and mend the fault."},
        {"role": "user", "content": "The stock is wrong after the night run. Find out why."},
    ]
    for number, (name, arguments, result) in enumerate(calls):
        messages += _call(number, name, arguments, result)
    return json.dumps({"model": "gpt-4o", "messages": messages}, ensure_ascii=False)


def search_agent() -> str:
    """An agent whose searches find some pages again, as lines of events."""
    pages = [path.read_text("utf-8") for path in sorted(SAMPLES.glob("*.txt")) + sorted(SAMPLES.glob("*.md"))]
    events = []
    for number in range(8):
        found = [{"type": "text", "text": pages[(number * step + step) % len(pages)]} for step in (1, 2)]
        events.append({"type": "tool_use", "id": f"toolu_{number}", "name": "search", "input": {"query": f"q{number}"}})
        events.append({"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": found})
    return "".join(f"{json.dumps(event, ensure_ascii=False)}\n" for event in events)


def rows(count: int) -> list[dict[str, Any]]:
    """What a service answers: records with the same keys, some with values of several parts."""
    return [
        {
            "id": 4200 + number,
            "title": f"Order {number * 37 % 101} arrived damaged",
            "state": ("open", "closed", "waiting")[number % 3],
            "labels": ["damage", f"p{number % 4}"],
            "customer": {"name": f"c{number * 13 % 29}", "city": _CITIES[number % 5]},
            "updated_at": f"2026-11-{number % 28 + 1:02}T08:{number % 60:02}:00Z",
        }
        for number in range(count)
    ]


def tool_results() -> str:
    """Two results of a server of tools (MCP): indented JSON in texts."""
    results = [rows(60), {"total": 60, "items": rows(12), "next": None}]
    content = [[{"type": "text", "text": json.dumps(result, indent=2)}] for result in results]
    messages = [{"jsonrpc": "2.0", "id": number, "result": {"content": one}} for number, one in enumerate(content)]
    return json.dumps(messages)


def prompt_with_json() -> str:
    """A prompt with the answer of a service between its sentences."""
    answer = json.dumps({"code": 0, "data": rows(20)}, indent=2, ensure_ascii=False)
    return f"下面是接口返回：\n{answer}\n请用三句话总结未关闭的工单。\n"


def prompt_with_passages() -> str:
    """A prompt with passages that two searches found."""
    text = (SAMPLES / "rag-prompt.en.txt").read_text("utf-8")
    passages = [part for part in text.split("\n\n") if len(part) > 120 and not part.startswith(("You", "==="))]
    found = "\n\n".join([*passages, *passages[1:3]])
    return f"Use these passages.\n\n{found}\n\nHow often are the pads inspected?\n"
