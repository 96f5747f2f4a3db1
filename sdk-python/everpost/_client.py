from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Any, TypeVar

import httpx

from ._calls import OMIT, Omit
from ._generated.async_client import AsyncOperations
from ._generated.sync_client import Operations
from ._settings import Settings, settings_of
from ._transport import AsyncCaller, Caller

Kind = TypeVar("Kind", httpx.Client, httpx.AsyncClient)

DEFAULT_TIMEOUT = 60.0
DEFAULT_RETRIES = 3
DEFAULT_RATE_LIMIT_WAIT = 60.0


class Everpost(Operations):
    """The client. One for a process: it keeps its connections, and threads may share it.

    `api_key` is EVERPOST_API_KEY, and `base_url` EVERPOST_URL or http://127.0.0.1:3000, where they are not given. `timeout` is
    in seconds: so long a try waits for its connection, and then for each next part of the answer. A call that fails is tried again up to
    `max_retries` times where that is safe, after the pause that the server asks for; with 0 it is tried once, whatever the answer. Above
    the rate limit it waits as `Retry-After` asks, up to `rate_limit_wait` seconds in all, beside these tries. `total_timeout`, in seconds, is
    how long a call may take with all its tries and pauses; None is no limit.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_RETRIES,
        rate_limit_wait: float = DEFAULT_RATE_LIMIT_WAIT,
        total_timeout: float | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._has_own_connections = True
        settings = settings_of(api_key, base_url, timeout, max_retries, rate_limit_wait, total_timeout)
        super().__init__(Caller(connections(httpx.Client, http_client), settings))

    def with_options(
        self,
        *,
        timeout: float | Omit = OMIT,
        max_retries: int | Omit = OMIT,
        rate_limit_wait: float | Omit = OMIT,
        total_timeout: float | None | Omit = OMIT,
    ) -> Everpost:
        """The same client with other settings, over the same connections, which closing it leaves open."""
        other = Everpost.__new__(Everpost)
        other._has_own_connections = False
        settings = changed(
            self._caller.settings,
            timeout=timeout,
            max_retries=max_retries,
            rate_limit_wait=rate_limit_wait,
            total_timeout=total_timeout,
        )
        Operations.__init__(other, Caller(self._caller.http, settings))
        return other

    def close(self) -> None:
        """Ends its connections."""
        if self._has_own_connections:
            self._caller.http.close()

    def __enter__(self) -> Everpost:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncEverpost(AsyncOperations):
    """The client for asyncio, with the methods of `Everpost`."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_RETRIES,
        rate_limit_wait: float = DEFAULT_RATE_LIMIT_WAIT,
        total_timeout: float | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._has_own_connections = True
        settings = settings_of(api_key, base_url, timeout, max_retries, rate_limit_wait, total_timeout)
        super().__init__(AsyncCaller(connections(httpx.AsyncClient, http_client), settings))

    def with_options(
        self,
        *,
        timeout: float | Omit = OMIT,
        max_retries: int | Omit = OMIT,
        rate_limit_wait: float | Omit = OMIT,
        total_timeout: float | None | Omit = OMIT,
    ) -> AsyncEverpost:
        """The same client with other settings, over the same connections, which closing it leaves open."""
        other = AsyncEverpost.__new__(AsyncEverpost)
        other._has_own_connections = False
        settings = changed(
            self._caller.settings,
            timeout=timeout,
            max_retries=max_retries,
            rate_limit_wait=rate_limit_wait,
            total_timeout=total_timeout,
        )
        AsyncOperations.__init__(other, AsyncCaller(self._caller.http, settings, self._caller.loop))
        return other

    async def close(self) -> None:
        """Ends its connections."""
        if self._has_own_connections:
            with self._caller.loop.told():
                await self._caller.http.aclose()

    async def __aenter__(self) -> AsyncEverpost:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def connections(kind: type[Kind], given: Kind | None) -> Kind:
    """Those that were given, or new ones."""
    if given is not None and not isinstance(given, kind):
        raise TypeError(f"http_client is {type(given).__name__}: give an httpx.{kind.__name__}, or leave it out")
    return kind() if given is None else given


def changed(settings: Settings, **changes: Any) -> Settings:
    return replace(settings, **{name: value for name, value in changes.items() if value is not OMIT})
