"""Checks a rule pack against its keys and the ops' parameters, and collects all problems, each with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.pipeline.ops import NAMES, op
from tokaudit.store.key_kinds import known_keys, nearest, unknown_key
from tokaudit.store.pack_schema import EXAMPLE_KEYS, PACK_KEYS, RULE_KEYS, SCHEMA, Key
from tokaudit.store.pack_values import ValueCheck, described
from tokaudit.store.yaml_places import Node

Data = dict[str, Any]
"""A pack or rule of JSON types only, checked, with defaults and lists filled in."""
_SCHEMA_OF = SCHEMA.partition("/")[0]


@record
class Base:
    """Rules and lists that a pack gets from those that it extends."""

    rules: Mapping[str, Data] = field(default_factory=dict)
    """By id."""
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: bool = True
    """False if one of them could not be loaded: a missing name may be one of its own."""


class PackCheck(ValueCheck):
    """The check of one file, which adds to ``problems``."""

    def header(self, root: Node) -> tuple[dict[str, Node], list[tuple[str, Node]]]:
        """The values of a pack's keys, and the names that it extends; without any, where the schema is another's."""
        if root.kind != "mapping":
            self.wrong(
                root,
                Message(
                    "a pack is a mapping that begins with 'schema: {schema}', not {root}",
                    schema=SCHEMA,
                    root=described(root),
                ),
            )
            return {}, []
        parts = self._parts(root, PACK_KEYS, Message("a pack"))
        schema = parts.get("schema")
        if schema is not None and schema.value != SCHEMA:
            self.problems.clear()
            self.wrong(schema, self._other_schema(schema))
            return {}, []
        extends = self.texts(parts["extends"], "'extends'") if "extends" in parts else []
        return parts, extends

    def _other_schema(self, node: Node) -> str:
        name, _, number = str(node.value).partition("/")
        if node.kind == "text" and name == _SCHEMA_OF and number.isdigit():
            return Message(
                "the schema {value} needs a newer tokaudit, since this one reads {schema}: upgrade it",
                value=node.value,
                schema=SCHEMA,
            )
        return Message("the schema must be {schema}, not {value}", schema=SCHEMA, value=described(node))

    def pack(self, parts: Mapping[str, Node], base: Base) -> Data:
        """The whole pack; not usable if there are ``problems``."""
        texts = ("pack", "version", "prefix", "title")
        data: Data = {name: self.value(parts[name], PACK_KEYS[name], name) for name in texts if name in parts}
        own = self._lists(parts["lists"]) if "lists" in parts else {}
        data["lists"] = {**base.lists, **own}
        self.lists_known = base.whole
        rules: list[Data] = []
        seen: dict[str, int] = {}
        for node in self.items(parts.get("rules"), "'rules'"):
            rule = self._rule(node, data, base)
            name = rule.get("id")
            if name in seen:
                self.wrong(
                    self.part(node, "id"),
                    Message("a second rule '{name}'; the first is in line {line}", name=name, line=seen[name]),
                )
            elif name is not None:
                seen[name] = node.line
            rules.append(rule)
        data["rules"] = rules
        return data

    def _lists(self, node: Node) -> dict[str, list[str]]:
        if node.kind != "mapping":
            self.wrong(
                node,
                Message("'lists' must be a mapping of names to lists of texts, not {value}", value=described(node)),
            )
            return {}
        pairs = self.unique(node)
        return {
            name: [text for text, _ in self.texts(value, Message("the list '{name}'", name=name))]
            for name, value in pairs.items()
        }

    def _rule(self, node: Node, pack: Data, base: Base) -> Data:
        if node.kind != "mapping":
            self.wrong(node, Message("a rule is a mapping that begins with 'id:', not {value}", value=described(node)))
            return {}
        pairs = self.unique(node)
        rule_id = pairs.get("id")
        changed = base.rules.get(str(rule_id.value)) if rule_id is not None else None
        ours = rule_id is not None and str(rule_id.value).startswith(f"{pack.get('prefix') or pack.get('pack')}.")
        whole = "op" in pairs or (changed is None and (base.whole or ours))
        name = str(pairs["op"].value) if "op" in pairs else "" if changed is None else changed["op"]
        parameters = op(name).PARAMETERS if name in NAMES else None
        values: Data = {}
        data: Data = {}
        for key, value in pairs.items():
            if key in RULE_KEYS:
                data[key] = self.value(value, RULE_KEYS[key], key)
            elif parameters is not None and key in parameters:
                values[key] = self.parameter(value, parameters[key], key, pack["lists"])
            elif key not in (known := _all_parameters() if parameters is None else parameters):
                own = known_keys(name, known) if parameters else ""
                message = unknown_key(key, [*RULE_KEYS, *known]) + own + known_keys("every rule", RULE_KEYS)
                self.wrong(self.key_of(node, key), message)
        self._check_op(pairs, name)
        self._check_id(rule_id, pack, base)
        needed = [key for key, about in RULE_KEYS.items() if (about.required or key == "op") and whole]
        needed += [key for key, about in (parameters or {}).items() if about.required and whole]
        missing = [key for key in needed if key not in pairs]
        if missing:
            of = Message("the rule '{id}'", id=rule_id.value) if rule_id is not None else Message("a rule")
            self.wrong(node, Message("{of} lacks {missing}", of=of, missing=tuple(repr(key) for key in missing)))
        if "examples" in data:
            data["examples"] = self._examples(pairs["examples"])
        if not whole and changed is not None:
            data = {**changed, **data}
            values = {**changed["values"], **values}
        data["values"] = {key: about.default for key, about in (parameters or {}).items()} | values
        data["line"] = node.line
        if self.patterns and parameters is not None and not missing:
            self._prepare(name, data["values"], pairs, node)
        return data

    def _check_op(self, pairs: Mapping[str, Node], name: str) -> None:
        if "op" in pairs and pairs["op"].kind == "text" and name not in NAMES:
            self.wrong(pairs["op"], Message("unknown op '{name}'{nearest}", name=name, nearest=nearest(name, NAMES)))

    def _check_id(self, node: Node | None, pack: Data, base: Base) -> None:
        prefix = pack.get("prefix") or pack.get("pack")
        if node is None or not isinstance(prefix, str) or node.kind != "text" or node.value in base.rules:
            return
        if not base.whole:
            return
        if not node.value.startswith(f"{prefix}."):
            other = Message(", or be that of a rule of a pack that it extends") if base.rules else ""
            close = nearest(node.value, base.rules)
            self.wrong(
                node,
                Message(
                    "the id '{value}' must begin with the pack's name, '{prefix}.'{other}{close}",
                    value=node.value,
                    prefix=prefix,
                    other=other,
                    close=close,
                ),
            )

    def _prepare(self, name: str, values: Data, pairs: Mapping[str, Node], rule: Node) -> None:
        """Find problems of parameters that only the op itself knows."""
        if any(problem.line in range(rule.line, rule.last_line + 1) for problem in self.problems):
            return  # the op expects what has been checked
        try:
            op(name).prepare({key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})
        except RuleError as error:
            about = next((pairs[key] for key in error.keys if key in pairs), None)
            self.wrong(about or pairs.get("op", rule), error.message)

    def _examples(self, node: Node) -> list[Data]:
        examples = []
        for item in self.items(node, "'examples'"):
            if item.kind != "mapping":
                self.wrong(
                    item,
                    Message("an example is a mapping such as {{in: ..., out: ...}}, not {item}", item=described(item)),
                )
                continue
            parts = self._parts(item, EXAMPLE_KEYS, Message("an example"))
            data = {key: self.value(value, EXAMPLE_KEYS[key], key) for key, value in parts.items()}
            if ("out" in parts) == ("same" in parts):
                self.wrong(item, "an example has either 'out: ...' or 'same: true'")
            elif data.get("same") is False:
                self.wrong(parts["same"], "'same' can only be true; where a text changes, write 'out'")
            elif "out" in parts and data.get("out") == data.get("in"):
                self.wrong(parts["out"], "'out' is 'in'; write 'same: true' instead")
            before = data.get("in")
            examples.append(
                {
                    "before": before,
                    "after": data.get("out", before),
                    "todo": data.get("todo", False),
                    "kind": data.get("kind", ""),
                    "line": item.line,
                }
            )
        return examples

    def _parts(self, node: Node, keys: Mapping[str, Key], of: str) -> dict[str, Node]:
        pairs = self.unique(node)
        for key in [key for key in pairs if key not in keys]:
            self.wrong(self.key_of(node, key), unknown_key(key, keys) + known_keys(of, keys))
            del pairs[key]
        if missing := [key for key, about in keys.items() if about.required and key not in pairs]:
            self.wrong(node, Message("{of} lacks {missing}", of=of, missing=tuple(repr(key) for key in missing)))
        return pairs


def _all_parameters() -> set[str]:
    """The parameters of all ops, for a rule of an unknown one."""
    return {key for name in NAMES for key in op(name).PARAMETERS}
