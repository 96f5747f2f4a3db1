from __future__ import annotations

import asyncio
import math
import os
import re
import time
import uuid
from contextlib import contextmanager
from types import TracebackType
from typing import Any, AsyncIterator, BinaryIO, Coroutine, Iterator, Mapping, Tuple

import httpx

from ._calls import (
    OMIT,
    Call,
    Operation,
    Tries,
    answer_of,
    broken_off,
    call_of,
    error_of,
    next_of,
    no_answer,
    page_of,
)
from ._settings import Settings

Path = Tuple["str | int", ...]


@contextmanager
def _written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file that is there when all of it is."""
    goal = os.path.realpath(path)
    # A pipe or a device is written to, never replaced.
    if os.path.exists(goal) and not os.path.isfile(goal):
        with open(goal, "wb") as file:
            yield file
        return
    part = f"{goal}.{uuid.uuid4().hex[:8]}.part"
    try:
        with open(part, "xb") as file:
            yield file
        os.replace(part, goal)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise


class _Download:
    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong while it is read is told as everything else is."""
        try:
            yield
        except httpx.RequestError as error:
            raise broken_off(self._response.url, error) from None

    @property
    def content_type(self) -> str:
        return str(self._response.headers.get("Content-Type", ""))

    @property
    def filename(self) -> str | None:
        """As the server calls it."""
        found = re.search(r'filename="([^"]*)"', self._response.headers.get("Content-Disposition", ""))
        return found.group(1) if found else None


