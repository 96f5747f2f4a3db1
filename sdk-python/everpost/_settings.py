"""The options of a client, checked before anything is sent."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Callable, Final

import httpx

from ._errors import EverpostError

DEFAULT_URL: Final = "http://127.0.0.1:3000"
API_PATH: Final = "/api/v1"
#: Seconds; no socket waits for longer than about this.
LONGEST_TIMEOUT: Final = 2_000_000


@dataclass(frozen=True)
class Settings:
    """Of a client; `with_options` changes them."""

    api_key: str = field(repr=False)
    base_url: str
    timeout: float
    max_retries: int
    rate_limit_wait: float
    total_timeout: float | None

    def __post_init__(self) -> None:
        check_number(
            "timeout",
            self.timeout,
            lambda seconds: 0 < seconds <= LONGEST_TIMEOUT,
            f"give seconds above 0, at most {LONGEST_TIMEOUT}: each try has a limit, and total_timeout is that of a whole call",
        )
        check_number("max_retries", self.max_retries, lambda times: times >= 0, "give a whole number, 0 to try once", is_whole=True)
        check_number(
            "rate_limit_wait",
            self.rate_limit_wait,
            lambda seconds: seconds >= 0,
            "give seconds, 0 to wait for none, or math.inf for no limit",
        )
        if self.total_timeout is not None:
            check_number("total_timeout", self.total_timeout, lambda seconds: seconds > 0, "give seconds above 0, or None for no limit")


def check_number(name: str, given: Any, fits: Callable[[float], bool], wanted: str, *, is_whole: bool = False) -> None:
    """Raises for what is no number, as True or None, and for what does not fit, as nan, which is neither more nor less than anything."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or (is_whole and isinstance(given, float)):
        raise TypeError(f"{name} is {given!r}: {wanted}")
    if not fits(given):
        raise ValueError(f"{name} is {given}: {wanted}")


def settings_of(
    api_key: str | None,
    base_url: str | None,
    timeout: float,
    max_retries: int,
    rate_limit_wait: float,
    total_timeout: float | None,
) -> Settings:
    """The settings of a client that was made with these options."""
    # Without what was given, which may be a key.
    for name, given in (("api_key", api_key), ("base_url", base_url)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name}: give a text, not {type(given).__name__}")
    # A key read from a file ends with a line break.
    key = (api_key if api_key is not None else os.environ.get("EVERPOST_API_KEY", "")).strip()
    if not key:
        raise EverpostError("missing_api_key", "there is no API key: give api_key=…, or set EVERPOST_API_KEY")
    # Here, and without the key: a header that cannot be sent would be told of with what is in it.
    if not is_visible_ascii(key):
        raise ValueError("the API key has characters that no key has, as a space or an ellipsis: copy it once more, whole")
    url = (base_url if base_url is not None else os.environ.get("EVERPOST_URL") or DEFAULT_URL).strip().rstrip("/")
    if not is_web_address(url):
        raise ValueError(
            f"EVERPOST_URL is {url!r}: set it to a whole address, as https://mail.example.com"
            if base_url is None
            else f"base_url is {url!r}: give a whole address, as base_url='https://mail.example.com', or none for EVERPOST_URL"
        )
    url = url if url.endswith(API_PATH) else url + API_PATH
    return Settings(key, url, timeout, max_retries, rate_limit_wait, total_timeout)


def is_visible_ascii(text: str) -> bool:
    return all("!" <= character <= "~" for character in text)


def is_web_address(text: str) -> bool:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and url.host != ""
