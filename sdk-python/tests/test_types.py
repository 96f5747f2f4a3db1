"""What a type checker has to find. mypy --strict fails on a `type: ignore` that hides nothing, so each of these lines is an error to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everpost import AsyncEverpost, Everpost, EverpostError, WebhookEvent, models

if TYPE_CHECKING:

    def mistakes(everpost: Everpost, error: EverpostError, event: WebhookEvent, contact: models.Contact) -> None:
        everpost.contacts.upsert(email=1)  # type: ignore[call-overload]
        everpost.contacts.upsert(email="ada@example.com", firstname="Ada")  # type: ignore[call-overload]
        everpost.contacts.upsert({"email": "ada@example.com", "firstname": "Ada"})  # type: ignore[call-overload]
        everpost.contacts.upsert(first_name="Ada")  # type: ignore[call-overload]
        everpost.contacts.upsert(email="ada@example.com", topics={"news": "yes"})  # type: ignore[dict-item]
        everpost.contacts.list(status="away")  # type: ignore[arg-type]
        everpost.contacts.lists()  # type: ignore[attr-defined]
        everpost.contacts.get()  # type: ignore[call-arg]
        everpost.sequences.enroll("welcome", emial="ada@example.com")  # type: ignore[call-overload]
        contact["firstName"]  # type: ignore[typeddict-item]
        if error.code == "template_diabled":  # type: ignore[comparison-overlap]
            pass
        if event["type"] == "email.bounced":
            event["data"]["bounce"]["kind"] == "weak"  # type: ignore[comparison-overlap]
            event["data"]["first_name"]  # type: ignore[typeddict-item]

    async def mistakes_of_the_asynchronous_client(everpost: AsyncEverpost) -> None:
        everpost.contacts.list()["contacts"]  # type: ignore[index]
        for _ in everpost.contacts.iterate():  # type: ignore[attr-defined]
            pass
