"""What is sent, and whether a call may be repeated. Nothing here knows whether the client is synchronous."""

from __future__ import annotations

import difflib
import json
import math
import mimetypes
import os
import random
import time
import uuid
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO, Final, Mapping, Tuple, Union
from urllib.parse import quote

import httpx

from ._errors import EverpostError
from ._generated.error_codes import ErrorCode
from ._settings import Settings, is_visible_ascii
from ._version import __version__

#: After what is no rate limit a server that asks for a longer pause than this is not waited for: the error says how long it asked for.
LONGEST_PAUSE: Final = 60.0
#: Characters of an idempotency key.
LONGEST_KEY: Final = 200


class Omit:
    """The type of what is left out. None is a value: it clears."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = Omit()

#: A file to upload: a path, the bytes with a name, or an open file.
FileInput = Union["os.PathLike[str]", Tuple[str, bytes], Tuple[str, bytes, str], BinaryIO]


@dataclass(frozen=True)
class Argument:
    """Where an argument goes: `body`, `query`, `form` or `file`, and its name there."""

    place: str
    wire: str
    #: What stands for True and False, of one that is yes or no.
    flag: Tuple[str | None, str | None] | None = None


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    #: `json`, `form`, or a media type.
    body: str | None = None
    takes_idempotency_key: bool = False
    #: Done twice it is done once, with the idempotency key that the client makes where one is taken.
    is_safe_to_repeat: bool = False
    #: Its JSON answer has `ok`: true.
    says_ok: bool = True


@dataclass(frozen=True)
class Call:
    """A request that may be sent more than once, with the same key each time."""

    method: str
    url: str
    # Not shown: they have the API key.
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)
    files: Mapping[str, Tuple[str, bytes, str]] | None = field(repr=False)
    data: Mapping[str, str] | None
    is_safe_to_repeat: bool

    def request(self, client: httpx.Client | httpx.AsyncClient, timeout: float) -> httpx.Request:
        return client.build_request(
            self.method,
            self.url,
            headers=self.headers,
            content=self.content,
            files=self.files,
            data=self.data,
            timeout=timeout,
        )


def call_of(
    settings: Settings,
    operation: Operation,
    path: Tuple[str | int, ...],
    given: Mapping[str, Any],
    body: Any = OMIT,
) -> Call:
    """The request of a method with what it was given. What is wrong before it is sent is a TypeError or a ValueError."""
    places: dict[str, dict[str, Any]] = {"body": {}, "query": {}, "form": {}, "file": {}}
    fields = dict(given)
    key = fields.pop("idempotency_key", OMIT) if operation.takes_idempotency_key else OMIT
    for name, value in fields.items():
        argument = operation.arguments.get(name)
        if argument is None:
            raise TypeError(unknown_argument(operation, name))
        if value is not OMIT:
            places[argument.place][argument.wire] = flag(argument, value) if argument.flag else value
    if body is not OMIT and places["body"]:
        raise TypeError(f"{operation.id}: give either a body or its fields, not both")
    headers = {
        "Authorization": f"Bearer {settings.api_key}",
        "Accept": "*/*",
        "User-Agent": f"everpost-python/{__version__}",
    }
    if operation.takes_idempotency_key:
        add_key(headers, key, body)
    content: bytes | None = None
    files: dict[str, Tuple[str, bytes, str]] | None = None
    data: dict[str, str] | None = None
    if operation.body == "json":
        whole = places["body"] if body is OMIT else body
        content = json_of(operation, whole)
        headers["Content-Type"] = "application/json"
    elif operation.body == "form":
        files = {name: file_of(value) for name, value in places["file"].items()}
        data = {name: json.dumps(value, default=as_json) for name, value in places["form"].items()}
    elif operation.body is not None:
        content = sendable(operation, "body", body).encode() if isinstance(body, str) else bytes(body)
        headers["Content-Type"] = operation.body
    query = [(name, as_text(operation, name, value)) for name, value in places["query"].items() if value is not None]
    url = settings.base_url + path_of(operation, path)
    if query:
        url += "?" + "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in query)
    # What was made from a version is refused once it is carried out: a repeated call would say so of itself. Under a key it is answered again.
    is_refused_again = "ifVersion" in places["query"] and not operation.takes_idempotency_key
    return Call(operation.method, url, headers, content, files, data, operation.is_safe_to_repeat and not is_refused_again)


def unknown_argument(operation: Operation, name: str) -> str:
    near = difflib.get_close_matches(name, list(operation.arguments), n=1)
    return f"{operation.id}: there is no argument {name!r}" + (f"; did you mean {near[0]}?" if near else "")


def add_key(headers: dict[str, str], key: Any, body: Any) -> None:
    """One key for all tries of a call. A body that names its key goes by that."""
    if key is not OMIT:
        if not isinstance(key, str):
            raise TypeError(f"idempotency_key: give a text, not {key!r}, or leave it out and the call gets one")
        if not 0 < len(key) <= LONGEST_KEY or not is_visible_ascii(key):
            raise ValueError(
                f"idempotency_key: {key!r} cannot be sent: give 1 to {LONGEST_KEY} letters, digits and signs of ASCII, without spaces"
            )
        headers["Idempotency-Key"] = key
    elif not (isinstance(body, Mapping) and body.get("idempotencyKey")):
        headers["Idempotency-Key"] = str(uuid.uuid4())


def path_of(operation: Operation, given: Tuple[str | int, ...]) -> str:
    path = operation.path
    for value in given:
        if isinstance(value, bool) or not isinstance(value, (str, int, uuid.UUID)):
            raise TypeError(f"{operation.id}: {value!r} names nothing: {operation.path}")
        text = str(value)
        # An empty one would name all of them, dots the folder above.
        if text in ("", ".", ".."):
            raise ValueError(f"{operation.id}: {text!r} names nothing: {operation.path}")
        before, _, rest = path.partition("{")
        path = before + quote(sendable(operation, "path", text), safe="") + rest.partition("}")[2]
    return path


def flag(argument: Argument, value: Any) -> Any:
    assert argument.flag is not None
    return argument.flag[0 if value else 1] if isinstance(value, bool) else value


def as_text(operation: Operation, name: str, value: Any) -> str:
    """How a query says it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, uuid.UUID)):
        return str(as_json(value))
    if isinstance(value, (int, float)):
        return str(value)
    if not isinstance(value, str):
        raise TypeError(f"{operation.id}: {name}: give one text, number or instant, not {type(value).__name__}")
    return sendable(operation, name, value)


