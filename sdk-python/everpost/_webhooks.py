from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Mapping, Sequence, cast

from ._errors import WebhookVerificationError
from ._generated.models import WebhookEvent

PREFIX = "whsec_"
NO_SECRET = (
    "verify_webhook: the secret is missing: give the endpoint's, whsec_…, which webhooks.create has answered, "
    'as verify_webhook(headers, body, os.environ["EVERPOST_WEBHOOK_SECRET"])'
)


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
) -> WebhookEvent:
    """The event of a request whose signature is right; raises WebhookVerificationError for any other.

    `body` is the body exactly as it came, not JSON that was read and written again. `secret` is that of the endpoint, or several while you
    change it. `tolerance`: how many seconds ago it may have been signed, or how far the clocks may differ. A server that is newer may tell
    events of other types: let them pass.
    """
    secrets = [each.strip() if each else each for each in ([secret] if isinstance(secret, str) else secret or [])]
    if not secrets or not all(secrets):
        raise ValueError(NO_SECRET)
    if not isinstance(body, (bytes, str)):
        raise TypeError(f"verify_webhook: body: give the bytes of the request, or their text, as they came, not {type(body).__name__}")
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
