"""Makes everpost/_generated/ from the OpenAPI document on standard input. `npm run sdk:python` calls it. An argument is
another folder to write to.

The types come from datamodel-code-generator, by the settings in pyproject.toml. This script prepares the document for it, so that each body,
query and answer has a name, and writes the methods of the clients with the annotations that it made.
"""

from __future__ import annotations

import ast
import itertools
import json
import keyword
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, Iterator, cast

Schema = dict[str, Any]

HERE = Path(__file__).parent
OUT = HERE / "everpost" / "_generated"
HEAD = "# Made by `npm run sdk:python` from the OpenAPI document. Change the API, or sdk-python/generate.py, not this file.\n"

# Where an answer has several lists, or its list is not at the top: the way to what the pages are of, and the iterator's name.
PAGED = {
    "campaigns.people": (("people",), "iterate_people"),
    "enrollments.get": (("enrollment", "steps"), "iterate_steps"),
}
# What the client itself tells, beside the codes of the document.
OWN_CODES = ["connection_failed", "missing_api_key", "timed_out", "unexpected_answer"]


@dataclass
class Argument:
    """One thing that a method takes."""

    name: str
    wire: str
    place: str
    annotation: str
    required: bool
    description: str = ""
    flag: tuple[str | None, str | None] | None = None


@dataclass(frozen=True)
class Variant:
    """Which fields of a body go together: the names of what has to be there, and of what must not."""

    present: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()

    def and_also(self, other: Variant) -> Variant:
        return Variant(self.present | other.present, self.absent | other.absent)


