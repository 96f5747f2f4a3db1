"""What a type checker has to find. mypy --strict fails on a `type: ignore` that hides nothing, so each of these lines is an error to it."""

from __future__ import annotations

from datetime import datetime, timezone
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
        everpost.sequences.enroll("welcome", data={"plan": "pro"})  # type: ignore[call-overload]
        everpost.events.track(type="paid")  # type: ignore[call-overload]
        everpost.send(to="ada@example.com")  # type: ignore[call-overload]
        everpost.send(template="welcome")  # type: ignore[call-overload]
        everpost.send(to=None, template="welcome")  # type: ignore[call-overload]
        everpost.send(to="ada@example.com", subject="Hello", type="transactional")  # type: ignore[call-overload]
        everpost.send(to="ada@example.com", text="Hello", type="transactional")  # type: ignore[call-overload]
        everpost.send(to="ada@example.com", html="<p>Hello</p>", subject="Hello")  # type: ignore[call-overload]
        everpost.send(to="ada@example.com", template="welcome", html="<p>Hello</p>")  # type: ignore[call-overload]
        everpost.send(to="ada@example.com", template="welcome", tag=["beta"])  # type: ignore[call-overload]
        everpost.send(to="ada@example.com", template="welcome", tags="beta")  # type: ignore[call-overload]
        contact["firstName"]  # type: ignore[typeddict-item]
        if error.code == "template_diabled":  # type: ignore[comparison-overlap]
            pass
        if event["type"] == "email.bounced":
            event["data"]["bounce"]["kind"] == "weak"  # type: ignore[comparison-overlap]
            event["data"]["first_name"]  # type: ignore[typeddict-item]

    def each_way_to_send(everpost: Everpost, content: models.TemplateContent, contact_id: str) -> None:
        """Whom it is to, and what it says."""
        answer = everpost.send(to="ada@example.com", template="welcome", data={"plan": "pro"}, send_at=datetime.now(timezone.utc))
        answer["id"]
        everpost.send(contact_id=contact_id, template="welcome", tags=["beta"], idempotency_key="welcome-7")
        everpost.send(to="ada@example.com", contact_id=contact_id, template="welcome", subject="Hello", html=None)
        everpost.send(to="ada@example.com", html="<p>Hello</p>", text="Hello", subject="Hello", type="transactional")
        everpost.send(contact_id=contact_id, text="Hello", subject="Hello", type="marketing", topic="news", reply_to=None)
        everpost.send(to="ada@example.com", content=content, subject="Hello", type="transactional", headers={"X-Order": "7"})
        everpost.send({"to": "ada@example.com", "template": "welcome"}, idempotency_key="welcome-8")
        everpost.events.track(type="paid", contact_id=contact_id, data={"plan": "pro"})

    def what_the_server_alone_refuses(everpost: Everpost) -> None:
        """Of a body that is given whole the types say what a field may be, and not which have to be there together."""
        everpost.send({"template": "welcome"})
        everpost.send_batch(mails=[{"to": "ada@example.com"}])
        everpost.send({"template": 1})  # type: ignore[call-overload]
        everpost.send_batch(mails=[{"to": "ada@example.com", "tag": "beta"}])  # type: ignore[typeddict-unknown-key]

    async def mistakes_of_the_asynchronous_client(everpost: AsyncEverpost) -> None:
        everpost.contacts.list()["contacts"]  # type: ignore[index]
        await everpost.send(to="ada@example.com")  # type: ignore[call-overload]
        (await everpost.send(to="ada@example.com", template="welcome"))["id"]
        for _ in everpost.contacts.iterate():  # type: ignore[attr-defined]
            pass