def json_of(operation: Operation, body: Any) -> bytes:
    text = json.dumps(body, default=as_json, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        check_texts(operation, body)
        raise


def check_texts(operation: Operation, value: Any, at: str = "") -> None:
    """Raises for the first text that cannot be sent, with where it is."""
    if isinstance(value, str):
        sendable(operation, at, value)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            check_texts(operation, name, at)
            check_texts(operation, each, f"{at}.{name}" if at else name)
    elif isinstance(value, (list, tuple)):
        for index, each in enumerate(value):
            check_texts(operation, each, f"{at}[{index}]")


def sendable(operation: Operation, at: str, text: str) -> str:
    """The text, unless it has half of a surrogate pair, which UTF-8 has no bytes for."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"{text[error.start]!r} is half of a character and cannot be sent"
        raise ValueError(f"{operation.id}: {at}: {half}: decode the text anew, or take it out") from None
    return text


def as_json(value: Any) -> Any:
    """What JSON has no form of its own for."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: give one, as in datetime.now(timezone.utc)")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON: give a text or a number")


def file_of(given: FileInput) -> Tuple[str, bytes, str]:
    """Name, bytes and type. The bytes are read at once: a call that is repeated sends them again."""
    if isinstance(given, tuple):
        return given if len(given) == 3 else (given[0], given[1], type_of(given[0]))
    if isinstance(given, os.PathLike):
        name = os.path.basename(os.fspath(given))
        with open(given, "rb") as file:
            return name, file.read(), type_of(name)
    if not hasattr(given, "read"):
        raise TypeError(f"file: {type(given).__name__} is no file: give a pathlib.Path, (name, bytes), or a file opened with 'rb'")
    content: Any = given.read()
    if not isinstance(content, bytes):
        raise TypeError("file: it is opened as text: open it with 'rb'")
    path = getattr(given, "name", "file")
    name = os.path.basename(path) if isinstance(path, str) else "file"
    return name, content, type_of(name)