@dataclass
class Operation:
    """One method of the clients."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    path_names: list[str]
    arguments: list[Argument] = field(default_factory=list)
    body: str | None = None
    body_kind: str | None = None
    body_required: bool = False
    answer: str = "json"
    answer_type: str = ""
    says_ok: bool = True
    idempotency: bool = False
    retry: bool = False
    items: tuple[tuple[str, ...], str, str] | None = None
    #: Where there are several, each has an overload.
    variants: list[Variant] = field(default_factory=list)

    @property
    def ruled(self) -> set[str]:
        """Of what it depends on the others whether it is there."""
        return {name for variant in self.variants for name in variant.present | variant.absent}

    @property
    def unruled(self) -> list[Argument]:
        """What all variants have alike."""
        return [argument for argument in self.arguments if argument.wire not in self.ruled]

    @property
    def fields_type(self) -> str:
        """The type of those as keywords."""
        return f"{pascal(self.id)}Fields"

    @property
    def group(self) -> str | None:
        return snake(self.id.split(".")[0]) if "." in self.id else None

    @property
    def name(self) -> str:
        return identifier(snake(self.id.split(".")[-1]))


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found.group(1).lower(), name).replace("-", "_").lower()


def pascal(name: str) -> str:
    return "".join(part[0].upper() + part[1:] for part in re.split(r"[.\-_]", name))


def identifier(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


# --- the document as the generator of types takes it ---


class Document:
    def __init__(self, document: Schema) -> None:
        self.paths: dict[str, dict[str, Schema]] = document["paths"]
        self.parameters: dict[str, Schema] = document["components"]["parameters"]
        self.webhooks: dict[str, dict[str, Schema]] = document["webhooks"]
        self.tags: dict[str, str] = {each["name"]: each.get("description", "") for each in document.get("tags", [])}
        self.original: dict[str, Schema] = document["components"]["schemas"]
        self.schemas: dict[str, Schema] = {name: self.plain(schema) for name, schema in self.original.items()}
        # Any JSON: a closed union would have to be narrowed at each step into it.
        self.schemas["JsonValue"] = {"description": "Any JSON value"}

    def resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.original[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def plain(self, schema: Any) -> Any:
        """Without what no Python type says: patterns, bounds, and rules over which fields go together."""
        if isinstance(schema, list):
            return [self.plain(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        if "allOf" in schema:
            return self.plain(self.merged(schema))
        kept = {
            name: value
            for name, value in schema.items()
            if name not in ("pattern", "format", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "default", "examples",
                            "propertyNames", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "multipleOf", "minProperties", "maxProperties")
        }  # fmt: skip
        if "$ref" in kept:
            return {"$ref": kept["$ref"]} if "description" not in kept else {"$ref": kept["$ref"], "description": kept["description"]}
        return {
            name: {key: self.plain(each) for key, each in value.items()} if name == "properties" else self.plain(value)
            for name, value in kept.items()
        }

    def merged(self, schema: Schema) -> Schema:
        """The objects of an `allOf` as one. Its other members say which fields go together."""
        merged: Schema = {"type": "object", "properties": {}, "required": []}
        for part in schema["allOf"]:
            own = self.resolved(part)
            if "allOf" in own:
                own = self.merged(own)
            for name, value in own.get("properties", {}).items():
                merged["properties"].setdefault(name, value)
            merged["required"] += [name for name in own.get("required", []) if name not in merged["required"]]
            if "description" in own:
                merged.setdefault("description", own["description"])
        if "description" in schema:
            merged["description"] = schema["description"]
        return merged

    def named(self, name: str, schema: Schema) -> str:
        """The component of this schema: its own, or a new one."""
        if set(schema) <= {"$ref", "description"} and "$ref" in schema:
            return cast(str, schema["$ref"].rsplit("/", 1)[1])
        if name in self.schemas:
            raise SystemExit(f"{name}: the document has a schema of this name already; rename it there or here")
        self.schemas[name] = self.plain(schema)
        return name


def operations_of(document: Document) -> list[Operation]:
    found = [
        operation_of(document, path, method, described)
        for path, methods in document.paths.items()
        for method, described in methods.items()
    ]
    return sorted(found, key=lambda operation: (operation.group is not None, operation.group or ""))


def operation_of(document: Document, path: str, method: str, described: Schema) -> Operation:
    parameters = [
        document.parameters[each["$ref"].rsplit("/", 1)[1]] if "$ref" in each else each for each in described.get("parameters", [])
    ]
    id: str = described["operationId"]
    operation = Operation(
        id=id,
        method=method.upper(),
        path=path,
        summary=described["summary"],
        description=described.get("description", ""),
        path_names=re.findall(r"{(\w+)}", path),
        idempotency=any(each["in"] == "header" and each["name"] == "Idempotency-Key" for each in parameters),
    )
    operation.retry = described.get("x-repeatable", False) or operation.idempotency
    read_body(document, operation, described.get("requestBody"))
    in_body = {argument.wire for argument in operation.arguments}
    queries = [each for each in parameters if each["in"] == "query" and each["name"] not in in_body]
    if queries:
        document.named(
            f"{pascal(id)}Query",
            {
                "type": "object",
                "description": f"What {id} takes beside its path",
                "properties": {each["name"]: {**each["schema"], "description": each.get("description", "")} for each in queries},
                "required": [each["name"] for each in queries if each.get("required")],
            },
        )
    for each in queries:
        operation.arguments.append(
            Argument(
                name=identifier(snake(each["name"])),
                wire=each["name"],
                place="query",
                annotation=f"{pascal(id)}Query",
                required=bool(each.get("required")) and "default" not in each["schema"],
                description=each.get("description", ""),
                flag=flag_of(each["schema"]),
            )
        )
    read_answer(document, operation, described["responses"])
    return operation


def flag_of(schema: Schema) -> tuple[str | None, str | None] | None:
    """What stands for True and for False, of a parameter that is yes or no."""
    words = schema.get("enum", [])
    if not words or not set(words) <= {"1", "true", "false"}:
        return None
    return ("true" if "true" in words else "1", "false" if "false" in words else None)


def read_body(document: Document, operation: Operation, body: Schema | None) -> None:
    if body is None:
        return
    [(media_type, content)] = body["content"].items()
    schema = content["schema"]
    operation.body_required = bool(body.get("required"))
    if media_type == "multipart/form-data":
        operation.body_kind = "form"
        form = document.plain(document.resolved(schema))
        name = document.named(f"{pascal(operation.id)}Form", {**form, "properties": {k: v for k, v in form["properties"].items() if k != "file"}, "required": [r for r in form.get("required", []) if r != "file"]})  # fmt: skip
        for wire, own in form["properties"].items():
            is_file = wire == "file"
            operation.arguments.append(
                Argument(
                    name=identifier(snake(wire)),
                    wire=wire,
                    place="file" if is_file else "form",
                    annotation="FileInput" if is_file else name,
                    required=wire in form.get("required", []),
                    description=own.get("description", ""),
                )
            )
        return
    if media_type != "application/json":
        operation.body_kind = media_type
        operation.body = "str"
        return
    operation.body_kind = "json"
    operation.body = document.named(f"{pascal(operation.id)}Body", schema)
    operation.variants = variants_of(document.resolved(schema))
    variants = objects_within(document, schema)
    required = set.intersection(*(set(each.get("required", [])) for each in variants)) if variants else set()
    seen: set[str] = set()
    for variant in variants:
        for wire, own in variant.get("properties", {}).items():
            # The header has the key; `ok` is there so that what was read can be written back; the path names the rest.
            if wire in seen or wire in operation.path_names or wire == "ok" or (wire == "idempotencyKey" and operation.idempotency):
                continue
            seen.add(wire)
            operation.arguments.append(
                Argument(
                    name=identifier(snake(wire)),
                    wire=wire,
                    place="body",
                    annotation=operation.body,
                    required=wire in required and operation.body_required,
                    description=own.get("description", "") if isinstance(own, dict) else "",
                )
            )


def variants_of(schema: Schema) -> list[Variant]:
    """Of a body whose `allOf` says which fields go together: each way in which they do."""
    rules = [alternatives_of(part) for part in schema.get("allOf", []) if "anyOf" in part or "oneOf" in part]
    return [reduce(Variant.and_also, each) for each in itertools.product(*rules)] if rules else []


def alternatives_of(rule: Schema) -> list[Variant]:
    parts = rule.get("anyOf", []) + rule.get("oneOf", [])
    if parts:
        return [found for each in parts for found in alternatives_of(each)]
    absent = {name for name, own in rule["properties"].items() if own == {"type": "null"}}
    return [Variant(frozenset(rule["required"]), frozenset(absent))]


def objects_within(document: Document, schema: Schema) -> list[Schema]:
    """The objects that a body may be."""
    own = document.resolved(schema)
    if "allOf" in own:
        own = document.merged(own)
    if own.get("properties"):
        return [own]
    variants: list[Schema] = own.get("anyOf") or own.get("oneOf") or []
    return [found for each in variants for found in objects_within(document, each)]


def read_answer(document: Document, operation: Operation, responses: dict[str, Schema]) -> None:
    done = {status: response for status, response in responses.items() if status.startswith("2")}
    names: list[str] = []
    for status, response in done.items():
        [(media_type, content)] = response["content"].items()
        if media_type in ("text/csv", "application/octet-stream"):
            operation.answer = "download"
            return
        if media_type == "text/html":
            operation.answer, operation.answer_type = "text", "str"
            return
        suffix = "Answer" if status == min(done) else "Accepted"
        # Flat, also where the document puts the envelope around a component.
        schema = content["schema"]
        flat = document.merged(schema) if "allOf" in schema else schema
        operation.says_ok = operation.says_ok and "ok" in document.resolved(flat).get("required", [])
        names.append(document.named(pascal(operation.id) + suffix, flat))
    operation.answer_type = " | ".join(names)


def name_events(document: Document) -> None:
    """A type for each event that webhooks tell, and the union of them."""
    names = []
    for type, methods in document.webhooks.items():
        schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
        described = {**schema, "description": f"`{type}`: what a webhook says"}
        names.append(document.named(f"{pascal(type)}Webhook", described))
    union = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    document.named("WebhookEvent", {"anyOf": union, "description": "What a webhook says; `type` tells which it is"})


# --- the types that came of it ---


class Models:
    def __init__(self, source: str) -> None:
        self.fields: dict[str, dict[str, tuple[ast.expr, bool]]] = {}
        self.bases: dict[str, list[str]] = {}
        self.aliases: dict[str, ast.expr] = {}
        self.names: set[str] = set()
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                self.names.add(node.name)
                self.bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id != "TypedDict"]
                self.fields[node.name] = {
                    each.target.id: unwrapped(each.annotation)
                    for each in node.body
                    if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
                }
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                self.names.add(node.target.id)
                if node.value is not None:
                    self.aliases[node.target.id] = node.value
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
                self.names.add(node.targets[0].id)
                given = cast(ast.Dict, node.value.args[1])
                names = [cast(str, cast(ast.Constant, key).value) for key in given.keys]
                self.fields[node.targets[0].id] = {name: unwrapped(value) for name, value in zip(names, given.values)}

    def field(self, model: str, name: str) -> ast.expr:
        """The annotation of a field, of a type or of one of those that it is a union of."""
        for each in self.variants(model):
            if name in self.fields[each]:
                return self.fields[each][name][0]
        raise SystemExit(f"{model}.{name}: there is no such field in the generated types")

    def variants(self, model: str) -> Iterator[str]:
        if model in self.fields:
            yield model
            for base in self.bases.get(model, []):
                yield from self.variants(base)
        elif model in self.aliases:
            for node in ast.walk(self.aliases[model]):
                name = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
                if isinstance(name, str) and name in self.names and name != model:
                    yield from self.variants(name)

    def shown(self, annotation: ast.expr) -> str:
        """An annotation outside of the module of the types."""
        return ast.unparse(Qualified(self.names).visit(ast.parse(ast.unparse(annotation), mode="eval")))


class Qualified(ast.NodeTransformer):
    """`list` is a method of most groups, and a mapping need not be a dict to be sent."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and node.value in self.names:
            return ast.parse(f"m.{node.value}", mode="eval").body
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = {"list": "List", "dict": "Mapping"}.get(node.id, f"m.{node.id}" if node.id in self.names else node.id)
        return ast.parse(name, mode="eval").body


