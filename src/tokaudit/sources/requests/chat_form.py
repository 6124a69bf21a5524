"""Lists of messages with roles: OpenAI's chat and Responses, Anthropic, and the bare list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.model.message import Message
from tokaudit.model.request import Content, Request
from tokaudit.sources.requests.builder import Builder
from tokaudit.sources.requests.contents import call_of, contents_of, result_of

_ANTHROPIC_PARTS = frozenset(("tool_use", "tool_result", "document", "search_result", "thinking", "server_tool_use"))


def messages_request(value: Mapping[str, Any], path: str) -> Request:
    """A request with ``messages``: OpenAI's, or Anthropic's where something says so."""
    form = "anthropic" if _is_anthropic(value) else "openai-chat"
    builder = Builder(form)
    system = value.get("system", value.get("system_instruction"))
    if system is not None:
        builder.add("system", list(contents_of(builder, system, f"{path}.system")), f"{path}.system")
    add_messages(builder, value["messages"], f"{path}.messages")
    add_tools(builder, value, path)
    _add_format(builder, value)
    return builder.built(value)


def _is_anthropic(value: Mapping[str, Any]) -> bool:
    tools = value.get("tools")
    if "anthropic_version" in value or (isinstance(value.get("system"), str | list) and "max_tokens" in value):
        return True
    if isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools):
        return True
    if isinstance(value.get("model"), str) and value["model"].rpartition("/")[2].startswith("claude"):
        return not any(isinstance(one, dict) and "tool_calls" in one for one in value["messages"])
    for message in value["messages"]:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list) and any(
            isinstance(part, dict) and part.get("type") in _ANTHROPIC_PARTS for part in content
        ):
            return True
    return False


def add_messages(builder: Builder, messages: Any, path: str) -> None:
    """Add the messages of a list; what is none of them is noted and left out."""
    for at, message in enumerate(messages):
        where = f"{path}[{at}]"
        if isinstance(message, dict):
            add_message(builder, message, where)
        else:
            builder.problem(where, Message("no message, left out"))


def add_message(builder: Builder, message: Mapping[str, Any], path: str) -> None:
    """Add one message; results of tools inside of a user's one stand by themselves, as models read them."""
    role = builder.role(message.get("role", message.get("from")), path)
    calls = list(_calls(builder, message, path))
    key = next((key for key in ("content", "parts", "value", "text") if key in message), "content")
    value = message.get(key)
    name = message["name"] if isinstance(message.get("name"), str) else ""
    if role == "tool":
        named = message.get("tool_call_id") or ""
        contents = list(contents_of(builder, value, f"{path}.{key}", kind="result"))
        texts = [found.text for found in contents if found.kind != "media"]
        media = [found for found in contents if found.kind == "media"]
        result = Content("result", "".join(texts), f"{path}.{key}", name=name, call_id=str(named))
        builder.add("tool", [result, *media], path, name=name)
        return
    thoughts = message.get("reasoning_content", message.get("reasoning"))
    found = [
        Content("thinking", one.text, one.path)
        for one in contents_of(builder, thoughts, f"{path}.reasoning_content")
        if one.text
    ]
    found += contents_of(builder, value, f"{path}.{key}")
    results = [one for one in found if one.kind == "result"]
    for one in results:
        builder.add("tool", [one], one.path, name=one.name)
    rest = [one for one in found if one.kind != "result"]
    if value is None and not calls and not found:
        builder.problem(path, Message("content is null") if key in message else Message("no content"))
    if rest or calls or not results:
        is_example = name.startswith("example_")
        builder.add(role, [*rest, *calls], path, name=name, is_example=is_example)


def _calls(builder: Builder, message: Mapping[str, Any], path: str) -> list[Content]:
    found = []
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        for at, call in enumerate(calls):
            where = f"{path}.tool_calls[{at}]"
            if isinstance(call, dict):
                found.append(call_of(builder, call, where))
            else:
                builder.problem(where, Message("no tool call, left out"))
    if isinstance(message.get("function_call"), dict):
        found.append(call_of(builder, message["function_call"], f"{path}.function_call"))
    return found


