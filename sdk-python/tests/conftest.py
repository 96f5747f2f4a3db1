from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Iterator

import pytest

from everpost import Everpost

from .scripted_server import ScriptedServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def everpost() -> Iterator[Everpost]:
    """A client of the server that the test run has started: EVERPOST_URL and EVERPOST_API_KEY say where it is."""
    with Everpost() as client:
        yield client


@dataclass
class Project:
    """Where a project is, and its key."""

    base_url: str
    api_key: str


@pytest.fixture
def limited() -> Project:
    """A project whose server has a low rate limit."""
    return Project(os.environ["EVERPOST_LIMITED_URL"], os.environ["EVERPOST_LIMITED_API_KEY"])


@pytest.fixture
def domain() -> str:
    """Of the project, verified for sending. The mailbox takes all mail."""
    return os.environ["EVERPOST_TEST_DOMAIN"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as started:
        yield started


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which take no time."""
    noted: list[float] = []

    async def no_sleep(seconds: float) -> None:
        noted.append(seconds)

    monkeypatch.setattr("everpost._transport.time.sleep", noted.append)
    monkeypatch.setattr("everpost._transport.asyncio.sleep", no_sleep)
    return noted