def unwrapped(annotation: ast.expr) -> tuple[ast.expr, bool]:
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name) and annotation.value.id == "NotRequired":
        return annotation.slice, False
    return annotation, True


def models_source(document: Document) -> str:
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "Everpost", "version": "1"},
        "paths": {},
        "components": {"schemas": document.schemas},
    }
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "document.json"), Path(folder, "models.py")
        given.write_text(json.dumps(whole), encoding="utf8")
        program = [sys.executable, "-W", "ignore", "-m", "datamodel_code_generator", "--input", str(given), "--output", str(made)]
        subprocess.run(program, cwd=HERE, check=True)
        return HEAD + re.sub(r"\A(#.*\n)+", "", made.read_text(encoding="utf8"))


# --- the methods ---


def finish(operation: Operation, models: Models) -> None:
    """Puts the annotations of the generated types to the arguments."""
    for argument in operation.arguments:
        if argument.flag is not None:
            argument.annotation = "bool"
        elif argument.place != "file":
            argument.annotation = models.shown(models.field(argument.annotation, argument.wire))
            argument.annotation = re.sub(r"\bm\.Timestamp\b", "m.Timestamp | datetime", argument.annotation)
    names = [argument.name for argument in operation.arguments]
    if len(names) != len(set(names)):
        raise SystemExit(f"{operation.id}: two arguments of one name: {sorted(names)}")
    if operation.answer == "json":
        find_items(operation, models)
        operation.answer_type = " | ".join(f"m.{name}" for name in operation.answer_type.split(" | "))
    if operation.body is not None and operation.body in models.names:
        operation.body = f"m.{operation.body}"