class Download(_Download):
    """A file that the server sends: read it whole, or in parts, within `with` so that the connection is given back."""

    def read(self) -> bytes:
        with self._told():
            return self._response.read()

    def text(self) -> str:
        self.read()
        return self._response.text

    def iter_bytes(self) -> Iterator[bytes]:
        with self._told():
            for part in self._response.iter_bytes():
                yield part

    def iter_lines(self) -> Iterator[str]:
        with self._told():
            for line in self._response.iter_lines():
                yield line

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, part by part. Where it breaks off, the file is as it was before."""
        with self, _written_whole(path) as file:
            for part in self.iter_bytes():
                file.write(part)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncDownload(_Download):
    """A file that the server sends: read it whole, or in parts, within `async with` so that the connection is given back."""

    async def read(self) -> bytes:
        with self._told():
            return await self._response.aread()

    async def text(self) -> str:
        await self.read()
        return self._response.text

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        with self._told():
            async for part in self._response.aiter_bytes():
                yield part

    async def iter_lines(self) -> AsyncIterator[str]:
        with self._told():
            async for line in self._response.aiter_lines():
                yield line

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, part by part. Where it breaks off, the file is as it was before."""
        async with self:
            with _written_whole(path) as file:
                async for part in self.iter_bytes():
                    file.write(part)

    async def close(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class _InTime(httpx.SyncByteStream):
    """An answer that ends with an error when the time of its call is over, however steadily it comes."""

    def __init__(self, stream: httpx.SyncByteStream, tries: Tries) -> None:
        self._stream = stream
        self._tries = tries

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            if self._tries.left() <= 0:
                raise httpx.ReadTimeout("the time of the call is over")
            yield part

    def close(self) -> None:
        self._stream.close()


def demand_open(http: httpx.Client | httpx.AsyncClient) -> None:
    if http.is_closed:
        raise RuntimeError("this client is closed: make another, or close it after its last call")


class Caller:
    """Sends calls until one has an answer that stands."""

    def __init__(self, http: httpx.Client, settings: Settings) -> None:
        self.http = http
        self.settings = settings

    def json(self, operation: Operation, path: Path, given: Mapping[str, Any], body: Any = OMIT) -> Any:
        return answer_of(operation, self._answer(call_of(self.settings, operation, path, given, body)))

    def text(self, operation: Operation, path: Path, given: Mapping[str, Any], body: Any = OMIT) -> str:
        return self._answer(call_of(self.settings, operation, path, given, body)).text

    def download(self, operation: Operation, path: Path, given: Mapping[str, Any], body: Any = OMIT) -> Download:
        return Download(self._answer(call_of(self.settings, operation, path, given, body), stream=True))

    def pages(
        self, operation: Operation, path: Path, given: Mapping[str, Any], way: Tuple[str, ...], by: str
    ) -> Iterator[Any]:
        at: Any = OMIT
        while at is not None:
            answer = self.json(operation, path, {**given, by: at})
            items = page_of(answer, way)
            yield from items
            at = next_of(answer, items, by)

    def _answer(self, call: Call, *, stream: bool = False) -> httpx.Response:
        demand_open(self.http)
        tries = Tries(call, self.settings)
        while True:
            try:
                response = self._try(call, tries, stream)
                if response.is_success:
                    return response
            except httpx.RequestError as error:
                pause = tries.pause_after_failure(error)
                if pause is None:
                    raise no_answer(httpx.URL(call.url), error) from None
            else:
                pause = tries.pause_after_answer(response)
                if pause is None:
                    raise error_of(response)
            time.sleep(pause)

    def _try(self, call: Call, tries: Tries, stream: bool) -> httpx.Response:
        """An answer that is read, unless it streams and is a success."""
        request = call.request(self.http, tries.timeout())
        response = self.http.send(request, stream=True)
        if stream and response.is_success:
            # The time of the call is that to its beginning.
            request.extensions["timeout"]["read"] = self.settings.timeout
            return response
        try:
            assert isinstance(response.stream, httpx.SyncByteStream)
            response.stream = _InTime(response.stream, tries)
            response.read()
        finally:
            response.close()
        return response


class FirstLoop:
    """The event loop that connections were first used in: no other can use them."""

    def __init__(self) -> None:
        self._first: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def told(self) -> Iterator[None]:
        """What goes wrong in another one is told as that: by itself it says no more than that a loop is closed."""
        here = asyncio.get_running_loop()
        self._first = self._first or here
        try:
            yield
        except RuntimeError as error:
            if self._first is here:
                raise
            words = "this AsyncEverpost was used in another event loop: make one in each, as within the function that asyncio.run is given"
            raise RuntimeError(words) from error


class AsyncCaller:
    """Sends calls until one has an answer that stands."""

    def __init__(self, http: httpx.AsyncClient, settings: Settings, loop: FirstLoop | None = None) -> None:
        self.http = http
        self.settings = settings
        self.loop = loop or FirstLoop()

    async def json(self, operation: Operation, path: Path, given: Mapping[str, Any], body: Any = OMIT) -> Any:
        return answer_of(operation, await self._answer(call_of(self.settings, operation, path, given, body)))

    async def text(self, operation: Operation, path: Path, given: Mapping[str, Any], body: Any = OMIT) -> str:
        return (await self._answer(call_of(self.settings, operation, path, given, body))).text

    async def download(
        self, operation: Operation, path: Path, given: Mapping[str, Any], body: Any = OMIT
    ) -> AsyncDownload:
        return AsyncDownload(await self._answer(call_of(self.settings, operation, path, given, body), stream=True))

    async def pages(
        self, operation: Operation, path: Path, given: Mapping[str, Any], way: Tuple[str, ...], by: str
    ) -> AsyncIterator[Any]:
        at: Any = OMIT
        while at is not None:
            answer = await self.json(operation, path, {**given, by: at})
            items = page_of(answer, way)
            for each in items:
                yield each
            at = next_of(answer, items, by)

    async def _answer(self, call: Call, *, stream: bool = False) -> httpx.Response:
        demand_open(self.http)
        tries = Tries(call, self.settings)
        while True:
            try:
                with self.loop.told():
                    response = await self._in_time(self._try(call, tries, stream), tries)
                if response.is_success:
                    return response
            except httpx.RequestError as error:
                pause = tries.pause_after_failure(error)
                if pause is None:
                    raise no_answer(httpx.URL(call.url), error) from None
            else:
                pause = tries.pause_after_answer(response)
                if pause is None:
                    raise error_of(response)
            await asyncio.sleep(pause)

    async def _try(self, call: Call, tries: Tries, stream: bool) -> httpx.Response:
        """An answer that is read, unless it streams and is a success."""
        request = call.request(self.http, tries.timeout())
        response = await self.http.send(request, stream=True)
        if stream and response.is_success:
            # The time of the call is that to its beginning.
            request.extensions["timeout"]["read"] = self.settings.timeout
            return response
        try:
            await response.aread()
        finally:
            await response.aclose()
        return response

    @staticmethod
    async def _in_time(answer: Coroutine[Any, Any, httpx.Response], tries: Tries) -> httpx.Response:
        try:
            return await asyncio.wait_for(answer, None if tries.ends == math.inf else tries.left())
        except asyncio.TimeoutError:
            raise httpx.ReadTimeout("the time of the call is over") from None
