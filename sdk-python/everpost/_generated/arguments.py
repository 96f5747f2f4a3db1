# Made by `npm run sdk:python` from the OpenAPI document. Change the API, or sdk-python/generate.py, not this file.
"""Arguments of methods whose other arguments go together in one way or another."""

from __future__ import annotations

from datetime import datetime
from typing import List, Literal, Mapping

from typing_extensions import NotRequired, TypedDict

from .._calls import Omit
from . import models as m


class SendFields(TypedDict):
    data: NotRequired[Mapping[str, m.JsonValue] | None | Omit]
    brand: NotRequired[str | None | Omit]
    from_: NotRequired[m.Sender | None | Omit]
    locale: NotRequired[str | None | Omit]
    cc: NotRequired[m.MailboxText | List[m.MailboxText] | None | Omit]
    bcc: NotRequired[m.MailboxText | List[m.MailboxText] | None | Omit]
    reply_to: NotRequired[m.MailboxText | None | Omit]
    headers: NotRequired[Mapping[str, str] | None | Omit]
    topic: NotRequired[str | None | Omit]
    tags: NotRequired[List[str] | None | Omit]
    metadata: NotRequired[Mapping[str, str] | None | Omit]
    attachments: NotRequired[List[m.Attachment] | None | Omit]
    send_at: NotRequired[m.Timestamp | datetime | None | Omit]
    ignore_window: NotRequired[bool | None | Omit]


class EventsTrackFields(TypedDict):
    type: str
    data: NotRequired[Mapping[str, m.JsonValue] | None | Omit]
    exit_sequences: NotRequired[List[str] | None | Omit]


class SequencesSimulateFields(TypedDict):
    event: NotRequired[m.Event1 | None | Omit]
    events: NotRequired[List[m.SimulatedEvent] | None | Omit]
    assume: NotRequired[Mapping[str, str] | None | Omit]
    graph: NotRequired[Mapping[str, m.JsonValue] | None | Omit]
    as_if_not_enrolled: NotRequired[bool | None | Omit]
