from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import pytest

from everpost import Everpost, WebhookEvent, WebhookVerificationError, models, verify_webhook

from .scripted_server import ScriptedServer

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()
BODY = b'{"id":"1","type":"email.sent","timestamp":"2026-06-01T12:00:00.000Z","data":{"email":"\xc3\xa4@example.com"}}'


def signed(body: bytes = BODY, *, secrets: list[str] | None = None, age: float = 0, **changes: str) -> dict[str, str]:
    timestamp = str(int(time.time() - age))
    signatures = []
    for secret in secrets or [SECRET]:
        key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
        digest = hmac.new(key, b"msg_1." + timestamp.encode() + b"." + body, hashlib.sha256).digest()
        signatures.append("v1," + base64.b64encode(digest).decode())
    headers = {"webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": " ".join(signatures)}
    return {**headers, **{f"webhook-{name}": value for name, value in changes.items()}}


@pytest.mark.parametrize("body", [BODY, BODY.decode(), bytearray(BODY), memoryview(BODY)])
def test_what_is_signed_is_taken(body: bytes | bytearray | memoryview | str) -> None:
    event = verify_webhook(signed(), body, SECRET)
    assert event["type"] == "email.sent"
    assert event["data"]["email"] == "ä@example.com"


def test_names_of_headers_have_any_case() -> None:
    assert verify_webhook({name.title(): value for name, value in signed().items()}, BODY, SECRET)["id"] == "1"


def test_while_a_secret_is_changed_either_is_taken() -> None:
    # The server signs with both, or the receiver knows both.
    assert verify_webhook(signed(secrets=[OTHER, SECRET]), BODY, SECRET)
    assert verify_webhook(signed(secrets=[SECRET]), BODY, [OTHER, SECRET])
    plain = "a secret of one's own"
    assert verify_webhook(signed(secrets=[plain]), BODY, plain)


REFUSED: dict[str, tuple[dict[str, str], bytes]] = {
    "another secret": (signed(secrets=[OTHER]), BODY),
    "another body": (signed(), BODY.replace(b"email.sent", b"email.open")),
    "another id": (signed(id="msg_2"), BODY),
    "another time": (signed(timestamp=str(int(time.time()) - 9)), BODY),
    "signed long ago": (signed(age=301), BODY),
    "signed in the future": (signed(age=-600), BODY),
    "a time that is none": (signed(timestamp="now"), BODY),
    "a time in other digits": (signed(timestamp="١٢٣"), BODY),
    "a very long time": (signed(timestamp="9" * 5000), BODY),
    "no signature": (signed(signature=""), BODY),
    "another version": (signed(signature=signed()["webhook-signature"].replace("v1,", "v1a,")), BODY),
    "not base64": (signed(signature="v1,ä"), BODY),
    "no header": ({}, BODY),
    "signed, and not JSON": (signed(b"hello"), b"hello"),
    "an id that has no bytes": (signed(id="\ud83d"), BODY),
}


