"""What a call makes of its arguments, and how often it is tried."""

from __future__ import annotations

import asyncio
import copy
import inspect
import io
import json
import pickle
import re
import time
import uuid
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Callable, cast

import httpx
import pytest

from everpost import AsyncEverpost, Everpost, EverpostError

from .scripted_server import DROP, SILENT, Answer, ScriptedServer

BUSY = Answer(503, {"ok": False, "error": "later", "code": "unavailable"}, {"Retry-After": "3"})
LIMITED = Answer(429, {"ok": False, "error": "too many", "code": "rate_limited"}, {"Retry-After": "2"})
BROKEN = Answer(500, {"ok": False, "error": "a fault", "code": "internal", "requestId": "r"})
GATEWAY = Answer(502, b"<h1>Bad Gateway</h1>")
UNDER_WAY = Answer(409, {"ok": False, "error": "under way", "code": "idempotency_in_progress"}, {"Retry-After": "1"})
SENT = Answer(200, {"ok": True, "id": "1@a.example"})


def client_of(server: ScriptedServer, **options: Any) -> Everpost:
    return Everpost("ep_live_x", base_url=server.url, **options)


def send(client: Everpost) -> str:
    return client.send(to="ada@example.com", template="welcome")["id"]


@pytest.mark.parametrize("failures", [[LIMITED], [BUSY], [UNDER_WAY], [BROKEN], [GATEWAY], [DROP], [DROP, LIMITED, GATEWAY]])
def test_a_send_is_tried_again_under_one_key(server: ScriptedServer, pauses: list[float], failures: list[Any]) -> None:
    server.answers = [*failures, SENT, SENT]
    client = client_of(server)
    assert send(client) == "1@a.example"
    keys = [came.headers["idempotency-key"] for came in server.came]
    assert len(keys) == len(failures) + 1
    assert len(set(keys)) == 1
    assert len({came.body for came in server.came}) == 1
    assert len(pauses) == len(failures)
    # The next call has a key of its own.
    send(client)
    assert server.came[-1].headers["idempotency-key"] not in keys


def test_retry_after_is_waited_for(server: ScriptedServer, pauses: list[float]) -> None:
    server.answers = [LIMITED, BUSY, SENT]
    send(client_of(server))
    assert 2 <= pauses[0] <= 2.5
    assert 3 <= pauses[1] <= 4
    # Who were told the same do not come back at the same moment.
    server.answers = [LIMITED, SENT] * 20
    for _ in range(20):
        send(client_of(server))
    assert len(set(pauses)) == 22


def test_retry_after_may_be_a_date(server: ScriptedServer, pauses: list[float]) -> None:
    at = datetime.now(timezone.utc) + timedelta(seconds=30)
    server.answers = [Answer(503, BUSY.body, {"Retry-After": format_datetime(at, usegmt=True)}), SENT]
    send(client_of(server))
    assert 20 < pauses[0] <= 30.5


@pytest.mark.parametrize("asked", ["0", "Wed, 21 Oct 2015 07:28:00 GMT", "soon"])
def test_a_server_that_asks_for_no_pause_gets_the_usual_one(server: ScriptedServer, pauses: list[float], asked: str) -> None:
    busy = Answer(429, LIMITED.body, {"Retry-After": asked})
    server.answers = [busy, busy, busy, SENT]
    send(client_of(server))
    assert [round(pause / usual) for pause, usual in zip(pauses, [0.5, 1, 2], strict=True)] == [1, 1, 1]


@pytest.mark.parametrize("refusal", [BUSY, LIMITED])
def test_a_server_that_asks_for_very_long_is_not_waited_for(server: ScriptedServer, pauses: list[float], refusal: Answer) -> None:
    server.answers = [Answer(refusal.status, refusal.body, {"Retry-After": "3600"})]
    with pytest.raises(EverpostError) as raised:
        send(client_of(server))
    assert raised.value.retry_after == 3600
    assert pauses == []