def find_items(operation: Operation, models: Models) -> None:
    if operation.method != "GET" or not any(argument.wire in ("cursor", "before") for argument in operation.arguments):
        return
    if operation.id in PAGED:
        way, name = PAGED[operation.id]
    else:
        fields = models.fields[operation.answer_type]
        lists = [wire for wire, (annotation, _) in fields.items() if wire != "warnings" and inner_of(annotation) is not None]
        if len(lists) != 1:
            raise SystemExit(f"{operation.id}: its pages are of {lists}; say in PAGED of which")
        way = (lists[0],)
        name = "iterate" if operation.name == "list" else f"iterate_{operation.name}"
    model = operation.answer_type
    for step in way[:-1]:
        model = ast.unparse(models.field(model, step))
    inner = inner_of(models.field(model, way[-1]))
    assert inner is not None
    operation.items = (way, name, models.shown(inner))


def inner_of(annotation: ast.expr) -> ast.expr | None:
    is_list = isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name) and annotation.value.id == "list"
    return cast(ast.Subscript, annotation).slice if is_list else None


def doc(text: str, indent: str) -> str:
    lines = [line for part in text.strip().split("\n") for line in (textwrap.wrap(part, 120, break_on_hyphens=False) or [""])]
    quoted = [line.replace("\\", "\\\\").replace('"""', "'''") for line in lines]
    if len(quoted) == 1:
        return f'{indent}"""{quoted[0]}{" " if quoted[0].endswith(chr(34)) else ""}"""\n'
    body = "\n".join(f"{indent}{line}".rstrip() for line in quoted[1:])
    return f'{indent}"""{quoted[0]}\n{body}\n{indent}"""\n'


