"""Every operation of the document, called as the document says, by both clients."""

from __future__ import annotations

import asyncio
import inspect
import json
import keyword
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable
from urllib.parse import parse_qsl

import httpx
import pytest

from everpost import AsyncDownload, AsyncEverpost, Download, Everpost, models
from everpost._generated.operations import OPERATIONS as OPERATIONS_KNOWN

DOCUMENT: dict[str, Any] = json.loads(Path(os.environ["EVERPOST_DOCUMENT"]).read_text(encoding="utf8"))
OPERATIONS = [
    (described["operationId"], method.upper(), path, described)
    for path, methods in DOCUMENT["paths"].items()
    for method, described in methods.items()
]


@dataclass
class Example:
    path: list[str]
    query: dict[str, Any]
    body: Any
    takes_key: bool
    media_type: str | None


def snake(name: str) -> str:
    name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def examples_of(described: dict[str, Any]) -> list[Example]:
    parameters = [each for each in described["parameters"] if "$ref" not in each]
    path = [f"{each['name']} 1/ä" for each in parameters if each["in"] == "path"]
    query = {each["name"]: each["example"] for each in parameters if each["in"] == "query" and "example" in each}
    [(media_type, content)] = described.get("requestBody", {}).get("content", {None: {}}).items()
    bodies = [each["value"] for each in content.get("examples", {}).values()]
    takes_key = any("Idempotency-Key" in each.get("$ref", "") for each in described["parameters"])
    return [Example(path, query, body, takes_key, media_type) for body in bodies or [None]]


def method_of(client: Any, id: str) -> Callable[..., Any]:
    found = client
    for part in id.split("."):
        found = getattr(found, snake(part))
    assert callable(found)
    return found  # type: ignore[no-any-return]


def called(id: str, path: list[str], args: list[Any], kwargs: dict[str, Any]) -> list[httpx.Request]:
    """What both clients send for this call: it has to be the same."""
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"ok": True})

    transport = httpx.MockTransport(answer)
    key, url = "ep_live_x", "http://everpost.test"
    with Everpost(key, base_url=url, http_client=httpx.Client(transport=transport)) as client:
        result = method_of(client, id)(*path, *args, **kwargs)
        assert isinstance(result, (dict, str, Download))

    async def call_async() -> None:
        async with AsyncEverpost(key, base_url=url, http_client=httpx.AsyncClient(transport=transport)) as other:
            coroutine = method_of(other, id)(*path, *args, **kwargs)
            assert inspect.iscoroutine(coroutine)
            assert isinstance(await coroutine, (dict, str, AsyncDownload))

    asyncio.run(call_async())
    first, second = sent
    boundary = re.compile(rb"[0-9a-f]{32}")
    assert (first.method, first.url) == (second.method, second.url)
    assert boundary.sub(b"", first.content) == boundary.sub(b"", second.content)
    return sent


@pytest.mark.parametrize(("id", "method", "path", "described"), OPERATIONS, ids=[id for id, *_ in OPERATIONS])
def test_operation_is_reachable(id: str, method: str, path: str, described: dict[str, Any]) -> None:
    for example in examples_of(described):
        args: list[Any] = []
        # What a body may have as well stands there.
        query = {name: value for name, value in example.query.items() if OPERATIONS_KNOWN[id].arguments[snake(name)].place == "query"}
        kwargs = {snake(name): value for name, value in query.items()}
        wanted: Any = None
        if example.media_type == "multipart/form-data":
            kwargs["file"] = ("a.csv", b"email\n")
        elif example.media_type is not None:
            wanted = example.body if example.body is not None else {}
            args = [wanted]
        for request in called(id, example.path, args, kwargs):
            expected = f"/api/v1{path}"
            for value in example.path:
                expected = re.sub(r"{\w+}", value.replace(" ", "%20").replace("/", "%2F").replace("ä", "%C3%A4"), expected, count=1)
            assert request.method == method
            assert request.url.raw_path.decode().split("?")[0] == expected
            assert dict(parse_qsl(request.url.query.decode())) == {name: str(value) for name, value in query.items()}
            assert request.headers["Authorization"] == "Bearer ep_live_x"
            has_own = isinstance(wanted, dict) and "idempotencyKey" in wanted
            assert ("Idempotency-Key" in request.headers) == (example.takes_key and not has_own)
            if example.media_type == "application/json":
                assert json.loads(request.content) == wanted
            elif example.media_type == "multipart/form-data":
                assert b'filename="a.csv"' in request.content


WITH_FIELDS = [
    (id, example)
    for id, _, _, described in OPERATIONS
    for example in examples_of(described)
    if isinstance(example.body, dict) and example.media_type == "application/json" and id != "inbound.report"
]


@pytest.mark.parametrize(("id", "example"), WITH_FIELDS, ids=[id for id, _ in WITH_FIELDS])
def test_fields_of_a_body_are_arguments(id: str, example: Example) -> None:
    # The path names what a body that was read names, too.
    names = {"key", "version", "ok"} if id == "sequences.replace" else set()
    body = {name: value for name, value in example.body.items() if name not in names or name == "version"}
    for request in called(id, example.path, [], {snake(name): value for name, value in body.items()}):
        wanted = dict(body)
        if example.takes_key and "idempotencyKey" in wanted:
            assert request.headers["Idempotency-Key"] == wanted.pop("idempotencyKey")
        assert json.loads(request.content) == wanted


def test_every_method_is_an_operation() -> None:
    known = {".".join(map(snake, id.split("."))) for id, *_ in OPERATIONS}
    for client in (Everpost("x"), AsyncEverpost("x")):
        found = set(methods_of(client)) - {"close", "with_options"}
        for group, value in vars(client).items():
            if not group.startswith("_"):
                found |= {f"{group}.{name}" for name in methods_of(value) if not name.startswith("iterate")}
        assert found == known


def methods_of(client: Any) -> list[str]:
    return [name for name, _ in inspect.getmembers(client, callable) if not name.startswith("_")]


def test_every_schema_is_a_type() -> None:
    assert [name for name in DOCUMENT["components"]["schemas"] if not hasattr(models, name)] == []