def limited(seconds: int) -> Answer:
    return Answer(429, LIMITED.body, {"Retry-After": str(seconds)})


def test_the_rate_limit_is_waited_for_beside_the_tries_of_what_fails(server: ScriptedServer, pauses: list[float]) -> None:
    server.answers = [*[LIMITED] * 5, BROKEN, LIMITED, BUSY, SENT]
    assert send(client_of(server, max_retries=2)) == "1@a.example"
    assert len({came.headers["idempotency-key"] for came in server.came}) == 1
    assert [pause >= 2 for pause in pauses] == [True] * 5 + [False, True, True]


@pytest.mark.parametrize(
    ("options", "asked", "waits"),
    [
        ({}, 25, 2),
        ({}, 61, 0),
        ({"rate_limit_wait": 24.9}, 25, 0),
        ({"rate_limit_wait": 0}, 1, 0),
        ({"rate_limit_wait": 3_600, "max_retries": 1}, 3_600, 1),
        ({"max_retries": 0}, 1, 0),
    ],
)
def test_the_rate_limit_is_waited_for_so_long_in_all(
    server: ScriptedServer, pauses: list[float], monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], asked: int, waits: int
) -> None:
    monkeypatch.setattr("everpost._calls.random.random", lambda: 0.0)
    server.answers = [limited(asked)] * (waits + 1)
    with pytest.raises(EverpostError) as raised:
        send(client_of(server, **options))
    assert (raised.value.code, raised.value.retry_after) == ("rate_limited", asked)
    assert pauses == [asked] * waits
    # As the options of one call.
    server.answers = [limited(asked)] * (waits + 1)
    with pytest.raises(EverpostError):
        send(client_of(server).with_options(**options))
    assert pauses == [asked] * waits * 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate_limit_wait": -1}, "rate_limit_wait is -1: give seconds, 0 to wait for none"),
        ({"rate_limit_wait": float("nan")}, "rate_limit_wait is nan"),
        ({"rate_limit_wait": None}, "rate_limit_wait is None"),
        ({"total_timeout": 0}, "total_timeout is 0: give seconds above 0, or None for no limit"),
        ({"total_timeout": float("nan")}, "total_timeout is nan"),
        ({"total_timeout": "5"}, "total_timeout is '5'"),
        ({"timeout": 0}, "timeout is 0: give seconds above 0, at most 2000000"),
        ({"timeout": -1}, "timeout is -1"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"timeout": float("inf")}, "timeout is inf"),
        ({"timeout": None}, "timeout is None: .* total_timeout is that of a whole call"),
        ({"timeout": True}, "timeout is True"),
        ({"max_retries": -1}, "max_retries is -1: give a whole number, 0 to try once"),
        ({"max_retries": None}, "max_retries is None"),
        ({"max_retries": True}, "max_retries is True"),
        ({"max_retries": 1.5}, "max_retries is 1.5"),
    ],
)
@pytest.mark.parametrize("kind", [Everpost, AsyncEverpost])
def test_an_option_that_cannot_be_one_is_refused_before_anything_is_asked_for(
    kind: type[Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{words}"):
        kind("ep_live_x", **options)
    with pytest.raises((TypeError, ValueError), match=f"^{words}"):
        kind("ep_live_x").with_options(**options)


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (Everpost, {"api_key": b"ep_live_SECRET"}, "api_key: give a text, not bytes"),
        (Everpost, {"api_key": "x", "base_url": 3000}, "base_url: give a text, not int"),
        (Everpost, {"api_key": "x", "http_client": httpx.AsyncClient()}, "http_client is AsyncClient: give an httpx.Client"),
        (AsyncEverpost, {"api_key": "x", "http_client": httpx.Client()}, "http_client is Client: give an httpx.AsyncClient"),
    ],
)
def test_an_option_of_another_kind_is_refused_at_once(kind: type[Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=f"^{words}") as raised:
        kind(**options)
    assert "SECRET" not in repr(raised.value)


def in_time(client: Everpost) -> tuple[str, float]:
    """The code of the error that a call ends with, and how long it took."""
    begun = time.monotonic()
    with pytest.raises(EverpostError) as raised:
        client.me()
    return raised.value.code, time.monotonic() - begun


async def in_time_with_asyncio(server: ScriptedServer, **options: Any) -> tuple[str, float]:
    async with AsyncEverpost("ep_live_x", base_url=server.url, **options) as client:
        begun = time.monotonic()
        with pytest.raises(EverpostError) as raised:
            await client.me()
        return raised.value.code, time.monotonic() - begun


#: What would take longer than its caller has, and the error that it then is.
SLOW = [
    pytest.param([SILENT], "timed_out", id="no answer"),
    pytest.param([Answer(body={"ok": True, "of": "x" * 99}, pace=0.05)], "timed_out", id="an answer byte by byte"),
    pytest.param([Answer(500, BROKEN.body, pace=0.05)], "timed_out", id="a refusal byte by byte"),
    pytest.param([BROKEN, SILENT], "timed_out", id="no answer to the second try"),
]
#: What would be tried again when the time is over.
TOO_LATE = [
    pytest.param([limited(5)], "rate_limited", id="a rate limit"),
    pytest.param([BUSY], "unavailable", id="a pause"),
]


@pytest.mark.parametrize(("answers", "code"), SLOW)
def test_a_call_ends_when_its_total_timeout_is_over(server: ScriptedServer, answers: list[Any], code: str) -> None:
    server.answers = list(answers)
    ended, took = in_time(client_of(server, total_timeout=0.9))
    assert ended == code
    assert 0.8 < took < 1.5


@pytest.mark.anyio
@pytest.mark.parametrize(("answers", "code"), SLOW)
async def test_a_call_with_asyncio_ends_when_its_total_timeout_is_over(
    server: ScriptedServer, answers: list[Any], code: str
) -> None:
    server.answers = list(answers)
    ended, took = await in_time_with_asyncio(server, total_timeout=0.9)
    assert ended == code
    assert 0.8 < took < 1.5


@pytest.mark.parametrize(("answers", "code"), TOO_LATE)
def test_a_try_that_would_come_after_the_total_timeout_is_not_waited_for(
    server: ScriptedServer, answers: list[Any], code: str
) -> None:
    server.answers = list(answers)
    ended, took = in_time(client_of(server).with_options(total_timeout=2))
    assert (ended, took < 1) == (code, True)


@pytest.mark.anyio
@pytest.mark.parametrize(("answers", "code"), TOO_LATE)
async def test_a_try_with_asyncio_that_would_come_after_the_total_timeout_is_not_waited_for(
    server: ScriptedServer, answers: list[Any], code: str
) -> None:
    server.answers = list(answers)
    ended, took = await in_time_with_asyncio(server, total_timeout=2)
    assert (ended, took < 1) == (code, True)


def test_an_export_that_has_begun_in_time_may_take_its_time(server: ScriptedServer) -> None:
    server.answers = [Answer(200, b"email\nada@example.com\n", pace=0.05)]
    begun = time.monotonic()
    with client_of(server, total_timeout=0.5).contacts.export() as export:
        assert list(export.iter_lines()) == ["email", "ada@example.com"]
    assert time.monotonic() - begun > 0.5


@pytest.mark.parametrize("failure", [BROKEN, BUSY, GATEWAY, DROP])
def test_what_would_be_done_twice_is_not_tried_again(server: ScriptedServer, pauses: list[float], failure: Any) -> None:
    server.answers = [failure, failure]
    client = client_of(server)
    with pytest.raises(EverpostError):
        client.sends.retry("0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e01")
    with pytest.raises(EverpostError):
        client.sequences.replace("welcome", nodes=[], edges=[], if_version=3)
    assert len(server.came) == 2


@pytest.mark.parametrize("failure", [BROKEN, BUSY, GATEWAY, DROP])
def test_a_change_of_a_version_that_takes_a_key_is_tried_again_under_it(
    server: ScriptedServer, pauses: list[float], failure: Any
) -> None:
    server.answers = [failure, Answer(), failure, Answer()]
    client = client_of(server)
    client.campaigns.launch("0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e01", if_version=1)
    client.recurring_campaigns.skip_next("0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e01", if_version=1, idempotency_key="skip-7")
    launch, again, *skips = server.came
    assert launch.headers["idempotency-key"] == again.headers["idempotency-key"]
    assert [came.headers["idempotency-key"] for came in skips] == ["skip-7"] * 2


def test_a_refusal_before_anything_is_done_is_tried_again_whatever_the_call_is(server: ScriptedServer, pauses: list[float]) -> None:
    server.answers = [LIMITED, LIMITED]
    client_of(server).sends.retry("0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e01")
    assert len(server.came) == 3


@pytest.mark.parametrize("failure", [BROKEN, BUSY, GATEWAY, DROP])
def test_what_is_safe_to_repeat_is_tried_again_without_a_key(server: ScriptedServer, pauses: list[float], failure: Any) -> None:
    server.answers = [failure, Answer(), failure, Answer(), failure, Answer()]
    client = client_of(server)
    client.contacts.list()
    client.contacts.upsert(email="ada@example.com")
    client.sequences.replace("welcome", nodes=[], edges=[])
    assert len(server.came) == 6
    assert not any("idempotency-key" in came.headers for came in server.came)


def test_tries_end(server: ScriptedServer, pauses: list[float]) -> None:
    server.answers = [BUSY] * 9
    with pytest.raises(EverpostError) as raised:
        send(client_of(server, max_retries=2))
    assert (raised.value.code, raised.value.status) == ("unavailable", 503)
    assert len(server.came) == 3
    with pytest.raises(EverpostError):
        send(client_of(server).with_options(max_retries=0))
    assert len(server.came) == 4


def test_refusals_are_not_tried_again(server: ScriptedServer, pauses: list[float]) -> None:
    issues = [{"path": "to", "message": "not a valid address"}]
    body = {"ok": False, "error": "to: not a valid address", "code": "invalid_request", "issues": issues}
    server.answers = [Answer(422, body, {"X-Request-Id": "r-1"})]
    with pytest.raises(EverpostError) as raised:
        send(client_of(server))
    error = raised.value
    assert (error.code, error.status, error.message, error.request_id) == ("invalid_request", 422, body["error"], "r-1")
    assert error.issues == issues
    assert str(error) == "to: not a valid address (invalid_request)"
    assert len(server.came) == 1


@pytest.mark.anyio
async def test_the_asynchronous_client_tries_again_alike(server: ScriptedServer, pauses: list[float]) -> None:
    server.answers = [DROP, LIMITED, SENT]
    async with AsyncEverpost("ep_live_x", base_url=server.url) as client:
        assert (await client.send(to="ada@example.com", template="welcome"))["id"] == "1@a.example"
    assert len({came.headers["idempotency-key"] for came in server.came}) == 1
    assert 2 <= pauses[1] <= 3
    server.answers = [DROP]
    async with AsyncEverpost("ep_live_x", base_url=server.url) as client:
        with pytest.raises(EverpostError) as raised:
            await client.sends.retry("0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e01")
    assert raised.value.code == "connection_failed"


@pytest.mark.anyio
async def test_a_limit_of_asyncio_ends_a_call_with_its_pauses_and_leaves_the_client_as_it_was(server: ScriptedServer) -> None:
    server.answers = [Answer(429, LIMITED.body, {"Retry-After": "60"})]
    async with AsyncEverpost("ep_live_x", base_url=server.url) as client:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(client.send(to="ada@example.com", template="welcome"), 0.2)
        server.answers = []
        await client.me()


@pytest.mark.parametrize("client", [Everpost, AsyncEverpost])
def test_the_readme_lists_every_option_with_its_default(client: type[Any]) -> None:
    readme = Path(__file__).parent.parent.joinpath("README.md").read_text(encoding="utf8")
    listed: dict[str, str] = dict(re.findall(r"^\| `(\w+)`[^|]* \| ([^|]*) \|", readme, flags=re.MULTILINE))
    options = inspect.signature(client).parameters
    assert listed.keys() == options.keys()
    for name, option in options.items():
        if isinstance(option.default, (int, float)):
            assert float(listed[name]) == option.default


def test_a_key_of_the_caller_is_taken(server: ScriptedServer) -> None:
    client = client_of(server)
    client.send(to="ada@example.com", template="welcome", idempotency_key="order-7")
    client.send({"to": "ada@example.com", "template": "welcome", "idempotencyKey": "order-8"})
    assert server.came[0].headers["idempotency-key"] == "order-7"
    # It stands in the body: two keys would be refused.
    assert "idempotency-key" not in server.came[1].headers
    assert json.loads(server.came[1].body)["idempotencyKey"] == "order-8"


def test_what_is_left_out_is_not_sent_and_none_is_null(server: ScriptedServer) -> None:
    client_of(server).contacts.upsert(email="ada@example.com", first_name=None)
    assert json.loads(server.came[0].body) == {"email": "ada@example.com", "firstName": None}


def test_a_day_is_its_date(server: ScriptedServer) -> None:
    client_of(server).send(to="ada@example.com", template="booking", data={"day": date(2026, 6, 1)})
    assert json.loads(server.came[0].body)["data"] == {"day": "2026-06-01"}


def test_instants_have_a_time_zone(server: ScriptedServer) -> None:
    client = client_of(server)
    at = datetime(2026, 6, 1, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    client.sends.reschedule("1", send_at=at)
    assert json.loads(server.came[0].body) == {"sendAt": "2026-06-01T12:30:00Z"}
    client.sends.list(from_=at)
    assert server.came[1].path == "/api/v1/sends?from=2026-06-01T12%3A30%3A00Z"
    with pytest.raises(ValueError, match="no time zone"):
        client.sends.reschedule("1", send_at=datetime(2026, 6, 1))


def test_yes_and_no_stand_as_the_api_has_them(server: ScriptedServer) -> None:
    client = client_of(server)
    client.campaigns.list(under_way=False)
    client.sequences.replace("welcome", nodes=[], edges=[], dry_run=True)
    client.sequences.replace("welcome", nodes=[], edges=[], dry_run=False)
    assert [came.path for came in server.came] == [
        "/api/v1/campaigns?underWay=false",
        "/api/v1/sequences/welcome?dryRun=1",
        "/api/v1/sequences/welcome",
    ]


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_that_names_nothing_is_not_sent(server: ScriptedServer, id: str) -> None:
    with pytest.raises(ValueError, match="names nothing"):
        client_of(server).contacts.delete(id)
    assert server.came == []


def test_an_argument_that_is_not_known_is_told_with_the_right_one(server: ScriptedServer) -> None:
    unknown = cast(Any, client_of(server).contacts)
    with pytest.raises(TypeError, match="did you mean first_name"):
        unknown.upsert(email="ada@example.com", firstname="Ada")
    with pytest.raises(TypeError, match="not both"):
        unknown.upsert({"email": "ada@example.com"}, email="ada@example.com")
    assert server.came == []


def test_iterators_ask_for_the_next_page_when_it_is_needed(server: ScriptedServer) -> None:
    server.answers = [
        Answer(body={"ok": True, "contacts": [{"id": "1"}, {"id": "2"}], "nextCursor": "two&"}),
        Answer(body={"ok": True, "contacts": [{"id": "3"}], "nextCursor": None}),
    ]
    contacts = client_of(server).contacts.iterate(tag="vip")
    assert next(contacts)["id"] == "1"
    assert len(server.came) == 1
    assert [each["id"] for each in contacts] == ["2", "3"]
    assert [came.path for came in server.came] == ["/api/v1/contacts?tag=vip", "/api/v1/contacts?tag=vip&cursor=two%26"]


def test_versions_go_on_before_the_last_one(server: ScriptedServer) -> None:
    server.answers = [
        Answer(body={"ok": True, "versions": [{"version": 9}, {"version": 7}]}),
        Answer(body={"ok": True, "versions": [{"version": 2}]}),
        Answer(body={"ok": True, "versions": []}),
    ]
    found = [each["version"] for each in client_of(server).sequences.iterate_versions("welcome", limit=2)]
    assert found == [9, 7, 2]
    assert [came.path.partition("?")[2] for came in server.came] == ["limit=2", "limit=2&before=7", "limit=2&before=2"]


def test_what_is_not_everpost_is_told_as_that(server: ScriptedServer, pauses: list[float]) -> None:
    server.answers = [Answer(200, b"<h1>Hello</h1>"), Answer(200, b"[]"), Answer(200, b'"hello"'), Answer(404, b"nothing here")]
    for _ in range(4):
        with pytest.raises(EverpostError, match="check base_url") as raised:
            client_of(server).me()
        assert raised.value.code == "unexpected_answer"


@pytest.mark.parametrize("body", [{}, {"ok": False, "error": "nope", "code": "send_failed"}, {"ok": 1}, {"id": "1@a.example"}])
def test_an_answer_that_does_not_say_ok_is_no_success(server: ScriptedServer, body: Any) -> None:
    server.answers = [Answer(200, body)]
    with pytest.raises(EverpostError, match="check base_url, or EVERPOST_URL") as raised:
        send(client_of(server))
    assert (raised.value.code, raised.value.status) == ("unexpected_answer", 200)
    assert len(server.came) == 1


@pytest.mark.anyio
async def test_an_answer_that_does_not_say_ok_is_no_success_with_asyncio(server: ScriptedServer) -> None:
    server.answers = [Answer(200, {})]
    async with AsyncEverpost("ep_live_x", base_url=server.url) as client:
        with pytest.raises(EverpostError) as raised:
            await client.send(to="ada@example.com", template="welcome")
    assert raised.value.code == "unexpected_answer"


def test_answers_that_never_say_ok_are_taken_without_it(server: ScriptedServer) -> None:
    server.answers = [Answer(200, {"openapi": "3.1.0"}), Answer(200, {"contact": {"id": "1"}})]
    client = client_of(server)
    assert client.service.openapi()["openapi"] == "3.1.0"
    assert client.contacts.export_person("1")["contact"]["id"] == "1"


def test_an_error_is_the_same_from_another_process_and_as_a_copy(server: ScriptedServer) -> None:
    body = {"error": "too many", "code": "invalid_request", "issues": [{"path": "to", "message": "is required"}]}
    server.answers = [Answer(422, body, {"X-Request-Id": "r1", "Retry-After": "7"})]
    with pytest.raises(EverpostError) as raised:
        client_of(server).me()
    for again in (pickle.loads(pickle.dumps(raised.value)), copy.copy(raised.value), copy.deepcopy(raised.value)):
        assert type(again) is EverpostError
        assert (str(again), vars(again)) == (str(raised.value), vars(raised.value))
        assert (again.code, again.status, again.request_id, again.issues[0]["path"]) == ("invalid_request", 422, "r1", "to")


def test_a_server_that_is_away_is_told_with_its_address(pauses: list[float]) -> None:
    with pytest.raises(EverpostError, match="127.0.0.1:9/api/v1/me cannot be reached: .*EVERPOST_URL") as raised:
        Everpost("ep_live_x", base_url="http://127.0.0.1:9").me()
    assert raised.value.code == "connection_failed"
    assert len(pauses) == 3


def test_key_and_address_come_from_the_environment(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERPOST_API_KEY", "ep_live_env")
    monkeypatch.setenv("EVERPOST_URL", f"{server.url}/api/v1/")
    Everpost().me()
    assert (server.came[0].path, server.came[0].headers["authorization"]) == ("/api/v1/me", "Bearer ep_live_env")
    monkeypatch.delenv("EVERPOST_API_KEY")
    with pytest.raises(EverpostError, match="EVERPOST_API_KEY") as raised:
        Everpost()
    assert raised.value.code == "missing_api_key"


@pytest.mark.parametrize("key", ["ep_live_SECRET\nmore", "ep_live_SECRET…", "ep live SECRET"])
def test_a_key_that_cannot_be_one_is_refused_at_once_and_never_shown(key: str) -> None:
    for kind in (Everpost, AsyncEverpost):
        with pytest.raises(ValueError, match="the API key has characters") as raised:
            kind(key)
        assert "SECRET" not in repr(raised.value)


def test_a_key_from_a_file_loses_its_line_break(server: ScriptedServer) -> None:
    Everpost("ep_live_SECRET\n", base_url=server.url).me()
    assert server.came[0].headers["authorization"] == "Bearer ep_live_SECRET"


@pytest.mark.parametrize("url", ["mail.example.com", "localhost:3000", "", "ftp://mail.example.com", "http://"])
def test_an_address_that_cannot_be_one_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="^base_url is '.*': give a whole address"):
        Everpost("ep_live_x", base_url=url)


def test_an_address_of_the_environment_that_cannot_be_one_is_told_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERPOST_URL", "nonsense")
    with pytest.raises(ValueError, match="^EVERPOST_URL is 'nonsense': set it to a whole address"):
        Everpost("ep_live_x")


def test_what_cannot_be_sent_is_told_in_words(server: ScriptedServer) -> None:
    client = cast(Any, client_of(server))
    with pytest.raises(TypeError, match="leave it out"):
        client.send(to="ada@example.com", template="welcome", idempotency_key=None)
    for key in ("größe", "", " ", "order 7", "k" * 201):
        with pytest.raises(ValueError, match="^idempotency_key: .* cannot be sent: give 1 to 200 letters"):
            client.send(to="ada@example.com", template="welcome", idempotency_key=key)
    with pytest.raises(TypeError, match="names nothing"):
        client.contacts.get(None)
    with pytest.raises(TypeError, match="pathlib.Path"):
        client.files.upload(file="x.txt")
    with pytest.raises(TypeError, match="Decimal cannot be sent as JSON: give a text or a number"):
        client.send(to="ada@example.com", template="receipt", data={"total": Decimal("40.50")})
    with pytest.raises(TypeError, match="'rb'"):
        client.files.upload(file=io.StringIO("x"))
    assert server.came == []


@pytest.mark.parametrize(
    ("data", "at"),
    [({"name": "\ud83d"}, "data.name"), ({"rows": [{"a": 1}, ["x", "y\udc00"]]}, r"data.rows\[1\]\[1\]"), ({"\udc00": 1}, "data")],
)
def test_half_of_a_character_is_told_with_where_it_is(server: ScriptedServer, data: dict[str, Any], at: str) -> None:
    client = cast(Any, client_of(server))
    with pytest.raises(ValueError, match=f"^send: {at}: '.ud[0-9a-f]+' is half of a character and cannot be sent") as raised:
        client.send(to="ada@example.com", template="welcome", data=data)
    assert type(raised.value) is ValueError
    with pytest.raises(ValueError, match=r"^contacts.upsert: \[1\].email: "):
        client.contacts.upsert([{"email": "ada@example.com"}, {"email": "\ud83d"}])
    with pytest.raises(ValueError, match="^contacts.list: tag: "):
        client.contacts.list(tag="\ud83d")
    with pytest.raises(ValueError, match="^contacts.get: path: "):
        client.contacts.get("\ud83d")
    assert server.came == []


@pytest.mark.parametrize("value", [["a", "b"], ("a",), {"a": 1}, b"a", Decimal("1")])
def test_a_query_takes_one_text_number_or_instant(server: ScriptedServer, value: Any) -> None:
    contacts = cast(Any, client_of(server).contacts)
    with pytest.raises(TypeError, match=f"^contacts.list: tag: give one text, number or instant, not {type(value).__name__}"):
        contacts.list(tag=value)
    assert server.came == []
    contacts.list(tag="a", status=None, limit=5, q=uuid.UUID(int=7), cursor=date(2026, 6, 1))
    assert server.came[0].path == f"/api/v1/contacts?tag=a&q={uuid.UUID(int=7)}&limit=5&cursor=2026-06-01"


def test_a_file_has_the_type_of_its_name(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(b"x")
    client_of(server).files.upload(file=tmp_path / "logo.png")
    assert b"Content-Type: image/png" in server.came[0].body


def test_a_client_with_other_settings_leaves_the_connections_open(server: ScriptedServer) -> None:
    client = client_of(server)
    with client.with_options(max_retries=0) as other:
        other.me()
    client.me()
    assert len(server.came) == 2


def test_a_call_after_close_is_told_in_words(server: ScriptedServer) -> None:
    client = client_of(server)
    other = client.with_options(max_retries=0)
    client.close()
    client.close()
    for closed in (client, other):
        with pytest.raises(RuntimeError, match="^this client is closed: make another"):
            closed.me()
    with pytest.raises(RuntimeError, match="^this client is closed: make another"):
        client.contacts.export()
    assert server.came == []


@pytest.mark.anyio
async def test_a_call_after_close_is_told_in_words_with_asyncio(server: ScriptedServer) -> None:
    client = AsyncEverpost("ep_live_x", base_url=server.url)
    await client.close()
    with pytest.raises(RuntimeError, match="^this client is closed: make another"):
        await client.me()


@pytest.mark.parametrize("again", [AsyncEverpost.me, lambda client: client.with_options(max_retries=0).me(), AsyncEverpost.close])
def test_a_client_that_is_taken_to_another_event_loop_is_told_in_words(server: ScriptedServer, again: Callable[[Any], Any]) -> None:
    client = AsyncEverpost("ep_live_x", base_url=server.url)
    asyncio.run(client.me())
    with pytest.raises(RuntimeError, match="^this AsyncEverpost was used in another event loop: make one in each"):
        asyncio.run(again(client))


#: More is announced than comes.
HALF = Answer(200, b"email\nada@example.com\n", {"Content-Length": "100"})
NO_GZIP = Answer(200, b"not packed", {"Content-Encoding": "gzip"})


@pytest.mark.parametrize(("answer", "code"), [(HALF, "connection_failed"), (NO_GZIP, "unexpected_answer")])
def test_an_export_that_breaks_off_is_an_everpost_error_and_leaves_no_half_file(
    server: ScriptedServer, tmp_path: Path, answer: Answer, code: str
) -> None:
    target = tmp_path / "people.csv"
    target.write_text("as before")
    server.answers = [answer] * 3
    client = client_of(server)
    with client.contacts.export() as export, pytest.raises(EverpostError) as raised:
        list(export.iter_lines())
    assert raised.value.code == code
    with client.contacts.export() as export, pytest.raises(EverpostError):
        export.text()
    with pytest.raises(EverpostError):
        client.contacts.export().save(target)
    assert [each.name for each in tmp_path.iterdir()] == ["people.csv"]
    assert target.read_text() == "as before"
    server.answers = [Answer(200, b"whole")]
    client.contacts.export().save(target)
    assert target.read_text() == "whole"


@pytest.mark.anyio
async def test_an_export_that_breaks_off_is_an_everpost_error_with_asyncio(server: ScriptedServer, tmp_path: Path) -> None:
    server.answers = [HALF] * 2
    async with AsyncEverpost("ep_live_x", base_url=server.url) as client:
        with pytest.raises(EverpostError):
            [line async for line in (await client.contacts.export()).iter_lines()]
        with pytest.raises(EverpostError):
            await (await client.contacts.export()).save(tmp_path / "people.csv")
    assert list(tmp_path.iterdir()) == []