class Writer:
    """The module of one of the two clients."""

    def __init__(self, tags: dict[str, str], is_async: bool) -> None:
        self.groups = {snake(name): description for name, description in tags.items()}
        self.is_async = is_async
        self.caller = "AsyncCaller" if is_async else "Caller"
        self.download = "AsyncDownload" if is_async else "Download"

    def module(self, operations: list[Operation]) -> str:
        prefix = "Async" if self.is_async else ""
        groups: dict[str, list[Operation]] = {}
        for operation in operations:
            groups.setdefault(operation.group or "", []).append(operation)
        top = groups.pop("")
        text = HEAD + '"""The groups and methods of the client."""\n\nfrom __future__ import annotations\n\n'
        text += "from datetime import datetime\n"
        text += f"from typing import Any, {'AsyncIterator' if self.is_async else 'Iterator'}, List, Literal, Mapping, overload\n\n"
        text += "from typing_extensions import Unpack\n\n"
        text += f"from .._calls import OMIT, FileInput, Omit\nfrom .._transport import {self.caller}, {self.download}\n"
        text += "from . import arguments as a\nfrom . import models as m\nfrom .operations import OPERATIONS as O\n"
        for group, own in groups.items():
            text += f"\n\nclass {prefix}{pascal(group)}:\n"
            text += doc(f"`everpost.{group}`: {self.groups[group]}" if self.groups.get(group) else f"`everpost.{group}`", "    ")
            text += f"\n    def __init__(self, caller: {self.caller}) -> None:\n        self._caller = caller\n"
            text += "".join(self.method(operation) for operation in own)
        text += f"\n\nclass {prefix}Operations:\n" + doc("What a client can do.", "    ")
        text += f"\n    def __init__(self, caller: {self.caller}) -> None:\n        self._caller = caller\n"
        text += "".join(f"        self.{group} = {prefix}{pascal(group)}(caller)\n" for group in groups)
        return text + "".join(self.method(operation) for operation in top)

    def method(self, operation: Operation) -> str:
        answer = self.download if operation.answer == "download" else operation.answer_type
        define = "async def" if self.is_async else "def"
        wait = "await " if self.is_async else ""
        path = [f"{identifier(snake(name))}: str{' | int' if name in ('number', 'version') else ''}" for name in operation.path_names]
        call = f'self._caller.{operation.answer}(O["{operation.id}"]'
        given = ", ".join(identifier(snake(name)) for name in operation.path_names)
        first = f"({given}{',' if len(operation.path_names) == 1 else ''})"
        notes = self.notes(operation)
        text = "\n"
        if operation.body_kind in (None, "form"):
            arguments = self.keywords(operation)
            text += self.signature(define, operation.name, path, arguments, answer)
            text += notes
            text += f"        answer: {answer} = {wait}{call}, {first}, {self.passed(operation)})\n        return answer\n"
        elif operation.body_kind != "json":
            text += self.signature(define, operation.name, [*path, "body: str | bytes"], [], answer)
            text += notes + f"        answer: {answer} = {wait}{call}, {first}, {{}}, body)\n        return answer\n"
        else:
            beside = [line for line, argument in self.keyword_lines(operation) if argument is None or argument.place == "query"]
            first_keywords, *others = [self.varied(operation, each) for each in operation.variants] or [self.keywords(operation)]
            text += "    @overload\n" + self.signature(define, operation.name, path, first_keywords, answer) + notes.rstrip("\n") + "\n"
            for positional, keywords in [*((path, each) for each in others), ([*path, f"body: {operation.body}"], beside)]:
                text += "\n    @overload\n" + self.signature(define, operation.name, positional, keywords, answer).rstrip("\n") + " ...\n"
            text += "\n"
            text += self.signature(define, operation.name, path, [f"*body: {operation.body}", "**fields: Any"], answer)
            text += f"        answer: {answer} = {wait}{call}, {first}, fields, *body)\n        return answer\n"
        return text + self.iterator(operation, path, first)

    def notes(self, operation: Operation) -> str:
        text = f"{operation.summary}.\n\n{operation.description}\n\n{operation.method} {operation.path}"
        described = [
            f"{argument.name}: {argument.description}" for argument in operation.arguments if argument.description
        ]
        if operation.idempotency:
            described.append("idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted")
        if described:
            text += "\n\n" + "\n".join(described)
        return doc(text, "        ")

    def iterator(self, operation: Operation, path: list[str], first: str) -> str:
        if operation.items is None:
            return ""
        way, name, item = operation.items
        kept = [argument for argument in operation.arguments if argument.wire not in ("cursor", "before", "direction")]
        lines = [line for line, argument in self.keyword_lines(operation) if argument in kept]
        passed = "{" + ", ".join(f'"{argument.name}": {argument.name}' for argument in kept) + "}"
        kind = "AsyncIterator" if self.is_async else "Iterator"
        text = "\n" + self.signature("def", name, path, lines, f"{kind}[{item}]")
        text += doc(f"{operation.summary}: each of them, over all pages. Pages are asked for as they are needed.", "        ")
        by = "cursor" if any(argument.wire == "cursor" for argument in operation.arguments) else "before"
        return text + f'        return self._caller.pages(O["{operation.id}"], {first}, {passed}, {way!r}, "{by}")\n'

    def keyword_lines(self, operation: Operation) -> list[tuple[str, Argument | None]]:
        ordered = sorted(operation.arguments, key=lambda argument: not argument.required)
        lines: list[tuple[str, Argument | None]] = [
            (f"{each.name}: {each.annotation}" + ("" if each.required else " | Omit = OMIT"), each) for each in ordered
        ]
        if operation.idempotency:
            lines.append(("idempotency_key: str | Omit = OMIT", None))
        return lines

    def keywords(self, operation: Operation) -> list[str]:
        return [line for line, _ in self.keyword_lines(operation)]

    def varied(self, operation: Operation, variant: Variant) -> list[str]:
        """The arguments where these fields go together: they are said here, and the rest by its type."""
        ruled = [argument for argument in operation.arguments if argument.wire in operation.ruled]
        present = [f"{each.name}: {each.annotation.removesuffix(' | None')}" for each in ruled if each.wire in variant.present]
        others = [
            f"{each.name}: {'None' if each.wire in variant.absent else each.annotation} | Omit = OMIT"
            for each in ruled
            if each.wire not in variant.present
        ]
        key = ["idempotency_key: str | Omit = OMIT"] if operation.idempotency else []
        rest = [f"**fields: Unpack[a.{operation.fields_type}]"] if operation.unruled else []
        return [*present, *others, *key, *rest]

    def passed(self, operation: Operation) -> str:
        names = [argument.name for argument in operation.arguments] + (["idempotency_key"] if operation.idempotency else [])
        return "{" + ", ".join(f'"{name}": {name}' for name in names) + "}"

    @staticmethod
    def signature(define: str, name: str, positional: list[str], keywords: list[str], answer: str) -> str:
        parts = ["self", *positional]
        if positional:
            parts.append("/")
        if keywords and not keywords[0].startswith("*"):
            parts.append("*")
        parts += keywords
        line = f"    {define} {name}({', '.join(parts)}) -> {answer}:\n"
        if len(line) <= 121:
            return line
        return f"    {define} {name}(\n" + "".join(f"        {part},\n" for part in parts) + f"    ) -> {answer}:\n"