def type_of(name: str) -> str:
    """By the ending of the name."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


# --- tries ---


class Tries:
    """Of one call: whether another try follows, and when."""

    def __init__(self, call: Call, settings: Settings) -> None:
        self._call = call
        self._settings = settings
        self._tries = 0
        #: Of these what was no rate limit.
        self._failures = 0
        self._wait_left = settings.rate_limit_wait
        #: By the monotonic clock.
        self.ends = math.inf if settings.total_timeout is None else time.monotonic() + settings.total_timeout

    def left(self) -> float:
        """Seconds until the time of the call is over."""
        return self.ends - time.monotonic()

    def timeout(self) -> float:
        """Of each part of the next try; more than 0, which no socket takes."""
        return self._settings.timeout if self.ends == math.inf else max(0.001, min(self._settings.timeout, self.left()))

    def pause_after_failure(self, error: httpx.RequestError) -> float | None:
        """Seconds until the next try of a call that got no answer; None: there is none."""
        self._tries += 1
        # These never left, and never will.
        if isinstance(error, (httpx.LocalProtocolError, httpx.UnsupportedProtocol)) or not self._call.is_safe_to_repeat:
            return None
        return self._in_time(self._after_one_more(None))

    def pause_after_answer(self, response: httpx.Response) -> float | None:
        """Seconds until the next try after this answer, which is no success and whose body is read; None: it stands."""
        self._tries += 1
        status = response.status_code
        code = envelope_of(response).get("code")
        # What GET /ready answers is what was asked.
        if status < 400 or code == "not_ready":
            return None
        asked = retry_after_of(response)
        if status == 429 and asked and self._settings.max_retries > 0:
            return self._in_time(self._after_rate_limit(asked))
        # Nothing was done then, whatever the call is.
        untouched = status == 429 or code == "idempotency_in_progress"
        if not untouched and not ((status == 408 or status >= 500) and self._call.is_safe_to_repeat):
            return None
        return self._in_time(self._after_one_more(asked))

    def _after_rate_limit(self, asked: float) -> float | None:
        if asked > self._wait_left:
            return None
        pause = min(self._with_chance(asked), self._wait_left)
        self._wait_left -= pause
        return pause

    def _after_one_more(self, asked: float | None) -> float | None:
        self._failures += 1
        if self._failures > self._settings.max_retries or (asked or 0) > LONGEST_PAUSE:
            return None
        # Asked for no pause it makes the usual one: all tries at once would only add to what the server suffers from.
        return self._with_chance(asked) if asked else step(self._failures) * random.uniform(0.75, 1.25)

    def _with_chance(self, asked: float) -> float:
        """Never before it; and not all at once who were told the same."""
        return asked + step(self._tries) * random.random()

    def _in_time(self, pause: float | None) -> float | None:
        """A try that would come when the time of the call is over is none."""
        return pause if pause is not None and pause < self.left() else None


def step(tries: int) -> float:
    """Half a second, one, two …: from which a pause is drawn."""
    return 0.5 * 2.0 ** min(tries - 1, 4)


def retry_after_of(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(at.tzinfo or timezone.utc)).total_seconds()) if at.tzinfo else None


def envelope_of(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def answer_of(operation: Operation, response: httpx.Response) -> Any:
    """The JSON of an answer that is a success."""
    try:
        answer = response.json()
    except ValueError:
        raise unexpected(response) from None
    # Every answer of the API is an object. Another server may answer 200 to any call: what does not say `ok` is no success.
    if not isinstance(answer, dict) or (operation.says_ok and answer.get("ok") is not True):
        raise unexpected(response)
    return answer


def error_of(response: httpx.Response) -> EverpostError:
    body = envelope_of(response)
    code, message = body.get("code"), body.get("error")
    if not isinstance(code, str) or not isinstance(message, str):
        return unexpected(response)
    known: ErrorCode = code  # type: ignore[assignment]  # A server that is newer may have others.
    return EverpostError(
        known,
        message,
        status=response.status_code,
        body=body,
        request_id=response.headers.get("X-Request-Id"),
        retry_after=retry_after_of(response),
    )


def unexpected(response: httpx.Response) -> EverpostError:
    url = response.request.url.copy_with(query=None)
    return EverpostError(
        "unexpected_answer",
        f"{url} answered {response.status_code} with something that is not Everpost's: check base_url, or EVERPOST_URL",
        status=response.status_code,
        request_id=response.headers.get("X-Request-Id"),
    )


def no_answer(url: httpx.URL, error: httpx.RequestError) -> EverpostError:
    where = url.copy_with(query=None)
    if isinstance(error, httpx.TimeoutException):
        return EverpostError("timed_out", f"{where} did not answer in time")
    if isinstance(error, httpx.DecodingError):
        return EverpostError("unexpected_answer", f"{where} answered with something that cannot be unpacked: {error}")
    # It would name the header, with the key.
    if isinstance(error, httpx.LocalProtocolError):
        return EverpostError("connection_failed", f"{where}: the request cannot be sent as it is")
    return EverpostError("connection_failed", f"{where} cannot be reached: {error}: is Everpost running there? EVERPOST_URL, or base_url, says where it is")


def broken_off(url: httpx.URL, error: httpx.RequestError) -> EverpostError:
    """Of an answer that had begun."""
    if isinstance(error, (httpx.TimeoutException, httpx.DecodingError)):
        return no_answer(url, error)
    return EverpostError("connection_failed", f"{url.copy_with(query=None)} broke off before its end: {error}")


def page_of(answer: Any, way: Tuple[str, ...]) -> Any:
    """What a page has of the list."""
    for step in way:
        answer = answer[step]
    return answer


def next_of(answer: Any, items: Any, by: str) -> Any:
    """By what the next page is asked for; None: there is none. Versions go on before the last one."""
    if by == "cursor":
        return answer.get("nextCursor")
    return items[-1]["version"] if items else None