def add_tools(builder: Builder, value: Mapping[str, Any], path: str) -> None:
    """Add tool definitions, in OpenAI's shape whatever the form."""
    for key in ("tools", "functions"):
        listed = value.get(key)
        if listed is None:
            continue
        if not isinstance(listed, list):
            builder.problem(f"{path}.{key}", Message("no list of tools, left out"))
            continue
        for at, tool in enumerate(listed):
            _add_tool(builder, tool, f"{path}.{key}[{at}]")


def _add_tool(builder: Builder, tool: Any, path: str) -> None:
    if not isinstance(tool, dict):
        builder.problem(path, Message("no tool, left out"))
        return
    for key in ("functionDeclarations", "function_declarations"):
        if isinstance(tool.get(key), list):
            for at, one in enumerate(tool[key]):
                _add_tool(builder, one, f"{path}.{key}[{at}]")
            return
    function = tool["function"] if isinstance(tool.get("function"), dict) else tool
    if not isinstance(function.get("name"), str) or (
        tool.get("type") not in (None, "function", "custom") and "input_schema" not in tool
    ):
        kind = tool.get("type") or next(iter(tool), "")
        builder.problem(path, Message("{tool}: a tool of the provider's own, whose tokens only it knows", tool=kind))
        return
    shape = {key: function[key] for key in ("name", "description", "parameters", "strict") if key in function}
    for schema in ("input_schema", "parametersJsonSchema"):
        if schema in function:
            shape["parameters"] = function[schema]
    builder.tools.append({"type": "function", "function": shape})


def _add_format(builder: Builder, value: Mapping[str, Any]) -> None:
    """Take the schema of the answer, and whether reasoning is asked for."""
    text = value.get("text")
    asked = value.get("response_format") or (text.get("format") if isinstance(text, dict) else None)
    if isinstance(asked, dict):
        inner = asked.get("json_schema", asked)
        schema = inner.get("schema") if isinstance(inner, dict) else None
        builder.schema = schema if isinstance(schema, dict) else None
    thinking = value.get("thinking", value.get("enable_thinking"))
    template = value.get("chat_template_kwargs")
    if thinking is None and isinstance(template, dict):
        thinking = template.get("enable_thinking", template.get("thinking"))
    if isinstance(thinking, dict):
        thinking = thinking.get("type") == "enabled"
    builder.thinking = thinking if isinstance(thinking, bool) else None


def bare_request(messages: list[Any], path: str) -> Request:
    """A list of messages by itself."""
    builder = Builder("messages")
    add_messages(builder, messages, path)
    return builder.built({})


def responses_request(value: Mapping[str, Any], path: str) -> Request:
    """OpenAI's Responses: ``instructions``, and ``input`` that is a text or a list of items."""
    builder = Builder("openai-responses")
    if value.get("instructions") is not None:
        where = f"{path}.instructions"
        builder.add("system", list(contents_of(builder, value["instructions"], where)), where)
    items = value.get("input")
    if isinstance(items, str):
        builder.add("user", list(contents_of(builder, items, f"{path}.input")), f"{path}.input")
    for at, item in enumerate(items if isinstance(items, list) else ()):
        _add_item(builder, item, f"{path}.input[{at}]")
    add_tools(builder, value, path)
    _add_format(builder, value)
    return builder.built(value)


def _add_item(builder: Builder, item: Any, path: str) -> None:
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(item, dict):
        builder.problem(path, Message("no message, left out"))
    elif "role" in item or kind == "message":
        add_message(builder, item, path)
    elif kind == "function_call":
        builder.add("assistant", [call_of(builder, item, path)], path)
    elif isinstance(kind, str) and kind.endswith("_output"):
        builder.add("tool", list(result_of(builder, item, path)), path)
    elif kind == "reasoning":
        thoughts = contents_of(builder, item.get("summary") or item.get("content"), f"{path}.summary")
        builder.add("assistant", [Content("thinking", one.text, one.path) for one in thoughts], path)
    elif kind == "item_reference":
        builder.problem(path, Message("an item that the provider keeps, whose tokens are not counted"))
    else:
        builder.add("user", list(contents_of(builder, item, path)), path)