def arguments_module(operations: list[Operation]) -> str:
    text = HEAD + '"""Arguments of methods whose other arguments go together in one way or another."""\n\nfrom __future__ import annotations\n\n'
    text += "from datetime import datetime\nfrom typing import List, Literal, Mapping\n\n"
    text += "from typing_extensions import NotRequired, TypedDict\n\nfrom .._calls import Omit\nfrom . import models as m\n"
    for each in operations:
        if each.variants and each.unruled:
            text += f"\n\nclass {each.fields_type}(TypedDict):\n"
            for argument in each.unruled:
                annotation = argument.annotation if argument.required else f"NotRequired[{argument.annotation} | Omit]"
                text += f"    {argument.name}: {annotation}\n"
    return text


def operations_module(operations: list[Operation]) -> str:
    text = HEAD + '"""Every operation of the document, as the clients call it."""\n\nfrom __future__ import annotations\n\n'
    text += "from typing import Final, Mapping\n\nfrom .._calls import Argument, Operation\n\nOPERATIONS: Final[Mapping[str, Operation]] = {\n"
    for each in sorted(operations, key=lambda operation: operation.id):
        text += f'    "{each.id}": Operation(\n'
        text += f"        id={quoted(each.id)},\n        method={quoted(each.method)},\n        path={quoted(each.path)},\n"
        if each.body_kind:
            text += f"        body={quoted(each.body_kind)},\n"
        if each.idempotency:
            text += "        takes_idempotency_key=True,\n"
        if each.retry:
            text += "        is_safe_to_repeat=True,\n"
        if not each.says_ok:
            text += "        says_ok=False,\n"
        if each.arguments:
            text += "        arguments={\n"
            for argument in each.arguments:
                flag = f", flag=({quoted(argument.flag[0])}, {quoted(argument.flag[1])})" if argument.flag else ""
                text += f"            {quoted(argument.name)}: Argument({quoted(argument.place)}, {quoted(argument.wire)}{flag}),\n"
            text += "        },\n"
        text += "    ),\n"
    return text + "}\n"


def quoted(text: str | None) -> str:
    return "None" if text is None else json.dumps(text)


def codes_module(document: Document) -> str:
    codes: list[str] = document.original["ErrorCode"]["enum"]
    text = HEAD + "from __future__ import annotations\n\nfrom typing import Literal\n\nErrorCode = Literal[\n"
    return text + "".join(f"    {quoted(code)},\n" for code in sorted({*codes, *OWN_CODES})) + "]\n"


def main() -> None:
    document = Document(json.load(sys.stdin))
    operations = operations_of(document)
    name_events(document)
    source = models_source(document)
    models = Models(source)
    for operation in operations:
        finish(operation, models)
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    out.mkdir(parents=True, exist_ok=True)
    files = {
        "__init__.py": HEAD,
        "models.py": source,
        "operations.py": operations_module(operations),
        "arguments.py": arguments_module(operations),
        "error_codes.py": codes_module(document),
        "sync_client.py": Writer(document.tags, is_async=False).module(operations),
        "async_client.py": Writer(document.tags, is_async=True).module(operations),
    }
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf8", newline="\n")


if __name__ == "__main__":
    main()