@pytest.mark.parametrize(("headers", "body"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_signed_is_refused(headers: dict[str, str], body: bytes) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(headers, body, SECRET)


def test_a_text_that_no_bytes_are_is_refused() -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(signed(), BODY.decode() + "\udcff", SECRET)


@pytest.mark.parametrize("secret", [None, "", [], [SECRET, ""], [None]])
@pytest.mark.parametrize("headers", [signed(), {}])
def test_a_missing_secret_is_told_in_words_whatever_was_called(secret: Any, headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="the secret is missing: .*EVERPOST_WEBHOOK_SECRET") as raised:
        verify_webhook(headers, BODY, secret)
    assert not isinstance(raised.value, WebhookVerificationError)


def test_a_secret_from_a_file_loses_its_line_break() -> None:
    assert verify_webhook(signed(), BODY, f"{SECRET}\n")["id"] == "1"


def whsec(length: int) -> str:
    return "whsec_" + base64.b64encode(b"k" * length).decode()


@pytest.mark.parametrize(
    "secret",
    [
        *("whsec_", whsec(1), whsec(23), whsec(65), "whsec_ä", whsec(32) + "===="),
        *("x", "x" * 15, "x" * 129, "\ud83d" * 16),
        [SECRET, "whsec_"],
    ],
)
@pytest.mark.parametrize("headers", [signed(), {}])
def test_a_secret_that_no_endpoint_has_is_told_in_words_whatever_was_called(secret: Any, headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="^verify_webhook: no endpoint has this secret: give it whole") as raised:
        verify_webhook(headers, BODY, secret)
    assert not isinstance(raised.value, WebhookVerificationError)


@pytest.mark.parametrize("secret", [b"whsec_", 7, [b"whsec_"]])
def test_a_secret_that_is_no_text_is_told_in_words(secret: Any) -> None:
    with pytest.raises(TypeError, match="^verify_webhook: the secret: give a text, or a list of texts"):
        verify_webhook(signed(), BODY, secret)


@pytest.mark.parametrize("secret", [whsec(24), whsec(64), "x" * 16, "x" * 128, "😀" * 8])
def test_a_secret_of_every_length_that_an_endpoint_may_have_is_taken(secret: str) -> None:
    assert verify_webhook(signed(secrets=[secret]), BODY, secret)["id"] == "1"


@pytest.mark.parametrize("tolerance", [float("nan"), -1, None, True, "300"])
def test_a_tolerance_that_is_no_time_is_told_in_words_and_takes_nothing(tolerance: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="^tolerance is .*: give seconds, 0 or more") as raised:
        verify_webhook(signed(age=1_000_000), BODY, SECRET, tolerance=tolerance)
    assert not isinstance(raised.value, WebhookVerificationError)


def test_a_body_that_was_read_already_is_told_in_words() -> None:
    with pytest.raises(TypeError, match="body: give the bytes of the request, .* not dict"):
        verify_webhook(signed(), cast(Any, json.loads(BODY)), SECRET)


BOUNCED = {"send_id": "1", "email": "bo@example.com", "subject": "Hello"}
UNSUBSCRIBED = {"id": "1", "email": "una@example.com", "topics": {"news": False}}


@pytest.mark.parametrize(
    ("type", "data", "words"),
    [
        ("email.bounced", BOUNCED, "bo@example.com soft"),
        ("email.bounced", {**BOUNCED, "bounce": {"kind": "hard"}}, "bo@example.com hard"),
        ("contact.unsubscribed", UNSUBSCRIBED, "una@example.com {'news': False}"),
        ("of.a_newer_server", {}, ""),
    ],
)
def test_the_receiver_of_the_readme_takes_what_lacks_all_that_may_be_absent(
    capsys: pytest.CaptureFixture[str], type: str, data: dict[str, Any], words: str
) -> None:
    readme = Path(__file__).parent.parent.joinpath("README.md").read_text(encoding="utf8")
    [code] = re.findall(r"^```python webhooks\.py\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)
    shown: dict[str, Any] = {}
    exec(code, shown)
    body = json.dumps({"id": "1", "type": type, "timestamp": "2026-06-01T12:00:00.000Z", "data": data}).encode()
    assert shown["receive"](signed(body), body, SECRET) == 204
    assert capsys.readouterr().out.strip() == words


def test_every_type_of_event_has_its_type() -> None:
    known = {name for each in get_args(WebhookEvent) for name in get_args(get_type_hints(each)["type"])}
    assert known == {*get_args(models.WebhookEventType), "webhook.ping"}


def test_a_real_delivery_is_taken(everpost: Everpost, server: ScriptedServer) -> None:
    endpoint = everpost.webhooks.create(url=f"{server.url}/hook")
    everpost.contacts.upsert(email="grace@example.com", first_name="Grace", status="subscribed")
    everpost.webhooks.ping(endpoint["endpoint"]["id"])
    deadline = time.monotonic() + 30
    events: dict[str, WebhookEvent] = {}
    while set(events) != {"contact.subscribed", "webhook.ping"}:
        assert time.monotonic() < deadline, f"only {set(events)} came"
        events |= {json.loads(came.body)["type"]: verify_webhook(came.headers, came.body, endpoint["secret"]) for came in server.came}
        time.sleep(0.05)
    subscribed = events["contact.subscribed"]
    assert subscribed["type"] == "contact.subscribed"
    assert subscribed["data"]["first_name"] == "Grace"
    everpost.webhooks.delete(endpoint["endpoint"]["id"])
    with pytest.raises(WebhookVerificationError):
        verify_webhook(server.came[0].headers, server.came[0].body + b" ", endpoint["secret"])
