from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Iterable, Mapping, Sequence, cast

from ._errors import WebhookVerificationError
from ._generated.models import WebhookEvent
from ._settings import check_number

PREFIX = "whsec_"
NO_SECRET = (
    "verify_webhook: the secret is missing: give the endpoint's, whsec_…, which webhooks.create has answered, "
    'as verify_webhook(headers, body, os.environ["EVERPOST_WEBHOOK_SECRET"])'
)
#: An empty or short one could be guessed: then anybody's calls would be taken.
NO_SUCH_SECRET = (
    "verify_webhook: no endpoint has this secret: give it whole, whsec_ and the base64 of 24 to 64 bytes, or a text of your own of 16 to "
    "128 characters"
)


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | bytearray | memoryview | str,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
) -> WebhookEvent:
    """The event of a request whose signature is right; raises WebhookVerificationError for any other.

    `body` is the body exactly as it came, not JSON that was read and written again. `secret` is that of the endpoint, or several while you
    change it. `tolerance`: how many seconds ago it may have been signed, or how far the clocks may differ. A server that is newer may tell
    events of other types: let them pass. What is wrong with these arguments, and not with the request, is another ValueError or a TypeError.
    """
    keys = keys_of(secret)
    check_number("tolerance", tolerance, lambda seconds: seconds >= 0, "give seconds, 0 or more, as 300")
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError(f"verify_webhook: body: give the bytes of the request, or their text, as they came, not {type(body).__name__}")
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = given["webhook-id"], given["webhook-timestamp"], given["webhook-signature"]
    except KeyError as missing:
        raise WebhookVerificationError(f"the header {missing.args[0]} is missing") from None
    # Digits of ASCII alone: int() takes much else, and the text is what is signed.
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("it was not signed just now: the header webhook-timestamp is too far from this clock")
    try:
        raw = body.encode() if isinstance(body, str) else bytes(body)
        signed = f"{id}.{timestamp}.".encode() + raw
    except UnicodeEncodeError:
        raise WebhookVerificationError("the body, or the header webhook-id, is no text") from None
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
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


def keys_of(secret: str | Sequence[str]) -> list[bytes]:
    """Of a secret, or of each of several."""
    given: list[Any] = [secret] if isinstance(secret, str) or not isinstance(secret, Iterable) else list(secret)
    if any(each is not None and not isinstance(each, str) for each in given):
        raise TypeError(f"verify_webhook: the secret: give a text, or a list of texts, not {type(secret).__name__}")
    secrets = [each.strip() if each else "" for each in given]
    if not secrets or not all(secrets):
        raise ValueError(NO_SECRET)
    return [key_of(each) for each in secrets]


def key_of(secret: str) -> bytes:
    """By the rule that the server has for secrets, which counts characters in UTF-16."""
    try:
        if not secret.startswith(PREFIX):
            key, is_one = secret.encode(), 16 <= len(secret.encode("utf-16-le")) // 2 <= 128
        else:
            encoded = secret[len(PREFIX) :]
            key = base64.b64decode(encoded, validate=True)
            is_one = 24 <= len(key) <= 64 and base64.b64encode(key).decode() == encoded
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError(NO_SUCH_SECRET)
    return key


def signature_of(text: str) -> bytes | None:
    version, _, encoded = text.partition(",")
    try:
        return base64.b64decode(encoded, validate=True) if version == "v1" else None
    except ValueError:
        return None
