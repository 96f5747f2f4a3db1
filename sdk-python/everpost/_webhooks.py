from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, List, Literal, Mapping, Sequence, TypedDict, Union, cast

from typing_extensions import NotRequired

from ._errors import WebhookVerificationError
from ._generated import models as m

PREFIX = "whsec_"


class EmailData(TypedDict):
    """An email that something happened to."""

    send_id: str
    provider_id: Union[str, None]
    contact_id: Union[str, None]
    email: str
    template: Union[str, None]
    type: m.SendType
    subject: Union[str, None]
    brand_id: str
    source_type: m.SendSource
    source_id: Union[str, None]
    tags: NotRequired[List[str]]
    metadata: NotRequired[Mapping[str, str]]
    copy: NotRequired[bool]
    sandboxed: NotRequired[bool]


class ClickedEmailData(EmailData):
    url: str


class BouncedEmailData(EmailData):
    bounce: m.Bounce


class ConfirmedContactData(m.Contact):
    confirmed_at: str


class ChangedTopicsData(m.Contact):
    changed_topics: Mapping[str, Any]


class CompletedSequenceData(TypedDict):
    enrollment_id: str
    sequence_key: str
    contact_id: str
    reason: m.EndReason
    sandboxed: NotRequired[bool]


class DomainProblem(TypedDict):
    purpose: str
    problem: str


class DomainData(TypedDict):
    domain_id: str
    domain: str
    standing: str
    verified: bool
    failing_since: Union[str, None]
    problems: List[DomainProblem]


class _Event(TypedDict):
    id: str
    """The same for all endpoints: keep it to know an event that comes twice."""
    timestamp: str
    """When it happened"""


class ContactEvent(_Event):
    type: Literal["contact.subscribed", "contact.unsubscribed"]
    data: m.Contact


class ContactTopicsChangedEvent(_Event):
    type: Literal["contact.topics_changed"]
    data: ChangedTopicsData


class ContactConfirmedEvent(_Event):
    type: Literal["contact.confirmed"]
    data: ConfirmedContactData


class EmailEvent(_Event):
    type: Literal["email.sent", "email.delivered", "email.opened", "email.complained"]
    data: EmailData


class EmailClickedEvent(_Event):
    type: Literal["email.clicked"]
    data: ClickedEmailData


class EmailBouncedEvent(_Event):
    type: Literal["email.bounced"]
    data: BouncedEmailData


class SequenceCompletedEvent(_Event):
    type: Literal["sequence.completed"]
    data: CompletedSequenceData


class CampaignCompletedEvent(_Event):
    type: Literal["campaign.completed"]
    data: m.Campaign


class DomainEvent(_Event):
    type: Literal["domain.verified", "domain.failing"]
    data: DomainData


class PingEvent(_Event):
    type: Literal["webhook.ping"]
    data: Mapping[str, Any]


#: What a webhook says. `event["type"]` tells which it is. A server that is newer may tell others: let them pass.
WebhookEvent = Union[
    ContactEvent,
    ContactTopicsChangedEvent,
    ContactConfirmedEvent,
    EmailEvent,
    EmailClickedEvent,
    EmailBouncedEvent,
    SequenceCompletedEvent,
    CampaignCompletedEvent,
    DomainEvent,
    PingEvent,
]


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
) -> WebhookEvent:
    """The event of a request whose signature is right; raises WebhookVerificationError for any other.

    `body` is the body exactly as it came, not JSON that was read and written again. `secret` is that of the endpoint, or several while you
    change it. `tolerance`: how many seconds ago it may have been signed, or how far the clocks may differ.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = given["webhook-id"], given["webhook-timestamp"], given["webhook-signature"]
    except KeyError as missing:
        raise WebhookVerificationError(f"the header {missing.args[0]} is missing") from None
    # Digits of ASCII alone: int() takes much else, and the text is what is signed.
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("it was not signed just now: the header webhook-timestamp is too far from this clock")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{id}.{timestamp}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(secrets):
        raise ValueError("secret: there is none; POST /webhooks answered it, and rotate makes a new one")
    expected = [hmac.new(key_of(each), signed, hashlib.sha256).digest() for each in secrets]
    came = [signature for each in signatures.split(" ") if (signature := signature_of(each)) is not None]
    # Each is compared, so that the time tells nothing.
    matches = [hmac.compare_digest(one, other) for one in expected for other in came]
    if not any(matches):
        raise WebhookVerificationError("no signature in the header webhook-signature is of this body and secret")
    try:
        event = json.loads(raw)
    except ValueError:
        raise WebhookVerificationError("the body is not JSON") from None
    return cast(WebhookEvent, event)


def key_of(secret: str) -> bytes:
    if not secret.startswith(PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret[len(PREFIX) :], validate=True)
    except ValueError:
        raise ValueError(f"secret: what is behind {PREFIX} is not base64") from None


def signature_of(text: str) -> bytes | None:
    version, _, encoded = text.partition(",")
    try:
        return base64.b64decode(encoded, validate=True) if version == "v1" else None
    except ValueError:
        return None
