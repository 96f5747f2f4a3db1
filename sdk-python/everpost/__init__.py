"""The client of Everpost, a durable email service that you run yourself."""

from . import models
from ._calls import OMIT, FileInput, Omit
from ._client import AsyncEverpost, Everpost
from ._errors import EverpostError, WebhookVerificationError
from ._generated.error_codes import ErrorCode
from ._generated.models import WebhookEvent
from ._transport import AsyncDownload, Download
from ._version import __version__
from ._webhooks import verify_webhook

__all__ = [
    "OMIT",
    "AsyncDownload",
    "AsyncEverpost",
    "Download",
    "ErrorCode",
    "Everpost",
    "EverpostError",
    "FileInput",
    "Omit",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "models",
    "verify_webhook",
]
